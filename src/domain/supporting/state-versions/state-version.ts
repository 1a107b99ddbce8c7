import type { Bundle } from '../../shared/bundle.js';
import { DomainError } from '../../shared/domain-error.js';
import type { Instant, RunId, StateVersionId, WorkspaceId } from '../../shared/id.js';
import type { TokenOwner } from '../../shared/token-owner.js';

/** What is said of a state before its bytes are sent. A client leaves `size` to the bytes. */
export interface AnnouncedState {
  /** Rises with every state of a workspace, as who writes states counts. */
  readonly serial: number;
  /** Tells the states of one history from those of any other. */
  readonly lineage: string;
  /** Of the bytes, lower-case hexadecimal. */
  readonly md5: string;
  /** How many bytes. */
  readonly size: number;
}

/** `pending`: announced, its bytes not received yet. Only the agent sees that of an agent. */
export const stateVersionStatuses = ['pending', 'finalized'] as const;

/** An agent writes under its lease, a client under the workspace's lock. */
export type StateSource = 'agent' | 'client';

/** One state of a workspace's resources. Once finalized, only `jsonBundle` and `outputsRead` still change, each once. */
export interface StateVersion extends AnnouncedState {
  readonly id: StateVersionId;
  readonly workspaceId: WorkspaceId;
  readonly source: StateSource;
  /** The run that wrote it, or that the client names; null for none. */
  readonly runId: RunId | null;
  /** Who created the run, or wrote the state; null where that is not known. */
  readonly createdBy: TokenOwner | null;
  readonly status: (typeof stateVersionStatuses)[number];
  /** Null while it is pending. */
  readonly bundle: Bundle | null;
  /** The same state as `terraform show -json` prints it; null unless a client sent it. */
  readonly jsonBundle: Bundle | null;
  /** Whether it may follow any state, as its client asked. */
  readonly forced: boolean;
  /** Whether its outputs are known. An agent reports them; those of a client's state are read from the bytes. */
  readonly outputsRead: boolean;
  /** The state whose bytes it repeats; null for new bytes. */
  readonly rollbackOf: StateVersionId | null;
  readonly createdAt: Instant;
}

export const announceState = (
  of: Pick<StateVersion, 'id' | 'workspaceId' | 'runId' | 'createdBy' | 'createdAt'>,
  { serial, lineage, md5, size }: AnnouncedState,
): StateVersion => ({
  ...of,
  ...{ serial, lineage, md5, size },
  ...withoutBytes,
  source: 'agent',
  forced: false,
  outputsRead: true,
  rollbackOf: null,
});

const withoutBytes = { status: 'pending', bundle: null, jsonBundle: null } as const;

/** A state that a client is about to send. */
export const draftState = (
  of: Omit<StateVersion, keyof typeof withoutBytes | 'source' | 'outputsRead' | 'size'>,
): StateVersion => ({ ...of, ...withoutBytes, size: 0, source: 'client', outputsRead: false });

/** Whether two say the same of the same bytes: an announcement whose answer was lost is made again. */
export const isSameState = (a: AnnouncedState, b: AnnouncedState): boolean =>
  a.serial === b.serial && a.lineage === b.lineage && a.md5 === b.md5 && a.size === b.size;

type Succession = Pick<AnnouncedState, 'serial' | 'lineage'>;

/**
 * A state may follow the workspace's current one, of which there may be none, if it is of the same lineage and its serial is
 * higher. A writer that is behind, or writes to the wrong workspace, must not go unnoticed.
 */
function misfitOf(
  current: Succession | undefined,
  next: Succession,
): { member: keyof Succession; sentence: string } | undefined {
  if (current === undefined) return undefined;
  if (next.lineage !== current.lineage) {
    const sentence = `Lineage must be ${current.lineage}, the lineage of the workspace's current state version`;
    return { member: 'lineage', sentence };
  }
  if (next.serial > current.serial) return undefined;
  const sentence = `Serial must be greater than ${current.serial}, the serial of the workspace's current state version`;
  return { member: 'serial', sentence };
}

/** Throws `agent-report/invalid` unless a state of an agent may follow the current one. */
export function checkSuccession(current: Succession | undefined, next: Succession): void {
  const misfit = misfitOf(current, next);
  if (misfit !== undefined) throw new DomainError('agent-report/invalid', misfit.sentence, { member: misfit.member });
}

/** The same for a state of a client: throws `state-version/conflict`, unless it is forced. */
export function checkSuccessionUnlessForced(
  current: Succession | undefined,
  next: Succession & Pick<StateVersion, 'forced'>,
): void {
  const misfit = next.forced ? undefined : misfitOf(current, next);
  if (misfit !== undefined) {
    throw new DomainError('state-version/conflict', misfit.sentence, { attribute: misfit.member });
  }
}
