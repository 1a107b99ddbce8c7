import type { Instant, TeamId } from '../shared/id.js';
import { type ApiToken, checkExpiry, hasExpired } from './api-token.js';

/** Another token of the team replaces all of them. */
export type TeamTokenValues = Pick<
  ApiToken,
  'id' | 'secretDigest' | 'createdBy' | 'createdAt' | 'expiresAt' | 'lastUsedAt'
>;

/** The token of a team. The team is its identity, so that a second token of a team cannot be expressed. Immutable. */
export class TeamToken {
  private constructor(
    readonly teamId: TeamId,
    readonly values: TeamTokenValues,
  ) {
    Object.freeze(this);
    Object.freeze(values);
  }

  /** In place of the one that the team may have. Throws `attribute/invalid` if it would already be expired. */
  static issue(teamId: TeamId, given: Omit<TeamTokenValues, 'lastUsedAt'>): TeamToken {
    checkExpiry(given);
    return new TeamToken(teamId, { ...given, lastUsedAt: null });
  }

  /** For repositories only: trusts the stored values. */
  static restore(teamId: TeamId, values: TeamTokenValues): TeamToken {
    return new TeamToken(teamId, { ...values });
  }

  /** A token is refused from its expiry instant on. */
  hasExpired(now: Instant): boolean {
    return hasExpired(this.values, now);
  }

  /** As it is read among the tokens of every kind of owner. */
  get apiToken(): ApiToken {
    const owner = { kind: 'team', id: this.teamId } as const;
    return { ...this.values, owner, description: null, madeInSession: false };
  }
}
