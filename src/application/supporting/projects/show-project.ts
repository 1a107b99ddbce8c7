import { type Actor, authorizedView, type Project, type ProjectId, type WithStanding } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /projects/:id. */
export class ShowProject {
  constructor(private readonly unitOfWork: UnitOfWork<'projects'>) {}

  async execute(actor: Actor, id: ProjectId): Promise<WithStanding<Project>> {
    return authorizedView(await this.unitOfWork.read((tx) => tx.projects.findFor(actor, id)), 'projects/read');
  }
}
