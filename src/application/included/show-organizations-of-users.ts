import {
  type Actor,
  authorize,
  type Organization,
  standingOnSite,
  type User,
  type UserId,
} from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** The organizations in which users are members, by user, for site administrators. */
export class ShowOrganizationsOfUsers {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations'>) {}

  async execute(actor: Actor, users: readonly User[]): Promise<ReadonlyMap<UserId, readonly Organization[]>> {
    authorize(standingOnSite(actor), 'users/manage');
    return this.unitOfWork.read((tx) => tx.organizations.joinedByEach(users.map(({ id }) => id)));
  }
}
