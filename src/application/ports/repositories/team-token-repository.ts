import type { TeamId, TeamToken, TokenId } from '../../../domain/index.js';

/** Writes the tokens of teams. They are read with those of every other kind of owner. */
export interface TeamTokenRepository {
  /**
   * Stores the token in place of the one that the team has: after any number of concurrent calls, exactly one is left.
   * Throws `shared/stale-revision` if the team was deleted meanwhile. Does not return the replaced token: waiting for it
   * would cost each issue a round trip.
   */
  put(token: TeamToken): Promise<void>;
  /** Returns the id of the removed token, undefined if the team has none. */
  remove(teamId: TeamId): Promise<TokenId | undefined>;
}
