import type { Actor, ExecutionChange, Project, ProjectSettings, WithStanding } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkProject } from '../../../domain/supporting/projects/project.js';
import type { PoolRepositories } from '../../authorization/chosen-execution.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { TagChanges, WantedTags } from '../tags/tag-changes.js';
import { projectDestruction } from './project-destruction.js';
import { type ChangedProject, projectExecution } from './project-execution.js';

export interface OtherProjectSettings extends Pick<WantedTags, 'tagBindings'> {
  readonly execution?: ExecutionChange;
  /** How long after their last new state workspaces without a schedule of their own are destroyed; null for never. */
  readonly autoDestroyActivityDuration?: string | null;
}

/** POST /organizations/:name/projects. */
export class CreateProject {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'projects' | 'tagBindings' | PoolRepositories | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly tagChanges: TagChanges,
  ) {}

  /** Throws `attribute/invalid` for a malformed name, `attribute/taken` for that of another project. */
  execute(
    actor: Actor,
    organizationName: string,
    { tagBindings, execution, autoDestroyActivityDuration, ...settings }: ProjectSettings & OtherProjectSettings,
  ): Promise<WithStanding<ChangedProject>> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: organization,
        standing,
        done,
      } = changing(actor, await tx.organizations.findFor(actor, organizationName), 'projects/create');
      const now = this.clock.now();
      const inheriting = {
        ...checkProject(settings),
        id: this.ids.next('project'),
        organizationId: organization.id,
        organizationName: organization.name,
        executionMode: null,
        agentPoolId: null,
        executionDefaults: organization.defaults,
        autoDestroy: projectDestruction(null, autoDestroyActivityDuration, { actor, standing, now }),
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      const { settings: chosen, poolTokenCreators } = await projectExecution(
        tx,
        actor,
        standing,
        inheriting,
        execution,
      );
      const project: Project = { ...inheriting, ...chosen };
      await tx.projects.add(project);
      const owner = { kind: 'project', id: project.id } as const;
      await this.tagChanges.writeBindings(tx, owner, project.organizationId, tagBindings, { isNew: true });
      await tx.audit.add(done(project.id), project);
      return { subject: { ...project, ...(poolTokenCreators && { poolTokenCreators }) }, standing };
    });
  }
}
