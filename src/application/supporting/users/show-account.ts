import { type Actor, notFound, type User } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /account/details: the user of the caller's token. Other kinds of tokens have no account. */
export class ShowAccount {
  constructor(private readonly unitOfWork: UnitOfWork<'users'>) {}

  async execute(actor: Actor): Promise<User> {
    const user = actor.kind === 'user' ? await this.unitOfWork.read((tx) => tx.users.find(actor.userId)) : undefined;
    if (user === undefined) throw notFound();
    return user;
  }
}
