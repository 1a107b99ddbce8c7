import { describe, expect, it } from '@jest/globals';
import { later } from '../../src/domain/index.js';
import { type Caller, doc, faultsIn, invalid, missing, newName, prefix, refusal, startApi } from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');

/** Computed, because an object with this member looks like a promise. */
const fallback = 'then';

const day = 86_400;
const inDays = (days: number) => later(api.clock.now(), days * day);
const passDays = (days: number) => api.clock.advance(days * day);

/** A member whose only team has this access to a new workspace. */
async function temporary(attributes: object): Promise<{ id: string; team: string; workspace: string; caller: Caller }> {
  const [team, workspace] = [await api.team('acme', newName()), await api.workspace('acme', newName())];
  const id = await api.grant(team, workspace, attributes);
  return { id, team, workspace, caller: await api.member('acme', newName(), [team]) };
}

const relation = (type: string, id: string) => ({ data: { type, id } });

const onto = (workspace: string, team: string) => ({
  workspace: relation('workspaces', workspace),
  team: relation('teams', team),
});

const add = (workspace: string, team: string, attributes: object, caller = admin) =>
  caller.post('/team-workspaces', doc('team-workspaces', attributes, onto(workspace, team)));

const change = (id: string, attributes: object, caller = admin) =>
  caller.patch(`/team-workspaces/${id}`, doc('team-workspaces', attributes));

const shown = async (id: string, caller = admin) => {
  const {
    access,
    runs,
    'expires-at': expiresAt,
    then,
  } = (await caller.get(`/team-workspaces/${id}`).expect(200)).body.data.attributes;
  return [access, runs, expiresAt, then];
};

const list = (workspace: string, more = '') => `/team-workspaces?filter[workspace][id]=${workspace}${more}`;

const listed = async (workspace: string, more = '', caller = admin): Promise<readonly string[]> =>
  (await caller.get(list(workspace, more)).expect(200)).body.data.map(({ id }: { id: string }) => id);

const expire = () => api.useCases.expireTeamAccess.execute();

const endsRecorded = async (): Promise<readonly string[]> => {
  const { body } = await admin.get('/organizations/acme/audit-events?filter[action]=team-access/expire').expect(200);
  return body.data.map((event: { attributes: { subject: string } }) => event.attributes.subject);
};

const ended = async (id: string) => (await endsRecorded()).filter((subject) => subject === id).length;

