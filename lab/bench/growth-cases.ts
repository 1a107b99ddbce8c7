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
    name: 'projects',
    rows: ({ size }) => size.others,
    minor: true,
  },
  {
    ...own('/organizations/:organization/projects'),
    name: 'projects, as a member',
    as: 'member',
    minor: true,
  },
  {
    ...own('/organizations/:organization/policy-sets'),
    name: 'policy sets',
    rows: ({ size }) => size.others,
    minor: true,
  },
  {
    ...own('/organizations/:organization/varsets'),
    name: 'variable sets',
    rows: ({ size }) => size.others,
    minor: true,
  },
  {
    ...own('/organizations/:organization/policies'),
    name: 'policies',
    rows: ({ size }) => size.others,
    minor: true,
  },
  {
    ...own('/organizations/:organization/tasks'),
    name: 'run tasks',
    rows: ({ size }) => size.others,
    minor: true,
  },
  {
    ...own('/organizations/:organization/agent-pools'),
    name: 'agent pools',
    rows: ({ size }) => size.others,
    minor: true,
  },
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
    projects: ['q=77', 'filter[names]=network', 'sort=-name'],
    'policy-sets': ['search[name]=77', 'filter[kind]=sentinel', 'filter[versioned]=false'],
    varsets: ['q=77'],
    policies: ['search[name]=77', 'filter[kind]=sentinel', 'sort=-created-at'],
    tasks: ['search[name]=77'],
    'agent-pools': ['q=77', 'sort=-created-at', 'filter[allowed_workspaces][name]=network'],
    'team-tokens': ['filter[expiry_status]=expired'],
    runs: [
      'filter[status]=planning',
      'filter[status_group]=final',
      'filter[operation]=destroy',
      'filter[source]=tfe-configuration-version',
      'filter[timeframe]=2020',
      'filter[workspace_names]=network',
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
        ...((/^search.(?:basic|user|commit)|^sort=-(?:current|latest)|^filter.current-run/.test(query) ||
          list === 'tags') && {
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
  requests: ({ seeded }, count) =>
    times(count, () => ({ method: 'POST', path: `${api}${path(seeded)}`, body: body() })),
});

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
      requests: ({ seeded }, count) =>
        times(count, () => ({ path: `${api}/workspaces/${seeded.workspaceId}/${what}` })),
    }),
  ),
  shown('what happened to a run', 'runs', 'run', '/runs/:id/run-events', minor),
  shown('the comments on a run', 'runs', 'run', '/runs/:id/comments', minor),
  {
    route: 'post /runs/:id/comments',
    name: 'create a comment',
    kind: 'create',
    minor: true,
    requests: async (world, count) =>
      (await someIds(world, 'runs', 'run', count)).map((id) => ({
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
      requests: (_, count) => times(count, () => ({ path: `${api}/organizations/acme/${what}` })),
    }),
  ),
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
      requests: (_, count) => times(count, () => ({ path: `${api}${route.replace(':organization', 'acme')}` })),
    }),
  ),
  {
    route: 'get /account/details',
    name: 'show an account',
    kind: 'show',
    minor: true,
    requests: (_, count) => times(count, () => ({ path: `${api}/account/details` })),
  },
  // Before versions are created: afterwards the newest is not uploaded.
  {
    route: 'post /runs',
    name: 'create a run',
    kind: 'create',
    minor: true,
    requests: async (world, count) =>
      (await someIds(world, 'workspaces', 'ws', count)).map((id) => ({
        method: 'POST',
        path: `${api}/runs`,
        body: document('runs', {}, { workspace: one('workspaces', id) }),
      })),
  },
  {
    route: 'post /workspaces/:workspaceId/configuration-versions',
    name: 'create a configuration version in the largest workspace',
    kind: 'create',
    requests: ({ seeded }, count) =>
      times(count, () => ({
        method: 'POST',
        path: `${api}/workspaces/${seeded.workspaceId}/configuration-versions`,
        body: { data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } } },
      })),
  },
  {
    route: 'post /workspaces/:workspaceId/configuration-versions',
    name: 'create a configuration version in any workspace',
    kind: 'create',
    requests: async (world, count) =>
      (await someIds(world, 'workspaces', 'ws', count)).map((id) => ({
        method: 'POST',
        path: `${api}/workspaces/${id}/configuration-versions`,
        body: { data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } } },
      })),
  },
  {
    route: 'post /workspaces/:workspaceId/vars',
    name: 'create a variable',
    kind: 'create',
    minor: true,
    requests: async (world, count) =>
      (await someIds(world, 'workspaces', 'ws', count)).map((id) => ({
        method: 'POST',
        path: `${api}/workspaces/${id}/vars`,
        body: document('vars', { key: fresh(), value: 'some text', category: 'terraform' }),
      })),
  },
  {
    route: 'get /workspaces/:workspaceId/all-vars',
    name: 'list the variables of a workspace and its variable sets',
    kind: 'show',
    minor: true,
    requests: async (world, count) =>
      (await someIds(world, 'workspaces', 'ws', count)).map((id) => ({ path: `${api}/workspaces/${id}/all-vars` })),
  },
  {
    route: 'get /workspaces/:id/varsets',
    name: 'list the variable sets of a workspace',
    kind: 'show',
    minor: true,
    requests: async (world, count) =>
      (await someIds(world, 'workspaces', 'ws', count)).map((id) => ({ path: `${api}/workspaces/${id}/varsets` })),
  },
  // A workspace keeps earlier ones, up to its limit.
  {
    route: 'get /workspaces/:workspaceId/vars',
    name: 'list the variables of a workspace',
    kind: 'show',
    minor: true,
    requests: async (world, count) =>
      (await someIds(world, 'workspaces', 'ws', count)).map((id) => ({ path: `${api}/workspaces/${id}/vars` })),
  },
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
        const body = { data: { type: 'team-workspaces', attributes: { access: 'read' }, relationships } };
        return { method: 'POST', path: `${api}/team-workspaces`, body };
      });
    },
  },
  {
    route: 'post /teams/:teamId/authentication-token',
    name: 'create a team token',
    kind: 'create',
    requests: async (world, count) =>
      (await someIds(world, 'teams', 'team', count)).map((id) => ({
        method: 'POST',
        path: `${api}/teams/${id}/authentication-token`,
      })),
  },
  ...['team', 'workspace'].map(
    (what): Case => ({
      route: `post /organizations/:organization/${what}s`,
      name: `create a ${what}`,
      kind: 'create',
      requests: (_, count) =>
        times(count, () => ({
          method: 'POST',
          path: `${api}/organizations/acme/${what}s`,
          body: { data: { type: `${what}s`, attributes: { name: `bench-${randomText(16)}` } } },
        })),
    }),
  ),
  creates(
    'an organization',
    '/organizations',
    () => document('organizations', { name: fresh(), email: 'a@b.example' }),
    {
      as: 'admin',
    },
  ),
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
  creates('a project', '/organizations/:organization/projects', () => document('projects', { name: fresh() })),
  creates('a policy set', '/organizations/:organization/policy-sets', () => document('policy-sets', { name: fresh() })),
  creates('a variable set', '/organizations/:organization/varsets', () => document('varsets', { name: fresh() })),
  creates('a policy', '/organizations/:organization/policies', () =>
    document('policies', { name: fresh(), kind: 'opa', query: 'data.terraform.deny' }),
  ),
  creates('a run task', '/organizations/:organization/tasks', () =>
    document('tasks', { name: fresh(), url: 'https://scanner.example' }),
  ),
  creates('an agent pool', '/organizations/:organization/agent-pools', () =>
    document('agent-pools', { name: fresh() }),
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

/** Endpoints that read or create and are not measured here, and why not. */
export const excluded: Readonly<Record<string, string>> = {
  'get /plans/:id/json-output': 'reads what showing a plan reads, and bytes by one key',
  'get /plans/:id/json-output-redacted': 'reads what showing a plan reads, and bytes by one key',
  'get /configuration-versions/:id/download': 'reads what showing a version reads, and answers with a redirection',
  'get /run-events/:id': 'reads what happened to its run',
  'get /comments/:id': 'nothing of it is seeded; it is found by its key, and then reads what happened to its run',
  'get /runs/:id/configuration-version/download': 'reads what showing the version of a run reads, and redirects',
  'get /organizations/:organization/authentication-token': 'an organization has one token, found as a team’s is',
  'post /organizations/:organization/authentication-token': 'an organization has one token, replaced as a team’s is',
  'get /organizations/:organization/tags': 'looks up the workspaces of each tag: its searches are measured',
  'get /workspaces/:id/relationships/tags': 'looks up the tags of one workspace, which has at most 100',
  'post /workspaces/:id/relationships/tags': 'adds rows by the keys of tags to one workspace',
  'post /tags/:id/relationships/workspaces': 'adds rows by the keys of workspaces',
  ...Object.fromEntries(
    ['workspaces', 'projects'].flatMap((kind) =>
      ['tag-bindings', 'effective-tag-bindings'].map((what) => [
        `get /${kind}/:id/${what}`,
        'reads at most twenty rows by the key of their owner',
      ]),
    ),
  ),
  'get /workspaces/:workspaceId/vars/:variableId': 'nothing of it is seeded; it is found as a team access is',
  ...Object.fromEntries(
    [
      'get /admin/agent-pools',
      'post /admin/agent-pools',
      'get /admin/agent-pools/:id',
      'get /admin/agent-pools/:sitePoolId/authentication-tokens',
      'post /admin/agent-pools/:sitePoolId/authentication-tokens',
    ].map((route) => [
      route,
      'a site has a few pools; they and their tokens are found as those of an organization are',
    ]),
  ),
  'post /workspaces/:workspaceId/state-versions':
    'requires a lock that the caller holds; its statements are counted in tests, each by one key or index',
  ...Object.fromEntries(
    ['get /admin/users/:id/identities', 'post /admin/users/:id/identities'].map((route) => [
      route,
      'a person has one identity or two, found by the index of their user',
    ]),
  ),
  'get /workspaces/:id/effective-access':
    'as long as the rights and the teams of one person; its statements are counted in tests, and their plans tested',
  ...Object.fromEntries(
    ['workspaces/:id', 'organizations/:organization'].map((place) => [
      `get /${place}/changes`,
      'opens a stream after showing its place; streams are measured in a group of their own',
    ]),
  ),
  ...Object.fromEntries(
    ['get /account/identities', 'get /account/sessions'].map((route) => [
      route,
      'a person has a few of them, found by the index of their user',
    ]),
  ),
  'get /admin/organizations/:organization': 'has the few groups of one organization, found by its key',
  'get /organizations/:organization/token-ttl-policies': 'is part of the row of its organization',
  'get /admin/failing-effects': 'as long as what fails at the moment',
  ...Object.fromEntries(
    ['audit-trail', 'audit-trails'].map((word) => [
      `get /organization/${word}`,
      'nothing of it is seeded; a page is a range of one index, over the newest 100,000 events',
    ]),
  ),
  ...Object.fromEntries(
    ['/organizations/:organization', '/admin'].flatMap((place) => [
      [`get ${place}/audit-events`, 'nothing of it is seeded; its plans are tested: a page is a range of one index'],
      [`get ${place}/audit-events/export`, 'as long as the trail, read in ranges of one index'],
    ]),
  ),
  'get /team-projects': 'nothing of it is seeded; a page is counted and found by the index of one project',
  'get /team-projects/:id': 'nothing of it is seeded; it is found as a team access is',
  'post /team-projects': 'adds one row to two indexes',
  'post /projects/:id/relationships/workspaces': 'changes workspaces, by their keys',
  'post /teams/:id/relationships/users': 'changes a team, by the keys of its members',
  'post /teams/:id/relationships/organization-memberships': 'changes a team, by the keys of its members',
  ...Object.fromEntries(
    ['get /workspaces/:workspaceId/tasks', 'post /workspaces/:workspaceId/tasks'].map((route) => [
      route,
      'a workspace has at most 20 run tasks, found by one index',
    ]),
  ),
  'get /workspaces/:workspaceId/tasks/:workspaceTaskId': 'nothing of it is seeded; it is found as a team access is',
  'get /task-results/:id': 'nothing of it is seeded; it is found as a policy evaluation is',
  'get /task-results/:taskResultId/outcomes': 'a result has at most 100 outcomes, found by one key',
  'get /policies/:id/download': 'reads what showing a policy reads, and its code by one key',
  'get /projects/:id/varsets': 'lists those of a project as those of a workspace',
  'get /varsets/:id/relationships/vars/:setVariableId':
    'nothing of it is seeded; it is found as a variable of a workspace is',
  'post /varsets/:id/relationships/vars': 'adds a row, after a sum that the limit of the organization bounds',
  'post /varsets/:id/relationships/workspaces': 'changes a variable set, by the keys of its workspaces',
  'post /varsets/:id/relationships/projects': 'changes a variable set, by the keys of its projects',
  'post /policy-sets/:id/relationships/policies': 'changes a policy set, by the keys of its policies',
  'post /policy-sets/:id/relationships/workspaces': 'changes a policy set, by the keys of its workspaces',
  'get /policy-set-versions/:id': 'nothing of it is seeded; it is found as a policy set is',
  'post /policy-sets/:id/versions': 'adds one row to three indexes and changes a policy set',
  'get /policy-sets/:policySetId/parameters': 'reads the rows of one set, which has at most 100, by one index',
  'get /policy-sets/:policySetId/parameters/:parameterId':
    'nothing of it is seeded; it is found as a variable of a workspace is',
  'post /policy-sets/:policySetId/parameters': 'adds a row, after reading those of one set',
  'get /workspaces/:id/relationships/data-retention-policy': 'reads what showing a workspace reads',
  'post /workspaces/:id/relationships/data-retention-policy': 'changes one workspace, by its key',
  'get /workspaces/:id/relationships/remote-state-consumers': 'reads workspaces, by the keys that were added to one',
  'post /workspaces/:id/relationships/remote-state-consumers': 'adds keys of workspaces to one',
  'post /policy-sets/:id/relationships/workspace-exclusions': 'changes a policy set, by the keys of its workspaces',
};
