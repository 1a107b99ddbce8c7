import { describe, expect, it } from '@jest/globals';
import { type Caller, doc, missing, newName, prefix, refusal, startApi } from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');
await api.organization('globex');

const relation = (type: string, id: string) => ({ data: { type, id } });

const newTeam = (attributes: object = { visibility: 'organization' }) => api.team('acme', newName('team'), attributes);
const newWorkspace = () => api.workspace('acme', newName('ws'));
const newMember = (...teams: readonly string[]) => api.member('acme', newName('person'), teams);

const grant = (workspaceId: string, teamId: string, attributes: object) =>
  admin
    .post(
      '/team-workspaces',
      doc('team-workspaces', attributes, {
        workspace: relation('workspaces', workspaceId),
        team: relation('teams', teamId),
      }),
    )
    .expect(200);

const grantProject = async (workspaceId: string, teamId: string, attributes: object): Promise<string> => {
  const { body } = await admin.get(`/workspaces/${workspaceId}`).expect(200);
  const project = body.data.relationships.project.data.id;
  const relations = { project: relation('projects', project), team: relation('teams', teamId) };
  await admin.post('/team-projects', doc('team-projects', attributes, relations)).expect(200);
  return project;
};

const path = (workspaceId: string, kind: 'user' | 'team', id: string) =>
  `/workspaces/${workspaceId}/effective-access?filter%5B${kind}%5D%5Bid%5D=${id}`;

interface Part {
  readonly kind: string;
}

interface Right {
  readonly right: string;
  readonly held: boolean;
  readonly claims: readonly { readonly 'team-name': string | null; readonly through: readonly Part[] }[];
}

const shown = async (caller: Caller, workspaceId: string, kind: 'user' | 'team', id: string) => {
  const { body } = await caller.get(path(workspaceId, kind, id)).expect(200);
  const rights: readonly Right[] = body.data.attributes.rights;
  return {
    data: body.data,
    right: (name: string) => rights.find(({ right }) => right === name),
    held: rights.filter(({ held }) => held).map(({ right }) => right),
    kinds: new Set(rights.flatMap(({ claims }) => claims.flatMap(({ through }) => through)).map((part) => part.kind)),
  };
};

describe('the effective access of a user', () => {
  it('is each right on the workspace, with the teams and the levels that give it', async () => {
    const workspace = await newWorkspace();
    const [planners, maintainers] = [await newTeam({ visibility: 'secret' }), await newTeam()];
    await grant(workspace, planners, { access: 'plan' });
    const project = await grantProject(workspace, maintainers, { access: 'maintain' });
    const connecting = await newTeam({ 'organization-access': { 'manage-vcs-settings': true } });
    const person = await newMember(planners, maintainers, connecting);
    const { data, right } = await shown(person, workspace, 'user', person.id);
    expect(data).toMatchObject({
      id: `${workspace}:${person.id}`,
      type: 'effective-accesses',
      attributes: { name: expect.stringMatching(/^person-/) },
      relationships: {
        workspace: relation('workspaces', workspace),
        project: relation('projects', project),
        user: relation('users', person.id),
        team: { data: null },
      },
    });
    const way = (
      claim: string,
      team: string,
      kind: string,
      level: string | null,
      permission: string | null = null,
    ) => ({
      claim,
      'team-id': team,
      'team-name': expect.stringMatching(/^team-/),
      through: [{ kind, level, permission, until: null }],
    });
    expect(right('runs/queue')).toEqual({
      right: 'runs/queue',
      held: true,
      until: null,
      requires: [['runs: plan']],
      claims: expect.arrayContaining([
        way('runs: plan', planners, 'team-access', 'plan'),
        way('runs: plan', maintainers, 'project-access', 'maintain'),
      ]),
    });
    expect(right('workspaces/link-repository')).toMatchObject({
      held: true,
      requires: [['workspace admin', 'manage-vcs-settings']],
      claims: [
        way('workspace admin', maintainers, 'project-access', 'maintain'),
        way('manage-vcs-settings', connecting, 'organization-permission', null, 'manage-vcs-settings'),
      ],
    });
    expect(right('policy-outcomes/override')).toMatchObject({ held: false, claims: [] });
    expect((await shown(admin, workspace, 'user', person.id)).data).toEqual(data);
  });

  it('is what the service does: rights that are held succeed, others do not', async () => {
    const workspace = await newWorkspace();
    const team = await newTeam();
    await grant(workspace, team, { access: 'custom', 'workspace-locking': true });
    const person = await newMember(team);
    const { held } = await shown(person, workspace, 'user', person.id);
    expect(held).toContain('workspaces/lock');
    expect(held).not.toContain('workspaces/force-unlock');
    await person.post(`/workspaces/${workspace}/actions/lock`, {}).expect(200);
    await person.post(`/workspaces/${workspace}/actions/force-unlock`, {}).expect(404);
  });

  it('is hidden from its owner where the workspace is, and from others who are not owners', async () => {
    const [workspace, team] = [await newWorkspace(), await newTeam()];
    await grant(workspace, team, { access: 'admin' });
    const [administrator, colleague, without] = [await newMember(team), await newMember(team), await newMember()];
    const organizationToken = await api.organizationToken('acme');
    for (const [caller, id] of [
      [without, without.id],
      [administrator, colleague.id],
      [administrator, without.id],
      [organizationToken, colleague.id],
    ] as const) {
      expect((await caller.get(path(workspace, 'user', id)).expect(404)).body).toEqual(missing);
    }
    expect((await shown(admin, workspace, 'user', without.id)).held).toEqual(['team-access/list']);
  });

  it('is nothing while the user is suspended', async () => {
    const [workspace, team] = [await newWorkspace(), await newTeam()];
    await grant(workspace, team, { access: 'admin' });
    const person = await newMember(team);
    await admin.post(`/admin/users/${person.id}/actions/suspend`).expect(200);
    expect((await shown(admin, workspace, 'user', person.id)).held).toEqual([]);
  });
});

