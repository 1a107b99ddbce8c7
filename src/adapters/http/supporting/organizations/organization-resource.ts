import { z } from 'zod';
import type { ChangedOrganization, MembershipView } from '../../../../application/index.js';
import {
  authPolicies,
  defaultProjectId,
  executionModes,
  may,
  membershipStatus,
  membershipStatuses,
  type Organization,
  type OrganizationSettings,
  type Standing,
} from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Members, Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, flag, maybeText, nothing, text } from '../../routing/resource-schema.js';
import { poolTokenCreators } from '../../tokens/token-owner-resource.js';
import { retentionIdentifier, retentionTypeOf } from '../workspaces/data-retention-resource.js';

const executionMode = z.enum(executionModes);

const authPolicy = z.enum(authPolicies);
const maybeCount = count.nullable();
const none = z.literal(0);
const kept = 'Stored and shown. It has no effect on this service.';

const refused = (value: string) => `\`${value}\` is refused: this service cannot enforce it.`;

const settings = ({ attribute }: ResourceBuilder, given: OrganizationSettings): Members => ({
  'aggregated-commit-status-enabled': attribute(flag, given.aggregatedCommitStatusEnabled, kept),
  'allow-force-delete-workspaces': attribute(
    flag,
    given.allowForceDeleteWorkspaces,
    'Whether admins of a workspace may delete it while it manages resources; otherwise only owners may.',
  ),
  'assessments-enforced': attribute(flag, given.assessmentsEnforced, refused('true')),
  'collaborator-auth-policy': attribute(authPolicy, given.collaboratorAuthPolicy, refused('two_factor_mandatory')),
  'cost-estimation-enabled': attribute(flag, given.costEstimationEnabled, kept),
  'enforce-hyok': attribute(flag, given.enforceHyok, refused('true')),
  'max-ttl-enabled': attribute(
    flag,
    given.maxTtlEnabled,
    'Whether the token TTL policies limit the lifetime of new tokens.',
  ),
  'owners-team-saml-role-id': attribute(maybeText, given.ownersTeamSamlRoleId, kept),
  'registry-monorepo-support-enabled': attribute(flag, given.registryMonorepoSupportEnabled, kept),
  'send-passing-statuses-for-untriggered-speculative-plans': attribute(
    flag,
    given.sendPassingStatusesForUntriggeredSpeculativePlans,
    kept,
  ),
  'session-remember': attribute(
    maybeCount,
    given.sessionRemember,
    'The minutes after a sign-in for which the organization accepts a session. Null sets no limit beyond that of the service.',
  ),
  'session-timeout': attribute(
    maybeCount,
    given.sessionTimeout,
    'The minutes for which a session may be unused; the organization then refuses it until the next sign-in. Null sets no limit.',
  ),
  'speculative-plan-management-enabled': attribute(flag, given.speculativePlanManagementEnabled, kept),
  'stacks-enabled': attribute(flag, given.stacksEnabled, kept),
  'user-tokens-enabled': attribute(
    flag,
    given.userTokensEnabled,
    'Whether members may use user tokens in the organization. If false, only sessions are accepted, except from site administrators and for owners who show or update the organization. Cannot be false unless OpenID Connect is configured.',
  ),
});

