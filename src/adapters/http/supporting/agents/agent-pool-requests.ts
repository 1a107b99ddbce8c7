import { z } from 'zod';
import { type AgentPoolsQuery, agentPoolSorts, type ScopeChange } from '../../../../application/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { include, sortBy, textual, valuesOf } from '../../routing/parameters.js';
import type { Call } from '../../routing/route.js';
import {
  absentable,
  identifier,
  manyOf,
  named,
  optionalDocument,
  reading,
  resourceDocument,
  word,
} from '../../routing/schema.js';

const poolType: TypeName = { singular: 'agent-pool', plural: 'agent-pools' };
const tokenType: TypeName = {
  singular: 'authentication-token',
  plural: 'authentication-tokens',
  alias: 'agent-tokens',
};

const workspaceType: TypeName = { singular: 'workspace', plural: 'workspaces' };
const projectType: TypeName = { singular: 'project', plural: 'projects' };

export const agentPoolParameters = { include: include({ workspaces: ['workspaces'] }) };

export const agentPoolsParameters = {
  ...agentPoolParameters,
  q: textual('Only pools with this text in their name.'),
  'filter[allowed_workspaces][name]': textual('Only pools that may serve the workspace of this name.'),
  'filter[allowed_projects][name]': textual(
    'Only pools that may serve workspaces for being in the project of this name.',
  ),
  sort: sortBy(agentPoolSorts, 'name'),
};

export const agentPoolsQuery = ({ query }: Call): AgentPoolsQuery => {
  const {
    q: search,
    'filter[allowed_workspaces][name]': workspaceName,
    'filter[allowed_projects][name]': projectName,
    sort,
  } = valuesOf(agentPoolsParameters, query);
  return { search, workspaceName, projectName, sort };
};

/** The name of a new site pool. */
export const newSiteAgentPool = (dialect: Dialect) =>
  reading(resourceDocument(dialect, poolType, { name: word }), ({ data }) => data.attributes.name);

/** The new name of a site pool; without one it keeps its name. */
export const siteAgentPoolChange = (dialect: Dialect) =>
  reading(resourceDocument(dialect, poolType, { name: absentable(word) }), ({ data }) => data.attributes);

const scopeAttributes = { 'organization-scoped': absentable(z.boolean()) };

const scopeRelationships = (dialect: Dialect) => {
  const listed = (of: TypeName) => absentable(z.object({ data: manyOf(identifier(dialect, of)) }));
  const workspaces = listed(workspaceType);
  return {
    'allowed-workspaces': workspaces,
    'excluded-workspaces': workspaces,
    'allowed-projects': listed(projectType),
  };
};

const changeDocument = (dialect: Dialect) =>
  resourceDocument(dialect, poolType, { name: absentable(word), ...scopeAttributes }, scopeRelationships(dialect));

/** Only what the request names. */
const toScope = ({ attributes, relationships }: z.infer<ReturnType<typeof changeDocument>>['data']): ScopeChange => {
  const ids = (listed: (typeof relationships)['allowed-workspaces']) => listed?.data.map(({ id }) => id);
  return named({
    organizationScoped: attributes['organization-scoped'],
    allowedWorkspaceIds: ids(relationships['allowed-workspaces']),
    allowedProjectIds: ids(relationships['allowed-projects']),
    excludedWorkspaceIds: ids(relationships['excluded-workspaces']),
  });
};

export const newAgentPool = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, poolType, { name: word, ...scopeAttributes }, scopeRelationships(dialect)),
    ({ data }) => ({ name: data.attributes.name, scope: toScope(data) }),
  );

export const agentPoolChange = (dialect: Dialect) =>
  reading(changeDocument(dialect), ({ data }) => ({ name: data.attributes.name, ...toScope(data) }));

/** The description of a new token. */
export const newAgentToken = (dialect: Dialect) => {
  const schema = optionalDocument(dialect, tokenType, {
    description: absentable(z.string().max(255)),
    // Agent tokens do not expire: accepting a date silently would be a false promise.
    'expired-at': z.null().optional(),
  });
  return reading(schema, ({ data }): string => data.attributes.description ?? '');
};
