import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Actor,
  defaultProjectId,
  effectivePermissions,
  isOwner,
  may,
  type OrganizationAccess,
  type OrganizationPermission,
  organizationAccessOf,
  organizationPermissions,
  type PermissionsInProject,
  type Team,
  type WorkspaceId,
} from '../../src/domain/index.js';
import { customProjectDefaults } from '../../src/domain/team-access/project-access-level.js';
import { nothing } from '../../src/domain/team-access/workspace-permissions.js';
import { doc, startApi, type TestApi } from '../support/api.js';
import {
  aConfigurationVersion,
  aMembership,
  anOrganization,
  aProject,
  aRun,
  aTeam,
  aToken,
  aUser,
  aVariableSet,
  aWorkspace,
  giveGrant,
  giveProjectGrant,
  ownedBy,
} from '../support/builders.js';
import { PassingWorlds } from '../support/passing-worlds.js';
import { anAgentPool, aPolicySet } from '../support/policy-builders.js';
import { fc } from '../support/properties.js';
import { digestOf } from '../support/small-world.js';

const delegatedRights = [
  'manage-teams',
  'manage-membership',
  'manage-organization-access',
  'manage-workspaces',
  'access-secret-teams',
  'manage-agent-pools',
  'workspace admin',
  'manage-projects',
  'manage-policies',
  'project admin',
  'project teams: manage',
] as const;

type Right = (typeof delegatedRights)[number];

const ofPlaces = ['workspace admin', 'project admin', 'project teams: manage'] as const;

/** Held through a grant on a workspace or a project, and not through the organization. */
const isOfPlace = (right: Right): right is (typeof ofPlaces)[number] => (ofPlaces as readonly Right[]).includes(right);

const managingTeams: PermissionsInProject = {
  ...customProjectDefaults,
  project: { ...customProjectDefaults.project, teams: 'manage' },
};

/** Everyone the caller may act through, by secret, and every team, row and membership to act on. */
interface Walk {
  readonly bearers: string[];
  readonly teams: string[];
  readonly rows: string[];
  readonly projects: string[];
  readonly projectRows: string[];
  readonly memberships: string[];
  readonly users: readonly string[];
  readonly workspaces: readonly string[];
  readonly pools: string[];
  readonly tags: string[];
  readonly variableSets: string[];
  readonly policySets: string[];
  /** Secrets of agents. */
  readonly agents: string[];
}

const callerSecret = 'secret-of-the-caller';
const colluderSecret = 'secret-of-the-colluder';
const newcomerSecret = 'secret-of-the-newcomer';
const organizationSecret = 'secret-of-the-organization';

