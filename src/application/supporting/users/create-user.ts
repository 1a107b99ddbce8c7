import {
  type Actor,
  alreadyTaken,
  checkLasting,
  identityOf,
  type TokenOwner,
  type User,
} from '../../../domain/index.js';
import { doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import { changingSite } from '../../../domain/supporting/audit/change.js';
import { checkEmail } from '../../../domain/supporting/organizations/organization.js';
import { checkUsername } from '../../../domain/supporting/users/user.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Secret } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { IssuedToken, TokenIssuer } from '../../tokens/token-issuer.js';

export interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly siteAdministrator: boolean;
}

/** POST /admin/users. Only this response contains the user's first secret. */
export class CreateUser {
  constructor(
    private readonly unitOfWork: UnitOfWork<'users' | 'tokens' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly issuer: TokenIssuer,
  ) {}

  async execute(actor: Actor, command: NewUser): Promise<IssuedToken & { readonly user: User }> {
    const { done } = changingSite(actor, 'users/manage');
    checkLasting(actor);
    return this.unitOfWork.run(async (tx) => {
      const created = await this.addTo(tx, command, identityOf(actor));
      await tx.audit.add(done(created.user.id), 'site');
      return created;
    });
  }

  /**
   * Creates the site administrator of a database without users; undefined if it has any. `makeSecret` is called before,
   * so that the secret is stored in any case.
   */
  async first(
    command: Omit<NewUser, 'siteAdministrator'>,
    makeSecret: () => Promise<Secret>,
  ): Promise<User | undefined> {
    if (await this.unitOfWork.read((tx) => tx.users.any())) return undefined;
    const secret = await makeSecret();
    try {
      return await this.unitOfWork.run(async (tx) => {
        if (await tx.users.any()) return undefined;
        const { user } = await this.addTo(tx, { ...command, siteAdministrator: true }, null, secret);
        await tx.audit.add(doneBySystem('users/manage', user.id), 'site');
        return user;
      });
    } catch (error) {
      // If several instances start on an empty database, all but one find the name taken.
      if (await this.unitOfWork.read((tx) => tx.users.any())) return undefined;
      throw error;
    }
  }

  private async addTo(
    tx: Transaction<'users' | 'tokens'>,
    command: NewUser,
    createdBy: TokenOwner | null,
    secret?: Secret,
  ) {
    const username = checkUsername(command.username);
    const email = checkEmail(command.email);
    const createdAt = this.clock.now();
    // Invitations of the address belong to the new user: they refer to the id reserved for it.
    const { id, registered } = await tx.users.reserve(email, this.ids.ofAddress(email), createdAt, 'to add');
    if (registered) throw alreadyTaken('email', 'Email');
    const { siteAdministrator } = command;
    const user: User = { id, username, email, siteAdministrator, suspended: false, createdAt };
    const owner = { kind: 'user', id: user.id } as const;
    const issued = this.issuer.issue({ owner, createdBy, description: 'first token', expiresAt: null }, secret);
    await tx.users.add(user);
    await tx.tokens.add(issued.token);
    return { user, ...issued };
  }
}
