import { z } from 'zod';
import type { AgentPool, AgentToken, WorkspaceId } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, flag, nothing, perDialect, text } from '../../routing/resource-schema.js';
import { ownerSchema, presentOwner } from '../../tokens/token-owner-resource.js';
import { teamTokenSchema, tokenAttributes, userTokenSchema } from '../../tokens/token-resource.js';

/** Site pools are another resource. */
const organizationOf = ({ id, organizationName }: AgentPool): string => {
  if (organizationName === null) throw new Error(`${id} is a site pool`);
  return organizationName;
};

/** The workspaces that use the pool, where they were looked up. */
const agentPool =
  ({ attribute, optional, toOne, toMany, link }: ResourceBuilder) =>
  (dialect: Dialect, workspaceIds?: readonly WorkspaceId[]) =>
  (pool: AgentPool): Resource => {
    const self = `${dialect.prefix}/agent-pools/${pool.id}`;
    return {
      id: pool.id,
      type: 'agent-pools',
      attributes: {
        name: attribute(text, pool.name),
        'created-at': attribute(dateTime, pool.createdAt),
        'organization-scoped': attribute(
          flag,
          pool.organizationScoped,
          'If false, the pool serves only its allowed workspaces, and those of its allowed projects.',
        ),
      },
      relationships: {
        organization: toOne('organizations', organizationOf(pool)),
        'authentication-tokens': { links: { related: link(`${self}/authentication-tokens`) } },
        'allowed-workspaces': toMany(
          'workspaces',
          pool.allowedWorkspaceIds,
          'Only allowed workspaces that the caller can read.',
        ),
        'allowed-projects': toMany(
          'projects',
          pool.allowedProjectIds,
          'Only allowed projects that the caller can read. The pool may serve their workspaces.',
        ),
        'excluded-workspaces': toMany(
          'workspaces',
          pool.excludedWorkspaceIds,
          'Workspaces that the pool never serves. Only those that the caller can read.',
        ),
        workspaces:
          workspaceIds &&
          optional(
            toMany('workspaces', workspaceIds),
            'Workspaces that use the pool and that the caller can read. Only present with `include=workspaces`.',
          ),
      },
      links: { self: link(self) },
    };
  };

export const presentAgentPool = agentPool(presenting);

export const agentPoolSchema = described(
  {
    name: 'AgentPool',
    about:
      'A pool of agents. They execute runs of workspaces in execution mode `agent` that use the pool, explicitly or as the default of their project or organization.',
  },
  (words, dialect) => agentPool(words)(dialect, [])(anyView()),
);

const siteAgentPool =
  ({ attribute, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ id, name, createdAt }: AgentPool): Resource => {
    const self = `${dialect.prefix}/admin/agent-pools/${id}`;
    return {
      id,
      type: 'agent-pools',
      attributes: { name: attribute(text, name), 'created-at': attribute(dateTime, createdAt) },
      relationships: { 'authentication-tokens': { links: { related: link(`${self}/authentication-tokens`) } } },
      links: { self: link(self) },
    };
  };

export const presentSiteAgentPool = siteAgentPool(presenting);

export const siteAgentPoolSchema = described(
  {
    name: 'SiteAgentPool',
    about: 'A pool of agents. They execute runs of workspaces in execution mode `remote` in every organization.',
  },
  (words, dialect) => siteAgentPool(words)(dialect)(anyView()),
);

/** Like any other token, but one that never expires. `secret` is given in the response that issues it. */
const agentToken =
  (words: ResourceBuilder) =>
  (secret: string | null = null) =>
  (token: AgentToken): Resource => {
    const { attribute, toOne } = words;
    return {
      id: token.id,
      type: 'authentication-tokens',
      attributes: tokenAttributes(words, token, secret, {
        description: attribute(text, token.description),
        expiry: attribute(nothing, null),
      }),
      relationships: {
        'agent-pool': toOne('agent-pools', token.poolId),
        'created-by': attribute(ownerSchema, presentOwner(token.createdBy)),
      },
    };
  };

export const presentAgentToken = agentToken(presenting);

const tokenSchema = (name: string, secret?: string) =>
  described({ name, about: 'An agent token. It never expires.' }, (words) => agentToken(words)(secret)(anyView()));

export const agentTokenSchema = tokenSchema('AgentToken');
export const issuedAgentTokenSchema = tokenSchema('IssuedAgentToken', '');

/** A token that is reached by its own id. */
export const reachableTokenSchema = perDialect((dialect) =>
  z.union([userTokenSchema(dialect), teamTokenSchema(dialect), agentTokenSchema(dialect)]),
);