/** An organization in which the caller holds only `rights`, and more could be gained. */
async function begin(worlds: PassingWorlds, rights: readonly Right[]): Promise<Walk> {
  await worlds.begin();
  const organization = anOrganization({ name: 'acme' });
  const [boss, caller, colluder, newcomer] = [
    aUser({ username: 'boss' }),
    aUser({ username: 'caller' }),
    aUser({ username: 'colluder' }),
    aUser({ username: 'newcomer', email: 'newcomer@example.com' }),
  ];
  const team = (name: string, given: Partial<Team> = {}) => aTeam(organization, { name, ...given });
  const owners = team('owners', { owners: true, visibility: 'organization' });
  const held = rights.filter((right) => !isOfPlace(right));
  const mine = team('mine', { access: new Set(held) });
  const theirs = team('theirs');
  const others = [
    ...organizationPermissions.map((permission, index) =>
      team(permission, { access: new Set([permission]), visibility: index % 2 === 0 ? 'organization' : 'secret' }),
    ),
    ...delegatedRights.flatMap((right) =>
      isOfPlace(right)
        ? []
        : [team(`open-${right}`, { access: new Set([right]), visibility: 'organization' as const })],
    ),
    team('plain', { visibility: 'organization' }),
  ];
  const teams = [owners, mine, theirs, ...others];
  const [pool, named] = [anAgentPool(organization), anAgentPool(organization)];
  const naming = { executionMode: 'agent', agentPoolId: named.id } as const;
  const [project, otherProject] = [aProject(organization), aProject(organization)];
  const [here, there, elsewhere] = [
    aWorkspace(organization, { name: 'here', projectId: project.id }),
    aWorkspace(organization, { name: 'there' }),
    aWorkspace(organization, { name: 'elsewhere', ...naming }),
  ];
  const [variableSet, policySet] = [aVariableSet(organization), aPolicySet(organization)];
  const memberships = [boss, caller, colluder].map((user) => aMembership(organization, user));
  return worlds.run(async (tx) => {
    await tx.organizations.add(organization);
    for (const one of [project, otherProject]) await tx.projects.add(one);
    for (const user of [boss, caller, colluder, newcomer]) await tx.users.add(user);
    for (const membership of memberships) await tx.memberships.add(membership);
    for (const one of teams) await tx.teams.add(one);
    await tx.teams.addMembers(owners, [boss.id]);
    await tx.teams.addMembers(mine, [caller.id]);
    await tx.teams.addMembers(theirs, [colluder.id]);
    for (const one of [pool, named]) await tx.agentPools.add(one);
    await tx.variableSets.add(variableSet);
    await tx.policySets.add(policySet);
    for (const workspace of [here, there, elsewhere]) {
      await tx.workspaces.add(workspace);
      const version = aConfigurationVersion(workspace, { status: 'uploaded' });
      await tx.configurationVersions.add(version);
      await tx.runs.add(aRun(workspace, version.state, { status: 'plan_queued', planOnly: true }));
    }
    if (rights.includes('project admin')) await giveProjectGrant(tx, mine.id, project.id, { access: 'admin' });
    if (rights.includes('project teams: manage')) {
      const target = rights.includes('project admin') ? theirs : mine;
      await giveProjectGrant(tx, target.id, project.id, { access: 'custom', permissions: managingTeams });
    }
    await giveProjectGrant(tx, others.at(-1)?.id ?? mine.id, otherProject.id, { access: 'maintain' });
    if (rights.includes('workspace admin')) await giveGrant(tx, mine.id, here.id, { access: 'admin' });
    await giveGrant(tx, others.at(-1)?.id ?? mine.id, there.id, { access: 'write' });
    for (const [user, secret] of [
      [caller, callerSecret],
      [colluder, colluderSecret],
      [newcomer, newcomerSecret],
    ] as const) {
      await tx.tokens.add(aToken(ownedBy('user', user), { secretDigest: digestOf(secret) }));
    }
    const own = ownedBy('organization', organization);
    await tx.tokens.add(aToken(own, { secretDigest: digestOf(organizationSecret) }));
    const rows = await Promise.all(
      [here, there].map(({ id: workspaceId }) =>
        tx.teamAccess.page({ workspaceId, teamId: undefined, visibility: 'all' }, { number: 1, size: 100 }),
      ),
    );
    return {
      bearers: [callerSecret, colluderSecret, newcomerSecret],
      teams: teams.map(({ id }) => id),
      projects: [project.id, otherProject.id, defaultProjectId(organization.id)],
      projectRows: (
        await tx.projectAccess.page({ projectId: project.id, visibility: 'all' }, { number: 1, size: 100 })
      ).items.map(({ teamProject }) => teamProject.state.id),
      rows: rows.flatMap(({ items }) => items.map(({ teamWorkspace }) => teamWorkspace.id)),
      memberships: memberships.map(({ id }) => id),
      users: [caller.id, colluder.id, newcomer.id, boss.id],
      workspaces: [here.id, there.id, elsewhere.id],
      pools: [pool.id, named.id],
      tags: [],
      variableSets: [variableSet.id],
      policySets: [policySet.id],
      agents: [],
    };
  });
}

interface Step {
  readonly kind: string;
  /** Mostly the caller, sometimes one of the others. */
  readonly bearer: number;
  readonly team: number;
  readonly other: number;
  readonly access: readonly OrganizationPermission[];
  readonly given: boolean;
}

const from = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;

type Take = (api: TestApi, walk: Walk, step: Step) => Promise<void>;

const as = (api: TestApi, { bearers }: Walk, { bearer }: Step) => api.as(from(bearers, bearer));
const teamPath = ({ teams }: Walk, { team }: Step) => `/teams/${from(teams, team)}`;
const flags = ({ access, given }: Step) => ({
  'organization-access': Object.fromEntries(access.map((permission) => [permission, given])),
});

let named = 0;
const fresh = (): string => {
  named += 1;
  return `fresh-${named}`;
};

const listOf = (type: string, id: string) => ({ data: [{ type, id }] });

/** Makes new or issued things available to later steps. */
const keep = (status: number, made: string[], value: unknown): void => {
  if (status < 300 && typeof value === 'string') made.push(value);
};

