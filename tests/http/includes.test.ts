import { describe, expect, it } from '@jest/globals';
import { type Caller, doc, newName, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { giveGrant } from '../support/builders.js';

const api = await startApi({ prefix });
const { admin } = api;

interface Resource {
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, { readonly data?: unknown }>>;
}

const read = async (caller: Caller, path: string) => (await caller.get(path).expect(200)).body;

/** The included resources, by type and id, in no particular order. */
const included = async (caller: Caller, path: string): Promise<readonly string[]> =>
  ((await read(caller, path)).included ?? []).map(({ type, id }: Resource) => `${type} ${id}`).sort();

const org = (bench: Bench, rest: string): string => `/organizations/${bench.organization}${rest}`;

describe('what is included with workspaces', () => {
  it('is related to them, in lists and alone', async () => {
    const bench = await Bench.make(api);
    const version = await bench.version();
    const run = await bench.run();
    const { workspaceId } = bench;
    const { name } = (await read(admin, `/workspaces/${workspaceId}`)).data.attributes;
    const places = [org(bench, '/workspaces'), org(bench, `/workspaces/${name}`), `/workspaces/${workspaceId}`];
    for (const path of places) {
      const plain = await read(admin, path);
      expect(plain).not.toHaveProperty('included');
      for (const [include, resources] of [
        ['organization', [`organizations ${bench.organization}`]],
        ['current_run', [`runs ${run}`]],
        ['current-run,current-run.plan', [`plans ${run.replace('run-', 'plan-')}`, `runs ${run}`]],
        ['current_run.configuration_version', [`configuration-versions ${version}`, `runs ${run}`]],
        ['current_configuration_version', [`configuration-versions ${version}`]],
        ['current_configuration_version.ingress_attributes', [`configuration-versions ${version}`]],
        ['cost_estimate,policy_checks,run-triggers', []],
        ['locked_by', [`runs ${run}`]],
        ['', []],
      ] as const) {
        expect({ path, include, found: await included(admin, `${path}?include=${include}`) }).toEqual({
          path,
          include,
          found: resources,
        });
      }
      const { data } = await read(admin, `${path}?include=organization,current_run`);
      expect(data).toEqual(plain.data);
      expect(data[0] ?? data).toMatchObject({ id: workspaceId });
    }
  });

  it('is their current states, to those who may read them', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const run = await bench.run();
    await bench.planned(run);
    await bench.act(run, 'apply');
    const job = await bench.claimed(run);
    const state = await job.writeState('a state', { outputs: [] });
    await job.applied();
    await api.settle();
    await api.workspace(bench.organization, newName());
    const path = org(bench, '/workspaces?include=current_state_version');
    expect(await included(admin, path)).toEqual([`state-versions ${state}`]);
    const [listed] = (await read(admin, path)).included;
    const [alone] = (await read(admin, `/workspaces/${bench.workspaceId}?include=current_state_version`)).included;
    expect(listed.attributes['resource-count']).toBe(alone.attributes['resource-count']);
    // Signatures contain the time.
    const withoutUrls = ({ attributes, ...rest }: Resource) => ({
      ...rest,
      attributes: { ...attributes, 'hosted-state-download-url': null },
    });
    expect(withoutUrls(listed)).toEqual(withoutUrls(alone));
    expect(await included(await bench.member('read'), path)).toEqual([`state-versions ${state}`]);
    const team = await api.team(bench.organization, newName('team'));
    const permissions = {
      runs: 'read',
      variables: 'none',
      stateVersions: 'none',
      policyMocks: 'none',
      workspaceLocking: false,
      runTasks: false,
      policyOverrides: false,
    } as const;
    await api.unitOfWork.run((tx) => giveGrant(tx, team, bench.workspaceId, { access: 'custom', permissions }));
    const reader = await api.member(bench.organization, newName('reader'), [team]);
    expect(await read(reader, path)).toMatchObject({ data: [{ id: bench.workspaceId }] });
    expect(await included(reader, path)).toEqual([]);
  });

  it('may be who has locked them, if that is a member', async () => {
    const bench = await Bench.make(api);
    const locker = await bench.member('admin');
    await locker.post(`/workspaces/${bench.workspaceId}/actions/lock`, {}).expect(200);
    const path = `/workspaces/${bench.workspaceId}?include=locked_by`;
    expect(await included(admin, path)).toEqual([`users ${locker.id}`]);
    const shown = (await read(admin, path)).included[0];
    expect(Object.keys(shown.attributes).sort()).toEqual(['email', 'is-service-account', 'username']);
    const { data } = await read(admin, org(bench, `/organization-memberships?page[size]=100`));
    const membership = data.find(({ relationships }: { relationships: { user: { data: { id: string } } } }) => {
      return relationships.user.data.id === locker.id;
    });
    await admin.delete(`/organization-memberships/${membership.id}`).expect(204);
    expect(await included(admin, path)).toEqual([]);
  });

  it('may be a team that has locked them, if the caller can see it', async () => {
    const bench = await Bench.make(api);
    const team = await api.team(bench.organization, newName('secret'), { visibility: 'secret' });
    await api.unitOfWork.run((tx) => giveGrant(tx, team, bench.workspaceId, { access: 'admin' }));
    const issued = await admin.post(`/teams/${team}/authentication-token`).expect(201);
    await api
      .as(issued.body.data.attributes.token)
      .post(`/workspaces/${bench.workspaceId}/actions/lock`, {})
      .expect(200);
    const path = `/workspaces/${bench.workspaceId}?include=locked_by`;
    expect(await included(admin, path)).toEqual([`teams ${team}`]);
    expect(await included(await bench.member('read'), path)).toEqual([]);
  });

  it('leaves out what the caller may not see', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    await bench.run();
    const path = `/workspaces/${bench.workspaceId}?include=outputs,current_state_version,current_run`;
    expect(await included(await bench.member('read'), path)).toHaveLength(1);
    expect(await included(await bench.member(), org(bench, '/workspaces?include=organization,current_run'))).toEqual(
      [],
    );
  });
});

