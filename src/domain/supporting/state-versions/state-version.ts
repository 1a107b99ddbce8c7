import type { Bundle } from '../../shared/bundle.js';
import { DomainError } from '../../shared/domain-error.js';
import type { Instant, RunId, StateVersionId, WorkspaceId } from '../../shared/id.js';
import type { TokenOwner } from '../../shared/token-owner.js';

/** What an agent says of a state before it sends the bytes. */
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

/** `pending`: announced, its bytes not received yet, and seen by nobody but its agent. */
export const stateVersionStatuses = ['pending', 'finalized'] as const;

/** One state of a workspace's resources, as a run left it. A finalized one never changes. */
export interface StateVersion extends AnnouncedState {
  readonly id: StateVersionId;
  readonly workspaceId: WorkspaceId;
  /** The run that wrote it. */
  readonly runId: RunId;
  /** Who created the run; null for nobody. */
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

/** Whether two say the same of the same bytes: an announcement whose answer was lost is made again. */
export const isSameState = (a: AnnouncedState, b: AnnouncedState): boolean =>
  a.serial === b.serial && a.lineage === b.lineage && a.md5 === b.md5 && a.size === b.size;

/**
 * Throws `agent-report/invalid` unless a state may follow the workspace's current one, of which there may be none: it is
 * of the same lineage, and its serial is higher. Who is behind, or writes to the wrong workspace, must not go unnoticed.
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
