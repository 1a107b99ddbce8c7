import { DomainError, type DomainErrorCode } from './domain-error.js';
import type { Instant } from './id.js';

/** The guard that every row has, whether it names it or not. */
const inStatus = 'in one of these states';

/** What may be asked before a row fires. */
export interface LifecycleGuard<Facts> {
  readonly holds: (facts: Facts) => boolean;
  /** Ends the sentence `… could not be … because`. */
  readonly because: string;
}

/** One way from a status to a status. */
export interface LifecycleRow<Status, Trigger = string, GuardName = never, Effect = never> {
  readonly trigger: Trigger;
  readonly from: readonly Status[];
  /** Asked in this order, and the status first where it is not among them; the first that fails words the refusal. */
  readonly guards: readonly (GuardName | typeof inStatus)[];
  readonly to: Status;
  /** The timestamp it sets; without it that of the status it leads to, if this is another one. */
  readonly stamp?: string;
  /** Fired as soon as status and guards allow, by nobody in particular. */
  readonly automatic?: boolean;
  /** Work it orders. */
  readonly effects: readonly Effect[];
  /** Why it failed, where nobody reports it. */
  readonly failure?: string;
  readonly refusedAs: DomainErrorCode;
  /** What the refusal's sentence calls it. */
  readonly done: string;
}

interface Living<Status> {
  readonly status: Status;
  readonly statusTimestamps: Readonly<Record<string, Instant>>;
}

export const stampOf = (status: string): string => `${status.replaceAll('_', '-')}-at`;

/** What every row changes. */
export function entered<Status extends string>(
  { status, statusTimestamps }: Living<Status>,
  { to, stamp = to === status ? undefined : stampOf(to) }: Pick<LifecycleRow<Status>, 'to' | 'stamp'>,
  now: Instant,
): Living<Status> {
  return { status: to, statusTimestamps: { ...statusTimestamps, ...(stamp && { [stamp]: now }) } };
}

/** Reads a table of transitions. */
export class Lifecycle<Status extends string, Trigger extends string, Name extends string, Effect, Facts> {
  constructor(
    /** Begins the sentence of a refusal. */
    private readonly subject: string,
    private readonly rows: readonly LifecycleRow<Status, Trigger, Name, Effect>[],
    private readonly guards: Readonly<Record<Name, LifecycleGuard<Facts>>>,
  ) {}

  /** Whether the status alone allows it. */
  startsFrom(status: Status, trigger: Trigger): boolean {
    return this.row(trigger).from.includes(status);
  }

  /** Whether `fire` would not throw. */
  allows(trigger: Trigger, facts: Facts & { status: Status }): boolean {
    return this.broken(this.row(trigger), facts) === undefined;
  }

  /** The row, for the caller to enter. Throws its refusal. */
  fire(trigger: Trigger, facts: Facts & { status: Status }): LifecycleRow<Status, Trigger, Name, Effect> {
    const row = this.row(trigger);
    const guard = this.broken(row, facts);
    if (guard === undefined) return row;
    const because = guard === inStatus ? `its status is ${facts.status}` : this.guards[guard].because;
    const sentence = `${this.subject} could not be ${row.done} because ${because}`;
    throw new DomainError(row.refusedAs, sentence, { trigger, guard });
  }

  /** The first of the automatic rows that fit; undefined where it rests. */
  automatic(facts: Facts & { status: Status }): LifecycleRow<Status, Trigger, Name, Effect> | undefined {
    return this.rows.find((row) => row.automatic && this.broken(row, facts) === undefined);
  }

  /** The state after a row that nothing refuses; as it is where the row does not start from its status. */
  moved<State extends Living<Status>>(state: State, trigger: Trigger, now: Instant, change: Partial<State>): State {
    if (!this.startsFrom(state.status, trigger)) return state;
    return { ...state, ...change, ...entered(state, this.row(trigger), now) };
  }

  private row(trigger: Trigger) {
    return this.rows.find((row) => row.trigger === trigger) as LifecycleRow<Status, Trigger, Name, Effect>;
  }

  private broken({ from, guards }: LifecycleRow<Status, Trigger, Name, Effect>, facts: Facts & { status: Status }) {
    const asked = guards.includes(inStatus) ? guards : ([inStatus, ...guards] as const);
    return asked.find((name) => (name === inStatus ? !from.includes(facts.status) : !this.guards[name].holds(facts)));
  }
}