describe('what is included with teams and members', () => {
  it('is who is in them, as members see each other', async () => {
    const organization = newName('org');
    await api.organization(organization);
    const team = await api.team(organization, 'platform', { visibility: 'organization' });
    const secret = await api.team(organization, 'hidden', { visibility: 'secret' });
    const anna = await api.member(organization, newName('anna'), [team, secret]);
    const bert = await api.member(organization, newName('bert'), [team]);
    const members = await read(admin, `/organizations/${organization}/organization-memberships`);
    const membershipOf = (caller: Caller): string =>
      members.data.find((one: { relationships: { user: { data: { id: string } } } }) => {
        return one.relationships.user.data.id === caller.id;
      }).id;
    const users = [anna, bert].map(({ id }) => `users ${id}`).sort();
    const memberships = [anna, bert].map((one) => `organization-memberships ${membershipOf(one)}`).sort();
    for (const path of [`/teams/${team}`, `/organizations/${organization}/teams`]) {
      const query = path.endsWith('/teams') ? '?filter[names]=platform&include=' : '?include=';
      expect(await included(bert, `${path}${query}users`)).toEqual(users);
      expect(await included(bert, `${path}${query}organization-memberships`)).toEqual(memberships);
      const all = await read(bert, `${path}${query}users,organization_memberships`);
      expect(all.included).toHaveLength(4);
      // The team that only its members see is not named to others.
      expect(JSON.stringify(all)).not.toContain(secret);
      const shown = all.data[0] ?? all.data;
      expect(shown.relationships.users.data.map(({ id }: Resource) => `users ${id}`).sort()).toEqual(users);
    }
    expect((await read(bert, `/organizations/${organization}/teams`)).data[0].relationships).not.toHaveProperty(
      'users',
    );
    const one = `/organization-memberships/${membershipOf(anna)}`;
    expect(await included(bert, `${one}?include=user`)).toEqual([`users ${anna.id}`]);
    expect(await included(bert, `${one}?include=teams`)).toEqual([`teams ${team}`]);
    expect(await included(anna, `${one}?include=teams,user`)).toEqual(
      [`teams ${secret}`, `teams ${team}`, `users ${anna.id}`].sort(),
    );
    const list = `/organizations/${organization}/organization-memberships?include=teams&q=`;
    expect(await included(bert, list)).not.toContain(`teams ${secret}`);
    expect(await included(anna, list)).toContain(`teams ${secret}`);
  });
});

describe('what is included with runs', () => {
  it('is related to them, in each list', async () => {
    const bench = await Bench.make(api);
    const version = await bench.version();
    await bench.policySet();
    const run = await bench.run();
    const { workspaceId } = bench;
    const [stage] = (await read(admin, `/runs/${run}`)).data.relationships['task-stages'].data;
    for (const path of [
      `/workspaces/${workspaceId}/runs`,
      org(bench, '/runs'),
      org(bench, '/runs/queue'),
      `/runs/${run}`,
    ]) {
      for (const [include, resources] of [
        ['plan,apply', [`applies ${run.replace('run-', 'apply-')}`, `plans ${run.replace('run-', 'plan-')}`]],
        ['created_by', [`users ${admin.id}`]],
        ['task_stages', [`task-stages ${stage.id}`]],
        ['configuration_version', [`configuration-versions ${version}`]],
        ['configuration_version.ingress_attributes', [`configuration-versions ${version}`]],
        ['workspace', [`workspaces ${workspaceId}`]],
        ['cost_estimate,policy_checks', []],
      ] as const) {
        expect({ path, include, found: await included(admin, `${path}?include=${include}`) }).toEqual({
          path,
          include,
          found: resources,
        });
      }
      const beside = (await read(admin, `${path}?include=workspace`)).included[0];
      // Clients would follow a circle endlessly.
      if (!path.endsWith(run)) expect(beside.relationships).not.toHaveProperty('current-run');
    }
    const outsider = await bench.member();
    expect(await read(outsider, org(bench, '/runs?include=workspace,created_by'))).toMatchObject({
      data: [],
      meta: { pagination: { 'next-page': null } },
    });
  });
});

