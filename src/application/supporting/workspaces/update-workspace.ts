import { checkLasting } from '../../../domain/authorization/future.js';
import { movedTo } from '../../../domain/authorization/standing.js';
import type { Actor } from '../../../domain/index.js';
import { defaultsIn } from '../../../domain/shared/execution.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { inProject } from '../../../domain/supporting/workspaces/auto-destroy.js';
import { checkSettings } from '../../../domain/supporting/workspaces/workspace.js';
import type { Clock } from '../../ports/outside/clock.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { RepositoryLinks } from '../linked-repositories/repository-links.js';
import { targetProject } from '../projects/target-project.js';
import { activityOf } from '../runs/workspace-activity.js';
import type { TagChanges } from '../tags/tag-changes.js';
import { findWorkspace, type WorkspaceReference } from './find-workspace.js';
import type { ChangedWorkspace, WorkspaceChange } from './link-repository.js';
import { chosenAutoDestroy } from './scheduled-destruction.js';
import { showingWorkspace } from './show-workspace.js';
import { workspaceExecution } from './workspace-execution.js';

/** PATCH of a workspace: unnamed settings keep their value. */
export class UpdateWorkspace {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      | 'organizations'
      | 'projects'
      | 'workspaces'
      | 'tags'
      | 'tagBindings'
      | 'runs'
      | 'agentPools'
      | 'agentTokens'
      | 'rowLocks'
      | 'audit'
    >,
    private readonly clock: Clock,
    private readonly links: RepositoryLinks,
    private readonly tagChanges: TagChanges,
  ) {}

  execute(
    actor: Actor,
    reference: WorkspaceReference,
    { repository: asked, execution, autoDestroy, projectId: named, tags = {}, ...settings }: WorkspaceChange,
  ): Promise<ChangedWorkspace> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject,
        standing: before,
        done,
      } = changing(actor, await findWorkspace(tx, actor, reference), 'workspaces/update');
      const projectId = named ?? subject.projectId;
      const target =
        projectId === subject.projectId
          ? undefined
          : await targetProject(tx, actor, subject.organizationId, projectId, 'projects/move-workspaces');
      if (target !== undefined) {
        checkLasting(before, 'workspaces/update', { relationship: 'project' });
        checkLasting(target.standing, 'projects/move-workspaces', { relationship: 'project' });
      }
      const standing = target === undefined ? before : movedTo(target.standing, before);
      // The scope of a pool is asked about the project in which the workspace will be, which has defaults of its own.
      const executionDefaults = target === undefined ? subject.executionDefaults : defaultsIn(target.subject);
      const placed = { ...subject, projectId, executionDefaults };
      const { settings: chosen, poolTokenCreators } = await workspaceExecution(tx, actor, standing, placed, execution);
      const { repository, webhookKey } = this.links.change(
        { actor, standing, action: 'workspaces/link-repository' },
        subject.repository,
        asked,
      );
      const now = this.clock.now();
      const inheritedDestruction =
        target === undefined
          ? subject.inheritedDestruction
          : inProject(subject.inheritedDestruction, target.subject.autoDestroy, now);
      const next = await this.tagChanges.wantedBy(
        tx,
        actor,
        revised(subject, {
          projectId,
          executionDefaults,
          ...checkSettings(settings, subject),
          ...chosen,
          repository,
          ...(await chosenAutoDestroy({ autoDestroy: subject.autoDestroy, inheritedDestruction }, autoDestroy, {
            ...{ actor, standing, now },
            activity: () => activityOf(tx, subject.id),
          })),
          updatedAt: now,
        }),
        tags,
      );
      await tx.workspaces.save(next);
      await this.tagChanges.write(tx, next, tags, { isNew: false });
      await tx.audit.add(done(next.id), inWorkspace(next));
      const shown = await showingWorkspace(tx, { subject: next, standing });
      return { ...shown, ...(webhookKey && { webhookKey }), ...(poolTokenCreators && { poolTokenCreators }) };
    });
  }
}
