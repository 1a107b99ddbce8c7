import { z } from 'zod';
import type { NewProjectAccess, ProjectAccessQuery } from '../../../application/index.js';
import {
  type ProjectGrantChange,
  projectAccessLevels,
  projectScales,
  type RequestedInProject,
  scales,
} from '../../../domain/index.js';
import type { Dialect, TypeName } from '../routing/dialect.js';
import { required, valuesOf } from '../routing/parameters.js';
import { invalid } from '../routing/request-error.js';
import type { Call } from '../routing/route.js';
import { absentable, identifier, named, reading, resourceDocument, unserved } from '../routing/schema.js';
import { endAttributes, endParameters, numberOf, requestedEnd, withinDays } from './access-end.js';

const type: TypeName = { singular: 'team-project', plural: 'team-projects' };
const projectType: TypeName = { singular: 'project', plural: 'projects' };
const teamType: TypeName = { singular: 'team', plural: 'teams' };

const flag = absentable(z.boolean());

const permissions = {
  'project-access': absentable(
    z.object({
      settings: absentable(z.enum(projectScales.settings)),
      teams: absentable(z.enum(projectScales.teams)),
      'variable-sets': absentable(z.enum(projectScales.variableSets)),
    }),
  ),
  /** A request cannot ask for `none` on runs: every grant includes reading runs. */
  'workspace-access': absentable(
    z.object({
      runs: absentable(z.enum(['read', 'plan', 'apply'])),
      variables: absentable(z.enum(scales.variables)),
      'state-versions': absentable(z.enum(scales.stateVersions)),
      'policy-mocks': absentable(z.enum(scales.policyMocks)),
      'sentinel-mocks': absentable(z.enum(scales.policyMocks)),
      locking: flag,
      'run-tasks': flag,
      create: flag,
      move: flag,
      delete: flag,
      'policy-overrides': unserved('Policy overrides are given on single workspaces'),
    }),
  ),
};

type Attributes = { readonly [Name in keyof typeof permissions]?: z.infer<(typeof permissions)[Name]> };

/** Only what the request names. Throws a 422 when the two spellings of the mocks attribute contradict each other. */
const requested = (attributes: Attributes): RequestedInProject => {
  const { 'project-access': project, 'workspace-access': workspaces } = attributes;
  const [mocks, otherSpelling] = [workspaces?.['policy-mocks'], workspaces?.['sentinel-mocks']];
  if (mocks !== undefined && otherSpelling !== undefined && mocks !== otherSpelling) {
    const detail = 'Policy mocks and sentinel mocks are one attribute and must have the same value';
    throw invalid([{ pointer: '/data/attributes/workspace-access/sentinel-mocks', detail }]);
  }
  return {
    project: named({
      settings: project?.settings,
      teams: project?.teams,
      variableSets: project?.['variable-sets'],
      create: workspaces?.create,
      move: workspaces?.move,
      delete: workspaces?.delete,
    }),
    workspaces: named({
      runs: workspaces?.runs,
      variables: workspaces?.variables,
      stateVersions: workspaces?.['state-versions'],
      policyMocks: mocks ?? otherSpelling,
      workspaceLocking: workspaces?.locking,
      runTasks: workspaces?.['run-tasks'],
    }),
  };
};

export const newProjectAccess = (dialect: Dialect) => {
  const schema = resourceDocument(
    dialect,
    type,
    { access: z.enum(projectAccessLevels), ...permissions, ...endAttributes },
    {
      project: z.object({ data: identifier(dialect, projectType) }),
      team: z.object({ data: identifier(dialect, teamType) }),
    },
  );
  return reading(
    schema,
    ({ data: { attributes, relationships } }): NewProjectAccess => ({
      projectId: relationships.project.data.id,
      teamId: relationships.team.data.id,
      access: attributes.access,
      permissions: requested(attributes),
      ...requestedEnd(attributes),
    }),
  );
};

export const projectAccessChange = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, type, {
      access: absentable(z.enum(projectAccessLevels)),
      ...permissions,
      ...endAttributes,
    }),
    ({ data: { attributes } }): ProjectGrantChange => ({
      access: attributes.access,
      permissions: requested(attributes),
      ...requestedEnd(attributes),
      unnamed: dialect.unnamedPermissions,
    }),
  );

export const projectAccessParameters = { 'filter[project][id]': required('The id of the project.'), ...endParameters };

/** Throws a 422 without a project. */
export const projectAccessQuery = ({ query }: Call): ProjectAccessQuery => {
  const values = valuesOf(projectAccessParameters, query);
  return { projectId: values['filter[project][id]'], endsWithinDays: numberOf(values[withinDays]) };
};
