import { type Actor, identityOf, type TokenOwner } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** Reads per request. A longer chain of tokens that issued each other counts as the organization's. */
const maxIssuers = 5;

/**
 * The user whose share of this instance the caller uses: itself, or who issued the token of a team or an organization,
 * also through other such tokens. The organization if that is not known any more.
 */
export async function makerOf(unitOfWork: UnitOfWork<'tokens'>, actor: Actor): Promise<TokenOwner> {
  if (actor.kind === 'user') return identityOf(actor);
  return unitOfWork.read(async (tx) => {
    let owner: TokenOwner | null | undefined = identityOf(actor);
    for (let issuers = 0; owner && owner.kind !== 'user' && issuers < maxIssuers; issuers += 1) {
      owner = (await tx.tokens.findOf(owner))?.createdBy;
    }
    if (owner?.kind === 'user') return owner;
    return { kind: 'organization', id: actor.organizationId };
  });
}