describe('temporary access to a workspace', () => {
  it('is given until an instant, and is nothing from then on', async () => {
    const at = inDays(2);
    const { id, team, workspace, caller } = await temporary({ access: 'write', 'expires-at': at });
    expect(await shown(id)).toEqual(['write', 'apply', at, 'none']);
    expect(await listed(workspace)).toEqual([id]);
    await caller.get(`/workspaces/${workspace}`).expect(200);
    passDays(2);
    for (const worker of [async () => [], expire]) {
      await worker();
      const unknown = await caller.get(`/workspaces/${workspace}`).expect(404);
      expect(unknown.body).toEqual(missing);
      expect((await admin.get(`/team-workspaces/${id}`).expect(404)).body).toEqual(missing);
      expect((await change(id, { access: 'admin' }).expect(404)).body).toEqual(missing);
      expect((await admin.delete(`/team-workspaces/${id}`).expect(404)).body).toEqual(missing);
      expect(await listed(workspace)).toEqual([]);
      expect(await listed(workspace, '&page[size]=5')).toEqual([]);
      expect((await caller.get('/organizations/acme/workspaces').expect(200)).body.data).toEqual([]);
    }
    expect(await ended(id)).toBe(1);
    await add(workspace, team, { access: 'read' }).expect(200);
  });

  it('falls back to the access that stood before', async () => {
    const { id, workspace, caller } = await temporary({ access: 'custom', runs: 'plan', variables: 'read' });
    const at = inDays(1);
    await change(id, { access: 'admin', 'expires-at': at }).expect(200);
    expect(await shown(id)).toEqual(['admin', 'apply', at, 'custom']);
    await change(id, { access: 'write' }).expect(200);
    expect(await shown(id)).toEqual(['write', 'apply', at, 'custom']);
    passDays(1);
    expect(await shown(id)).toEqual(['custom', 'plan', null, null]);
    expect(await listed(workspace, '', caller)).toEqual([id]);
    expect(await expire()).toEqual([id]);
    expect(await expire()).toEqual([]);
    expect(await shown(id)).toEqual(['custom', 'plan', null, null]);
    expect(await ended(id)).toBe(1);
  });

  it('ends with nothing if it is asked to, and never if its end is removed', async () => {
    const { id } = await temporary({ access: 'read' });
    await change(id, { access: 'plan', 'expires-at': inDays(1) }).expect(200);
    await change(id, { [fallback]: 'none' }).expect(200);
    expect((await shown(id)).at(-1)).toBe('none');
    await change(id, { 'expires-at': null }).expect(200);
    passDays(2);
    expect(await shown(id)).toEqual(['plan', 'plan', null, null]);
  });

  it('is recorded as ended when a request is faster than the worker', async () => {
    const one = { access: 'write', 'expires-at': inDays(1) };
    const [replaced, changed, removed] = [
      await temporary(one),
      await temporary({ access: 'read' }),
      await temporary(one),
    ];
    await change(changed.id, one).expect(200);
    await change(removed.id, { access: 'plan', 'expires-at': null }).expect(200);
    await change(removed.id, one).expect(200);
    passDays(1);
    const { id } = (await add(replaced.workspace, replaced.team, { access: 'read' }).expect(200)).body.data;
    expect(await listed(replaced.workspace)).toEqual([id]);
    await change(changed.id, { access: 'plan' }).expect(200);
    await admin.delete(`/team-workspaces/${removed.id}`).expect(204);
    expect(await expire()).toEqual([]);
    for (const row of [replaced, changed, removed]) expect(await ended(row.id)).toBe(1);
  });

  it.each([
    ['in the past', { 'expires-at': '2029-12-31T00:00:00Z' }, 'expires-at', 'Expires at must be in the future'],
    ['in more than a year', { 'expires-at': '2040-01-01T00:00:00Z' }, 'expires-at', /at most 365 days away: 203/],
    [
      'with an offset',
      { 'expires-at': '2030-02-01T00:00:00+01:00' },
      'expires-at',
      /must be an ISO 8601 date-time in UTC/,
    ],
    ['with the name of tokens', { 'expired-at': '2030-02-01T00:00:00Z' }, 'expired-at', /access ends at expires-at/],
    ['without an instant', { [fallback]: 'none' }, 'then', /send expires-at with it/],
    [
      'that falls back to a level',
      { [fallback]: 'admin', 'expires-at': '2030-02-01T00:00:00Z' },
      'then',
      /none, previous/,
    ],
  ])('is refused an end %s', async (_, attributes, attribute, detail) => {
    const { id, workspace } = await temporary({ access: 'read' });
    const matching = expect.stringMatching(detail);
    const refused = await change(id, attributes).expect(422);
    expect(refused.body).toEqual(invalid(attribute, matching));
    const other = await api.team('acme', newName());
    expect((await add(workspace, other, { access: 'read', ...attributes }).expect(422)).body).toEqual(refused.body);
    expect(await shown(id)).toEqual(['read', 'read', null, null]);
  });

  it('is served in the same words at the root', async () => {
    const at = inDays(1);
    const { id } = await temporary({ access: 'read' });
    const root = admin.at('');
    const body = doc('team-workspaces', { access: 'plan', 'expires-at': at });
    const { data } = (await root.patch(`/team-workspaces/${id}`, body).expect(200)).body;
    expect(data.attributes).toMatchObject({ access: 'plan', 'expires-at': at });
    const { body: page } = await root.get(
      `/team-workspaces?filter[workspace][id]=${data.relationships.workspace.data.id}&filter[expires-within-days]=1`,
    );
    expect(page.data).toHaveLength(1);
  });

  it('is listed by the days until its end', async () => {
    const { id, workspace } = await temporary({ access: 'read', 'expires-at': inDays(3) });
    for (const attributes of [{}, { 'expires-at': inDays(30) }]) {
      await add(workspace, await api.team('acme', newName()), { access: 'read', ...attributes }).expect(200);
    }
    expect(await listed(workspace, '&filter[expires-within-days]=2')).toEqual([]);
    expect(await listed(workspace, '&filter[expires-within-days]=3')).toEqual([id]);
    expect(await listed(workspace, '&filter[expires-within-days]=3&page[size]=5')).toEqual([id]);
    expect(await listed(workspace, '&filter[expires-within-days]=30')).toHaveLength(2);
    for (const days of ['0', '366', 'soon', '']) {
      const { body } = await admin.get(list(workspace, `&filter[expires-within-days]=${days}`)).expect(422);
      const source = { parameter: 'filter[expires-within-days]' };
      const detail = 'filter[expires-within-days] must be a number from 1 to 365';
      expect(body).toEqual(refusal(422, 'invalid attribute', detail, source));
    }
  });

  it('is shown in effective access with the instant until which a right is held', async () => {
    const [early, late] = [inDays(1), inDays(2)];
    const { team, workspace, caller } = await temporary({ access: 'write', 'expires-at': early });
    const other = await api.team('acme', newName());
    await api.grant(other, workspace, { access: 'plan', 'expires-at': late });
    await admin.post(`/teams/${other}/relationships/users`, { data: [{ type: 'users', id: caller.id }] }).expect(204);
    const path = `/workspaces/${workspace}/effective-access?filter[user][id]=${caller.id}`;
    const { rights } = (await caller.get(path).expect(200)).body.data.attributes;
    const of = (name: string) => rights.find(({ right }: { right: string }) => right === name);
    expect([of('runs/apply').until, of('runs/queue').until, of('workspaces/delete').until]).toEqual([
      early,
      late,
      null,
    ]);
    const [claim] = of('runs/apply').claims;
    expect([claim['team-id'], claim.through]).toEqual([
      team,
      [{ kind: 'team-access', level: 'write', permission: null, until: early }],
    ]);
  });
});

