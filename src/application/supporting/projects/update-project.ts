import type { Actor, ProjectId, ProjectSettings, WithStanding } from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkProject } from '../../../domain/supporting/projects/project.js';
import type { PoolRepositories } from '../../authorization/chosen-execution.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { TagChanges } from '../tags/tag-changes.js';
import type { OtherProjectSettings } from './create-project.js';
import { projectDestruction } from './project-destruction.js';
import { type ChangedProject, projectExecution } from './project-execution.js';

/** PATCH /projects/:id: unnamed settings keep their value. */
export class UpdateProject {
  constructor(
    private readonly unitOfWork: UnitOfWork<'projects' | 'tagBindings' | PoolRepositories | 'audit'>,
    private readonly clock: Clock,
    private readonly tagChanges: TagChanges,
  ) {}

  execute(
    actor: Actor,
    id: ProjectId,
    { tagBindings, execution, autoDestroyActivityDuration, ...change }: Partial<ProjectSettings> & OtherProjectSettings,
  ): Promise<WithStanding<ChangedProject>> {
    return this.unitOfWork.run(async (tx) => {
      const { subject, standing, done } = changing(actor, await tx.projects.findFor(actor, id), 'projects/update');
      const { settings, poolTokenCreators } = await projectExecution(tx, actor, standing, subject, execution);
      const now = this.clock.now();
      const next = revised(subject, {
        ...checkProject(change),
        ...settings,
        autoDestroy: projectDestruction(subject.autoDestroy, autoDestroyActivityDuration, { actor, standing, now }),
        updatedAt: now,
      });
      await tx.projects.save(next);
      const owner = { kind: 'project', id } as const;
      await this.tagChanges.writeBindings(tx, owner, next.organizationId, tagBindings, { isNew: false });
      await tx.audit.add(done(id), next);
      return { subject: { ...next, ...(poolTokenCreators && { poolTokenCreators }) }, standing };
    });
  }
}
