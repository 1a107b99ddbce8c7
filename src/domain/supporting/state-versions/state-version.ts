import type { Bundle } from '../../shared/bundle.js';
import { DomainError } from '../../shared/domain-error.js';
import type { Instant, RunId, StateVersionId, WorkspaceId } from '../../shared/id.js';
import type { TokenOwner } from '../../shared/token-owner.js';

/** An announcement of a state, before its bytes are uploaded. A client does not announce `size`. */
export interface AnnouncedState {
  /** Rises with every state of a workspace; the writer of the state assigns it. */
  readonly serial: number;
  /** Identifies the history a state belongs to. */
  readonly lineage: string;
  /** The MD5 of the bytes, in lower-case hexadecimal. */
  readonly md5: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * `pending`: announced, its bytes not yet received. An agent's pending state is visible only to that agent. The last one:
 * the workspace's retention removed its bytes, outputs and resources.
 */
export const stateVersionStatuses = ['pending', 'finalized', 'backing_data_permanently_deleted'] as const;

/** An agent writes under its lease, a client under the workspace's lock. */
export type StateSource = 'agent' | 'client';

/** One state of a workspace's resources. Once finalized, `jsonBundle` and `outputsRead` still change, each once, and `unreadReason`, until its data is deleted. */
export interface StateVersion extends AnnouncedState {
  readonly id: StateVersionId;
  readonly workspaceId: WorkspaceId;
  readonly source: StateSource;
  /** The run that wrote it, or that the client named; null for none. */
  readonly runId: RunId | null;
  /** The creator of the run, or the writer of the state; null if unknown. */
  readonly createdBy: TokenOwner | null;
  readonly status: (typeof stateVersionStatuses)[number];
  /** Null unless it is finalized. */
  readonly bundle: Bundle | null;
  /** The same state as `terraform show -json` prints it; null unless a client sent it. */
  readonly jsonBundle: Bundle | null;
  /** Whether it may follow any state, as its client asked. */
  readonly forced: boolean;
  /** Whether its outputs are known. An agent reports them; those of a client's state are read from the bytes. */
  readonly outputsRead: boolean;
  /** Why its bytes are not read any more; null unless reading them was given up. */
  readonly unreadReason: string | null;
  /** The state whose bytes it repeats; null for new bytes. */
  readonly rollbackOf: StateVersionId | null;
  readonly createdAt: Instant;
}

export const announceState = (
  of: Pick<StateVersion, 'id' | 'workspaceId' | 'runId' | 'createdBy' | 'createdAt' | 'outputsRead'>,
  { serial, lineage, md5, size }: AnnouncedState,
): StateVersion => ({
  ...of,
  ...{ serial, lineage, md5, size },
  ...withoutBytes,
  source: 'agent',
  forced: false,
  rollbackOf: null,
});

const withoutBytes = { status: 'pending', bundle: null, jsonBundle: null, unreadReason: null } as const;

/** A state that a client is about to send. */
export const draftState = (
  of: Omit<StateVersion, keyof typeof withoutBytes | 'source' | 'outputsRead' | 'size'>,
): StateVersion => ({ ...of, ...withoutBytes, size: 0, source: 'client', outputsRead: false });

/** Whether both announce the same bytes: an agent repeats an announcement whose response was lost. */
export const isSameState = (a: AnnouncedState, b: AnnouncedState): boolean =>
  a.serial === b.serial && a.lineage === b.lineage && a.md5 === b.md5 && a.size === b.size;

type Succession = Pick<AnnouncedState, 'serial' | 'lineage'>;

/**
 * Undefined if the state may follow the workspace's current one, if any: it must have the same lineage and a higher
 * serial. This detects writers that are behind or write to the wrong workspace.
 */
function misfitOf(
  current: Succession | undefined,
  next: Succession,
): { member: keyof Succession; sentence: string } | undefined {
  if (current === undefined) return undefined;
  // Empty where its client named none: the history it belongs to is unknown.
  if (current.lineage !== '' && next.lineage !== current.lineage) {
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
