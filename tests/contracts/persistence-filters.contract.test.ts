import { expect, it } from '@jest/globals';
import type {
  AgentPoolFilter,
  ExpiryRange,
  MembershipFilter,
  OrganizationFilter,
  OrganizationRunFilter,
  Page,
  PageRequest,
  PolicySetFilter,
  TeamFilter,
  Transaction,
  UncountedPage,
  UserFilter,
  WorkspaceFilter,
} from '../../src/application/index.js';
import type { RunState, Workspace, WorkspaceVisibility } from '../../src/domain/index.js';
import {
  aBundle,
  afterNoon,
  aMembership,
  aProject,
  aStateVersion,
  asUser,
  noon,
  ownedBy,
  someIngressAttributes,
  someRunOptions,
  unique,
} from '../support/builders.js';
import { aManagedPolicy, anAgentPool, aPolicySet } from '../support/policy-builders.js';
import { onEveryBackend } from './on-every-backend.js';

const nobody = { actor: 'user', siteAdministrator: false, member: false, teams: [] } as const;

onEveryBackend('a filtered list', (on) => {
  /** All items, page by page. Fails unless every page reports their number, or whether there are more. */
  async function whole<Item>(
    find: (tx: Transaction, page: PageRequest) => Promise<Page<Item> | UncountedPage<Item>>,
  ): Promise<Item[]> {
    const found: Item[] = [];
    const pages: (Page<Item> | UncountedPage<Item>)[] = [];
    for (let number = 1; ; number += 1) {
      const page = await on.read((tx) => find(tx, { number, size: 2 }));
      found.push(...page.items);
      pages.push(page);
      if (page.items.length === 0) break;
    }
    for (const page of pages) {
      if ('total' in page) expect(page.total).toBe(found.length);
      else expect(page.more).toBe(page.number * page.size < found.length);
    }
    return found;
  }

  const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

  it('of organizations has those of the caller with a text in name or address', async () => {
    const user = await on.user();
    const [one, two, three] = ['a', 'b', 'c'].map((name) => unique(`filtered-${name}`)) as [string, string, string];
    for (const [name, email] of [
      [one, 'Ops@example.com'],
      [two, 'dev_1@example.com'],
      [three, `ops-${two}@example.com`],
    ] as const) {
      const organization = await on.organization({ name, email });
      await on.run((tx) => tx.memberships.add(aMembership(organization, user)));
    }
    await on.organization({ name: unique('filtered-d'), email: 'ops@example.com' });
    const found = async (filter: OrganizationFilter) =>
      namesOf(await whole((tx, page) => tx.organizations.page(asUser(user), page, filter)));
    expect(await found({})).toEqual([one, two, three]);
    expect(await found({ search: 'OPS' })).toEqual([one, three]);
    expect(await found({ search: two.toUpperCase() })).toEqual([two, three]);
    expect(await found({ name: two })).toEqual([two]);
    expect(await found({ email: two })).toEqual([three]);
    expect(await found({ email: 'ops', name: one })).toEqual([one]);
    expect(await found({ search: 'dev_1' })).toEqual([two]);
    expect(await found({ search: 'dev%' })).toEqual([]);
  });

  it('of users has those with a text in name or address, of a kind, suspended or not', async () => {
    const stem = unique('Listed').toLowerCase();
    for (const [name, given] of Object.entries({
      a: { siteAdministrator: true },
      b: { suspended: true, siteAdministrator: true },
      c: { suspended: true },
      d: { email: `ops@${stem}_.example` },
    })) {
      await on.user({ username: `${name}-${stem}`, ...given });
    }
    const found = async (filter: UserFilter) =>
      (await whole((tx, page) => tx.users.page(page, { search: stem.toUpperCase(), ...filter }))).map(
        ({ username }) => username[0],
      );
    expect(await found({})).toEqual(['a', 'b', 'c', 'd']);
    expect(await found({ siteAdministrator: true })).toEqual(['a', 'b']);
    expect(await found({ siteAdministrator: false })).toEqual(['c', 'd']);
    expect(await found({ suspended: true })).toEqual(['b', 'c']);
    expect(await found({ suspended: false, siteAdministrator: true })).toEqual(['a']);
    expect(await found({ search: `OPS@${stem}_` })).toEqual(['d']);
    expect(await found({ search: `c-${stem}` })).toEqual(['c']);
    expect(await found({ search: `${stem}%` })).toEqual([]);
  });

  it('of runs has those of workspaces that an agent pool serves', async () => {
    const organization = await on.organization();
    const [own, usual] = [anAgentPool(organization, { name: 'own' }), anAgentPool(organization, { name: 'usual' })];
    const abroad = await on.organization();
    await on.run(async (tx) => {
      await tx.agentPools.add(own);
      await tx.agentPools.add(usual);
      await tx.agentPools.add(anAgentPool(abroad, { name: 'abroad' }));
      await tx.organizations.setDefaults(organization.id, { executionMode: 'agent', agentPoolId: usual.id });
    });
    const byAgents = { executionMode: 'agent', agentPoolId: own.id } as const;
    const runs = new Map<string, string>();
    for (const [name, given] of Object.entries({
      named: byAgents,
      inheriting: { executionMode: null, agentPoolId: null },
      remote: { executionMode: 'remote', agentPoolId: null },
    } as const)) {
      const workspace = await on.workspace(organization, { name, ...given });
      runs.set(await aRunOf(workspace, {}), name);
    }
    const found = async (agentPoolNames: readonly string[], visibility: WorkspaceVisibility = 'all') => {
      const filter = { agentPoolNames };
      const all = await whole((tx, page) =>
        tx.runs.pageOfOrganization(organization.id, nobody, visibility, page, filter),
      );
      return all.map(({ subject }) => runs.get(subject.id)).sort();
    };
    expect(await found(['own'])).toEqual(['named']);
    expect(await found(['usual'])).toEqual(['inheriting']);
    expect(await found(['usual', 'own'])).toEqual(['inheriting', 'named']);
    expect(await found(['abroad', 'OWN'])).toEqual([]);
    expect(await found([])).toEqual([]);
    expect(await found(['own'], { throughTeams: [] })).toEqual([]);
  });

  it('of members sees what members see of each other', async () => {
    const organization = await on.organization();
    const [anna, bert] = [unique('Anna'), unique('bert')];
    await on.member(organization, { username: anna, email: `${anna}.S@example.com` });
    await on.member(organization, { username: bert, email: `${bert}@example.com` });
    // Invited by an earlier address: neither the username nor the present address may be found.
    const known = await on.user({ username: unique('secretname'), email: unique('present@example.com') });
    const invited = unique('invited@example.com');
    await on.run((tx) => tx.memberships.add({ ...aMembership(organization, known), invitedEmail: invited }));
    const found = async (filter: MembershipFilter) =>
      (await whole((tx, page) => tx.memberships.page(organization.id, page, filter))).map(
        ({ user }) => user.username ?? user.email,
      );
    expect(await found({})).toEqual([anna, bert, invited]);
    expect(await found({ search: anna.toUpperCase() })).toEqual([anna]);
    expect(await found({ search: 's@EXAMPLE' })).toEqual([anna]);
    expect(await found({ search: 'example.com' })).toEqual([anna, bert, invited]);
    expect(await found({ search: 'secretname' })).toEqual([]);
    expect(await found({ search: 'present@' })).toEqual([]);
    expect(await found({ status: 'active' })).toEqual([anna, bert]);
    expect(await found({ status: 'invited' })).toEqual([invited]);
    expect(await found({ status: 'invited', search: 'anna' })).toEqual([]);
    expect(await found({ emails: [`${anna}.s@EXAMPLE.com`, invited.toUpperCase(), 'nobody@example.com'] })).toEqual([
      anna,
      invited,
    ]);
    expect(await found({ emails: [known.email] })).toEqual([]);
    expect(await found({ emails: [] })).toEqual([]);
  });

  it('of teams has only those that may be seen', async () => {
    const organization = await on.organization();
    const names = ['Ärzte', 'alpha', 'Beta_1', 'beta', 'gamma'];
    const teams = new Map<string, string>();
    for (const [index, name] of names.entries()) {
      const { id } = await on.team(organization, { name, visibility: index % 2 === 0 ? 'secret' : 'organization' });
      teams.set(name, id);
    }
    const found = async (filter: TeamFilter, seen?: readonly string[]) => {
      const visibility = seen === undefined ? 'all' : { visibleAnd: seen.map((name) => teams.get(name) ?? '') };
      return namesOf(await whole((tx, page) => tx.teams.page(organization.id, visibility, page, filter)));
    };
    expect(await found({})).toEqual(['alpha', 'beta', 'Beta_1', 'gamma', 'Ärzte']);
    expect(await found({ search: 'BETA' })).toEqual(['beta', 'Beta_1']);
    expect(await found({ search: 'BETA' }, [])).toEqual(['beta']);
    expect(await found({ search: 'eta_' }, ['Beta_1', 'gamma'])).toEqual(['Beta_1']);
    expect(await found({ names: ['ÄRZTE', 'Alpha', 'nobody'] })).toEqual(['alpha', 'Ärzte']);
    expect(await found({ names: ['ÄRZTE', 'Alpha', 'nobody'] }, ['gamma'])).toEqual(['alpha']);
    expect(await found({ names: ['Ärzte', 'gamma', 'alpha'] }, ['gamma'])).toEqual(['alpha', 'gamma']);
    expect(await found({ names: [] })).toEqual([]);
    expect(await found({ names: ['beta'], search: 'alpha' })).toEqual([]);
  });

  it('of agent pools has those of a scope, in either order', async () => {
    const organization = await on.organization();
    const project = aProject(organization);
    await on.run((tx) => tx.projects.add(project));
    const [here, there] = [
      await on.workspace(organization),
      await on.workspace(organization, { projectId: project.id }),
    ];
    const scopes = {
      Delta: { organizationScoped: true },
      alpha: { organizationScoped: false, allowedWorkspaceIds: [here.id] },
      bravo: { organizationScoped: true, excludedWorkspaceIds: [here.id] },
      charlie: { organizationScoped: false },
      echo: { organizationScoped: false, allowedProjectIds: [project.id] },
      foxtrot: { organizationScoped: false, allowedProjectIds: [project.id], excludedWorkspaceIds: [there.id] },
    };
    for (const [index, [name, scope]] of Object.entries(scopes).entries()) {
      await on.run((tx) =>
        tx.agentPools.add(anAgentPool(organization, { name, createdAt: afterNoon(index), ...scope })),
      );
    }
    const found = async (filter: AgentPoolFilter) =>
      namesOf(await whole((tx, page) => tx.agentPools.page(organization.id, page, filter)));
    expect(await found({})).toEqual(['alpha', 'bravo', 'charlie', 'Delta', 'echo', 'foxtrot']);
    expect(await found({ search: 'L' })).toEqual(['alpha', 'charlie', 'Delta']);
    expect(await found({ workspaceId: here.id })).toEqual(['alpha', 'Delta']);
    expect(await found({ projectId: project.id })).toEqual(['bravo', 'Delta', 'echo', 'foxtrot']);
    expect(await found({ projectId: here.projectId })).toEqual(['bravo', 'Delta']);
    expect(await found({ workspaceId: there.id })).toEqual(['bravo', 'Delta', 'echo']);
    expect(await found({ sort: { key: 'name', descending: true } })).toEqual([
      'foxtrot',
      'echo',
      'Delta',
      'charlie',
      'bravo',
      'alpha',
    ]);
    const byAge = (descending: boolean) => ({ sort: { key: 'created-at', descending } }) as const;
    expect(await found(byAge(false))).toEqual(['Delta', 'alpha', 'bravo', 'charlie', 'echo', 'foxtrot']);
    expect(await found({ search: 'a', ...byAge(true) })).toEqual(['charlie', 'bravo', 'alpha', 'Delta']);
  });

  it('of policies and policy sets has those of a kind, with a text in their name', async () => {
    const organization = await on.organization();
    for (const [index, name] of ['Zone', 'cost', 'costly', 'tags'].entries()) {
      const kind = index % 2 === 0 ? 'opa' : 'sentinel';
      await on.run((tx) => tx.policySets.add(aPolicySet(organization, { name, kind })));
      const query = kind === 'opa' ? 'data' : null;
      const createdAt = afterNoon(index);
      await on.run((tx) => tx.policies.add(aManagedPolicy(organization, { name, kind, query, createdAt })));
    }
    const sets = async (filter: PolicySetFilter) =>
      namesOf(await whole((tx, page) => tx.policySets.page(organization.id, page, filter)));
    expect(await sets({})).toEqual(['cost', 'costly', 'tags', 'Zone']);
    expect(await sets({ search: 'COST' })).toEqual(['cost', 'costly']);
    expect(await sets({ kind: 'opa' })).toEqual(['costly', 'Zone']);
    expect(await sets({ kind: 'sentinel', search: 's' })).toEqual(['cost', 'tags']);
    const versions = { newest: { id: unique('polsetver'), sequence: 1 }, current: null };
    for (const name of ['Newer', 'costs'])
      await on.run((tx) => tx.policySets.add(aPolicySet(organization, { name, versions })));
    expect(await sets({ versioned: true })).toEqual(['costs', 'Newer']);
    expect(await sets({ versioned: false })).toEqual(['cost', 'costly', 'tags', 'Zone']);
    expect(await sets({ versioned: true, search: 'cost', kind: 'opa' })).toEqual(['costs']);
    expect(await sets({ versioned: true, kind: 'sentinel' })).toEqual([]);
    const byAge = async (descending: boolean, search?: string) => {
      const query = {
        organizationId: organization.id,
        kind: undefined,
        search,
        sort: { key: 'created-at', descending },
      };
      return namesOf(await whole((tx, page) => tx.policies.page(query as never, page)));
    };
    expect(await byAge(false)).toEqual(['Zone', 'cost', 'costly', 'tags']);
    expect(await byAge(true, 'cos')).toEqual(['costly', 'cost']);
  });

  async function aRunOf(
    workspace: Workspace,
    given: Partial<Omit<RunState, 'createdBy'>> & { readonly createdBy?: string },
    commit = {},
  ) {
    const { state } = await on.version(workspace);
    await on.run((tx) =>
      tx.configurationVersions.addIngressAttributes(
        state.id,
        someIngressAttributes({ senderUsername: null, ...commit }),
      ),
    );
    const id = given.id ?? unique('run');
    await on.seedRun({ status: 'pending', ...given, id, workspaceId: workspace.id, configurationVersionId: state.id });
    return id;
  }

  async function anOrganizationWithRuns() {
    const organization = await on.organization();
    const names = ['Web-prod', 'app-dev', 'app-prod', 'db'];
    const made: Workspace[] = [];
    for (const [index, name] of names.entries()) {
      made.push(await on.workspace(organization, { name, createdAt: afterNoon(index) }));
    }
    return { organization, made };
  }

  it('of workspaces selects by name and current run, and sorts by change', async () => {
    const { organization, made } = await anOrganizationWithRuns();
    const [web, dev, prod, db] = made as [Workspace, Workspace, Workspace, Workspace];
    await aRunOf(web, { status: 'planning', createdAt: afterNoon(30) });
    await aRunOf(web, { createdAt: afterNoon(31) });
    await aRunOf(dev, { status: 'applied', createdAt: afterNoon(40) });
    await aRunOf(prod, { createdAt: afterNoon(20) });
    await aRunOf(prod, { status: 'confirmed', createdAt: afterNoon(21) });
    await aRunOf(db, { status: 'planning', planOnly: true });
    await aRunOf(db, { status: 'planned_and_saved' });
    const run = { id: null, workspaceId: prod.id } as never;
    const state = aStateVersion(run, { runId: null, source: 'client', createdAt: afterNoon(50) });
    await on.run((tx) => tx.stateVersions.add(state, []));
    await on.run((tx) => tx.stateVersions.finalize(state, aBundle()));
    const team = await on.team(organization);
    await on.grant(team, dev, { access: 'read' });
    await on.grant(team, prod, { access: 'read' });
    const found = async (filter: WorkspaceFilter, visibility: WorkspaceVisibility = 'all') =>
      (await whole((tx, page) => tx.workspaces.page(organization.id, nobody, visibility, page, filter))).map(
        ({ subject }) => subject.name,
      );
    const some = { throughTeams: [team.id] };
    expect(await found({})).toEqual(['app-dev', 'app-prod', 'db', 'Web-prod']);
    expect(await found({ search: 'PROD' })).toEqual(['app-prod', 'Web-prod']);
    expect(await found({ search: 'PROD' }, some)).toEqual(['app-prod']);
    expect(await found({ search: '%' })).toEqual([]);
    for (const [wildcard, names] of Object.entries({
      '*-PROD': ['app-prod', 'Web-prod'],
      'app-*': ['app-dev', 'app-prod'],
      '*-*': ['app-dev', 'app-prod', 'Web-prod'],
      '*p*p*o*': ['app-prod'],
      'app*app-dev': [],
      app: [],
      DB: ['db'],
      '*': ['app-dev', 'app-prod', 'db', 'Web-prod'],
      _b: [],
    })) {
      expect({ [wildcard]: await found({ wildcard }) }).toEqual({ [wildcard]: names });
    }
    expect(await found({ wildcard: '*-prod' }, some)).toEqual(['app-prod']);
    expect(await found({ currentRun: ['planning'] })).toEqual(['Web-prod']);
    expect(await found({ currentRun: ['pending', 'planning'] })).toEqual(['app-prod', 'Web-prod']);
    expect(await found({ currentRun: ['pending', 'planning'] }, some)).toEqual(['app-prod']);
    expect(await found({ currentRun: ['confirmed', 'applied', 'planned_and_saved'] })).toEqual([]);
    expect(await found({ currentRun: [] })).toEqual([]);
    const by = (key: 'name' | 'current-run.created-at' | 'latest-change-at', descending = false) => ({
      sort: { key, descending },
    });
    expect(await found(by('name', true))).toEqual(['Web-prod', 'db', 'app-prod', 'app-dev']);
    expect((await found(by('current-run.created-at'))).slice(0, 2)).toEqual(['app-prod', 'Web-prod']);
    const latestFirst = await found(by('current-run.created-at', true));
    expect(latestFirst.slice(0, 2)).toEqual(['Web-prod', 'app-prod']);
    expect(latestFirst.slice(2).sort()).toEqual(['app-dev', 'db']);
    expect(await found(by('latest-change-at'))).toEqual(['Web-prod', 'app-dev', 'db', 'app-prod']);
    expect(await found(by('latest-change-at', true))).toEqual(['app-prod', 'db', 'app-dev', 'Web-prod']);
    expect(await found({ search: 'app', ...by('latest-change-at', true) }, some)).toEqual(['app-prod', 'app-dev']);
  });

  it('of runs selects alike in a workspace and in an organization', async () => {
    const { organization, made } = await anOrganizationWithRuns();
    const [web, dev, , gone] = made as [Workspace, Workspace, Workspace, Workspace];
    const user = await on.member(organization, { username: unique('Deployer') });
    const stranger = await on.user({ username: unique('stranger') });
    const removed = await on.user({ username: unique('remover') });
    const ids = {
      planned: await aRunOf(
        web,
        { status: 'planned_and_finished', planOnly: true, createdAt: '2029-06-01T00:00:00.000Z' },
        { commitSha: 'abc123', senderUsername: 'octo_cat' },
      ),
      destroyed: await aRunOf(web, {
        status: 'applied',
        options: someRunOptions({ isDestroy: true, refreshOnly: true, message: 'Tear % down' }),
        createdAt: '2029-12-31T23:59:59.999Z',
      }),
      refreshed: await aRunOf(web, {
        status: 'errored',
        options: someRunOptions({ refreshOnly: true }),
        source: 'tfe-configuration-version',
        createdAt: '2030-01-01T00:00:00.000Z',
      }),
      saved: await aRunOf(web, {
        status: 'planned_and_saved',
        savePlan: true,
        createdBy: stranger.id,
        createdAt: '2030-02-01T00:00:00.000Z',
      }),
      empty: await aRunOf(web, {
        // Halves of surrogate pairs, of which no database makes a character.
        options: someRunOptions({ allowEmptyApply: true, message: 'Half \ud83d\ud83d of \\\ud800, "isDestroy":true' }),
        createdAt: '2030-03-01T00:00:00.000Z',
      }),
    };
    const names = new Map<string, string>(Object.entries(ids).map(([name, id]) => [id, name]));
    const { state } = await on.version(dev);
    const elsewhere = unique('run');
    names.set(elsewhere, 'elsewhere');
    await on.seedRun({
      id: elsewhere,
      workspaceId: dev.id,
      configurationVersionId: state.id,
      status: 'applied',
      createdBy: user.id,
      createdAt: '2029-11-01T00:00:00.000Z',
    });
    const unnamed = unique('run');
    names.set(unnamed, 'unnamed');
    await on.seedRun({
      id: unnamed,
      workspaceId: dev.id,
      configurationVersionId: state.id,
      status: 'discarded',
      createdBy: removed.id,
      createdAt: '2029-10-01T00:00:00.000Z',
    });
    await aRunOf(gone, {});
    await on.run((tx) => tx.workspaces.remove(gone.id, noon));
    await on.run((tx) => tx.users.remove(removed.id, noon));
    const team = await on.team(organization);
    await on.grant(team, dev, { access: 'read' });
    const nameOf = ({ id }: RunState) => names.get(id) ?? id;
    const here = async (filter: OrganizationRunFilter) =>
      (await whole((tx, page) => tx.runs.page(web.id, page, filter))).map(nameOf);
    const everywhere = async (filter: OrganizationRunFilter, visibility: WorkspaceVisibility = 'all') =>
      (await whole((tx, page) => tx.runs.pageOfOrganization(organization.id, nobody, visibility, page, filter))).map(
        ({ subject }) => nameOf(subject),
      );
    const ofWeb = ['empty', 'saved', 'refreshed', 'destroyed', 'planned'];
    expect(await here({})).toEqual(ofWeb);
    expect(await everywhere({})).toEqual([...ofWeb.slice(0, 4), 'elsewhere', 'unnamed', 'planned']);
    expect(await everywhere({}, { throughTeams: [team.id] })).toEqual(['elsewhere', 'unnamed']);
    expect(await everywhere({}, { throughTeams: [] })).toEqual([]);
    for (const [filter, inWeb, inAll] of [
      [{ statuses: ['applied', 'errored'] }, ['refreshed', 'destroyed'], ['refreshed', 'destroyed', 'elsewhere']],
      [{ statuses: [] }, [], []],
      [{ operations: ['plan_only', 'save_plan'] }, ['saved', 'planned'], ['saved', 'planned']],
      [{ operations: ['destroy'] }, ['destroyed'], ['destroyed']],
      [{ operations: ['refresh_only', 'empty_apply'] }, ['empty', 'refreshed'], ['empty', 'refreshed']],
      [{ operations: ['plan_and_apply'] }, [], ['elsewhere', 'unnamed']],
      [{ sources: ['tfe-configuration-version'] }, ['refreshed'], ['refreshed']],
      [{ since: '2030-01-01T00:00:00.000Z' }, ['empty', 'saved', 'refreshed'], ['empty', 'saved', 'refreshed']],
      [
        { since: '2029-01-01T00:00:00.000Z', before: '2030-01-01T00:00:00.000Z' },
        ['destroyed', 'planned'],
        ['destroyed', 'elsewhere', 'unnamed', 'planned'],
      ],
      [{ statuses: ['applied'], before: '2029-12-01T00:00:00.000Z' }, [], ['elsewhere']],
      [{ search: 'TEAR %' }, ['destroyed'], ['destroyed']],
      [{ search: ', "ISDESTROY":true' }, ['empty'], ['empty']],
      [{ search: ids.saved.toUpperCase() }, ['saved'], ['saved']],
      [{ search: 'BC12' }, ['planned'], ['planned']],
      [{ search: 'deployer' }, [], ['elsewhere']],
      [{ user: 'OCTO_' }, ['planned'], ['planned']],
      [{ user: user.username }, [], ['elsewhere']],
      [{ user: removed.username }, [], []],
      [{ user: stranger.username }, [], []],
      [{ search: stranger.username }, [], []],
      [{ user: 'tear' }, [], []],
      [{ commit: 'abc123', user: 'cat' }, ['planned'], ['planned']],
      [{ commit: 'octo' }, [], []],
    ] as readonly (readonly [OrganizationRunFilter, readonly string[], readonly string[]])[]) {
      expect({ ...filter, found: await here(filter) }).toEqual({ ...filter, found: inWeb });
      expect({ ...filter, found: await everywhere(filter) }).toEqual({ ...filter, found: inAll });
      const ofDev = inAll.filter((name) => ['elsewhere', 'unnamed'].includes(name));
      const seen = await everywhere(filter, { throughTeams: [team.id] });
      expect({ ...filter, found: seen }).toEqual({ ...filter, found: ofDev });
      expect(await everywhere({ ...filter, workspaceNames: [dev.name, gone.name] })).toEqual(ofDev);
    }
    expect(await everywhere({ workspaceNames: [dev.name] })).toEqual(['elsewhere', 'unnamed']);
    expect(await everywhere({ workspaceNames: [] })).toEqual([]);
    await on.run((tx) => tx.workspaces.remove(web.id, noon));
    expect(await here({ statuses: ['applied'] })).toEqual([]);
    expect(await everywhere({ statuses: ['applied'] })).toEqual(['elsewhere']);
  });

  it('of team tokens selects by their expiry', async () => {
    const organization = await on.organization();
    for (const [name, expiresAt] of Object.entries({
      never: null,
      past: noon,
      soon: afterNoon(10),
      late: afterNoon(99),
    })) {
      await on.token(ownedBy('team', await on.team(organization, { name })), { description: name, expiresAt });
    }
    const sort = { key: 'team-name', descending: false } as const;
    const found = async (expiry: readonly ExpiryRange[] | undefined, search?: string) => {
      const query = { organizationId: organization.id, visibility: 'all', search, expiry, sort } as const;
      return (await whole((tx, page) => tx.tokens.pageOfTeams(query, page))).map(({ description }) => description);
    };
    expect(await found(undefined)).toEqual(['late', 'never', 'past', 'soon']);
    expect(await found(['never'])).toEqual(['never']);
    expect(await found([{ until: noon }])).toEqual(['past']);
    expect(await found([{ after: noon }])).toEqual(['late', 'soon']);
    expect(await found([{ after: noon, until: afterNoon(10) }, 'never'])).toEqual(['never', 'soon']);
    expect(await found([{ after: noon }], 'O')).toEqual(['soon']);
    expect(await found([])).toEqual([]);
  });
});