const steps: Readonly<Record<string, Take>> = {
  'create a team': async (api, walk, step) => {
    const body = doc('teams', { name: fresh(), visibility: step.given ? 'organization' : 'secret', ...flags(step) });
    const answer = await as(api, walk, step).post('/organizations/acme/teams', body);
    keep(answer.status, walk.teams, answer.body.data?.id);
  },
  'create a bare team': async (api, walk, step) => {
    const body = doc('teams', { name: fresh(), visibility: 'organization' });
    const answer = await as(api, walk, step).post('/organizations/acme/teams', body);
    keep(answer.status, walk.teams, answer.body.data?.id);
  },
  'change a team': async (api, walk, step) => {
    await as(api, walk, step).patch(teamPath(walk, step), doc('teams', { visibility: 'organization', ...flags(step) }));
  },
  'change the access of a team': async (api, walk, step) => {
    await as(api, walk, step).patch(teamPath(walk, step), doc('teams', flags(step)));
  },
  'let members manage the token': async (api, walk, step) => {
    const body = doc('teams', { 'allow-member-token-management': true, visibility: 'organization' });
    await as(api, walk, step).patch(teamPath(walk, step), body);
  },
  'delete a team': async (api, walk, step) => {
    if (step.given) await as(api, walk, step).delete(teamPath(walk, step));
  },
  'add a member': async (api, walk, step) => {
    const body = { data: [{ type: 'users', id: from(walk.users, step.other) }] };
    await as(api, walk, step).post(`${teamPath(walk, step)}/relationships/users`, body);
  },
  'take a member out': async (api, walk, step) => {
    const body = { data: [{ type: 'users', id: from(walk.users, step.other) }] };
    await as(api, walk, step).delete(`${teamPath(walk, step)}/relationships/users`, body);
  },
  'add a membership': async (api, walk, step) => {
    const teams = { data: step.given ? [{ type: 'teams', id: from(walk.teams, step.team) }] : [] };
    const body = doc('organization-memberships', { email: 'newcomer@example.com' }, { teams });
    const answer = await as(api, walk, step).post('/organizations/acme/organization-memberships', body);
    keep(answer.status, walk.memberships, answer.body.data?.id);
  },
  'end a membership': async (api, walk, step) => {
    await as(api, walk, step).delete(`/organization-memberships/${from(walk.memberships, step.other)}`);
  },
  'issue the token of a team': async (api, walk, step) => {
    const answer = await as(api, walk, step).post(
      `${teamPath(walk, step)}/authentication-token`,
      doc('authentication-token'),
    );
    keep(answer.status, walk.bearers, answer.body.data?.attributes.token);
  },
  'show the token of a team': async (api, walk, step) => {
    const answer = await as(api, walk, step).get(`${teamPath(walk, step)}/authentication-token`);
    keep(answer.status, walk.bearers, answer.body.data?.attributes.token);
  },
  "issue the organization's token": async (api, walk, step) => {
    const answer = await as(api, walk, step).post('/organizations/acme/authentication-token');
    keep(answer.status, walk.bearers, answer.body.data?.attributes.token);
  },
  'create an agent pool': async (api, walk, step) => {
    const body = doc('agent-pools', { name: fresh() });
    const answer = await as(api, walk, step).post('/organizations/acme/agent-pools', body);
    keep(answer.status, walk.pools, answer.body.data?.id);
  },
  'issue the token of an agent': async (api, walk, step) => {
    const answer = await as(api, walk, step).post(`/agent-pools/${from(walk.pools, step.other)}/authentication-tokens`);
    keep(answer.status, walk.agents, answer.body.data?.attributes.token);
  },
  'change the scope of an agent pool': async (api, walk, step) => {
    const workspaces = { data: [{ type: 'workspaces', id: from(walk.workspaces, step.team) }] };
    const body = doc('agent-pools', { 'organization-scoped': step.given }, { 'allowed-workspaces': workspaces });
    await as(api, walk, step).patch(`/agent-pools/${from(walk.pools, step.other)}`, body);
  },
  'delete an agent pool': async (api, walk, step) => {
    if (step.given) await as(api, walk, step).delete(`/agent-pools/${from(walk.pools, step.other)}`);
  },
  'name an agent pool': async (api, walk, step) => {
    const body = doc('workspaces', { 'execution-mode': 'agent', 'agent-pool-id': from(walk.pools, step.other) });
    await as(api, walk, step).patch(`/workspaces/${from(walk.workspaces, step.team)}`, body);
  },
  'follow the organization': async (api, walk, step) => {
    const body = doc('workspaces', { 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } });
    await as(api, walk, step).patch(`/workspaces/${from(walk.workspaces, step.team)}`, body);
  },
  'take an agent pool by default': async (api, walk, step) => {
    const pool = { 'default-agent-pool': { data: { type: 'agent-pools', id: from(walk.pools, step.other) } } };
    const body = doc('organizations', { 'default-execution-mode': 'agent' }, pool);
    await as(api, walk, step).patch('/organizations/acme', body);
  },
  'create a site pool': async (api, walk, step) => {
    const answer = await as(api, walk, step).post('/admin/agent-pools', doc('agent-pools', { name: fresh() }));
    keep(answer.status, walk.pools, answer.body.data?.id);
  },
  'give a team access': async (api, walk, step) => {
    const body = doc(
      'team-workspaces',
      { access: 'admin' },
      {
        workspace: { data: { type: 'workspaces', id: from(walk.workspaces, step.other) } },
        team: { data: { type: 'teams', id: from(walk.teams, step.team) } },
      },
    );
    const answer = await as(api, walk, step).post('/team-workspaces', body);
    keep(answer.status, walk.rows, answer.body.data?.id);
  },
  'give a team access to a project': async (api, walk, step) => {
    const body = doc(
      'team-projects',
      { access: step.given ? 'admin' : 'custom' },
      {
        project: { data: { type: 'projects', id: from(walk.projects, step.other) } },
        team: { data: { type: 'teams', id: from(walk.teams, step.team) } },
      },
    );
    const answer = await as(api, walk, step).post('/team-projects', body);
    keep(answer.status, walk.projectRows, answer.body.data?.id);
  },
  'change the access to a project': async (api, walk, step) => {
    if (walk.projectRows.length === 0) return;
    const path = `/team-projects/${from(walk.projectRows, step.other)}`;
    await as(api, walk, step).patch(path, doc('team-projects', { access: step.given ? 'admin' : 'maintain' }));
  },
  'create a project': async (api, walk, step) => {
    const answer = await as(api, walk, step).post('/organizations/acme/projects', doc('projects', { name: fresh() }));
    keep(answer.status, walk.projects, answer.body.data?.id);
  },
  'move a workspace': async (api, walk, step) => {
    const project = { project: { data: { type: 'projects', id: from(walk.projects, step.other) } } };
    await as(api, walk, step).patch(`/workspaces/${from(walk.workspaces, step.team)}`, doc('workspaces', {}, project));
  },
  'move workspaces': async (api, walk, step) => {
    const body = { data: [{ type: 'workspaces', id: from(walk.workspaces, step.team) }] };
    await as(api, walk, step).post(`/projects/${from(walk.projects, step.other)}/relationships/workspaces`, body);
  },
  'tag a workspace': async (api, walk, step) => {
    const path = `/workspaces/${from(walk.workspaces, step.other)}/relationships/tags`;
    await as(api, walk, step).post(path, { data: [{ type: 'tags', attributes: { name: fresh() } }] });
    const { body } = await as(api, walk, step).get(path);
    keep(200, walk.tags, body.data?.[0]?.id);
  },
  'tag workspaces': async (api, walk, step) => {
    if (walk.tags.length === 0) return;
    const body = listOf('workspaces', from(walk.workspaces, step.team));
    await as(api, walk, step).post(`/tags/${from(walk.tags, step.other)}/relationships/workspaces`, body);
  },
  'bind a tag': async (api, walk, step) => {
    const body = { data: [{ type: 'tag-bindings', attributes: { key: fresh(), value: 'any' } }] };
    const place = step.given
      ? `/projects/${from(walk.projects, step.other)}`
      : `/workspaces/${from(walk.workspaces, step.other)}`;
    await as(api, walk, step).patch(`${place}/tag-bindings`, body);
  },
  'create a variable set': async (api, walk, step) => {
    const parent = { parent: { data: { type: 'projects', id: from(walk.projects, step.other) } } };
    const body = doc('varsets', { name: fresh(), global: step.team % 2 === 0 }, step.given ? parent : {});
    const answer = await as(api, walk, step).post('/organizations/acme/varsets', body);
    keep(answer.status, walk.variableSets, answer.body.data?.id);
  },
  'make a variable set global': async (api, walk, step) => {
    const path = `/varsets/${from(walk.variableSets, step.other)}`;
    await as(api, walk, step).patch(path, doc('varsets', { global: step.given }));
  },
  'add a variable to a set': async (api, walk, step) => {
    const path = `/varsets/${from(walk.variableSets, step.other)}/relationships/vars`;
    await as(api, walk, step).post(path, doc('vars', { key: fresh(), category: 'env', value: 'any' }));
  },
  'attach a variable set': async (api, walk, step) => {
    const path = `/varsets/${from(walk.variableSets, step.other)}/relationships`;
    if (step.given) {
      const body = listOf('workspaces', from(walk.workspaces, step.team));
      await as(api, walk, step).post(`${path}/workspaces`, body);
    } else await as(api, walk, step).post(`${path}/projects`, listOf('projects', from(walk.projects, step.team)));
  },
  'create a policy set': async (api, walk, step) => {
    const body = doc('policy-sets', { name: fresh(), kind: 'opa', global: step.given });
    const answer = await as(api, walk, step).post('/organizations/acme/policy-sets', body);
    keep(answer.status, walk.policySets, answer.body.data?.id);
  },
  'attach a policy set': async (api, walk, step) => {
    const path = `/policy-sets/${from(walk.policySets, step.other)}/relationships`;
    if (step.given) {
      const body = listOf('workspaces', from(walk.workspaces, step.team));
      await as(api, walk, step).post(`${path}/workspaces`, body);
    } else await as(api, walk, step).post(`${path}/projects`, listOf('projects', from(walk.projects, step.team)));
  },
  'create a policy set version': async (api, walk, step) => {
    await as(api, walk, step).post(`/policy-sets/${from(walk.policySets, step.other)}/versions`);
  },
  'create a policy set parameter': async (api, walk, step) => {
    const path = `/policy-sets/${from(walk.policySets, step.other)}/parameters`;
    await as(api, walk, step).post(path, doc('vars', { key: fresh(), category: 'policy-set', value: 'any' }));
  },
  'change the access on a workspace': async (api, walk, step) => {
    const path = `/team-workspaces/${from(walk.rows, step.other)}`;
    await as(api, walk, step).patch(path, doc('team-workspaces', { access: 'admin' }));
  },
};

