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

/** A change that a rule or a missing right refused, or a request whose token is no good. */
export interface Refusal extends Omit<NewAuditEvent, 'count' | 'detail' | 'request'> {
  readonly request: RequestTrace;
  /** What it is about, as far as the request names it: it says in whose trail it stands. */
  readonly about: AuditedThing | undefined;
}

interface Heard {
  readonly refusal: Refusal;
  count: number;
}

interface Counted {
  readonly refusal: Refusal;
  /** In whose trail it stands; undefined for the site's. */
  readonly of: OrganizationId | undefined;
  /** Not kept yet. */
  count: number;
  readonly begun: Instant;
  /** Whether the first of the minute is kept. */
  kept: boolean;
  /** Of which it takes. */
  readonly rooms: readonly Room[];
}

interface Room {
  readonly name: string;
  readonly most: number;
}

const countedSeconds = 60;
/** How many refusals of one caller, in the trail of one organization, are told apart in a minute by what they are about. */
const mostSubjects = 50;
/** How many of one caller, in the trails of all organizations. */
const mostOfCaller = 500;
/** How many of all callers. */
const mostAltogether = 5_000;
/** How many addresses are told apart in a minute. */
const mostStrangers = 500;
/** How many things that a caller was refused may wait until it is found out whose they are; from half of that on it is, at once. */
const mostHeard = 1_000;
const batch = 100;

/**
 * Counts refusals of the same kind together: of each, the first of a minute is kept with the next flush, and how many came
 * after it at the end of the minute. Whoever is refused all the time so fills neither the disk nor the memory, and alone
 * takes nothing from what is told of others. To be flushed every few seconds; what a process that is killed did not keep,
 * counts of the last minute among it, is lost.
 */
export class Refusals {
  /** By caller, and then by all that tells them apart: the organization is yet to be found. */
  private readonly heard = new Map<string, Map<string, Heard>>();
  private readonly counted = new Map<string, Counted>();
  /** How much is taken of each room. */
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
    else if (own.size < mostHeard) own.set(key, { refusal, count: 1 });
    else this.count(withoutSubject(refusal), undefined, 1);
    if (own.size >= mostHeard / 2) this.findEarly();
  }

  /** `ending` keeps all that was counted. What cannot be kept now is tried again with the next. */
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

  /** Before the next flush, so that the many things a caller makes up leave room for those that exist. */
  private findEarly(): void {
    if (this.isFinding) return;
    this.isFinding = true;
    const over = () => {
      this.isFinding = false;
    };
    // What is wrong the next flush meets as well, and whoever waits for it hears of it.
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
    const rooms: readonly Room[] = known
      ? [
          { name: `${of} ${who}`, most: mostSubjects },
          { name: who, most: mostOfCaller },
          { name: 'all callers', most: mostAltogether },
        ]
      : [{ name: 'strangers', most: mostStrangers }];
    if (rooms.every(({ name, most }) => (this.taken.get(name) ?? 0) < most)) {
      for (const { name } of rooms) this.take(name, 1);
      this.begin(exactly, refusal, of, times, rooms);
      return;
    }
    // Of those who are known it is told who they are, however many there are. Addresses can be had by the million.
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
    rooms: readonly Room[],
  ): void {
    this.counted.set(key, { refusal, of, count, begun: this.clock.now(), kept: false, rooms });
  }

  private end(key: string, { rooms }: Counted): void {
    this.counted.delete(key);
    for (const { name } of rooms) this.take(name, -1);
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

/** Whoever has an IPv6 address has all that begin with the same 64 bits. */
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

/** Others have their turn between two: a database in this process answers without giving them any. */
async function* parts<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < items.length; from += batch) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    yield items.slice(from, from + batch);
  }
}

/** Begins work when what was asked for before has ended, well or not. */
function oneAfterTheOther(): (work: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    last = last.then(work, work);
    return last;
  };
}
