import { type Actor, authorize, standingOnSite, type User } from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/page.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** GET /admin/users. */
export class ListUsers {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async execute(actor: Actor, page: PageRequest): Promise<Page<User>> {
    authorize(standingOnSite(actor), 'users/manage');
    return this.unitOfWork.read((tx) => tx.users.page(page));
  }
}