describe('a temporary admin', () => {
  it('gives no access beyond the end of their own, which the refusal names', async () => {
    const at = inDays(5);
    const { workspace, caller, id } = await temporary({ access: 'admin', 'expires-at': at });
    const team = await api.team('acme', newName(), { visibility: 'organization' });
    const beyond = invalid('expires-at', expect.stringContaining(`must be ${at} or earlier`));
    for (const end of [{}, { 'expires-at': inDays(6) }]) {
      expect((await add(workspace, team, { access: 'read', ...end }, caller).expect(422)).body).toEqual(beyond);
    }
    for (const end of [{ 'expires-at': null }, { 'expires-at': inDays(6) }]) {
      expect((await change(id, end, caller).expect(422)).body).toEqual(beyond);
    }
    const made = (await add(workspace, team, { access: 'admin', 'expires-at': at }, caller).expect(200)).body.data;
    passDays(5);
    expect(await listed(workspace)).toEqual([]);
    expect(made.attributes).toMatchObject({ 'expires-at': at });
  });

  it('may raise permanent access until then, and lower it', async () => {
    const { workspace, caller } = await temporary({ access: 'admin', 'expires-at': inDays(5) });
    const [raised, lowered] = [await api.team('acme', newName()), await api.team('acme', newName())];
    const ids = [
      await api.grant(raised, workspace, { access: 'read' }),
      await api.grant(lowered, workspace, { access: 'write' }),
    ] as const;
    await change(ids[0], { access: 'plan' }, caller).expect(422);
    await change(ids[0], { access: 'admin', 'expires-at': inDays(5) }, caller).expect(200);
    await change(ids[1], { access: 'read' }, caller).expect(200);
    passDays(5);
    expect(await shown(ids[0])).toEqual(['read', 'read', null, null]);
    expect(await shown(ids[1])).toEqual(['read', 'read', null, null]);
  });

  it('moves no workspace to another project', async () => {
    const { team, workspace, caller } = await temporary({ access: 'admin', 'expires-at': inDays(5) });
    const project = (await admin.post('/organizations/acme/projects', doc('projects', { name: newName() })).expect(201))
      .body.data.id;
    const grant = doc(
      'team-projects',
      { access: 'maintain' },
      { project: relation('projects', project), team: relation('teams', team) },
    );
    await admin.post('/team-projects', grant).expect(200);
    const moved = { project: relation('projects', project) };
    const refused = await caller.patch(`/workspaces/${workspace}`, doc('workspaces', {}, moved)).expect(422);
    expect(faultsIn(refused)).toEqual([
      ['/data/relationships/project', expect.stringContaining(`ends at ${inDays(5)}`)],
    ]);
    const body = { data: [{ type: 'workspaces', id: workspace }] };
    await caller.post(`/projects/${project}/relationships/workspaces`, body).expect(422);
    await admin.patch(`/workspaces/${workspace}`, doc('workspaces', {}, moved)).expect(200);
  });

  it('does not reach the pool that serves the workspace, whose tokens have no end', async () => {
    const { id, workspace, caller } = await temporary({ access: 'admin' });
    const pools = '/organizations/acme/agent-pools';
    const pool = (await admin.post(pools, doc('agent-pools', { name: newName() })).expect(201)).body.data.id;
    const execution = { 'execution-mode': 'agent', 'agent-pool-id': pool };
    await admin.patch(`/workspaces/${workspace}`, doc('workspaces', execution)).expect(200);
    const issue = () =>
      caller.post(`/agent-pools/${pool}/authentication-tokens`, doc('authentication-tokens', { description: 'ci' }));
    await issue().expect(201);
    await change(id, { [fallback]: 'none', 'expires-at': inDays(1) }).expect(200);
    await issue().expect(404);
  });
});