const aStep = fc.record<Step>({
  kind: fc.constantFrom(...Object.keys(steps)),
  bearer: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(12) }),
  team: fc.nat(40),
  other: fc.nat(11),
  access: fc.uniqueArray(fc.constantFrom(...organizationPermissions), { maxLength: 2 }),
  given: fc.boolean(),
});

describe('a member with delegated rights, together with accomplices', () => {
  const worlds = new PassingWorlds();
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi({ unitOfWork: worlds });
  });

  /** A bearer's standing on the organization and on a workspace; undefined when the secret is revoked. */
  const standingOf = (secret: string, workspaceId: string) =>
    worlds.read(async (tx) => {
      const credential = await tx.tokens.findCredential(digestOf(secret));
      if (credential === undefined) return undefined;
      const organization = await tx.organizations.findFor(credential.actor, 'acme');
      const workspace = await tx.workspaces.findFor(credential.actor, workspaceId);
      return { organization: organization?.standing, workspace: workspace?.standing };
    });

  async function gains(walk: Walk, atStart: OrganizationAccess): Promise<readonly string[]> {
    const found: string[] = [];
    for (const secret of walk.bearers) {
      const standing = await standingOf(secret, '');
      if (standing?.organization === undefined) continue;
      const gained = [...organizationAccessOf(standing.organization)].filter((permission) => !atStart.has(permission));
      if (gained.length > 0) found.push(`a ${standing.organization.actor} holds ${gained}`);
      if (isOwner(standing.organization)) found.push(`a ${standing.organization.actor} is an owner`);
      if (standing.organization.actor === 'organization' && secret !== organizationSecret)
        found.push("the organization's token is theirs");
    }
    return found;
  }

  /** All actors the bearers can become: themselves, and every team that they may join or whose token they may issue. */
  const closureOf = (bearers: readonly string[]): Promise<readonly Actor[]> =>
    worlds.read(async (tx) => {
      const credentials = await Promise.all(bearers.map((secret) => tx.tokens.findCredential(digestOf(secret))));
      const actors: Actor[] = credentials.flatMap((credential) => credential?.actor ?? []);
      const [first] = actors;
      const organization = first && (await tx.organizations.findFor(first, 'acme'));
      if (organization === undefined) throw new Error('nobody asks');
      const { id: organizationId } = organization.subject;
      const { items } = await tx.teams.page(organizationId, 'all', { number: 1, size: 100 });
      for (const actor of actors) {
        for (const team of items) {
          if (actors.some((known) => known.kind === 'team' && known.teamId === team.id)) continue;
          const seen = await tx.teams.findFor(actor, team.id);
          const reached = (['team-tokens/manage', 'team-members/manage'] as const).some(
            (action) => seen !== undefined && may(seen.standing, action),
          );
          if (reached) actors.push({ kind: 'team', tokenId: 'at-any', teamId: team.id, organizationId });
        }
      }
      return actors;
    });

  /** The tags, bindings and sets of a workspace, and the versions and parameters of all policy sets. */
  const foundOn = (id: string) =>
    worlds.read(async (tx) => {
      const page = { number: 1, size: 100 };
      const workspace = await tx.workspaces.find(id as WorkspaceId);
      if (workspace === undefined) throw new Error(`${id} is missing`);
      const { organizationId } = workspace;
      const sets = await tx.policySets.page(organizationId, page);
      return {
        tags: (await tx.tags.page(organizationId, 'all', page, { workspaceId: workspace.id })).items,
        bindings: await tx.tagBindings.effectiveOf('workspace', [workspace.id]),
        variableSets: (await tx.variableSets.pageOfWorkspace(workspace.id, page)).items,
        policySets: await tx.policySets.applyingTo(workspace.id),
        versions: sets.items.map((set) => set.versions),
        parameters: await tx.policySetParameters.ofSets(sets.items.map(({ id: setId }) => setId)),
      };
    });

  /** The workspaces on which one of them may choose the agents that see it. */
  const withinReach = async (actors: readonly Actor[], { workspaces }: Walk): Promise<ReadonlySet<string>> => {
    const reached = new Set<string>();
    for (const id of workspaces) {
      for (const actor of actors) {
        const seen = await worlds.read((tx) => tx.workspaces.findFor(actor, id));
        if (seen !== undefined && may(seen.standing, 'workspaces/set-execution')) reached.add(id);
      }
    }
    return reached;
  };

  /** The workspaces whose runs these agents claim. */
  const claimed = async ({ agents }: Walk): Promise<readonly string[]> => {
    const workspaces: string[] = [];
    for (const secret of agents) {
      for (;;) {
        const { status, body } = await api.as(secret).post('/agent/v1/claims', { name: 'agent-of-theirs' });
        if (status !== 200) break;
        workspaces.push(body.workspace.id);
      }
    }
    return workspaces;
  };

  const rightsOfOneOrTwo = delegatedRights.flatMap((right, index) => [
    [right],
    ...delegatedRights.slice(index + 1).map((second) => [right, second]),
  ]);

  it.each(rightsOfOneOrTwo.map((rights) => ({ rights, name: rights.join(' and ') })))(
    '$name: no bearer ends with a permission the member lacked, or claims a run beyond what they can come to administer',
    async ({ rights }) => {
      await fc.assert(
        fc.asyncProperty(fc.array(aStep, { minLength: 20, maxLength: 40 }), async (walked) => {
          const walk = await begin(worlds, rights);
          const elsewhere = walk.workspaces[1] ?? '';
          const start = await standingOf(callerSecret, elsewhere);
          const atStart = new Set(start?.organization ? organizationAccessOf(start.organization) : []);
          const reach = await withinReach(await closureOf(walk.bearers), walk);
          for (const step of walked) await steps[step.kind]?.(api, walk, step);
          expect(await gains(walk, atStart)).toEqual([]);
          expect((await claimed(walk)).filter((workspaceId) => !reach.has(workspaceId))).toEqual([]);
          if (!rights.every(isOfPlace)) return;
          expect(await foundOn(elsewhere)).toEqual({
            tags: [],
            bindings: [],
            variableSets: [],
            policySets: [],
            versions: [null],
            parameters: [],
          });
          for (const secret of walk.bearers) {
            const { workspace } = (await standingOf(secret, elsewhere)) ?? {};
            expect(workspace === undefined ? nothing : effectivePermissions(workspace)).toEqual(nothing);
          }
        }),
        // A failed walk is reported unshortened: shortening it takes longer than reading it.
        { numRuns: 10, endOnFailure: true },
      );
    },
  );

  it('an organization token: no bearer ends with an organization-level permission', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 20, maxLength: 40 }), async (walked) => {
        const begun = await begin(worlds, []);
        const walk = { ...begun, bearers: [organizationSecret, ...begun.bearers] };
        for (const step of walked) await steps[step.kind]?.(api, walk, step);
        expect(await gains(walk, new Set())).toEqual([]);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
