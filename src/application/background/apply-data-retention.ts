import { later, type OrganizationId, retentionOf, type StateVersion, type Workspace } from '../../domain/index.js';
import { doneBySystem } from '../../domain/supporting/audit/audit-event.js';
import type { ArchiveOldVersions } from '../configuration-versions/archive-old-versions.js';
import { discard } from '../files/discard.js';
import type { Clock } from '../ports/outside/clock.js';
import type { VersionPlace } from '../ports/repositories/configuration-version-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

const workspacesAtOnce = 100;
const statesAtOnce = 20;

/** The organization whose policy is applied; null for workspaces with one of their own. The last workspace seen there. */
export interface RetentionPlace {
  readonly organizationId: OrganizationId | null;
  readonly after: Pick<Workspace, 'createdAt' | 'id'> | null;
}

const beginning: RetentionPlace = { organizationId: null, after: null };

/** The result of one batch. `next` is where to continue; absent at the end. */
export interface DataRetained {
  readonly archived: number;
  readonly deleted: number;
  readonly next?: RetentionPlace;
  /** The first error. The workspace it concerns is left for the next time. */
  readonly failure?: unknown;
}

/** Removes the files of versions and states that workspaces keep no longer. Their rows stay, and so do the current ones. */
export class ApplyDataRetention {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'stateVersions' | 'effects' | 'audit'>,
    private readonly clock: Clock,
    private readonly versions: ArchiveOldVersions,
  ) {}

  /** Checks one batch of workspaces from `place` on. Safe to repeat and to run concurrently. */
  async execute(place = beginning): Promise<DataRetained> {
    const { seen, next } = await this.batchAt(place);
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
    return { archived, deleted, ...(next !== undefined && { next }), ...(failure !== undefined && { failure }) };
  }

  private batchAt({ organizationId, after }: RetentionPlace) {
    return this.unitOfWork.read(async (tx) => {
      const seen =
        organizationId === null
          ? await tx.workspaces.retaining(after?.id ?? '', workspacesAtOnce)
          : await tx.workspaces.withoutRetention(organizationId, after, workspacesAtOnce);
      const last = seen.length < workspacesAtOnce ? undefined : seen.at(-1);
      if (last !== undefined) return { seen, next: { organizationId, after: last } };
      const nextId = await tx.organizations.retaining(organizationId ?? '');
      return { seen, next: nextId === undefined ? undefined : { organizationId: nextId, after: null } };
    });
  }

  private async archive(workspace: Workspace): Promise<number> {
    const { id: workspaceId } = workspace;
    let archived = 0;
    let after: VersionPlace | undefined;
    do {
      const batch = await this.versions.execute(after, { workspaceId, days: retentionOf(workspace)?.days ?? 0 });
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
        const found = await tx.workspaces.find(id);
        const days = found && retentionOf(found)?.days;
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