/** An organization that is not deleted: its name is its id on the wire. */
const organization =
  (words: ResourceBuilder) =>
  (dialect: Dialect, standing?: Standing) =>
  (organization: ChangedOrganization): Resource => {
    const { attribute, group, optional, toOne, toOneOrNone, link } = words;
    const self = `${dialect.prefix}/organizations/${organization.name}`;
    return {
      id: organization.name,
      type: 'organizations',
      attributes: {
        name: attribute(text, organization.name),
        email: attribute(text, organization.email),
        'external-id': attribute(
          text,
          organization.id,
          'A stable id. It does not change when the organization is renamed.',
        ),
        'created-at': attribute(dateTime, organization.createdAt),
        'default-execution-mode': attribute(
          executionMode,
          organization.defaults.executionMode,
          'The execution mode of workspaces that do not set one.',
        ),
        'remaining-testable-count': attribute(none, 0, 'Always 0: modules are not tested.'),
        ...settings(words, organization.settings),
        permissions:
          standing &&
          optional(
            group({
              'can-update': attribute(flag, may(standing, 'organizations/update')),
              'can-destroy': attribute(flag, may(standing, 'organizations/delete')),
              'can-create-team': attribute(flag, may(standing, 'teams/create')),
              'can-create-workspace': attribute(flag, may(standing, 'workspaces/create')),
              'can-create-project': attribute(flag, may(standing, 'projects/create')),
              'can-read-effective-access': attribute(
                flag,
                may(standing, 'effective-access/read'),
                'Whether the caller sees that of every member and team.',
              ),
              'can-manage-users': attribute(flag, may(standing, 'memberships/manage')),
              'can-update-api-token': attribute(flag, may(standing, 'organization-tokens/manage')),
              'can-read-varsets': attribute(flag, may(standing, 'variable-sets/list')),
              'can-manage-varsets': attribute(flag, may(standing, 'variable-sets/manage')),
              'can-update-sentinel': attribute(
                flag,
                may(standing, 'policies/manage'),
                'Whether policies and policy sets of any kind can be managed.',
              ),
              'can-manage-run-tasks': attribute(flag, may(standing, 'run-tasks/manage')),
              'can-update-agent-pools': attribute(flag, may(standing, 'agent-pools/create')),
              'can-read-audit-events': attribute(flag, may(standing, 'audit-events/read')),
            }),
            "The caller's permissions. Absent from an organization that is included.",
          ),
      },
      relationships: {
        'default-agent-pool': toOneOrNone(
          'agent-pools',
          organization.defaults.agentPoolId,
          'The agent pool for workspaces in execution mode `agent` that do not set one. Null unless the default execution mode is `agent`.',
        ),
        'default-project': toOne(
          'projects',
          defaultProjectId(organization.id),
          'The project of workspaces that name none.',
        ),
        'agent-pool-token-creators':
          organization.poolTokenCreators && poolTokenCreators(words, organization.poolTokenCreators),
        'data-retention-policy': {
          data: attribute(
            retentionIdentifier,
            organization.retention && { id: organization.retention.id, type: retentionTypeOf(organization.retention) },
            'For workspaces without one.',
          ),
          links: { related: link(`${self}/relationships/data-retention-policy`) },
        },
        'entitlement-set': { links: { related: link(`${self}/entitlement-set`) } },
      },
      links: { self: link(self) },
    };
  };

export const presentOrganization = organization(presenting);

export const organizationSchema = described(
  { name: 'Organization', about: 'The id of an organization is its name.' },
  (words, dialect) => organization(words)(dialect, anyView<Standing>())(anyView()),
);

/** The features of this service for an organization. Clients turn to local execution unless `operations` is true. */
const entitlements = ({ attribute }: ResourceBuilder): Members => ({
  agents: attribute(flag, true),
  'audit-logging': attribute(flag, false),
  'cost-estimation': attribute(flag, false),
  operations: attribute(flag, true),
  'policy-enforcement': attribute(flag, true),
  'private-module-registry': attribute(flag, false),
  'run-tasks': attribute(flag, true),
  sentinel: attribute(flag, false),
  sso: attribute(flag, false),
  'state-storage': attribute(flag, false),
  teams: attribute(flag, true),
  'vcs-integrations': attribute(flag, true),
  'user-limit': attribute(nothing, null, 'Always null: there is no limit.'),
});

const entitlementSet = (words: ResourceBuilder) => {
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
  { name: 'EntitlementSet', about: 'The features that are available to an organization.' },
  (words, dialect) => entitlementSet(words)(dialect)(anyView()),
);

const membershipStatusWord = z.enum(membershipStatuses);

const membership =
  ({ attribute, toOne, toMany, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (membership: MembershipView): Resource => ({
    id: membership.id,
    type: 'organization-memberships',
    attributes: {
      status: attribute(
        membershipStatusWord,
        membershipStatus(membership.user),
        '`invited` until the user with this e-mail address sends their first request, whether or not that user exists yet.',
      ),
      email: attribute(text, membership.user.email),
      username: attribute(maybeText, membership.user.username, 'Null while the status is `invited`.'),
      'created-at': attribute(dateTime, membership.createdAt),
    },
    relationships: {
      organization: toOne('organizations', membership.organizationName),
      user: toOne('users', membership.userId),
      teams: toMany(
        'teams',
        membership.teams.map(({ id }) => id),
        'Only teams that the caller can see.',
      ),
    },
    links: { self: link(`${dialect.prefix}/organization-memberships/${membership.id}`) },
  });

export const presentMembership = membership(presenting);

export const membershipSchema = described({ name: 'OrganizationMembership' }, (words, dialect) =>
  membership(words)(dialect)(anyView()),
);
