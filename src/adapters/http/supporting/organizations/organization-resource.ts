import { z } from 'zod';
import type { ChangedOrganization, MembershipView } from '../../../../application/index.js';
import {
  executionModes,
  may,
  membershipStatus,
  membershipStatuses,
  type Organization,
  type Standing,
} from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Members, Resource } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { dateTime, flag, maybeText, nothing, text } from '../../routing/resource-schema.js';
import { poolTokenCreators } from '../../tokens/token-owner-resource.js';

const executionMode = z.enum(executionModes);

/** Names a living organization goes by on the wire: its name is its id. */
const organization =
  (words: Words) =>
  (dialect: Dialect, standing?: Standing) =>
  (organization: ChangedOrganization): Resource => {
    const { is, group, optional, toOneOrNone, link } = words;
    const self = `${dialect.prefix}/organizations/${organization.name}`;
    return {
      id: organization.name,
      type: 'organizations',
      attributes: {
        name: is(text, organization.name),
        email: is(text, organization.email),
        'external-id': is(text, organization.id, 'Stays the same when it is renamed.'),
        'created-at': is(dateTime, organization.createdAt),
        'default-execution-mode': is(
          executionMode,
          organization.defaults.executionMode,
          'Of workspaces without a mode of their own.',
        ),
        permissions:
          standing &&
          optional(
            group({
              'can-update': is(flag, may(standing, 'organizations/update')),
              'can-destroy': is(flag, may(standing, 'organizations/delete')),
              'can-create-team': is(flag, may(standing, 'teams/create')),
              'can-create-workspace': is(flag, may(standing, 'workspaces/create')),
              'can-manage-users': is(flag, may(standing, 'memberships/manage')),
              'can-update-api-token': is(flag, may(standing, 'organization-tokens/manage')),
            }),
            'What the caller may do; there when one organization is shown.',
          ),
      },
      relationships: {
        'default-agent-pool': toOneOrNone(
          'agent-pools',
          organization.defaults.agentPoolId,
          'Executes runs of workspaces in execution mode agent without a pool of their own; null unless the default mode is agent.',
        ),
        'agent-pool-token-creators':
          organization.poolTokenCreators && poolTokenCreators(words, organization.poolTokenCreators),
        'entitlement-set': { links: { related: link(`${self}/entitlement-set`) } },
      },
      links: { self: link(self) },
    };
  };

export const presentOrganization = organization(presenting);

export const organizationSchema = described({ name: 'Organization', about: 'Its id is its name.' }, (words, dialect) =>
  organization(words)(dialect, anyView<Standing>())(anyView()),
);

/** What this service can do for an organization. Clients turn to local execution unless `operations` is true. */
const entitlements = ({ is }: Words): Members => ({
  agents: is(flag, true),
  'audit-logging': is(flag, false),
  'cost-estimation': is(flag, false),
  operations: is(flag, true),
  'policy-enforcement': is(flag, true),
  'private-module-registry': is(flag, false),
  'run-tasks': is(flag, false),
  sentinel: is(flag, false),
  sso: is(flag, false),
  'state-storage': is(flag, false),
  teams: is(flag, true),
  'vcs-integrations': is(flag, true),
  'user-limit': is(nothing, null, 'There is none.'),
});

const entitlementSet = (words: Words) => {
  const attributes = entitlements(words);
  return (dialect: Dialect) =>
    (organization: Organization): Resource => ({
      id: organization.id,
      type: 'entitlement-sets',
      attributes,
      links: { self: words.link(`${dialect.prefix}/organizations/${organization.name}/entitlement-set`) },
    });
};

export const presentEntitlementSet = entitlementSet(presenting);

export const entitlementSetSchema = described(
  { name: 'EntitlementSet', about: 'What this service can do for an organization.' },
  (words, dialect) => entitlementSet(words)(dialect)(anyView()),
);

const membershipStatusWord = z.enum(membershipStatuses);

const membership =
  ({ is, toOne, toMany, link }: Words) =>
  (dialect: Dialect) =>
  (membership: MembershipView): Resource => ({
    id: membership.id,
    type: 'organization-memberships',
    attributes: {
      status: is(
        membershipStatusWord,
        membershipStatus(membership.user),
        '`invited` until the first request of the user who has the address, whether or not there is one yet.',
      ),
      email: is(text, membership.user.email),
      username: is(maybeText, membership.user.username, 'Null while invited.'),
      'created-at': is(dateTime, membership.createdAt),
    },
    relationships: {
      organization: toOne('organizations', membership.organizationName),
      user: toOne('users', membership.userId),
      teams: toMany(
        'teams',
        membership.teams.map(({ id }) => id),
        'Those the caller may see.',
      ),
    },
    links: { self: link(`${dialect.prefix}/organization-memberships/${membership.id}`) },
  });

export const presentMembership = membership(presenting);

export const membershipSchema = described({ name: 'OrganizationMembership' }, (words, dialect) =>
  membership(words)(dialect)(anyView()),
);
