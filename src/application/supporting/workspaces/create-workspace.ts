import { type Actor, seenBy, type Workspace, type WorkspaceSettings } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { checkSettings, defaultSettings } from '../../../domain/supporting/workspaces/workspace.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ChangedWorkspace, RepositoryLinks, WorkspaceChange } from './link-repository.js';
import { noActivity } from './show-workspace.js';
import { chosenExecution } from './workspace-execution.js';

export type NewWorkspace = WorkspaceChange & Pick<WorkspaceSettings, 'name'> & Partial<Pick<Workspace, 'source'>>;

/** POST /organizations/:name/workspaces. */
export class CreateWorkspace {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'organizations' | 'workspaces' | 'agentPools' | 'agentTokens' | 'rowLocks' | 'audit'
    >,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly links: RepositoryLinks,
  ) {}

  execute(
    actor: Actor,
    organizationName: string,
    { repository: asked, execution, source = 'tfe-api', ...settings }: NewWorkspace,
  ): Promise<ChangedWorkspace> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.organizations.findFor(actor, organizationName);
      const { subject: organization, standing } = seenBy(seen, 'workspaces/create');
      const { repository, webhookKey } = this.links.change(actor, standing, null, asked);
      const now = this.clock.now();
      const inheriting = {
        ...defaultSettings,
        ...checkSettings(settings),
        id: this.ids.next('workspace'),
        organizationId: organization.id,
        organizationName: organization.name,
        organizationDefaults: organization.defaults,
      };
      const { settings: chosen, poolTokenCreators } = await chosenExecution(tx, actor, standing, inheriting, execution);
      const workspace: Workspace = {
        ...inheriting,
        ...chosen,
        lock: null,
        repository,
        autoDestroy: null,
        retention: null,
        source,
        currentConfigurationVersionId: null,
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      await tx.workspaces.add(workspace);
      await tx.audit.add(doneBy(actor, 'workspaces/create', workspace.id), workspace);
      return {
        subject: workspace,
        standing,
        activity: noActivity,
        ...(webhookKey && { webhookKey }),
        ...(poolTokenCreators && { poolTokenCreators }),
      };
    });
  }
}