describe('the effective access of a team', () => {
  it('is for owners, the team itself, and admins of a workspace that the team has access to', async () => {
    const workspace = await newWorkspace();
    const [admins, readers] = [await newTeam(), await newTeam()];
    await grant(workspace, admins, { access: 'admin' });
    await grant(workspace, readers, { access: 'read' });
    const answer = await admin.post(`/teams/${readers}/authentication-token`).expect(201);
    const callers = [admin, await newMember(admins), api.as(answer.body.data.attributes.token)];
    for (const caller of callers) {
      const { data, held } = await shown(caller, workspace, 'team', readers);
      expect(data.relationships).toMatchObject({ user: { data: null }, team: relation('teams', readers) });
      expect(held).toContain('runs/read');
      expect(held).not.toContain('runs/queue');
    }
    const member = await newMember(readers);
    expect((await member.get(path(workspace, 'team', readers)).expect(404)).body).toEqual(missing);
  });

  it('is for admins of the workspace also that of visible teams with access to its project', async () => {
    const workspace = await newWorkspace();
    const [admins, visible, secret] = [await newTeam(), await newTeam(), await newTeam({ visibility: 'secret' })];
    await grant(workspace, admins, { access: 'admin' });
    const administrator = await newMember(admins);
    expect((await administrator.get(path(workspace, 'team', visible)).expect(404)).body).toEqual(missing);
    await grantProject(workspace, visible, { access: 'write' });
    await grantProject(workspace, secret, { access: 'admin' });
    const { right, kinds } = await shown(administrator, workspace, 'team', visible);
    expect(right('runs/apply')).toMatchObject({ held: true, claims: [] });
    expect(kinds).toEqual(new Set(['membership']));
    expect((await administrator.get(path(workspace, 'team', secret)).expect(404)).body).toEqual(missing);
    const ofProject = await newMember(secret);
    expect((await shown(ofProject, workspace, 'team', secret)).kinds).toEqual(
      new Set(['membership', 'project-access']),
    );
  });

  it('keeps the name and the organization-level permissions of a secret team secret', async () => {
    const workspace = await newWorkspace();
    const admins = await newTeam();
    const secret = await newTeam({ visibility: 'secret', 'organization-access': { 'read-workspaces': true } });
    await grant(workspace, admins, { access: 'admin' });
    await grant(workspace, secret, { access: 'plan' });
    const { data, right, kinds } = await shown(await newMember(admins), workspace, 'team', secret);
    expect(data.attributes.name).toBeNull();
    expect(right('runs/queue')?.claims).toMatchObject([{ 'team-id': secret, 'team-name': null }]);
    expect(kinds).toEqual(new Set(['membership', 'team-access']));
    const whole = await shown(admin, workspace, 'team', secret);
    expect(whole.kinds).toEqual(new Set(['membership', 'team-access', 'organization-permission']));
    expect(whole.held).toEqual(
      await shown(await newMember(admins), workspace, 'team', secret).then(({ held }) => held),
    );
  });
});

