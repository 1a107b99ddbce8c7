import type { Transition } from '../../src/domain/configuration-versions/lifecycle.js';
import { lifecycle, type RunStatus, runLifecycle, type Status, statusTraits } from '../../src/domain/index.js';
import type { Operation } from './journal.js';
import type { Model } from './linearizable.js';

export const none = 'none';
export const missing = 'missing';
/** The value written by an operation whose response was lost, if the service generates it. */
export const unheard = '?';

/**
 * An optional value: a token, a grant, the owner of a name. `add` requires it to be missing, `change` and `remove` to
 * exist; `put` and `drop` require nothing. `read` returns the value; other reads return whether it is `value`.
 */
export function register(history: readonly Operation[]): Model {
  const heard = new Set(
    history.filter(({ outcome, kind }) => outcome === 'done' && !looks.has(kind)).map(({ value }) => value),
  );
  const is = (state: string, value: string) =>
    state === value || (state === unheard && value !== none && !heard.has(value));
  const steps: Readonly<Record<string, (state: string, value: string) => string | undefined>> = {
    add: (state, value) => (state === none ? value : undefined),
    change: (state, value) => (state === none ? undefined : value),
    put: (_, value) => value,
    remove: (state) => (state === none ? undefined : none),
    drop: () => none,
    read: (state, value) => (is(state, value) ? state : undefined),
    accepted: (state, value) => (state === value ? state : undefined),
    rejected: (state, value) => (state === value ? undefined : state),
  };
  return { initial: none, step: (state, { kind, value }) => stepOf(steps, kind)(state, value) };
}

const looks: ReadonlySet<string> = new Set(['read', 'accepted', 'rejected', 'remove', 'drop']);

const stepOf = <Step>(steps: Readonly<Record<string, Step>>, kind: string): Step => {
  const step = steps[kind];
  if (step === undefined) throw new Error(`no model knows the operation ${kind}`);
  return step;
};

const rows: readonly Transition[] = lifecycle;

/** The target of a trigger in the lifecycle table; guards are ignored, since they depend on other objects. */
const after = (trigger: string, status: string): Status | undefined =>
  rows.find((row) => row.trigger === trigger && row.from.includes(status as Status))?.to;

/** A configuration version: its status and the digest of the files it was last given. */
export const version: Model = {
  initial: 'pending ',
  step: (state, { kind, value }) => {
    const [status = '', sha256 = ''] = state.split(' ');
    const fire = (trigger: string, bytes = sha256) => {
      const to = after(trigger, status);
      return to && `${to} ${bytes}`;
    };
    const steps: Readonly<Record<string, () => string | undefined>> = {
      // The same bytes are accepted again in any status.
      upload: () => (value === sha256 ? state : (fire('upload', value) ?? fire('replace-upload', value))),
      // A broken upload changes nothing, however much of it arrived.
      'break-off': () => state,
      // Returned to the client in every status; only a pending version is marked by it.
      'upload-malformed': () => (status === 'pending' ? fire('fail') : state),
      archive: () => fire('archive'),
      'soft-delete': () => fire('soft-delete'),
      restore: () => fire('restore'),
      'permanently-delete': () => fire('permanently-delete'),
      create: () => state,
      show: () => (shown(status) === value ? state : undefined),
      // The final database row: the status, and the digest if the version still has files.
      stands: () => (value === (keepsFiles.has(status) ? state : status) ? state : undefined),
      download: () => (status === 'uploaded' && sha256 === value ? state : undefined),
    };
    return stepOf(steps, kind)();
  },
};

/** Versions whose backing data was deleted respond as missing. */
const shown = (status: string): string => (statusTraits[status as Status].readable ? status : missing);
export const keepsFiles: ReadonlySet<string> = new Set<Status>(['uploaded', 'backing_data_soft_deleted']);

interface RunRow {
  readonly trigger: string;
  readonly from: readonly RunStatus[];
  readonly to: RunStatus;
}

const runRows: readonly RunRow[] = runLifecycle;
/** Transitions that only a caller triggers. Agents and the service make all others, and clients observe them late. */
const wishes = {
  cancel: ['cancel', 'request-cancel'],
  discard: ['discard'],
  apply: ['confirm'],
  override: ['override-policies'],
};
const wished: ReadonlySet<string> = new Set(Object.values(wishes).flat());
const cancelAsked = '!';

const withAllThatFollows = (states: Iterable<string>): string => {
  const found = new Set(states);
  for (const state of found) {
    const asked = state.endsWith(cancelAsked);
    const status = asked ? state.slice(0, -1) : state;
    for (const row of runRows) {
      if (!row.from.includes(status as RunStatus) || wished.has(row.trigger)) continue;
      if (row.trigger === 'finish-cancel' && !asked) continue;
      found.add(row.to);
    }
  }
  return [...found].sort().join(' ');
};

const wish = (triggers: readonly string[]) => (state: string) =>
  runRows
    .filter(({ trigger, from }) => triggers.includes(trigger) && from.includes(state as RunStatus))
    .map(({ trigger, to }) => (trigger === 'request-cancel' ? to + cancelAsked : to));

/** A run: every status that its clients must consider possible. */
export const run: Model = {
  initial: withAllThatFollows(['pending']),
  step: (state, { kind, value }) => {
    const states = state.split(' ');
    const steps: Readonly<Record<string, () => readonly string[]>> = {
      create: () => states,
      show: () => states.filter((one) => one === value || one === value + cancelAsked),
      ...Object.fromEntries(
        Object.entries(wishes).map(([name, triggers]) => [name, () => states.flatMap(wish(triggers))]),
      ),
    };
    const next = stepOf(steps, kind)();
    return next.length === 0 ? undefined : withAllThatFollows(next);
  },
};
