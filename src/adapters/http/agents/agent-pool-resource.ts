import type { AgentPool, AgentToken } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';
import { presentOwner } from '../users/user-resource.js';

export const presentAgentPool =
  (dialect: Dialect) =>
  (pool: AgentPool): Resource => {
    const self = `${dialect.prefix}/agent-pools/${pool.id}`;
    return {
      id: pool.id,
      type: 'agent-pools',
      attributes: { name: pool.name, 'created-at': pool.createdAt, 'organization-scoped': true },
      relationships: {
        organization: toOne('organizations', pool.organizationName),
        'authentication-tokens': { links: { related: `${self}/authentication-tokens` } },
      },
      links: { self },
    };
  };

/** Like any other token, but one that never expires. `secret` is given in the response that issues it. */
export const presentAgentToken =
  (secret: string | null = null) =>
  (token: AgentToken): Resource => ({
    id: token.id,
    type: 'authentication-tokens',
    attributes: {
      'created-at': token.createdAt,
      'last-used-at': token.lastUsedAt,
      description: token.description,
      token: secret,
      'expired-at': null,
    },
    relationships: { 'agent-pool': toOne('agent-pools', token.poolId), 'created-by': presentOwner(token.createdBy) },
  });
