import type { TeamTokenRepository } from '../../../../../application/ports/repositories/team-token-repository.js';
import type { TeamId, TeamToken, TokenId } from '../../../../../domain/index.js';
import { prepared } from '../../engine/prepared.js';
import type { Statements } from '../../engine/statements.js';
import { replacing } from './token-rows.js';

/** The unique index is what makes a second token of a team impossible. */
const put = replacing('team', '(team_id) where team_id is not null');

/** As text, since Knex builds a deletion on SQLite without what it returns. */
const removed = prepared((sql, { teamId }: { readonly teamId: TeamId }) =>
  sql.raw('delete from api_tokens where team_id = ? returning id', [teamId as string]),
);

export class KnexTeamTokens implements TeamTokenRepository {
  constructor(private readonly db: Statements) {}

  put({ apiToken }: TeamToken): Promise<void> {
    return this.db.runLater(put(this.db, apiToken));
  }

  async remove(teamId: TeamId): Promise<TokenId | undefined> {
    return (await this.db.first<{ readonly id: TokenId }>(removed(this.db, { teamId })))?.id;
  }
}
