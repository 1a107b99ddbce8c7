import { z } from 'zod';
import { authPolicies, executionModes, membershipStatuses } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { include, oneOf, searching, texts, textual, valuesOf } from '../../routing/parameters.js';
import type { Call } from '../../routing/route.js';
import {
  absentable,
  identifier,
  idOf,
  manyOf,
  named,
  reading,
  resourceDocument,
  unserved,
  word,
} from '../../routing/schema.js';
import { poolType } from '../workspaces/workspace-requests.js';

export const organizationType: TypeName = { singular: 'organization', plural: 'organizations' };
const membershipType: TypeName = { singular: 'organization-membership', plural: 'organization-memberships' };

const flag = absentable(z.boolean());
/** Some 70 years. */
const maxMinutes = 36_816_480;

/** Null is a value: the default. */
const minutes = z
  .int()
  .refine((given) => given >= 1 && given <= maxMinutes, `must be 1 to ${maxMinutes} minutes`)
  .meta({ minimum: 1, maximum: maxMinutes })
  .nullable()
  .optional();

const settings = {
  'default-execution-mode': absentable(z.enum(executionModes)),
  'aggregated-commit-status-enabled': flag,
  'allow-force-delete-workspaces': flag,
  'assessments-enforced': flag,
  'collaborator-auth-policy': absentable(z.enum(authPolicies)),
  'cost-estimation-enabled': flag,
  'enforce-hyok': flag,
  'max-ttl-enabled': flag,
  'owners-team-saml-role-id': word.nullable().optional(),
  'registry-monorepo-support-enabled': flag,
  'send-passing-statuses-for-untriggered-speculative-plans': flag,
  'session-remember': minutes,
  'session-timeout': minutes,
  'speculative-plan-management-enabled': flag,
  'stacks-enabled': flag,
  'user-tokens-enabled': flag,
};

const relationships = (dialect: Dialect) => ({
  'default-agent-pool': absentable(z.object({ data: identifier(dialect, poolType).nullable() })),
  'default-project': unserved('The default project cannot be changed'),
});

const changeDocument = (dialect: Dialect) =>
  resourceDocument(
    dialect,
    organizationType,
    { name: absentable(word), email: absentable(word), ...settings },
    relationships(dialect),
  );

/** Only what the request names. */
const toChange = ({ data: { attributes, relationships } }: z.infer<ReturnType<typeof changeDocument>>) => {
  const pool = relationships['default-agent-pool'];
  const defaults = named({
    executionMode: attributes['default-execution-mode'],
    agentPoolId: pool && (pool.data?.id ?? null),
  });
  const settings = named({
    aggregatedCommitStatusEnabled: attributes['aggregated-commit-status-enabled'],
    allowForceDeleteWorkspaces: attributes['allow-force-delete-workspaces'],
    assessmentsEnforced: attributes['assessments-enforced'],
    collaboratorAuthPolicy: attributes['collaborator-auth-policy'],
    costEstimationEnabled: attributes['cost-estimation-enabled'],
    enforceHyok: attributes['enforce-hyok'],
    maxTtlEnabled: attributes['max-ttl-enabled'],
    ownersTeamSamlRoleId: attributes['owners-team-saml-role-id'],
    registryMonorepoSupportEnabled: attributes['registry-monorepo-support-enabled'],
    sendPassingStatusesForUntriggeredSpeculativePlans:
      attributes['send-passing-statuses-for-untriggered-speculative-plans'],
    sessionRemember: attributes['session-remember'],
    sessionTimeout: attributes['session-timeout'],
    speculativePlanManagementEnabled: attributes['speculative-plan-management-enabled'],
    stacksEnabled: attributes['stacks-enabled'],
    userTokensEnabled: attributes['user-tokens-enabled'],
  });
  const { name, email } = attributes;
  return { name, email, settings, ...(Object.keys(defaults).length > 0 && { defaults }) };
};

export const organizationParameters = { include: include({ default_project: ['default-project'] }) };

export const organizationsParameters = {
  q: textual('Only organizations with this text in their name or e-mail address.'),
  'q[name]': textual('Only organizations with this text in their name.'),
  'q[email]': textual('Only organizations with this text in their e-mail address.'),
};

export const organizationsFilter = ({ query }: Call) => {
  const { q: search, 'q[name]': name, 'q[email]': email } = valuesOf(organizationsParameters, query);
  return { search, name, email };
};

export const membershipParameters = { include: include({ user: ['user'], teams: ['teams'] }) };

export const membershipsParameters = {
  ...membershipParameters,
  q: searching('Only members with this text in their username or e-mail address.'),
  'filter[email]': texts('Only members with these e-mail addresses, separated by commas.'),
  'filter[status]': oneOf(membershipStatuses, 'Only members with this status.'),
};

export const membershipsFilter = ({ query }: Call) => {
  const { q: search, 'filter[email]': emails, 'filter[status]': status } = valuesOf(membershipsParameters, query);
  return { search, emails, status };
};

export const newOrganization = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, organizationType, { name: word, email: word, ...settings }, relationships(dialect)),
    (body) => {
      const { name, email } = body.data.attributes;
      return { ...toChange(body), name, email };
    },
  );

export const organizationChange = (dialect: Dialect) => reading(changeDocument(dialect), toChange);

export const newMembership = (dialect: Dialect) => {
  const teams = z.object({ data: manyOf(z.object({ id: idOf({ plural: 'teams' }) })) });
  const schema = resourceDocument(dialect, membershipType, { email: word }, { teams: absentable(teams) });
  return reading(schema, ({ data: { attributes, relationships } }) => ({
    email: attributes.email,
    teamIds: relationships.teams?.data.map(({ id }) => id) ?? [],
  }));
};
