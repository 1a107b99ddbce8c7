import { z } from 'zod';
import type { ChangedOrganization, MembershipView } from '../../../application/index.js';
import {
  type ApiToken,
  executionModes,
  may,
  membershipStatus,
  membershipStatuses,
  type Organization,
  type Standing,
} from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import {
  dateTime,
  flags,
  linkedSchema,
  linkIn,
  perDialect,
  resourceSchema,
  toManySchema,
  toOneSchema,
} from '../json-api/resource-schema.js';
import {
  poolTokenCreatorsSchema,
  presentOwner,
  presentOwners,
  presentToken,
  tokenSchema,
} from '../users/user-resource.js';

/** Names a living organization goes by on the wire: its name is its id. */
export const presentOrganization =
  (dialect: Dialect, standing?: Standing) =>
  (organization: ChangedOrganization): Resource => ({
    id: organization.name,
    type: 'organizations',
    attributes: {
      name: organization.name,
      email: organization.email,
      'external-id': organization.id,
      'created-at': organization.createdAt,
      'default-execution-mode': organization.defaults.executionMode,
      ...(standing === undefined
        ? {}
        : {
            permissions: {
              'can-update': may(standing, 'organizations/update'),
              'can-destroy': may(standing, 'organizations/delete'),
              'can-create-team': may(standing, 'teams/create'),
              'can-create-workspace': may(standing, 'workspaces/create'),
              'can-manage-users': may(standing, 'memberships/manage'),
              'can-update-api-token': may(standing, 'organization-tokens/manage'),
            },
          }),
    },
    relationships: {
      'default-agent-pool': toOne('agent-pools', organization.defaults.agentPoolId),
      'agent-pool-token-creators': organization.poolTokenCreators && presentOwners(organization.poolTokenCreators),
      'entitlement-set': { links: { related: `${dialect.prefix}/organizations/${organization.name}/entitlement-set` } },
    },
    links: { self: `${dialect.prefix}/organizations/${organization.name}` },
  });

/** A token of the organization of this name: its own, or its audit token. */
export const presentOrganizationToken = (name: string, token: ApiToken, secret: string | null = null): Resource => ({
  ...presentToken(secret)(token),
  relationships: { organization: toOne('organizations', name), 'created-by': presentOwner(token.createdBy) },
});

/** What this service can do for an organization. Clients turn to local execution unless `operations` is true. */
const entitlements = {
  agents: true,
  'audit-logging': false,
  'cost-estimation': false,
  operations: true,
  'policy-enforcement': true,
  'private-module-registry': false,
  'run-tasks': false,
  sentinel: false,
  sso: false,
  'state-storage': false,
  teams: true,
  'vcs-integrations': true,
  'user-limit': null,
} as const;

export const presentEntitlementSet =
  (dialect: Dialect) =>
  (organization: Organization): Resource => ({
    id: organization.id,
    type: 'entitlement-sets',
    attributes: entitlements,
    links: { self: `${dialect.prefix}/organizations/${organization.name}/entitlement-set` },
  });

export const presentMembership =
  (dialect: Dialect) =>
  (membership: MembershipView): Resource => ({
    id: membership.id,
    type: 'organization-memberships',
    attributes: {
      status: membershipStatus(membership.user),
      email: membership.user.email,
      username: membership.user.username,
      'created-at': membership.createdAt,
    },
    relationships: {
      organization: toOne('organizations', membership.organizationName),
      user: toOne('users', membership.userId),
      teams: { data: membership.teams.map(({ id }) => ({ id, type: 'teams' })) },
    },
    links: { self: `${dialect.prefix}/organization-memberships/${membership.id}` },
  });

export const organizationSchema = perDialect((dialect) => {
  const link = linkIn(dialect);
  return resourceSchema(dialect, {
    name: 'Organization',
    type: 'organizations',
    description: 'Its id is its name.',
    attributes: {
      name: z.string(),
      email: z.string(),
      'external-id': z.string().describe('Stays the same when it is renamed.'),
      'created-at': dateTime,
      'default-execution-mode': z.enum(executionModes).describe('Of workspaces without a mode of their own.'),
      permissions: flags([
        'can-update',
        'can-destroy',
        'can-create-team',
        'can-create-workspace',
        'can-manage-users',
        'can-update-api-token',
      ])
        .describe('What the caller may do; there when one organization is shown.')
        .optional(),
    },
    relationships: {
      'default-agent-pool': toOneSchema('agent-pools', { nullable: true }).describe(
        'Executes runs of workspaces in execution mode agent without a pool of their own; null unless the default mode is agent.',
      ),
      'agent-pool-token-creators': poolTokenCreatorsSchema,
      'entitlement-set': linkedSchema(link),
    },
    links: { self: link },
    example: presentOrganization(dialect, examples.standing)(examples.organization),
  });
});

const exampleToken = (secret: string | null): Resource =>
  presentOrganizationToken(examples.organization.name, examples.tokens.organization, secret);

export const organizationTokenSchema = tokenSchema(
  { name: 'OrganizationToken', owner: 'organization' },
  exampleToken(null),
);
export const issuedOrganizationTokenSchema = tokenSchema(
  { name: 'IssuedOrganizationToken', owner: 'organization', issued: true },
  exampleToken(examples.secret),
);

export const entitlementSetSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'EntitlementSet',
    type: 'entitlement-sets',
    description: 'What this service can do for an organization.',
    attributes: {
      ...Object.fromEntries(Object.keys(entitlements).map((name) => [name, z.boolean()])),
      'user-limit': z.null().describe('There is none.'),
    },
    links: { self: linkIn(dialect) },
    example: presentEntitlementSet(dialect)(examples.organization),
  }),
);

export const membershipSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'OrganizationMembership',
    type: 'organization-memberships',
    attributes: {
      status: z
        .enum(membershipStatuses)
        .describe(
          '`invited` until the first request of the user who has the address, whether or not there is one yet.',
        ),
      email: z.string(),
      username: z.string().nullable().describe('Null while invited.'),
      'created-at': dateTime,
    },
    relationships: {
      organization: toOneSchema('organizations'),
      user: toOneSchema('users'),
      teams: toManySchema('teams').describe('Those the caller may see.'),
    },
    links: { self: linkIn(dialect) },
    example: presentMembership(dialect)(examples.membership),
  }),
);