describe('what is included with policy sets and agent pools', () => {
  it('is what they contain, and workspaces that the caller can read', async () => {
    const bench = await Bench.make(api);
    const { workspaceId } = bench;
    const made = await admin
      .post(org(bench, '/policies'), doc('policies', { name: 'cost', kind: 'opa', query: 'data.cost' }))
      .expect(201);
    const policy: string = made.body.data.id;
    const set = await bench.policySet({ global: false });
    const relate = (what: string, type: string, id: string) =>
      admin.post(`/policy-sets/${set}/relationships/${what}`, { data: [{ type, id }] }).expect(204);
    await relate('policies', 'policies', policy);
    await relate('workspaces', 'workspaces', workspaceId);
    const excluded = await api.workspace(bench.organization, newName());
    await relate('workspace-exclusions', 'workspaces', excluded);
    const newProject = async (): Promise<string> =>
      (await admin.post(org(bench, '/projects'), doc('projects', { name: newName() })).expect(201)).body.data.id;
    const [attached, spared] = [await newProject(), await newProject()];
    await relate('projects', 'projects', attached);
    await relate('project-exclusions', 'projects', spared);
    for (const path of [`/policy-sets/${set}`, org(bench, '/policy-sets')]) {
      expect(await included(admin, `${path}?include=policies,workspaces,workspace_exclusions`)).toEqual(
        [`policies ${policy}`, `workspaces ${workspaceId}`, `workspaces ${excluded}`].sort(),
      );
      expect(await included(admin, `${path}?include=projects,project_exclusions`)).toEqual(
        [`projects ${attached}`, `projects ${spared}`].sort(),
      );
      expect(await included(admin, `${path}?include=project_exclusions`)).toEqual([`projects ${spared}`]);
      expect(await included(admin, `${path}?include=workspace_exclusions`)).toEqual([`workspaces ${excluded}`]);
      expect(await included(admin, `${path}?include=policies`)).toEqual([`policies ${policy}`]);
    }
    await admin.delete(`/workspaces/${excluded}`).expect(204);
    const pools = await bench.member(undefined, { 'organization-access': { 'manage-agent-pools': true } });
    for (const path of [`/agent-pools/${bench.poolId}`, org(bench, '/agent-pools')]) {
      expect(await included(admin, `${path}?include=workspaces`)).toEqual([`workspaces ${workspaceId}`]);
      const { data } = await read(admin, `${path}?include=workspaces`);
      expect((data[0] ?? data).relationships.workspaces).toEqual({ data: [{ id: workspaceId, type: 'workspaces' }] });
    }
    // The right to manage pools does not show the workspaces that use them.
    const seen = await read(pools, org(bench, '/agent-pools?include=workspaces'));
    expect(seen.data[0].relationships.workspaces).toEqual({ data: [] });
    expect(seen).not.toHaveProperty('included');
    const { name } = (await read(admin, `/workspaces/${workspaceId}`)).data.attributes;
    const filter = (workspace: string) => org(bench, `/agent-pools?filter[allowed_workspaces][name]=${workspace}`);
    expect((await read(admin, filter(name))).data).toHaveLength(1);
    const hidden = await pools.get(filter(name)).expect(200);
    const absent = await pools.get(filter('x'.repeat(name.length))).expect(200);
    expect(hidden.text).toBe(absent.text.replaceAll('x'.repeat(name.length), name));
  });
});

describe('an include', () => {
  it.each([
    ['/organizations/acme/agent-pools', 'projects', 'projects cannot be included: this endpoint does not support it. '],
    ['/organizations/acme/workspaces', 'outputs', 'outputs cannot be included: only a single workspace includes it. '],
    ['/organizations/acme/workspaces', 'nothing', ''],
    ['/organizations/acme/teams', 'organization', ''],
    ['/organizations/acme/runs', 'constructor', ''],
  ])('of %s is refused for %s', async (path, word, reason) => {
    const name = newName('org');
    await api.organization(name);
    const answer = await admin.get(`${path.replace('acme', name)}?include=${word}`).expect(400);
    expect(answer.body).toEqual(
      refusal(400, 'bad request', `${reason}Invalid include parameter`, { parameter: 'include' }),
    );
  });
});
