import { randomBytes } from 'node:crypto';
import { randomText } from '../../src/adapters/system/random-ids.js';
import { Connections, type Request } from './latencies.js';
import type { Seeded, Size } from './seed-rows.js';
import type { Server } from './servers.js';

/** A service on a database of one size, and its contents. */
export interface World {
  readonly size: Size;
  readonly seeded: Seeded;
  readonly server: Server;
  /** Loads the database into the system's cache, as constant use does. */
  warm(): Promise<void>;
  /** The values of the first column. */
  column(sql: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

type Caller = 'member' | 'admin';
type Kind = 'show' | 'create' | 'first page' | 'any page';

export interface Case {
  /** The endpoint, as in the route table. */
  readonly route: string;
  readonly name: string;
  readonly kind: Kind;
  /** The caller, if not an owner of the organization. */
  readonly as?: Caller;
  /** Set for rare requests: they are measured on one connection, with fewer requests. */
  readonly minor?: true;
  requests(world: World, count: number): Promise<readonly Request[]> | readonly Request[];
}

export const api = '/api/v2';
export const times = <Item>(count: number, item: () => Item): Item[] => Array.from({ length: count }, item);
const below = (limit: number): number => Math.floor(Math.random() * limit);
const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');

/** Ids at random places of the table: each is the next after a random value. */
const someIds = (
  world: World,
  table: string,
  prefix: string,
  count: number,
  { column = 'id', where = '' } = {},
): Promise<readonly string[]> => {
  const from = times(count, () => `('${prefix}-${randomBytes(8).toString('hex').toUpperCase()}')`);
  const next = (than: string) =>
    `(select t.${column} from ${table} as t where t.id > ${than} ${where} order by t.id limit 1)`;
  return world.column(
    `with p(place) as (values ${from.join(', ')}) select coalesce(${next('p.place')}, ${next(`'${prefix}-'`)}) from p`,
  );
};

/** Requests about objects at random places of a table. */
const about =
  (table: string, prefix: string, request: (id: string) => Request): Case['requests'] =>
  async (world, count) =>
    (await someIds(world, table, prefix, count)).map(request);

/** The same request again and again. */
const repeated =
  (request: (seeded: Seeded) => Request): Case['requests'] =>
  ({ seeded }, count) =>
    times(count, () => request(seeded));

/** `path` has `:id` in place of the id. */
const shown = (name: string, table: string, prefix: string, path: string, { minor, ...of }: Shown = {}): Case => ({
  route: `get ${path}`,
  name: `show ${name}`,
  kind: 'show',
  ...(minor && { minor }),
  requests: async (world, count) =>
    (await someIds(world, table, prefix, count, of)).map((id) => ({
      path: `${api}${path.replace(':organization', 'acme').replace(/:\w+/, id)}`,
    })),
});

interface Shown {
  readonly column?: string;
  readonly where?: string;
  readonly minor?: true;
}

export interface List {
  readonly route: string;
  readonly name: string;
  /** The path without its page parameters. */
  path(seeded: Seeded): string;
  /** Absent if a page is a range of numbers, or if no page is deep. */
  rows?(world: World): number;
  readonly as?: Caller;
  readonly minor?: true;
}

/** Every fourth team is secret. */
const visiblePart = 0.75;

const own = (path: string): Pick<List, 'route' | 'path'> => ({
  route: `get ${path}`,
  path: () => `${path.replace(':organization', 'acme')}?`,
});

const tokens = '/organizations/:organization/team-tokens';

const runsOfAll = '/organizations/:organization/runs';

const versions: List = {
  route: 'get /workspaces/:workspaceId/configuration-versions',
  name: 'configuration versions',
  path: ({ workspaceId }) => `/workspaces/${workspaceId}/configuration-versions?`,
};

const lists: readonly List[] = [
  versions,
  {
    route: 'get /workspaces/:workspaceId/runs',
    name: 'runs',
    path: ({ workspaceId }) => `/workspaces/${workspaceId}/runs?`,
  },
  { ...own(runsOfAll), name: 'runs of an organization' },
  {
    route: 'get /state-versions',
    name: 'states',
    path: () => '/state-versions?filter[organization][name]=acme&filter[workspace][name]=network&',
  },
  {
    route: 'get /policy-evaluations/:policyEvaluationId/policy-set-outcomes',
    name: 'policy set outcomes',
    path: ({ evaluationId }) => `/policy-evaluations/${evaluationId}/policy-set-outcomes?`,
  },
  {
    route: 'get /team-workspaces',
    name: 'team accesses of a workspace',
    path: ({ workspaceId }) => `/team-workspaces?filter[workspace][id]=${workspaceId}&`,
    rows: ({ size }) => size.accesses,
  },
  { ...own('/organizations/:organization/teams'), name: 'teams', rows: ({ size }) => size.teams },
  {
    ...own('/organizations/:organization/teams'),
    name: 'teams, as a member',
    rows: ({ size }) => Math.floor(size.teams * visiblePart),
    as: 'member',
  },
  { ...own(tokens), name: 'team tokens', rows: ({ size }) => size.teams },
  ...['team-name', 'last-used-at'].map(
    (key): List => ({
      route: `get ${tokens}`,
      name: `team tokens by ${key}`,
      path: () => `/organizations/acme/team-tokens?sort=${key}&`,
      rows: ({ size }) => size.teams,
      minor: true,
    }),
  ),
  { ...own('/organizations/:organization/workspaces'), name: 'workspaces', rows: ({ size }) => size.workspaces },
  {
    ...own('/organizations/:organization/organization-memberships'),
    name: 'members',
    rows: ({ size }) => size.users,
  },
  { ...own('/admin/users'), name: 'users', rows: ({ size }) => size.users, as: 'admin', minor: true },
  { ...own('/organizations'), name: 'organizations', minor: true },
  {
    ...own('/organizations/:organization/projects'),
    name: 'projects, as a member',
    as: 'member',
    minor: true,
  },
  ...Object.entries({
    projects: 'projects',
    'policy-sets': 'policy sets',
    varsets: 'variable sets',
    policies: 'policies',
    tasks: 'run tasks',
    'agent-pools': 'agent pools',
  }).map(
    ([path, name]): List => ({
      ...own(`/organizations/:organization/${path}`),
      name,
      rows: ({ size }) => size.others,
      minor: true,
    }),
  ),
  {
    route: 'get /agent-pools/:poolId/authentication-tokens',
    name: 'tokens of agents',
    path: ({ poolId }) => `/agent-pools/${poolId}/authentication-tokens?`,
    rows: ({ size }) => size.others,
    minor: true,
  },
  {
    route: 'get /users/:userId/authentication-tokens',
    name: 'tokens of a user',
    path: ({ ownerId }) => `/users/${ownerId}/authentication-tokens?`,
    rows: ({ size }) => size.others,
    minor: true,
  },
];

export const deepLists = lists.filter(({ rows }) => rows !== undefined);

/** A search, which examines every row of a list. */
export interface Search {
  readonly name: string;
  path(seeded: Seeded, size: Size): string;
  rows(size: Size): number;
  /** It reads each row, or looks up another for each, where others read an index alone. */
  readonly readsRows?: true;
}

const filtered = (status: string, part: number) => ({
  rows: ({ someOutcomes }: Size) => someOutcomes,
  path: ({ someEvaluationId }: Seeded, { someOutcomes }: Size) =>
    `/policy-evaluations/${someEvaluationId}/policy-set-outcomes?filter[0][status]=${status}&page[size]=${pageSize}` +
    `&page[number]=${1 + Math.floor((someOutcomes * part) / pageSize)}`,
});

const sorted = (key: string) => ({
  rows: ({ teams }: Size) => teams,
  path: (_: Seeded, { teams }: Size) =>
    `/organizations/acme/team-tokens?sort=${key}&page[size]=${pageSize}&page[number]=${Math.floor(teams / 2 / pageSize)}`,
});

/** The rows that a search examines at most. */
const rowsOfList = {
  teams: ({ teams }: Size) => teams,
  workspaces: ({ workspaces }: Size) => workspaces,
  tags: ({ others }: Size) => others,
  'organization-memberships': ({ users }: Size) => users,
  projects: ({ others }: Size) => others,
  'policy-sets': ({ others }: Size) => others,
  varsets: ({ others }: Size) => others,
  policies: ({ others }: Size) => others,
  tasks: ({ others }: Size) => others,
  'agent-pools': ({ others }: Size) => others,
  'team-tokens': ({ teams }: Size) => teams,
  runs: ({ runs }: Size) => runs,
};

export const searches: readonly Search[] = [
  ...Object.entries({ none: 'nowhere', some: '77', all: 'tEaM' }).map(
    ([many, text]): Search => ({
      name: `q that ${many} of the teams match`,
      path: () => `/organizations/acme/team-tokens?q=${text}`,
      rows: ({ teams }) => teams,
    }),
  ),
  ...Object.entries({
    teams: ['q=77', 'filter[names]=team-77'],
    workspaces: [
      'search[name]=77',
      'search[wildcard-name]=*77',
      'filter[project][id]=prj-nothing',
      'filter[current-run][status]=planning',
      'filter[current-run][status]=applied',
      'sort=-name',
      'sort=-current-run.created-at',
      'sort=-latest-change-at',
      'search[tags]=network',
      'search[exclude-tags]=network',
      'filter[tagged][0][key]=stage',
      'filter[tagged][0][key]=stage&filter[tagged][0][value]=test',
    ],
    tags: ['', 'q=77', 'filter[exclude][taggable][id]=ws-any'],
    'organization-memberships': ['q=77', 'filter[status]=invited', 'filter[email]=nobody@example.com'],
    projects: ['q=77', 'filter[names]=network', 'filter[tagged][0][key]=stage', 'sort=-name'],
    'policy-sets': ['search[name]=77', 'filter[kind]=sentinel', 'filter[versioned]=false'],
    varsets: ['q=77'],
    policies: ['search[name]=77', 'filter[kind]=sentinel', 'sort=-created-at'],
    tasks: ['search[name]=77'],
    'agent-pools': ['q=77', 'sort=-created-at', 'filter[allowed_workspaces][name]=network'],
    'team-tokens': ['filter[expiry_status]=expired'],
    runs: [
      'filter[status]=planning',
      'filter[status]=applied',
      'filter[status_group]=final',
      'filter[operation]=destroy',
      'filter[source]=tfe-configuration-version',
      'filter[timeframe]=2020',
      'filter[workspace_names]=network',
      'filter[agent_pool_names]=network',
      'search[basic]=nowhere',
      'search[user]=nobody',
      'search[commit]=0000',
    ],
  }).flatMap(([list, queries]) =>
    queries.map(
      (query): Search => ({
        name: `${list} by ${query}`,
        path: () => `/organizations/acme/${list}?${query}&page[size]=${pageSize}`,
        rows: rowsOfList[list as keyof typeof rowsOfList],
        ...((/^(?:search.(?:basic|user|commit)|filter.agent_pool_names)/.test(query) || list === 'tags') && {
          readsRows: true,
        }),
      }),
    ),
  ),
  ...['filter[status]=planning', 'filter[operation]=destroy', 'search[commit]=0000'].map(
    (query): Search => ({
      name: `runs of a workspace by ${query}`,
      path: ({ workspaceId }) => `/workspaces/${workspaceId}/runs?${query}&page[size]=${pageSize}`,
      rows: rowsOfList.runs,
      ...(query.startsWith('search') && { readsRows: true }),
    }),
  ),
  ...['q=77', 'q[name]=77', 'q[email]=nobody'].map(
    (query): Search => ({
      name: `organizations by ${query}`,
      path: () => `/organizations?${query}&page[size]=${pageSize}`,
      rows: ({ others }) => others,
    }),
  ),
  { name: 'filter that a tenth of the outcomes match', ...filtered('failed', 0) },
  { name: 'filter that all outcomes match, in their middle', ...filtered('passed', 0.5) },
  { name: 'team tokens from the last used on, in their middle', ...sorted('-last-used-at') },
  { name: 'team tokens from the last to expire on, in their middle', ...sorted('-expired-at') },
  { name: 'team tokens by who made them, in their middle', ...sorted('created-by') },
];

/** The number of rows of each kind in the small database. */
export const pageSize = 10;

export const page = (list: List, { seeded }: World, number: number): Request => ({
  path: `${api}${list.path(seeded)}page[number]=${number}&page[size]=${pageSize}`,
});

const firstPage = ({ rows: _, path: __, ...list }: List, index: number): Case => ({
  ...list,
  kind: 'first page',
  requests: (world, count) => times(count, () => page(lists[index] as List, world, 1)),
});

const one = (type: string, id: string) => ({ data: { type, id } });

const fresh = (): string => `bench-${randomText(16)}`;

const document = (type: string, attributes: object = {}, relationships: object = {}) => ({
  data: { type, attributes, relationships },
});

/** Creates through one path, on seeded objects. */
const creates = (
  what: string,
  route: string,
  body: () => object,
  { as, path = (_: Seeded) => route.replace(':organization', 'acme') }: Pick<Case, 'as'> & { path?: List['path'] } = {},
): Case => ({
  route: `post ${route}`,
  name: `create ${what}`,
  kind: 'create',
  ...(as && { as }),
  minor: true,
  requests: repeated((seeded) => ({ method: 'POST', path: `${api}${path(seeded)}`, body: body() })),
});

const newVersion = (workspaceId: string): Request => ({
  method: 'POST',
  path: `${api}/workspaces/${workspaceId}/configuration-versions`,
  body: document('configuration-versions', { 'auto-queue-runs': false }),
});

const newOrganization = () => document('organizations', { name: fresh(), email: 'a@b.example' });

const newUser = () => {
  const username = fresh();
  return document('users', { username, email: `${username}@example.com` });
};

const minor = { minor: true } as const;

export const cases: readonly Case[] = [
  shown('a configuration version', 'configuration_versions', 'cv', '/configuration-versions/:id'),
  shown('a workspace', 'workspaces', 'ws', '/workspaces/:id'),
  shown('a team access', 'team_workspaces', 'tws', '/team-workspaces/:id'),
  shown('a team', 'teams', 'team', '/teams/:id'),
  shown('a team token', 'api_tokens', 'at', '/teams/:teamId/authentication-token', {
    column: 'team_id',
    where: 'and t.team_id is not null',
  }),
  shown('a member', 'organization_memberships', 'ou', '/organization-memberships/:id'),
  shown('a run', 'runs', 'run', '/runs/:id'),
  shown('a state', 'state_versions', 'sv', '/state-versions/:id'),
  shown('the outputs of a state', 'state_versions', 'sv', '/state-versions/:id/outputs', minor),
  shown('an output', 'state_version_outputs', 'wsout', '/state-version-outputs/:id', minor),
  ...['current-state-version', 'current-state-version-outputs'].map(
    (what): Case => ({
      route: `get /workspaces/:workspaceId/${what}`,
      name: what === 'current-state-version' ? 'show the current state' : 'show the outputs of the current state',
      kind: 'show',
      minor: true,
      requests: repeated(({ workspaceId }) => ({ path: `${api}/workspaces/${workspaceId}/${what}` })),
    }),
  ),
  shown('what happened to a run', 'runs', 'run', '/runs/:id/run-events', minor),
  shown('the comments on a run', 'runs', 'run', '/runs/:id/comments', minor),
  {
    route: 'post /runs/:id/comments',
    name: 'create a comment',
    kind: 'create',
    minor: true,
    requests: about('runs', 'run', (id) => ({
      method: 'POST',
      path: `${api}/runs/${id}/comments`,
      body: document('comments', { body: 'Looks good' }),
    })),
  },
  // Its queue is empty: all waiting runs belong to another organization.
  ...['runs/queue', 'capacity'].map(
    (what): Case => ({
      route: `get /organizations/:organization/${what}`,
      name: what === 'capacity' ? 'count a queue' : 'show a queue',
      kind: 'show',
      minor: true,
      requests: repeated(() => ({ path: `${api}/organizations/acme/${what}` })),
    }),
  ),
  {
    route: 'get /organizations/:organization/attention',
    name: 'show what waits',
    kind: 'show',
    minor: true,
    requests: repeated(() => ({ path: `${api}/organizations/acme/attention` })),
  },
  shown('a task stage', 'task_stages', 'ts', '/task-stages/:id'),
  shown('a policy evaluation', 'policy_evaluations', 'poleval', '/policy-evaluations/:id'),
  shown('a policy set outcome', 'policy_set_outcomes', 'psout', '/policy-set-outcomes/:id'),
  shown('where a version came from', 'ingress_attributes', 'ia', '/configuration-versions/:id/ingress-attributes', {
    column: 'configuration_version_id',
    ...minor,
  }),
  shown('the version of a run', 'runs', 'run', '/runs/:id/configuration-version', minor),
  shown('the stages of a run', 'task_stages', 'ts', '/runs/:runId/task-stages', { column: 'run_id', ...minor }),
  shown('the evaluations of a stage', 'task_stages', 'ts', '/task-stages/:taskStageId/policy-evaluations', minor),
  ...['plan', 'apply'].map((phase): Case => {
    const path = phase === 'plan' ? '/plans' : '/applies';
    const of = shown(phase === 'plan' ? 'a plan' : 'an apply', 'runs', 'run', `${path}/:id`, minor);
    return {
      ...of,
      requests: async (world, count) =>
        (await of.requests(world, count)).map((ask) => ({ path: ask.path.replace('/run-', `/${phase}-`) })),
    };
  }),
  shown('a workspace by its name', 'workspaces', 'ws', '/organizations/:organization/workspaces/:name', {
    column: 'name',
    ...minor,
  }),
  shown('a project', 'projects', 'prj', '/projects/:id', minor),
  shown('a policy set', 'policy_sets', 'polset', '/policy-sets/:id', minor),
  shown('a variable set', 'variable_sets', 'varset', '/varsets/:id', minor),
  shown('the variables of a variable set', 'variable_sets', 'varset', '/varsets/:id/relationships/vars', minor),
  shown('a policy', 'policies', 'pol', '/policies/:id', minor),
  shown('a run task', 'run_tasks', 'task', '/tasks/:id', minor),
  shown('an agent pool', 'agent_pools', 'apool', '/agent-pools/:id', minor),
  shown('a token', 'agent_tokens', 'agt', '/authentication-tokens/:id', minor),
  ...['/organizations/:organization', '/organizations/:organization/entitlement-set'].map(
    (route): Case => ({
      route: `get ${route}`,
      name: route.endsWith('set') ? 'show an entitlement set' : 'show an organization',
      kind: 'show',
      minor: true,
      requests: repeated(() => ({ path: `${api}${route.replace(':organization', 'acme')}` })),
    }),
  ),
  {
    route: 'get /account/details',
    name: 'show an account',
    kind: 'show',
    minor: true,
    requests: repeated(() => ({ path: `${api}/account/details` })),
  },
  // Before versions are created: afterwards the newest is not uploaded.
  {
    route: 'post /runs',
    name: 'create a run',
    kind: 'create',
    minor: true,
    requests: about('workspaces', 'ws', (id) => ({
      method: 'POST',
      path: `${api}/runs`,
      body: document('runs', {}, { workspace: one('workspaces', id) }),
    })),
  },
  {
    route: 'post /workspaces/:workspaceId/configuration-versions',
    name: 'create a configuration version in the largest workspace',
    kind: 'create',
    requests: repeated(({ workspaceId }) => newVersion(workspaceId)),
  },
  {
    route: 'post /workspaces/:workspaceId/configuration-versions',
    name: 'create a configuration version in any workspace',
    kind: 'create',
    requests: about('workspaces', 'ws', newVersion),
  },
  {
    route: 'post /workspaces/:workspaceId/vars',
    name: 'create a variable',
    kind: 'create',
    minor: true,
    requests: about('workspaces', 'ws', (id) => ({
      method: 'POST',
      path: `${api}/workspaces/${id}/vars`,
      body: document('vars', { key: fresh(), value: 'some text', category: 'terraform' }),
    })),
  },
  // A workspace keeps variables of earlier cases, up to its limit.
  shown('the variables of a workspace and its sets', 'workspaces', 'ws', '/workspaces/:workspaceId/all-vars', minor),
  shown('the variables of a workspace', 'workspaces', 'ws', '/workspaces/:workspaceId/vars', minor),
  shown('the variable sets of a workspace', 'workspaces', 'ws', '/workspaces/:id/varsets', minor),
  {
    route: 'post /team-workspaces',
    name: 'create a team access',
    kind: 'create',
    requests: async (world, count) => {
      // The owners have access to everything already.
      const teams = await someIds(world, 'teams', 'team', count * 2, { where: 'and not t.is_owners' });
      const workspaces = await someIds(world, 'workspaces', 'ws', count * 2);
      const pairs = new Set(teams.map((team, index) => `${team} ${workspaces[index]}`));
      const there = `select team_id || ' ' || workspace_id from team_workspaces where team_id in (${quoted(teams)})`;
      for (const pair of await world.column(there)) pairs.delete(pair);
      return [...pairs].slice(0, count).map((pair) => {
        const [team = '', workspace = ''] = pair.split(' ');
        const relationships = { workspace: one('workspaces', workspace), team: one('teams', team) };
        const body = document('team-workspaces', { access: 'read' }, relationships);
        return { method: 'POST', path: `${api}/team-workspaces`, body };
      });
    },
  },
  {
    route: 'post /teams/:teamId/authentication-token',
    name: 'create a team token',
    kind: 'create',
    requests: about('teams', 'team', (id) => ({ method: 'POST', path: `${api}/teams/${id}/authentication-token` })),
  },
  ...['team', 'workspace'].map(
    (what): Case => ({
      route: `post /organizations/:organization/${what}s`,
      name: `create a ${what}`,
      kind: 'create',
      requests: repeated(() => ({
        method: 'POST',
        path: `${api}/organizations/acme/${what}s`,
        body: document(`${what}s`, { name: fresh() }),
      })),
    }),
  ),
  creates('an organization', '/organizations', newOrganization, { as: 'admin' }),
  creates('a user', '/admin/users', newUser, { as: 'admin' }),
  {
    route: 'post /organizations/:organization/organization-memberships',
    name: 'create a member',
    kind: 'create',
    minor: true,
    requests: async ({ server, seeded }, count) => {
      const users = times(count, newUser);
      const open = await Connections.to(server.url, seeded.admin, 1);
      await open.send(users.map((body) => ({ method: 'POST', path: `${api}/admin/users`, body })));
      open.close();
      return users.map(({ data: { attributes } }) => ({
        method: 'POST',
        path: `${api}/organizations/acme/organization-memberships`,
        body: document('organization-memberships', { email: (attributes as { readonly email: string }).email }),
      }));
    },
  },
  ...Object.entries({
    projects: 'a project',
    'policy-sets': 'a policy set',
    varsets: 'a variable set',
    'agent-pools': 'an agent pool',
  }).map(([type, name]) =>
    creates(name, `/organizations/:organization/${type}`, () => document(type, { name: fresh() })),
  ),
  creates('a policy', '/organizations/:organization/policies', () =>
    document('policies', { name: fresh(), kind: 'opa', query: 'data.terraform.deny' }),
  ),
  creates('a run task', '/organizations/:organization/tasks', () =>
    document('tasks', { name: fresh(), url: 'https://scanner.example' }),
  ),
  creates('a token of agents', '/agent-pools/:poolId/authentication-tokens', () => ({}), {
    path: ({ poolId }) => `/agent-pools/${poolId}/authentication-tokens`,
  }),
  creates('a token of a user', '/users/:userId/authentication-tokens', () => ({}), {
    path: ({ ownerId }) => `/users/${ownerId}/authentication-tokens`,
  }),
  ...lists.map(firstPage),
  {
    route: versions.route,
    name: versions.name,
    kind: 'any page',
    requests: (world, count) =>
      times(count, () => page(versions, world, 1 + below(Math.floor(world.size.versions / pageSize)))),
  },
];

/** Endpoints that read or create and are not measured here, by the reason. */
export const excluded: Readonly<Record<string, readonly string[]>> = {
  'reads what showing its plan, policy or version reads, and bytes by one key or a redirection': [
    'get /plans/:id/json-output',
    'get /plans/:id/json-output-redacted',
    'get /policies/:id/download',
    'get /configuration-versions/:id/download',
    'get /runs/:id/configuration-version/download',
  ],
  'nothing of it is seeded; it is found by its key, and then reads what happened to its run': [
    'get /run-events/:id',
    'get /comments/:id',
  ],
  'an organization has one token, found and replaced as a team’s is': [
    'get /organizations/:organization/authentication-token',
    'post /organizations/:organization/authentication-token',
  ],
  'looks up the workspaces of each tag: its searches are measured': ['get /organizations/:organization/tags'],
  'looks up the tags of one workspace, which has at most 100': ['get /workspaces/:id/relationships/tags'],
  'reads at most twenty rows by the key of their owner': ['workspaces', 'projects'].flatMap((kind) =>
    ['tag-bindings', 'effective-tag-bindings'].map((what) => `get /${kind}/:id/${what}`),
  ),
  'a site has a few pools; they and their tokens are found as those of an organization are': [
    'get /admin/agent-pools',
    'post /admin/agent-pools',
    'get /admin/agent-pools/:id',
    'get /admin/agent-pools/:sitePoolId/authentication-tokens',
    'post /admin/agent-pools/:sitePoolId/authentication-tokens',
  ],
  'requires a lock that the caller holds; its statements are counted in tests, each by one key or index': [
    'post /workspaces/:workspaceId/state-versions',
  ],
  'a person has one or a few of them, found by the index of their user': [
    'get /admin/users/:id/identities',
    'post /admin/users/:id/identities',
    'get /account/identities',
    'get /account/sessions',
  ],
  'as long as the rights and the teams of one person; its statements are counted in tests, and their plans tested': [
    'get /workspaces/:id/effective-access',
  ],
  'reads all teams of an organization, which are few, and of its people at most one page; measured apart': [
    'get /organizations/:organization/who-can',
    'get /workspaces/:id/effective-access/teams',
    'get /runs/:id/deciding-teams',
  ],
  'reads at most 17 sums, of all or of each workspace; its plans are tested': [
    'get /organizations/:organization/policy-outcome-counts',
  ],
  'reads every grant of every person, in slices whose plans are tested': [
    'get /organizations/:organization/access-report',
  ],
  'opens a stream after showing its place; streams are measured in a group of their own': [
    'get /workspaces/:id/changes',
    'get /organizations/:organization/changes',
  ],
  'shows for each of up to 20 organizations what is measured for one': ['get /attention'],
  'has the few groups of one organization, found by its key': ['get /admin/organizations/:organization'],
  'is part of the row of its organization': ['get /organizations/:organization/token-ttl-policies'],
  'as long as what fails at the moment': ['get /admin/failing-effects'],
  'as long as what is being removed, counted up to a limit; measured in a group of its own': ['get /admin/removals'],
  'nothing of it is seeded; its plans are tested: a page is a range of one index': [
    'get /organization/audit-trail',
    'get /organization/audit-trails',
    ...['/organizations/:organization', '/admin'].flatMap((place) => [
      `get ${place}/audit-events`,
      `get ${place}/audit-events/export`,
    ]),
  ],
  'nothing of it is seeded; a page is counted and found by the index of one project': ['get /team-projects'],
  'nothing of it is seeded; it is found as a team access, a policy set or a policy evaluation is': [
    'get /team-projects/:id',
    'get /workspaces/:workspaceId/vars/:variableId',
    'get /workspaces/:workspaceId/tasks/:workspaceTaskId',
    'get /notification-configurations/:id',
    'get /run-triggers/:id',
    'get /policy-trials/:id',
    'get /task-results/:id',
    'get /varsets/:id/relationships/vars/:setVariableId',
    'get /policy-set-versions/:id',
    'get /policy-sets/:policySetId/parameters/:parameterId',
  ],
  'adds one row to two or three indexes': ['post /team-projects', 'post /policy-sets/:id/versions'],
  'changes one object, or adds rows, by the keys of what is named': [
    ...Object.entries({
      teams: ['users', 'organization-memberships'],
      'policy-sets': ['policies', 'workspaces', 'workspace-exclusions', 'projects', 'project-exclusions'],
      workspaces: ['tags', 'data-retention-policy', 'remote-state-consumers'],
      varsets: ['workspaces', 'projects'],
      projects: ['workspaces'],
      tags: ['workspaces'],
    }).flatMap(([kind, named]) => named.map((what) => `post /${kind}/:id/relationships/${what}`)),
    'post /policy-sets/:id/tag-selectors',
  ],
  'a workspace has at most 20 run tasks, and a result 100 outcomes, found by one index or key': [
    'get /workspaces/:workspaceId/tasks',
    'post /workspaces/:workspaceId/tasks',
    'get /task-results/:taskResultId/outcomes',
  ],
  'a workspace, project or team has at most 20, found by one index': [
    'get /workspaces/:workspaceId/notification-configurations',
    'post /workspaces/:workspaceId/notification-configurations',
    'get /projects/:id/notification-configurations',
    'post /projects/:id/notification-configurations',
    'get /teams/:id/notification-configurations',
    'post /teams/:id/notification-configurations',
    'post /workspaces/:workspaceId/run-triggers',
  ],
  'a workspace has at most 20 sources; those that it is a source of are found by one index': [
    'get /workspaces/:workspaceId/run-triggers',
  ],
  'a trial has at most 100 plans, found by one index, and an organization those of 30 days': [
    'get /organizations/:organization/policy-trials',
    'get /policy-trials/:id/results',
  ],
  'reads at most 1000 runs from pages of a list that is measured': ['post /organizations/:organization/policy-trials'],
  'lists those of a project as those of a workspace': ['get /projects/:id/varsets'],
  'adds a row, after a sum or the rows of one set, which a limit bounds': [
    'post /varsets/:id/relationships/vars',
    'post /policy-sets/:policySetId/parameters',
  ],
  'reads the rows of one set, which has at most 100, by one index': ['get /policy-sets/:policySetId/parameters'],
  'reads what showing a workspace reads': ['get /workspaces/:id/relationships/data-retention-policy'],
  'reads or changes one organization': [
    'get /organizations/:organization/relationships/data-retention-policy',
    'post /organizations/:organization/relationships/data-retention-policy',
  ],
  'reads workspaces, by the keys that were added to one': ['get /workspaces/:id/relationships/remote-state-consumers'],
};
