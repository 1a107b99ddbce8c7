import { type AuditActor, type Instant, later, type NewAuditEvent, type RequestTrace } from '../../domain/index.js';
import type { AuditedThing } from '../ports/audit-trail.js';
import type { Clock } from '../ports/clock.js';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.js';

/** A change that a rule or a missing right refused, or a request whose token is no good. */
export interface Refusal extends Omit<NewAuditEvent, 'count' | 'request'> {
  readonly request: RequestTrace;
  /** What it is about, as far as the request names it: it says in whose trail it stands. */
  readonly about: AuditedThing | undefined;
}

interface Counted {
  refusal: Refusal;
  /** Not kept yet. */
  count: number;
  readonly begun: Instant;
  /** Whether the first of the minute is kept. */
  kept: boolean;
  /** Whose subjects it is one of; undefined when it is told apart by no subject. */
  readonly who: string | undefined;
}

const countedSeconds = 60;
/** How many refusals of one caller are told apart in a minute by what they are about. */
const mostSubjects = 50;
/** How many are told apart altogether. */
const mostAltogether = 5_000;
const batch = 100;

/**
 * Counts refusals of the same kind together: of each, the first of a minute is kept with the next flush, and how many came
 * after it at the end of the minute. Whoever is refused all the time so fills neither the disk nor the memory. To be
 * flushed every few seconds; what a process that is killed did not flush is lost.
 */
export class Refusals {
  private readonly counted = new Map<string, Counted>();
  private readonly subjects = new Map<string, number>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  note(given: Refusal): void {
    const who = `${given.actor.kind} ${nameOf(given)}`;
    const same = `${who} ${given.action} ${given.outcome}`;
    const exactly = `${same} ${given.subject}`;
    if (this.count(exactly)) return;
    const subjects = this.subjects.get(who) ?? 0;
    const room = this.counted.size < mostAltogether;
    if (room && subjects < mostSubjects) {
      this.subjects.set(who, subjects + 1);
      this.begin(exactly, given, who);
      return;
    }
    const without = { ...given, subject: null, about: undefined };
    if (this.count(same)) return;
    if (room) {
      this.begin(same, without);
      return;
    }
    // Addresses can be had by the million: what comes from more of them than there is room for is counted as from nowhere.
    const nowhere = `${given.actor.kind} ${given.action} ${given.outcome}`;
    const request = { ...given.request, address: null };
    if (!this.count(nowhere)) this.begin(nowhere, { ...without, actor: unnamed(given.actor), request });
  }

  /** `ending` keeps all that was counted. What cannot be kept now is tried again with the next. */
  async flush(ending = false): Promise<void> {
    const now = this.clock.now();
    const isOver = ({ begun }: Counted) => ending || later(begun, countedSeconds) <= now;
    const due = [...this.counted.values()].filter((one) => one.count > 0 && (!one.kept || isOver(one)));
    for (let from = 0; from < due.length; from += batch) await this.keep(due.slice(from, from + batch));
    for (const [key, one] of this.counted) if (one.count === 0 && isOver(one)) this.end(key, one);
  }

  private async keep(due: readonly Counted[]): Promise<void> {
    const taken = due.map(({ refusal, count }) => ({ refusal, count }));
    await this.unitOfWork.run(async (tx) => {
      for (const { refusal, count } of taken) await keepIn(tx, refusal, count);
    });
    due.forEach((one, index) => {
      one.count -= taken[index]?.count ?? 0;
      one.kept = true;
    });
  }

  private count(key: string): boolean {
    const known = this.counted.get(key);
    if (known === undefined) return false;
    known.count += 1;
    return true;
  }

  private begin(key: string, refusal: Refusal, who?: string): void {
    this.counted.set(key, { refusal, count: 1, begun: this.clock.now(), kept: false, who });
  }

  private end(key: string, { who }: Counted): void {
    this.counted.delete(key);
    if (who === undefined) return;
    const others = (this.subjects.get(who) ?? 0) - 1;
    if (others > 0) this.subjects.set(who, others);
    else this.subjects.delete(who);
  }
}

const nameOf = ({ actor, request }: Refusal): string => actor.id ?? String(request.address);

const unnamed = ({ kind }: AuditActor): AuditActor => ({ kind, id: null, tokenId: null });

async function keepIn(tx: Transaction, { about, ...refusal }: Refusal, count: number): Promise<void> {
  const organizationId = about && (await tx.audit.organizationOf(about));
  await tx.audit.add({ ...refusal, count }, organizationId === undefined ? 'site' : { organizationId });
}