describe('the effective access of teams to a workspace', () => {
  const listPath = (workspace: string, teams: readonly string[]) =>
    `/workspaces/${workspace}/effective-access/teams?page[size]=100&filter[team][id]=${teams.join(',')}`;

  const heldBy = ({
    relationships,
  }: {
    readonly relationships: { readonly team: { readonly data: { readonly id: string } } };
  }) => relationships.team.data.id;

  it('is listed by name for the teams that the caller may ask about, each as it is shown alone', async () => {
    const workspace = await newWorkspace();
    const named = (letter: string, attributes: object = { visibility: 'organization' }) =>
      api.team('acme', newName(`list-${letter}`), attributes);
    const [admins, readers, without] = [await named('a'), await named('b'), await named('c')];
    const secret = await named('d', { visibility: 'secret', 'organization-access': { 'read-workspaces': true } });
    const inProject = await named('e');
    await grant(workspace, admins, { access: 'admin' });
    await grant(workspace, readers, { access: 'read' });
    await grant(workspace, secret, { access: 'plan' });
    await grantProject(workspace, inProject, { access: 'write' });
    const foreign = await api.team('globex', newName('team'));
    const teams = [inProject, secret, without, readers, admins, foreign, 'team-nothing'];
    const token = await admin.post(`/teams/${readers}/authentication-token`).expect(201);
    for (const [caller, seen] of [
      [admin, [admins, readers, without, secret, inProject]],
      [await newMember(admins), [admins, readers, secret, inProject]],
      [await newMember(readers), []],
      [api.as(token.body.data.attributes.token), [readers]],
    ] as const) {
      const { data, meta } = (await caller.get(listPath(workspace, teams)).expect(200)).body;
      const alone = [];
      for (const team of seen) alone.push((await caller.get(path(workspace, 'team', team)).expect(200)).body.data);
      expect(data).toEqual(alone);
      expect(meta.pagination['total-count']).toBe(seen.length);
      const inContract = (await caller.at('').get(listPath(workspace, teams)).expect(200)).body.data;
      expect(inContract.map(({ id }: { readonly id: string }) => id)).toEqual(alone.map(({ id }) => id));
      for (const team of teams.filter((id) => !(seen as readonly string[]).includes(id))) {
        expect((await caller.get(path(workspace, 'team', team)).expect(404)).body).toEqual(missing);
      }
    }
    const second = listPath(workspace, teams).replace('page[size]=100', 'page[size]=1&page[number]=2');
    expect((await (await newMember(admins)).get(second).expect(200)).body).toMatchObject({
      data: [{ relationships: { team: relation('teams', readers) } }],
      meta: { pagination: { 'total-count': 4 } },
    });
    expect((await (await newMember()).get(listPath(workspace, teams)).expect(404)).body).toEqual(missing);
  });

  it('is listed without ids for all teams to owners, and for those with access to an administrator', async () => {
    const workspace = await newWorkspace();
    const [admins, readers] = [await newTeam(), await newTeam()];
    await grant(workspace, admins, { access: 'admin' });
    await grant(workspace, readers, { access: 'read' });
    const page = 'page[size]=2&page[number]=2';
    const all = (await admin.get(`/organizations/acme/teams?${page}`).expect(200)).body;
    const path = `/workspaces/${workspace}/effective-access/teams`;
    const { data, meta } = (await admin.get(`${path}?${page}`).expect(200)).body;
    expect(data.map(heldBy)).toEqual(all.data.map(({ id }: { readonly id: string }) => id));
    expect(meta).toEqual(all.meta);
    const seen = (await (await newMember(admins)).get(path).expect(200)).body;
    expect(seen.data.map(heldBy)).toEqual(expect.arrayContaining([admins, readers]));
    expect(seen.meta.pagination['total-count']).toBeLessThan(meta.pagination['total-count']);
  });

  it('is listed for at most 100 teams', async () => {
    const ids = Array.from({ length: 101 }, (_, nth) => `team-${nth}`);
    const { body } = await admin.get(listPath(await newWorkspace(), ids)).expect(422);
    expect(body.errors[0]).toMatchObject({
      detail: 'filter[team][id] must name at most 100 teams',
      source: { parameter: 'filter[team][id]' },
    });
  });
});

