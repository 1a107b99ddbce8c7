import { type Actor, authorize, standingOnSite, type User } from '../../../domain/index.js';
import type { UserFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /admin/users. */
export class ListUsers {
  constructor(private readonly unitOfWork: UnitOfWork<'users'>) {}

  async execute(actor: Actor, page: PageRequest, filter: UserFilter = {}): Promise<Page<User>> {
    authorize(standingOnSite(actor), 'users/manage');
    return this.unitOfWork.read((tx) => tx.users.page(page, filter));
  }
}
