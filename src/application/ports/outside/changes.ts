import type { WorkspaceId } from '../../../domain/index.js';

/** Either something changed that audit events of the workspace record, or only the log of a run grew. */
export type ChangeKind = 'records' | 'log';

/** The workspaces that changed. */
export type Changes = ReadonlyMap<WorkspaceId, ChangeKind>;

/** Called with the changes of a commit; with undefined where some may have been missed. Must not throw. */
export type ChangeListener = (changes: Changes | undefined) => void;

/** Clients that read the records again also read the log on, so `records` replaces `log`. */
export const noteChange = (changes: Map<WorkspaceId, ChangeKind>, id: WorkspaceId, kind: ChangeKind): void => {
  if (kind === 'records' || !changes.has(id)) changes.set(id, kind);
};
