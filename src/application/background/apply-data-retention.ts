import { later, type StateVersion, type Workspace, type WorkspaceId } from '../../domain/index.js';
import { doneBySystem } from '../../domain/supporting/audit/audit-event.js';
import type { ArchiveOldVersions } from '../configuration-versions/archive-old-versions.js';
import { discard } from '../files/discard.js';
import type { Clock } from '../ports/outside/clock.js';
import type { VersionPlace } from '../ports/repositories/configuration-version-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

const workspacesAtOnce = 100;
const statesAtOnce = 20;

/** The result of one batch. `next` is where to continue; absent at the end. */
export interface DataRetained {
  readonly archived: number;
  readonly deleted: number;
  readonly next?: WorkspaceId;
  /** The first error. The workspace it concerns is left for the next time. */
  readonly failure?: unknown;
}

/** Removes the files of versions and states that workspaces keep no longer. Their rows stay, and so do the current ones. */
export class ApplyDataRetention {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'stateVersions' | 'effects' | 'audit'>,
    private readonly clock: Clock,
    private readonly versions: ArchiveOldVersions,
  ) {}

  /** Checks one batch of workspaces after `after`. Safe to repeat and to run concurrently. */
  async execute(after: WorkspaceId = ''): Promise<DataRetained> {
    const seen = await this.unitOfWork.read((tx) => tx.workspaces.retaining(after, workspacesAtOnce));
    let [archived, deleted] = [0, 0];
    let failure: unknown;
    for (const workspace of seen) {
      try {
        archived += await this.archive(workspace);
        deleted += await this.deleteStates(workspace);
      } catch (error) {
        failure ??= error;
      }
    }
    const last = seen.length < workspacesAtOnce ? undefined : seen.at(-1);
    return {
      archived,
      deleted,
      ...(last !== undefined && { next: last.id }),
      ...(failure !== undefined && { failure }),
    };
  }

  private async archive({ id: workspaceId, retention }: Workspace): Promise<number> {
    let archived = 0;
    let after: VersionPlace | undefined;
    do {
      const batch = await this.versions.execute(after, { workspaceId, days: retention?.days ?? 0 });
      archived += batch.archived;
      if (batch.failure !== undefined) throw batch.failure;
      after = batch.next;
    } while (after !== undefined);
    return archived;
  }

  private async deleteStates({ id }: Workspace): Promise<number> {
    let deleted = 0;
    for (let batch: readonly StateVersion[] | undefined; batch === undefined || batch.length === statesAtOnce; ) {
      batch = await this.unitOfWork.run(async (tx) => {
        // Serializes with writers of states: what is current here stays current until this is committed.
        await tx.workspaces.lockRow(id);
        const days = (await tx.workspaces.find(id))?.retention?.days;
        if (days == null) return [];
        const outdated = await tx.stateVersions.outdated(id, later(this.clock.now(), -days * 86_400), statesAtOnce);
        for (const state of outdated) {
          await tx.stateVersions.deleteData(state.id);
          await discard(
            tx,
            [state.bundle, state.jsonBundle].flatMap((bytes) => bytes?.key ?? []),
          );
          await tx.audit.add(doneBySystem('state-versions/delete-data', state.id), state);
        }
        return outdated;
      });
      deleted += batch.length;
    }
    return deleted;
  }
}
