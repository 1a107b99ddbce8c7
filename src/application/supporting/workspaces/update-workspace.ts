import { type Actor, seenBy, type Workspace } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { checkSettings } from '../../../domain/supporting/workspaces/workspace.js';
import { movedTo } from '../../../domain/team-access/team-project.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { targetProject } from '../projects/target-project.js';
import { findWorkspace, type WorkspaceReference } from './find-workspace.js';
import type { ChangedWorkspace, RepositoryLinks, WorkspaceChange } from './link-repository.js';
import { showingWorkspace } from './show-workspace.js';
import { chosenExecution } from './workspace-execution.js';

/** PATCH of a workspace: unnamed settings keep their value. */
export class UpdateWorkspace {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'workspaces' | 'projects' | 'runs' | 'agentPools' | 'agentTokens' | 'rowLocks' | 'audit'
    >,
    private readonly clock: Clock,
    private readonly links: RepositoryLinks,
  ) {}

  execute(
    actor: Actor,
    reference: WorkspaceReference,
    { repository: asked, execution, projectId: named, ...settings }: WorkspaceChange,
  ): Promise<ChangedWorkspace> {
    return this.unitOfWork.run(async (tx) => {
      const { subject, standing: before } = seenBy(await findWorkspace(tx, actor, reference), 'workspaces/update');
      const projectId = named ?? subject.projectId;
      const target =
        projectId === subject.projectId
          ? undefined
          : await targetProject(tx, actor, subject.organizationId, projectId, 'projects/move-workspaces');
      const standing = target === undefined ? before : movedTo(target.standing, before);
      const { settings: chosen, poolTokenCreators } = await chosenExecution(tx, actor, standing, subject, execution);
      const { repository, webhookKey } = this.links.change(actor, standing, subject.repository, asked);
      const next: Workspace = {
        ...subject,
        projectId,
        ...checkSettings(settings),
        ...chosen,
        repository,
        updatedAt: this.clock.now(),
        revision: subject.revision + 1,
      };
      await tx.workspaces.save(next);
      await tx.audit.add(doneBy(actor, 'workspaces/update', next.id), next);
      const shown = await showingWorkspace(tx, { subject: next, standing });
      return { ...shown, ...(webhookKey && { webhookKey }), ...(poolTokenCreators && { poolTokenCreators }) };
    });
  }
}
