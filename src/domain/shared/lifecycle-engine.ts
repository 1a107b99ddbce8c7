import { DomainError, type DomainErrorCode } from './domain-error.js';
import type { Instant } from './id.js';

/** The guard that every row has, listed or not. */
const inStatus = 'in one of these states';

/** A condition checked before a row fires. */
export interface LifecycleGuard<Facts> {
  readonly holds: (facts: Facts) => boolean;
  /** Completes the sentence `… could not be … because`. */
  readonly because: string;
}

/** A transition between two statuses. */
export interface LifecycleRow<Status, Trigger = string, GuardName = never, Effect = never> {
  readonly trigger: Trigger;
  readonly from: readonly Status[];
  /** Checked in this order, after the status unless the list places it; the first failing guard words the refusal. */
  readonly guards: readonly (GuardName | typeof inStatus)[];
  readonly to: Status;
  /** The timestamp it sets. Without it, a change of status sets the timestamp of the new status. */
  readonly stamp?: string;
  /** Fired automatically as soon as the status and the guards allow it. */
  readonly automatic?: boolean;
  /** The effects it orders. */
  readonly effects: readonly Effect[];
  /** The failure reason, for a failure that is not reported. */
  readonly failure?: string;
  readonly refusedAs: DomainErrorCode;
  /** The verb in the refusal's sentence. */
  readonly done: string;
  /** The caller's way out; ends the refusal's sentence. */
  readonly instead?: string;
}

interface Living<Status> {
  readonly status: Status;
  readonly statusTimestamps: Readonly<Record<string, Instant>>;
}

export const stampOf = (status: string): string => `${status.replaceAll('_', '-')}-at`;

/** The changes common to every row. */
export function entered<Status extends string>(
  { status, statusTimestamps }: Living<Status>,
  { to, stamp = to === status ? undefined : stampOf(to) }: Pick<LifecycleRow<Status>, 'to' | 'stamp'>,
  now: Instant,
): Living<Status> {
  return { status: to, statusTimestamps: { ...statusTimestamps, ...(stamp && { [stamp]: now }) } };
}

/** Evaluates a table of transitions. */
export class Lifecycle<Status extends string, Trigger extends string, Name extends string, Effect, Facts> {
  constructor(
    /** The subject of a refusal's sentence. */
    private readonly subject: string,
    private readonly rows: readonly LifecycleRow<Status, Trigger, Name, Effect>[],
    private readonly guards: Readonly<Record<Name, LifecycleGuard<Facts>>>,
  ) {}

  /** Whether the status alone allows it. */
  startsFrom(status: Status, trigger: Trigger): boolean {
    return this.row(trigger).from.includes(status);
  }

  /** Whether `fire` would succeed. */
  allows(trigger: Trigger, facts: Facts & { status: Status }): boolean {
    return this.broken(this.row(trigger), facts) === undefined;
  }

  /** Returns the row, for the caller to enter. Throws the row's refusal. */
  fire(trigger: Trigger, facts: Facts & { status: Status }): LifecycleRow<Status, Trigger, Name, Effect> {
    const row = this.row(trigger);
    const guard = this.broken(row, facts);
    if (guard === undefined) return row;
    const because = guard === inStatus ? `its status is ${facts.status}` : this.guards[guard].because;
    const instead = row.instead === undefined ? '' : `; ${row.instead}`;
    const sentence = `${this.subject} could not be ${row.done} because ${because}${instead}`;
    throw new DomainError(row.refusedAs, sentence, { trigger, guard });
  }

  /** The first automatic row that applies; undefined if there is none. */
  automatic(facts: Facts & { status: Status }): LifecycleRow<Status, Trigger, Name, Effect> | undefined {
    return this.rows.find((row) => row.automatic && this.broken(row, facts) === undefined);
  }

  /** The state after a row without guards; unchanged if the row does not start from its status. */
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
