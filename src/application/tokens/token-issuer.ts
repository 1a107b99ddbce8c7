import type { ApiToken, Instant, TokenOwner } from '../../domain/index.js';
import { issueToken } from '../../domain/tokens/api-token.js';
import type { Clock } from '../ports/outside/clock.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import type { Secret, SecretGenerator } from '../ports/outside/secret-generator.js';

export interface NewToken {
  readonly owner: TokenOwner;
  readonly createdBy: TokenOwner | null;
  /** Null on a token that is the only one of its owner. */
  readonly description: string | null;
  /** Null: never. */
  readonly expiresAt: Instant | null;
}

/** A token with the secret that is shown this once. */
export interface IssuedToken {
  readonly token: ApiToken;
  readonly secret: string;
}

/** Makes tokens of every kind; keeping them is up to whoever asks. */
export class TokenIssuer {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
  ) {}

  /** Throws `attribute/invalid` when it would be expired from the start. */
  issue(given: NewToken, { secret, digest }: Secret = this.secrets.generate()): IssuedToken {
    const id = this.ids.next('token');
    const token = issueToken({ ...given, id, secretDigest: digest, createdAt: this.clock.now() });
    return { token, secret };
  }
}
