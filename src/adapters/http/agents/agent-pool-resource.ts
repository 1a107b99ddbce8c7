import { z } from 'zod';
import type { AgentPool, AgentToken } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import {
  dateTime,
  exampleOf,
  linkedSchema,
  linkIn,
  perDialect,
  resourceSchema,
  toManySchema,
  toOneSchema,
} from '../json-api/resource-schema.js';
import {
  ownerSchema,
  presentOwner,
  teamTokenSchema,
  tokenAttributes,
  userTokenSchema,
} from '../users/user-resource.js';

const workspaces = (ids: readonly string[]) => ({ data: ids.map((id) => ({ id, type: 'workspaces' })) });

export const presentAgentPool =
  (dialect: Dialect) =>
  (pool: AgentPool): Resource => {
    const self = `${dialect.prefix}/agent-pools/${pool.id}`;
    return {
      id: pool.id,
      type: 'agent-pools',
      attributes: {
        name: pool.name,
        'created-at': pool.createdAt,
        'organization-scoped': pool.organizationScoped,
      },
      relationships: {
        organization: toOne('organizations', pool.organizationName),
        'authentication-tokens': { links: { related: `${self}/authentication-tokens` } },
        'allowed-workspaces': workspaces(pool.allowedWorkspaceIds),
        'excluded-workspaces': workspaces(pool.excludedWorkspaceIds),
      },
      links: { self },
    };
  };

export const presentSiteAgentPool =
  (dialect: Dialect) =>
  ({ id, name, createdAt }: AgentPool): Resource => {
    const self = `${dialect.prefix}/admin/agent-pools/${id}`;
    return {
      id,
      type: 'agent-pools',
      attributes: { name, 'created-at': createdAt },
      relationships: { 'authentication-tokens': { links: { related: `${self}/authentication-tokens` } } },
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

export const agentPoolSchema = perDialect((dialect) => {
  const link = linkIn(dialect);
  return resourceSchema(dialect, {
    name: 'AgentPool',
    type: 'agent-pools',
    description: 'Its agents claim runs of workspaces in execution mode agent that name it or take it by default.',
    attributes: {
      name: z.string(),
      'created-at': dateTime,
      'organization-scoped': z.boolean().describe('False where only the allowed workspaces may be served.'),
    },
    relationships: {
      organization: toOneSchema('organizations'),
      'authentication-tokens': linkedSchema(link),
      'allowed-workspaces': toManySchema('workspaces').describe('Those of them that the caller may see.'),
      'excluded-workspaces': toManySchema('workspaces').describe(
        'Never served. Those of them that the caller may see.',
      ),
    },
    links: { self: link },
    example: presentAgentPool(dialect)(examples.agentPool),
  });
});

export const siteAgentPoolSchema = perDialect((dialect) => {
  const link = linkIn(dialect);
  return resourceSchema(dialect, {
    name: 'SiteAgentPool',
    type: 'agent-pools',
    description: 'Its agents claim runs of workspaces in execution mode remote, of every organization.',
    attributes: { name: z.string(), 'created-at': dateTime },
    relationships: { 'authentication-tokens': linkedSchema(link) },
    links: { self: link },
    example: presentSiteAgentPool(dialect)(examples.agentPool),
  });
});

const agentTokenKind = (name: string, issued: boolean) =>
  perDialect((dialect: Dialect) =>
    resourceSchema(dialect, {
      name,
      type: 'authentication-tokens',
      description: 'A token of agents, which never expires.',
      attributes: tokenAttributes(issued, z.string(), z.null()),
      relationships: { 'agent-pool': toOneSchema('agent-pools'), 'created-by': ownerSchema },
      example: presentAgentToken(issued ? examples.secret : null)(examples.agentToken),
    }),
  );

export const agentTokenSchema = agentTokenKind('AgentToken', false);
export const issuedAgentTokenSchema = agentTokenKind('IssuedAgentToken', true);

/** A token that is reached by its own id. */
export const reachableTokenSchema = perDialect((dialect) => {
  const ofUser = userTokenSchema(dialect);
  return z.union([ofUser, teamTokenSchema(dialect), agentTokenSchema(dialect)]).meta({ example: exampleOf(ofUser) });
});
