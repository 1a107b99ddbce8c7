import {
  type Actor,
  type ApiToken,
  authorize,
  authorized,
  isUser,
  notFound,
  standingOnSite,
  type TokenId,
} from '../../domain/index.js';
import type { Transaction } from '../ports/unit-of-work.js';

/**
 * The token, if the caller may manage it: their own, or one of a team they may manage tokens of. An organization's
 * token is reached through its organization only. Throws `resource/not-found`.
 */
export async function findManageableToken(tx: Transaction, actor: Actor, id: TokenId): Promise<ApiToken> {
  const token = await tx.tokens.find(id);
  if (token === undefined || token.owner.kind === 'organization') throw notFound();
  if (token.owner.kind === 'team') {
    authorized(await tx.teams.findFor(actor, token.owner.id), 'team-tokens/manage');
  } else {
    authorize(standingOnSite(actor, isUser(actor, token.owner.id)), 'user-tokens/manage');
  }
  return token;
}
