import { z } from 'zod';
import type { NewTeamAccess, TeamAccessQuery } from '../../../application/index.js';
import { accessLevels, type GrantChange, type RequestedPermissions, scales } from '../../../domain/index.js';
import type { Dialect, TypeName } from '../routing/dialect.js';
import { required, valuesOf } from '../routing/parameters.js';
import { invalid } from '../routing/request-error.js';
import type { Call } from '../routing/route.js';
import { absentable, identifier, named, reading, resourceDocument } from '../routing/schema.js';
import { endAttributes, endParameters, numberOf, requestedEnd, withinDays } from './access-end.js';

/** The contract requires types in a request that adds access, and leaves them optional in a change. */
const demanded = (singular: string): TypeName => {
  const plural = `${singular}s`;
  return { singular, plural, contract: { words: [plural], required: true } };
};

const type: TypeName = { singular: 'team-workspace', plural: 'team-workspaces' };

/** A request cannot ask for `none` on runs: every grant includes reading runs. */
const permissions = {
  runs: absentable(z.enum(['read', 'plan', 'apply'])),
  variables: absentable(z.enum(scales.variables)),
  'state-versions': absentable(z.enum(scales.stateVersions)),
  'policy-mocks': absentable(z.enum(scales.policyMocks)),
  'sentinel-mocks': absentable(z.enum(scales.policyMocks)),
  'workspace-locking': absentable(z.boolean()),
  'run-tasks': absentable(z.boolean()),
  'policy-overrides': absentable(z.boolean()),
};

type Attributes = { readonly [Name in keyof typeof permissions]?: z.infer<(typeof permissions)[Name]> };

/** Only what the request names. Throws a 422 when the two spellings of the mocks attribute contradict each other. */
const requested = (attributes: Attributes): RequestedPermissions => {
  const { 'policy-mocks': policyMocks, 'sentinel-mocks': otherSpelling } = attributes;
  if (policyMocks !== undefined && otherSpelling !== undefined && policyMocks !== otherSpelling) {
    const detail = 'Policy mocks and sentinel mocks are one attribute and must have the same value';
    throw invalid([{ pointer: '/data/attributes/sentinel-mocks', detail }]);
  }
  return named({
    runs: attributes.runs,
    variables: attributes.variables,
    stateVersions: attributes['state-versions'],
    policyMocks: policyMocks ?? otherSpelling,
    workspaceLocking: attributes['workspace-locking'],
    runTasks: attributes['run-tasks'],
    policyOverrides: attributes['policy-overrides'],
  });
};

export const newTeamAccess = (dialect: Dialect) => {
  const schema = resourceDocument(
    dialect,
    demanded('team-workspace'),
    { access: z.enum(accessLevels), ...permissions, ...endAttributes },
    {
      workspace: z.object({ data: identifier(dialect, demanded('workspace')) }),
      team: z.object({ data: identifier(dialect, demanded('team')) }),
    },
  );
  return reading(
    schema,
    ({ data: { attributes, relationships } }): NewTeamAccess => ({
      workspaceId: relationships.workspace.data.id,
      teamId: relationships.team.data.id,
      access: attributes.access,
      permissions: requested(attributes),
      ...requestedEnd(attributes),
    }),
  );
};

export const teamAccessChange = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, type, {
    access: absentable(z.enum(accessLevels)),
    ...permissions,
    ...endAttributes,
  });
  return reading(
    schema,
    ({ data: { attributes } }): GrantChange => ({
      access: attributes.access,
      permissions: requested(attributes),
      ...requestedEnd(attributes),
      unnamed: dialect.unnamedPermissions,
    }),
  );
};

export const teamAccessParameters = {
  'filter[workspace][id]': required('The id of the workspace.'),
  'filter[team][id]': z.string().optional().meta({ description: 'Only the access of this team.' }),
  ...endParameters,
};

/** Throws a 422 without a workspace. */
export const teamAccessQuery = ({ query }: Call): TeamAccessQuery => {
  const values = valuesOf(teamAccessParameters, query);
  return {
    workspaceId: values['filter[workspace][id]'],
    teamId: values['filter[team][id]'],
    endsWithinDays: numberOf(values[withinDays]),
  };
};
