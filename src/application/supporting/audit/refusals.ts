import {
  type Instant,
  later,
  type NewAuditEvent,
  type OrganizationId,
  type RequestTrace,
} from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { AuditedThing } from '../../ports/repositories/audit-trail.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** A change refused by a rule or for a missing right, or a request with an invalid token. */
export interface Refusal extends Omit<NewAuditEvent, 'count' | 'detail' | 'comment' | 'subjectName' | 'request'> {
  readonly request: RequestTrace;
  /** The subject as named by the request, which determines the trail. */
  readonly about: AuditedThing | undefined;
}

interface Heard {
  readonly refusal: Refusal;
  count: number;
}

interface Counted {
  readonly refusal: Refusal;
  /** The organization of the trail; undefined for the site's. */
  readonly of: OrganizationId | undefined;
  /** The number not stored yet. */
  count: number;
  readonly begun: Instant;
  /** Whether the first of the minute is stored. */
  kept: boolean;
  /** The quotas it counts against. */
  readonly quotas: readonly Quota[];
}

interface Quota {
  readonly name: string;
  readonly max: number;
}

const countedSeconds = 60;
/** The refusals per caller and organization distinguished by subject in a minute. */
const maxSubjects = 50;
/** The limit per caller, in the trails of all organizations. */
const maxOfCaller = 500;
/** The limit for all callers. */
const maxAltogether = 5_000;
/** The number of addresses distinguished in a minute. */
const maxStrangers = 500;
/**
 * The refused subjects per caller that may wait for their organization to be looked up; at half of that, the lookup
 * starts immediately.
 */
const maxHeard = 1_000;
const batch = 100;

/**
 * Aggregates refusals of the same kind: the first of a minute is stored with the next flush, and the number of further
 * ones at the end of the minute. A caller that is refused continuously thus fills neither the disk nor the memory, and
 * does not displace the events of others. Must be flushed every few seconds; a killed process loses the refusals it has
 * not stored, including counts of the last minute.
 */
export class Refusals {
  /** By caller, then by the other distinguishing properties; the organization is not known yet. */
  private readonly heard = new Map<string, Map<string, Heard>>();
  private readonly counted = new Map<string, Counted>();
  /** The usage of each quota. */
  private readonly taken = new Map<string, number>();
  private readonly finding = oneAfterTheOther();
  private readonly keeping = oneAfterTheOther();
  private isFinding = false;

  constructor(
    private readonly unitOfWork: UnitOfWork<'audit'>,
    private readonly clock: Clock,
  ) {}

  note(refusal: Refusal): void {
    if (refusal.about === undefined) {
      this.count(refusal, undefined, 1);
      return;
    }
    const who = callerOf(refusal);
    const own = this.heard.get(who) ?? new Map<string, Heard>();
    this.heard.set(who, own);
    const key = keyOf(refusal);
    const known = own.get(key);
    if (known !== undefined) known.count += 1;
    else if (own.size < maxHeard) own.set(key, { refusal, count: 1 });
    else this.count(withoutSubject(refusal), undefined, 1);
    if (own.size >= maxHeard / 2) this.findEarly();
  }

  /** `ending` stores all counts. Refusals that cannot be stored now are tried again with the next flush. */
  flush(ending = false): Promise<void> {
    return this.keeping(() => this.keepAll(ending));
  }

  private async keepAll(ending: boolean): Promise<void> {
    await this.finding(() => this.findOrganizations());
    const now = this.clock.now();
    const isOver = ({ begun }: Counted) => ending || later(begun, countedSeconds) <= now;
    const due = [...this.counted.values()].filter((one) => one.count > 0 && (!one.kept || isOver(one)));
    for await (const part of parts(due)) await this.keep(part);
    for (const [key, one] of this.counted) if (one.count === 0 && isOver(one)) this.end(key, one);
  }

  /** Runs before the next flush, so that made-up subjects leave room for existing ones. */
  private findEarly(): void {
    if (this.isFinding) return;
    this.isFinding = true;
    const over = () => {
      this.isFinding = false;
    };
    // The next flush meets the same failure and reports it.
    this.finding(() => this.findOrganizations()).then(over, over);
  }