describe('temporary access to a project', () => {
  const newProject = async (): Promise<string> =>
    (await admin.post('/organizations/acme/projects', doc('projects', { name: newName() })).expect(201)).body.data.id;

  const give = (project: string, team: string, attributes: object, caller = admin) =>
    caller.post(
      '/team-projects',
      doc('team-projects', attributes, { project: relation('projects', project), team: relation('teams', team) }),
    );

  const listedIn = async (project: string, more = ''): Promise<readonly string[]> =>
    (await admin.get(`/team-projects?filter[project][id]=${project}${more}`).expect(200)).body.data.map(
      ({ id }: { id: string }) => id,
    );

  it('ends for the project and its workspaces, and falls back', async () => {
    const [project, team, at] = [await newProject(), await api.team('acme', newName()), inDays(4)];
    const name = newName();
    const workspace = doc('workspaces', { name }, { project: relation('projects', project) });
    await admin.post('/organizations/acme/workspaces', workspace).expect(201);
    const { id, attributes } = (await give(project, team, { access: 'write', 'expires-at': at }).expect(200)).body.data;
    expect(attributes).toMatchObject({ access: 'write', 'expires-at': at });
    expect(await listedIn(project, '&filter[expires-within-days]=3')).toEqual([]);
    expect(await listedIn(project, '&filter[expires-within-days]=4')).toEqual([id]);
    const caller = await api.member('acme', newName(), [team]);
    const places = [`/projects/${project}`, `/organizations/acme/workspaces/${name}`];
    for (const place of places) await caller.get(place).expect(200);
    passDays(4);
    for (const worker of [async () => [], expire]) {
      await worker();
      for (const place of places) expect((await caller.get(place).expect(404)).body).toEqual(missing);
      await admin.get(`/team-projects/${id}`).expect(404);
      expect(await listedIn(project)).toEqual([]);
      expect((await caller.get('/organizations/acme/projects').expect(200)).body.data).toEqual([]);
    }
    expect(await ended(id)).toBe(1);

    const again = (await give(project, team, { access: 'read' }).expect(200)).body.data.id;
    const patch = (attributes: object, by = admin) =>
      by.patch(`/team-projects/${again}`, doc('team-projects', attributes));
    await patch({ access: 'maintain', 'expires-at': inDays(1) }).expect(200);
    passDays(1);
    expect((await admin.get(`/team-projects/${again}`)).body.data.attributes).toMatchObject({
      access: 'read',
      'expires-at': null,
    });
    expect((await patch({ 'expired-at': inDays(9) }).expect(422)).body).toEqual(
      invalid('expired-at', expect.stringContaining('expires-at')),
    );
    await patch({}).expect(200);
    expect(await expire()).not.toContain(again);
    expect(await ended(again)).toBe(1);
  });

  it('lets its admins give no access beyond its end', async () => {
    const [project, team, at] = [await newProject(), await api.team('acme', newName()), inDays(4)];
    await give(project, team, { access: 'admin', 'expires-at': at }).expect(200);
    const caller = await api.member('acme', newName(), [team]);
    const other = await api.team('acme', newName(), { visibility: 'organization' });
    const refused = await give(project, other, { access: 'read' }, caller).expect(422);
    expect(refused.body).toEqual(invalid('expires-at', expect.stringContaining(`must be ${at} or earlier`)));
    await give(project, other, { access: 'admin', 'expires-at': at }, caller).expect(200);
  });
});