describe('a request for effective access', () => {
  it('gets the same answer for users and teams that do not exist, are elsewhere, or are not members', async () => {
    const [workspace, admins] = [await newWorkspace(), await newTeam()];
    await grant(workspace, admins, { access: 'admin' });
    const administrator = await newMember(admins);
    const [stranger, foreign] = [await api.user(newName('person')), await api.member('globex', newName('person'))];
    const team = await api.team('globex', newName('team'));
    const texts = new Set<string>();
    for (const caller of [admin, administrator]) {
      for (const id of [stranger.id, foreign.id, 'user-nothing']) {
        texts.add((await caller.get(path(workspace, 'user', id)).expect(404)).text);
      }
      for (const id of [team, 'team-nothing']) {
        texts.add((await caller.get(path(workspace, 'team', id)).expect(404)).text);
      }
    }
    texts.add((await admin.get(path('ws-nothing', 'user', admin.id)).expect(404)).text);
    texts.add((await stranger.get(path(workspace, 'user', stranger.id)).expect(404)).text);
    texts.add((await administrator.get(path(workspace, 'team', await newTeam())).expect(404)).text);
    expect([...texts].map((text) => JSON.parse(text))).toEqual([missing]);
  });

  it('of an invited person is what the teams will give, and alike whether there is such a user', async () => {
    const workspace = await newWorkspace();
    const team = await newTeam();
    await api.grant(team, workspace, { access: 'plan' });
    const username = newName('person');
    await api.user(username);
    const invite = async (email: string): Promise<string> => {
      const teams = { data: [{ type: 'teams', id: team }] };
      const body = doc('organization-memberships', { email }, { teams });
      const { data } = (await admin.post('/organizations/acme/organization-memberships', body).expect(201)).body;
      return data.relationships.user.data.id;
    };
    const found = [];
    for (const email of [`${username}@example.com`, 'nobody@example.com']) {
      const { data } = (await admin.get(path(workspace, 'user', await invite(email))).expect(200)).body;
      expect(data.attributes).toMatchObject({ name: email, invited: true });
      const held = data.attributes.rights.filter((right: { held: boolean }) => right.held);
      expect(held.map(({ right }: { right: string }) => right)).toEqual(expect.arrayContaining(['runs/queue']));
      found.push(data.attributes.rights);
    }
    expect(found[0]).toEqual(found[1]);
    const own = await api.member('acme', newName('member'), [team]);
    const { data } = (await admin.get(path(workspace, 'user', own.id)).expect(200)).body;
    expect(data.attributes).toMatchObject({ invited: false });
    expect(data.attributes.rights).toEqual(found[0]);
  });

  it('names exactly one user or team', async () => {
    const workspace = await newWorkspace();
    const detail = 'exactly one of filter[user][id] and filter[team][id] is required';
    const at = `/workspaces/${workspace}/effective-access`;
    for (const [query, parameter] of [
      ['', 'filter[user][id]'],
      ['?filter[user][id]=', 'filter[user][id]'],
      ['?filter[user][id]=user-1&filter[team][id]=team-1', 'filter[team][id]'],
    ] as const) {
      const { body } = await admin.get(at + query).expect(400);
      expect(body).toEqual(refusal(400, 'bad request', detail, { parameter }));
    }
  });
});
