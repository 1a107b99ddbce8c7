import {
  type Actor,
  type AgentPool,
  type AgentToken,
  type ApiToken,
  isUser,
  notFound,
  type Team,
  type TokenId,
} from '../../domain/index.js';
import { type Change, changing, changingSite } from '../../domain/supporting/audit/change.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';
import { authorizedAgentPool } from '../supporting/agent-pools/agent-pool-in-hand.js';

/** A token addressed by its own id: of an API caller or of agents. */
export type ManageableToken =
  | { readonly kind: 'api'; readonly token: ApiToken; readonly team: Team | undefined }
  | { readonly kind: 'agent'; readonly token: AgentToken; readonly pool: AgentPool };

/**
 * The token, if the caller may manage it: their own, one of a team whose tokens they may manage, or one of an agent
 * pool they may manage. An organization's tokens are addressed through the organization only. Throws
 * `resource/not-found`.
 */
export async function findManageableToken(
  tx: Transaction<'tokens' | 'teams' | 'agentPools' | 'agentTokens'>,
  actor: Actor,
  id: TokenId,
): Promise<ManageableToken & Pick<Change<unknown>, 'done'>> {
  const token = await tx.tokens.find(id);
  if (token === undefined) {
    const ofAgent = await tx.agentTokens.find(id);
    const pool = ofAgent && (await tx.agentPools.find(ofAgent.poolId));
    if (ofAgent === undefined || pool === undefined) throw notFound();
    const reference = { id: pool.id, of: pool.organizationId === null ? 'site' : 'organization' } as const;
    const { done } = await authorizedAgentPool(tx, actor, reference, 'agent-pools/manage');
    return { kind: 'agent', token: ofAgent, pool, done };
  }
  const { owner } = token;
  switch (owner.kind) {
    case 'team': {
      const seen = await tx.teams.findFor(actor, owner.id);
      const { subject: team, done } = changing(actor, seen, 'team-tokens/manage');
      return { kind: 'api', token, team, done };
    }
    case 'user': {
      const { done } = changingSite(actor, 'user-tokens/manage', isUser(actor, owner.id));
      return { kind: 'api', token, team: undefined, done };
    }
    case 'organization':
    case 'auditor':
      throw notFound();
  }
}
