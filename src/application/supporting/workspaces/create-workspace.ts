import {
  type Actor,
  authorizedView,
  defaultProjectId,
  may,
  type OrganizationId,
  type Project,
  type ProjectId,
  type WithStanding,
  type Workspace,
  type WorkspaceSettings,
} from '../../../domain/index.js';
import { defaultsIn } from '../../../domain/shared/execution.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { nothingInherited } from '../../../domain/supporting/workspaces/auto-destroy.js';
import { checkSettings, defaultSettings } from '../../../domain/supporting/workspaces/workspace.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { RepositoryLinks } from '../linked-repositories/repository-links.js';
import { targetProject } from '../projects/target-project.js';
import { noActivity } from '../runs/workspace-activity.js';
import type { TagChanges } from '../tags/tag-changes.js';
import type { ChangedWorkspace, WorkspaceChange } from './link-repository.js';
import { chosenAutoDestroy } from './scheduled-destruction.js';
import { workspaceExecution } from './workspace-execution.js';

export type NewWorkspace = WorkspaceChange & Pick<WorkspaceSettings, 'name'> & Partial<Pick<Workspace, 'source'>>;

/** POST /organizations/:name/workspaces. */
export class CreateWorkspace {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      | 'organizations'
      | 'projects'
      | 'workspaces'
      | 'tags'
      | 'tagBindings'
      | 'agentPools'
      | 'agentTokens'
      | 'rowLocks'
      | 'audit'
    >,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly links: RepositoryLinks,
    private readonly tagChanges: TagChanges,
  ) {}

  execute(
    actor: Actor,
    organizationName: string,
    {
      repository: asked,
      execution,
      autoDestroy,
      projectId: named,
      source = 'tfe-api',
      tags = {},
      ...settings
    }: NewWorkspace,
  ): Promise<ChangedWorkspace> {
    return this.unitOfWork.run(async (tx) => {
      const seen = authorizedView(await tx.organizations.findFor(actor, organizationName), 'organizations/read');
      const { subject: organization } = seen;
      const projectId = named ?? defaultProjectId(organization.id);
      const target =
        named === undefined && may(seen.standing, 'workspaces/create')
          ? undefined
          : await this.inProject(tx, actor, organization.id, named);
      const { standing } = target ?? seen;
      const project = target?.subject ?? (await tx.projects.among([projectId])).at(0);
      const { repository, webhookKey } = this.links.change(
        { actor, standing, action: 'workspaces/link-repository' },
        null,
        asked,
      );
      const now = this.clock.now();
      const inheriting = {
        ...defaultSettings,
        ...checkSettings(settings),
        id: this.ids.next('workspace'),
        organizationId: organization.id,
        organizationName: organization.name,
        executionDefaults: project === undefined ? organization.defaults : defaultsIn(project),
        allowForceDelete: organization.settings.allowForceDeleteWorkspaces,
        projectId,
      };
      const { settings: chosen, poolTokenCreators } = await workspaceExecution(
        tx,
        actor,
        standing,
        inheriting,
        execution,
      );
      const inheritedDestruction = { ...nothingInherited, project: project?.autoDestroy ?? null };
      const workspace = await this.tagChanges.wantedBy(
        tx,
        actor,
        {
          ...inheriting,
          ...chosen,
          lock: null,
          repository,
          ...(await chosenAutoDestroy({ autoDestroy: null, inheritedDestruction }, autoDestroy, {
            ...{ actor, standing, now },
            activity: async () => noActivity,
          })),
          retention: null,
          organizationRetention: organization.retention,
          tagNames: [],
          source,
          currentConfigurationVersionId: null,
          createdAt: now,
          updatedAt: now,
          revision: 0,
        },
        tags,
      );
      await tx.workspaces.add(workspace);
      await this.tagChanges.write(tx, workspace, tags, { isNew: true });
      await tx.audit.add(doneBy(actor, 'workspaces/create', workspace.id), inWorkspace(workspace));
      return {
        subject: workspace,
        standing,
        activity: noActivity,
        ...(webhookKey && { webhookKey }),
        ...(poolTokenCreators && { poolTokenCreators }),
      };
    });
  }

  /** The project that the request names, or the default one, which a caller who may not see it does not learn of. */
  private async inProject(
    tx: Transaction<'projects' | 'rowLocks'>,
    actor: Actor,
    organizationId: OrganizationId,
    named: ProjectId | undefined,
  ): Promise<WithStanding<Project>> {
    if (named !== undefined) return targetProject(tx, actor, organizationId, named, 'workspaces/create');
    return authorizedView(await tx.projects.findFor(actor, defaultProjectId(organizationId)), 'workspaces/create');
  }
}
