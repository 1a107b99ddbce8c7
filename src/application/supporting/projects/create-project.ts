import type { Actor, Project, ProjectSettings, WithStanding } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkProject } from '../../../domain/supporting/projects/project.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { TagChanges, WantedTags } from '../tags/tag-changes.js';

/** POST /organizations/:name/projects. */
export class CreateProject {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'projects' | 'tagBindings' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly tagChanges: TagChanges,
  ) {}

  /** Throws `attribute/invalid` for a malformed name, `attribute/taken` for that of another project. */
  execute(
    actor: Actor,
    organizationName: string,
    { tagBindings, ...settings }: ProjectSettings & Pick<WantedTags, 'tagBindings'>,
  ): Promise<WithStanding<Project>> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: organization,
        standing,
        done,
      } = changing(actor, await tx.organizations.findFor(actor, organizationName), 'projects/create');
      const now = this.clock.now();
      const project: Project = {
        ...checkProject(settings),
        id: this.ids.next('project'),
        organizationId: organization.id,
        organizationName: organization.name,
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      await tx.projects.add(project);
      const owner = { kind: 'project', id: project.id } as const;
      await this.tagChanges.writeBindings(tx, owner, project.organizationId, tagBindings, { isNew: true });
      await tx.audit.add(done(project.id), project);
      return { subject: project, standing };
    });
  }
}
