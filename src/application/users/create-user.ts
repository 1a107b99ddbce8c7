import {
  type Actor,
  type ApiToken,
  authorize,
  checkEmail,
  checkUsername,
  identityOf,
  issueToken,
  standingOnSite,
  type TokenOwner,
  type User,
} from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { IdGenerator } from '../ports/id-generator.js';
import type { Secret, SecretGenerator } from '../ports/secret-generator.js';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.js';

export interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly siteAdministrator: boolean;
}

/** POST /admin/users. The answer is the only place the user's first secret is ever shown. */
export class CreateUser {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
  ) {}

  async execute(actor: Actor, command: NewUser): Promise<{ user: User; token: ApiToken; secret: string }> {
    authorize(standingOnSite(actor), 'users/manage');
    const secret = this.secrets.generate();
    const created = await this.unitOfWork.run((tx) => this.addTo(tx, command, secret, identityOf(actor)));
    return { ...created, secret: secret.secret };
  }

  /** Creates the site administrator of a database that has no user yet. Undefined when it has one. */
  async first(command: Omit<NewUser, 'siteAdministrator'>, secret: Secret): Promise<User | undefined> {
    return this.unitOfWork.run(async (tx) => {
      if (await tx.users.any()) return undefined;
      return (await this.addTo(tx, { ...command, siteAdministrator: true }, secret, null)).user;
    });
  }

  private async addTo(tx: Transaction, command: NewUser, secret: Secret, createdBy: TokenOwner | null) {
    const createdAt = this.clock.now();
    const user: User = {
      id: this.ids.next('user'),
      username: checkUsername(command.username),
      email: checkEmail(command.email),
      siteAdministrator: command.siteAdministrator,
      suspended: false,
      createdAt,
    };
    const token = issueToken({
      id: this.ids.next('token'),
      owner: { kind: 'user', id: user.id },
      secretDigest: secret.digest,
      description: 'first token',
      createdBy,
      createdAt,
      expiresAt: null,
    });
    await tx.users.add(user);
    await tx.tokens.add(token);
    return { user, token };
  }
}
