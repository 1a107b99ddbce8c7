import {
  type Actor,
  authorizedView,
  defaultProjectId,
  may,
  type OrganizationId,
  type Project,
  type ProjectId,
  type WithStanding,
} from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /projects/:id. */
export class ShowProject {
  constructor(private readonly unitOfWork: UnitOfWork<'projects'>) {}

  async execute(actor: Actor, id: ProjectId): Promise<WithStanding<Project>> {
    return authorizedView(await this.find(actor, id), 'projects/read');
  }

  /** The default project next to its organization. None if the caller has no access to it. */
  async defaultOf(actor: Actor, organizationId: OrganizationId): Promise<readonly WithStanding<Project>[]> {
    const seen = await this.find(actor, defaultProjectId(organizationId));
    return seen !== undefined && may(seen.standing, 'projects/read') ? [seen] : [];
  }

  private find(actor: Actor, id: ProjectId): Promise<WithStanding<Project> | undefined> {
    return this.unitOfWork.read((tx) => tx.projects.findFor(actor, id));
  }
}
