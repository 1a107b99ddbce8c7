import type { Actor, Attachments, ProjectId, VariableSet, VariableSetId, WorkspaceId } from '../../../domain/index.js';
import { attached } from '../../../domain/shared/attached.js';
import { revised } from '../../../domain/shared/revision.js';
import { checkVariableSet } from '../../../domain/supporting/variables/variable-set.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type AttachingRepositories, attachableProjects, attachableWorkspaces } from './attachable.js';
import { managedSet } from './managed-set.js';

const where = { member: 'data' } as const;

const attachable = { workspaceIds: attachableWorkspaces, projectIds: attachableProjects } as const;

/** POST and DELETE of /varsets/:id/relationships/workspaces and projects. */
export class AttachVariableSet {
  constructor(
    private readonly unitOfWork: UnitOfWork<AttachingRepositories | 'variableSets' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  /** Throws `attribute/invalid` for a global set, and for what the caller cannot see. */
  execute(
    actor: Actor,
    id: VariableSetId,
    change: 'attach' | 'detach',
    list: keyof Attachments,
    ids: readonly string[],
  ): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: set, done } = await managedSet(tx, actor, id);
      const kept = set[list].filter((one) => !ids.includes(one));
      const added = change === 'detach' ? [] : await attachable[list](tx, actor, set, ids, where);
      const next: VariableSet = checkVariableSet(
        revised(set, {
          [list]: attached<WorkspaceId | ProjectId>([...kept, ...added], where),
          updatedAt: this.clock.now(),
        }),
      );
      await tx.variableSets.save(next);
      await tx.audit.add(done(id), next);
    });
  }
}