  private async findOrganizations(): Promise<void> {
    const heard = [...this.heard.values()].flatMap((own) => [...own].map(([key, one]) => ({ own, key, one })));
    for await (const part of parts(heard)) {
      const organizations = await this.unitOfWork.read(async (tx) => {
        const found: (OrganizationId | undefined)[] = [];
        for (const { one } of part) found.push(one.refusal.about && (await tx.audit.organizationOf(one.refusal.about)));
        return found;
      });
      for (const [index, { own, key, one }] of part.entries()) {
        own.delete(key);
        this.count(one.refusal, organizations[index], one.count);
      }
    }
    for (const [who, own] of this.heard) if (own.size === 0) this.heard.delete(who);
  }

  private count(refusal: Refusal, of: OrganizationId | undefined, times: number): void {
    const exactly = `${of} ${keyOf(refusal)}`;
    if (this.more(exactly, times)) return;
    const known = refusal.actor.id !== null;
    const who = callerOf(refusal);
    const quotas: readonly Quota[] = known
      ? [
          { name: `${of} ${who}`, max: maxSubjects },
          { name: who, max: maxOfCaller },
          { name: 'all callers', max: maxAltogether },
        ]
      : [{ name: 'strangers', max: maxStrangers }];
    if (quotas.every(({ name, max }) => (this.taken.get(name) ?? 0) < max)) {
      for (const { name } of quotas) this.take(name, 1);
      this.begin(exactly, refusal, of, times, quotas);
      return;
    }
    // Known callers are always identified, however many there are. Addresses are not, since they are available by the
    // million.
    const rest = known ? withoutSubject(refusal) : fromNowhere(refusal);
    const key = `${of} ${keyOf(rest)}`;
    if (!this.more(key, times)) this.begin(key, rest, of, times, []);
  }

  private async keep(due: readonly Counted[]): Promise<void> {
    const taken = due.map(({ refusal, of, count }) => ({ refusal, of, count }));
    await this.unitOfWork.run(async (tx) => {
      for (const { refusal, of: organizationId, count } of taken) {
        const { about: _, ...event } = refusal;
        await tx.audit.add(
          { ...event, count, detail: null },
          organizationId === undefined ? 'site' : { organizationId },
        );
      }
    });
    due.forEach((one, index) => {
      one.count -= taken[index]?.count ?? 0;
      one.kept = true;
    });
  }

  private more(key: string, times: number): boolean {
    const known = this.counted.get(key);
    if (known === undefined) return false;
    known.count += times;
    return true;
  }

  private begin(
    key: string,
    refusal: Refusal,
    of: OrganizationId | undefined,
    count: number,
    quotas: readonly Quota[],
  ): void {
    this.counted.set(key, { refusal, of, count, begun: this.clock.now(), kept: false, quotas });
  }

  private end(key: string, { quotas }: Counted): void {
    this.counted.delete(key);
    for (const { name } of quotas) this.take(name, -1);
  }

  private take(room: string, more: number): void {
    const taken = (this.taken.get(room) ?? 0) + more;
    if (taken > 0) this.taken.set(room, taken);
    else this.taken.delete(room);
  }
}

const callerOf = ({ actor, request }: Refusal): string => `${actor.kind} ${actor.id ?? networkOf(request.address)}`;

const keyOf = (refusal: Refusal): string =>
  [callerOf(refusal), refusal.actor.tokenId, refusal.action, refusal.outcome, refusal.subject].join(' ');

/** An IPv6 client usually controls all addresses with the same first 64 bits. */
function networkOf(address: string | null): string {
  if (address === null || address.includes('.')) return String(address);
  const [before = [], after = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const left = Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(left).fill('0'), ...after].slice(0, 4).join(':');
}

const withoutSubject = (refusal: Refusal): Refusal => ({ ...refusal, subject: null, about: undefined });

const fromNowhere = (refusal: Refusal): Refusal => ({
  ...withoutSubject(refusal),
  request: { ...refusal.request, address: null },
});

/** Yields between parts: a database in this process responds without giving other work a turn. */
async function* parts<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < items.length; from += batch) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    yield items.slice(from, from + batch);
  }
}

/** Runs jobs one at a time; a failure does not stop the next. */
function oneAfterTheOther(): (work: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    last = last.then(work, work);
    return last;
  };
}
