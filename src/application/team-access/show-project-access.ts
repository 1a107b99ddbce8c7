import { type Actor, authorized, type TeamProjectId } from '../../domain/index.js';
import type { TeamProjectView } from '../ports/repositories/team-project-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** GET /team-projects/:id. */
export class ShowProjectAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'projectAccess'>) {}

  execute(actor: Actor, id: TeamProjectId): Promise<TeamProjectView> {
    return this.unitOfWork.read(async (tx) =>
      authorized(await tx.projectAccess.findFor(actor, id), 'project-access/read'),
    );
  }
}
