import type { ApiToken, Instant, TokenOwner } from '../../domain/index.js';
import { issueToken } from '../../domain/tokens/api-token.js';
import type { Clock } from '../ports/outside/clock.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import type { Secret, SecretGenerator } from '../ports/outside/secret-generator.js';

export interface NewToken {
  readonly owner: TokenOwner;
  readonly createdBy: TokenOwner | null;
  /** Null for a token that is its owner's only one. */
  readonly description: string | null;
  /** Null if it never expires. */
  readonly expiresAt: Instant | null;
  /** Whether a session makes it, or a token that a session made; false if omitted. */
  readonly madeInSession?: boolean;
}

/** A token with its secret, which is shown only once. */
export interface IssuedToken {
  readonly token: ApiToken;
  readonly secret: string;
}

/** Creates tokens of every kind; the caller stores them. */
export class TokenIssuer {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
  ) {}

  /** Throws `attribute/invalid` if it would already be expired. */
  issue({ madeInSession = false, ...given }: NewToken, generated?: Secret): IssuedToken {
    const { secret, ...made } = this.make(generated);
    return { token: issueToken({ ...given, madeInSession, ...made }), secret };
  }

  /** The members of a new token that no caller chooses, with its secret. */
  make({ secret, digest }: Secret = this.secrets.generate()) {
    return { id: this.ids.next('token'), secretDigest: digest, createdAt: this.clock.now(), secret };
  }
}
