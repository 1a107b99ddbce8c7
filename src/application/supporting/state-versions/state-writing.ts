import {
  type Actor,
  type Bundle,
  DomainError,
  identityOf,
  type StateVersion,
  type TokenOwner,
  type Workspace,
  type WorkspaceId,
} from '../../../domain/index.js';
import { type Change, changing } from '../../../domain/supporting/audit/change.js';
import { checkLockedBy } from '../../../domain/supporting/workspaces/workspace.js';
import { followedBy } from '../../files/uploads.js';
import type { Measurement } from '../../ports/outside/bundle-inspector.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';
import { activityOf } from '../runs/workspace-activity.js';

/** The repositories that writing a state needs. */
export type StateWriting = 'workspaces' | 'runs' | 'stateVersions' | 'effects' | 'audit';

/**
 * Checked with the workspace's row locked, it stays true until the transaction ends. Throws `workspace/lock-refused`
 * unless `by` holds the lock, and `runs/in-progress` while an agent applies a run and so writes the next state.
 */
export async function checkWritable(tx: Transaction<'runs'>, workspace: Workspace, by: TokenOwner): Promise<void> {
  checkLockedBy(workspace, by);
  const { workingRunId } = await activityOf(tx, workspace.id);
  const run = workingRunId === null ? undefined : await tx.runs.find(workingRunId);
  if (run?.state.status === 'applying') {
    throw new DomainError('runs/in-progress', `${run.state.id} is being applied: its agent writes the next state`);
  }
}

/** The workspace, whose state the caller may write. Throws what `checkWritable` does, and `resource/not-found`. */
export async function writableWorkspace(
  tx: Transaction<'workspaces' | 'runs'>,
  actor: Actor,
  workspaceId: WorkspaceId,
): Promise<Change<Workspace>> {
  const change = changing(actor, await tx.workspaces.findFor(actor, workspaceId), 'state-versions/create');
  await checkWritable(tx, change.subject, identityOf(actor));
  return change;
}

/** The same, with the workspace's row locked. */
export async function lockedWritableWorkspace(
  tx: Transaction<'workspaces' | 'runs'>,
  actor: Actor,
  workspaceId: WorkspaceId,
): Promise<Change<Workspace>> {
  await tx.workspaces.lockRow(workspaceId);
  return writableWorkspace(tx, actor, workspaceId);
}

/** Makes room for what a client announces: a workspace has one such state at most. */
export async function dropAnnounced(
  tx: Transaction<'stateVersions' | 'effects'>,
  workspaceId: WorkspaceId,
): Promise<void> {
  const before = await tx.stateVersions.pendingOfClient(workspaceId);
  if (before === undefined) return;
  await tx.stateVersions.dropPendingOfClient(workspaceId);
  const bundleKey = before.jsonBundle?.key;
  if (bundleKey !== undefined) await tx.effects.enqueue(bundleKey, [{ kind: 'discard-bundle', bundleKey }]);
}

/** Makes a pending state the current one, and orders the reading of what is shown of it. */
export async function keepState(
  tx: Transaction<'stateVersions' | 'effects'>,
  version: StateVersion,
  bundle: Bundle,
): Promise<void> {
  await tx.stateVersions.finalize(version, bundle);
  await tx.effects.enqueue(version.id, [{ kind: 'read-state-outputs', stateVersionId: version.id }]);
}

/** The measurement, which throws `attribute/invalid` at the end of bytes with another MD5. */
export const withMd5 = (md5: string, measurement: Measurement): Measurement => ({
  ...measurement,
  bytes: followedBy(measurement.bytes, () => {
    const found = measurement.facts().md5;
    if (found !== md5) throw new DomainError('attribute/invalid', `Md5 must be that of the state, which is ${found}`);
  }),
});
