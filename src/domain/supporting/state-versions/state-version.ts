import type { Bundle } from '../../shared/bundle.js';
import { DomainError } from '../../shared/domain-error.js';
import type { Instant, RunId, StateVersionId, WorkspaceId } from '../../shared/id.js';
import type { TokenOwner } from '../../shared/token-owner.js';

/** An agent's announcement of a state, before it uploads the bytes. */
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

/** `pending`: announced, its bytes not yet received, and visible only to its agent. */
export const stateVersionStatuses = ['pending', 'finalized'] as const;

/** A state of a workspace's resources, as a run left it. A finalized one never changes. */
export interface StateVersion extends AnnouncedState {
  readonly id: StateVersionId;
  readonly workspaceId: WorkspaceId;
  /** The run that wrote it. */
  readonly runId: RunId;
  /** The creator of the run; null if it has none. */
  readonly createdBy: TokenOwner | null;
  readonly status: (typeof stateVersionStatuses)[number];
  /** Null while it is pending. */
  readonly bundle: Bundle | null;
  readonly createdAt: Instant;
}

export const announceState = (
  of: Pick<StateVersion, 'id' | 'workspaceId' | 'runId' | 'createdBy' | 'createdAt'>,
  { serial, lineage, md5, size }: AnnouncedState,
): StateVersion => ({ ...of, serial, lineage, md5, size, status: 'pending', bundle: null });

/** Whether both announce the same bytes: an agent repeats an announcement whose response was lost. */
export const isSameState = (a: AnnouncedState, b: AnnouncedState): boolean =>
  a.serial === b.serial && a.lineage === b.lineage && a.md5 === b.md5 && a.size === b.size;

/**
 * Throws `agent-report/invalid` unless the state may follow the workspace's current one, if any: it must have the same
 * lineage and a higher serial. This detects agents that are behind or write to the wrong workspace.
 */
export function checkSuccession(current: AnnouncedState | undefined, next: AnnouncedState): void {
  if (current === undefined) return;
  if (next.lineage !== current.lineage) {
    throw unfit('lineage', `Lineage must be ${current.lineage}, the lineage of the workspace's current state version`);
  }
  if (next.serial <= current.serial) {
    throw unfit(
      'serial',
      `Serial must be greater than ${current.serial}, the serial of the workspace's current state version`,
    );
  }
}

const unfit = (member: string, sentence: string): DomainError =>
  new DomainError('agent-report/invalid', sentence, { member });
