import { describe, expect, it } from '@jest/globals';
import type { UnitOfWork } from '../../src/application/index.js';
import { type Caller, doc, newName, prefix, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { Bench } from '../support/bench.js';

interface Shown {
  readonly attributes: { readonly action: string; readonly outcome: string; readonly [name: string]: unknown };
}

type Answered = Awaited<ReturnType<Caller['get']>>;

const api = await startApi({ prefix });
const acme = newName('acme');
await api.organization(acme);
const workspaceId = await api.workspace(acme, 'network');
const trail = `/organizations/${acme}/audit-events`;

describe('the audit trail', () => {
  const linesOf = (text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  const exported = async (query = '', path = trail, caller: Caller = api.admin) =>
    linesOf((await caller.get(`${path}/export${query}`).buffer(true).parse(asText).expect(200)).body);

  it('shows owners who did what, on what and from where, newest first', async () => {
    const changed = await api.admin.patch(`/workspaces/${workspaceId}`, doc('workspaces', { description: 'x' }));
    const { body } = await api.admin.get(trail).expect(200);
    expect(body.data[0]).toEqual({
      id: expect.stringMatching(/^ae-\d{17}-[0-9a-f]{16}$/),
      type: 'audit-events',
      attributes: {
        at: expect.stringMatching(/Z$/),
        action: 'workspaces/update',
        outcome: 'done',
        count: 1,
        subject: workspaceId,
        'subject-name': 'network',
        'workspace-id': workspaceId,
        'workspace-name': 'network',
        comment: null,
        detail: null,
        'actor-kind': 'user',
        'actor-id': api.admin.id,
        'actor-name': 'admin',
        'token-id': expect.stringMatching(/^at-/),
        address: expect.stringMatching(/127\.0\.0\.1$/),
        'request-id': changed.headers['x-request-id'],
        route: `PATCH ${prefix}/workspaces/:id`,
      },
      links: {
        actor: null,
        subject: `${prefix}/workspaces/${workspaceId}`,
        workspace: `${prefix}/workspaces/${workspaceId}`,
      },
    });
    expect(body.links).toEqual({ self: prefix + trail, first: prefix + trail, next: null });
  });

  it('is turned over page by page, and comes whole as lines', async () => {
    for (let number = 0; number < 3; number += 1) await api.workspace(acme, newName('ws'));
    const all = await exported();
    const ids: string[] = [];
    let path: string | null = `${trail}?page[size]=2`;
    while (path !== null) {
      const answer: Answered = await api.admin.get(path).expect(200);
      expect(answer.body.data.length).toBeLessThanOrEqual(2);
      ids.push(...answer.body.data.map(({ id }: { id: string }) => id));
      path = answer.body.links.next;
      path = path?.slice(prefix.length) ?? null;
    }
    expect(ids).toEqual(all.map(({ id }) => id).reverse());
    expect([...ids].sort()).toEqual([...ids].reverse());
  });

  it('is filtered by who, what and when', async () => {
    const all = await exported();
    const { at } = all.at(-1);
    const get = async (query: string) => (await api.admin.get(`${trail}?${query}`).expect(200)).body.data;
    expect(await get('filter[action]=teams/delete')).toEqual([]);
    expect((await get('filter[action]=workspaces/create&page[size]=1')).length).toBe(1);
    expect(await get('filter[actor]=user-nobody')).toEqual([]);
    expect((await get(`filter[actor]=${api.admin.id}&page[size]=100`)).length).toBe(all.length);
    expect(await get(`since=${new Date(Date.parse(at) + 1).toISOString()}`)).toEqual([]);
    expect((await get(`since=${at}`)).length).toBeGreaterThan(0);
    expect(await get(`until=${all[0].at}`)).toEqual([]);
  });

  it('is filtered by person, workspace and outcome, and without the routine of agents', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    await bench.planned(await bench.run());
    const { poolId, organization } = bench;
    const username = newName('person');
    const person = await api.user(username);
    await person.delete(`/workspaces/${bench.workspaceId}`).expect(404);
    await api.flushRefusals(true);
    const get = async (query: string): Promise<readonly Shown[]> =>
      (await api.admin.get(`/organizations/${organization}/audit-events?page[size]=100&${query}`).expect(200)).body
        .data;
    const all = await get('');
    const only = (keep: (event: Shown['attributes']) => boolean) => all.filter(({ attributes }) => keep(attributes));
    const routine = only((event) => event['actor-id'] === poolId && event.outcome === 'done');
    expect(routine.length).toBeGreaterThan(1);
    expect(await get('filter[routine]=hidden')).toEqual(all.filter((event) => !routine.includes(event)));
    expect(await get('filter[routine]=shown')).toEqual(all);
    expect(await get(`filter[user]=${username.toUpperCase()}`)).toEqual(
      only((event) => event['actor-id'] === person.id),
    );
    expect(await get('filter[user]=nobody')).toEqual([]);
    expect(await get(`filter[user]=${username}&filter[actor]=${poolId}`)).toEqual([]);
    const ofWorkspace = only((event) => event['workspace-id'] === bench.workspaceId);
    expect(await get(`filter[workspace]=${bench.workspaceId}`)).toEqual(ofWorkspace);
    expect(ofWorkspace.map(({ attributes }) => attributes.action)).toEqual(
      expect.arrayContaining(['workspaces/create', 'runs/queue', 'runs/claim', 'workspaces/delete']),
    );
    const [refused, ...others] = await get('filter[outcome]=refused');
    expect(others).toEqual([]);
    expect(refused?.attributes).toMatchObject({ 'actor-name': username, 'workspace-name': expect.any(String) });
    expect(await get('filter[outcome]=resource/not-found')).toEqual([refused]);
  });

  it('names a deleted person until the name is erased', async () => {
    const [kept, erased] = [newName('kept'), newName('erased')];
    const owners = await api.owners(acme);
    for (const [username, query] of [
      [kept, ''],
      [erased, '?erase=true'],
    ] as const) {
      const person = await api.member(acme, username, [owners]);
      await person.patch(`/workspaces/${workspaceId}`, doc('workspaces', { description: username })).expect(200);
      await api.admin.delete(`/admin/users/${person.id}?erase=sometimes`).expect(422);
      await api.admin.delete(`/admin/users/${person.id}${query}`).expect(204);
      await api.settle();
    }
    const { data } = (await api.admin.get(`${trail}?filter[action]=workspaces/update&page[size]=2`).expect(200)).body;
    const names = (data as readonly Shown[]).map(({ attributes }) => attributes['actor-name']);
    expect(names).toEqual(['deleted user', kept]);
    expect((await api.admin.get(`${trail}?filter[user]=${kept}`).expect(200)).body.data).toHaveLength(1);
    expect((await exported()).some((event) => JSON.stringify(event).includes(erased))).toBe(false);
  });

  it('names teams to owners and audit tokens, and not to site administrators once the organization is gone', async () => {
    const gone = newName('gone');
    await api.organization(gone);
    const created = (await exported('', '/admin/audit-events')).at(-1).subject;
    const team = await api.team(gone, 'plotters', { visibility: 'secret' });
    const path = `/organizations/${gone}/audit-events?filter[action]=teams/create`;
    for (const caller of [api.admin, await api.auditToken(gone)]) {
      const [event] = (await caller.get(path).expect(200)).body.data;
      expect(event.attributes).toMatchObject({ subject: team, 'subject-name': 'plotters' });
    }
    await api.admin.delete(`/organizations/${gone}`).expect(204);
    const left = await exported(`?filter[organization]=${created}`, '/admin/audit-events');
    expect(left.find(({ subject }) => subject === team)).toMatchObject({ 'subject-name': null });
  });

  it('names the run, the workspace and the policies of an override, and its comment to readers of the run alone', async () => {
    const bench = await Bench.make(api);
    const policies = [
      { name: 'tags', 'enforcement-level': 'mandatory' },
      { name: 'size', 'enforcement-level': 'advisory' },
    ];
    await bench.policySet({ name: 'manners', overridable: true, policies });
    await bench.version();
    const runId = await bench.run();
    await bench.planned(runId, 'failed');
    const { data: stages } = (await api.admin.get(`/runs/${runId}/task-stages`).expect(200)).body;
    const override = `/task-stages/${stages[0].id}/actions/override`;
    await api.admin.post(override, { comment: 'The tags come tomorrow' }).expect(200);
    const events = `/organizations/${bench.organization}/audit-events?filter[action]=policy-outcomes/override`;
    const [event] = (await api.admin.get(events).expect(200)).body.data;
    expect(event.attributes).toMatchObject({
      subject: stages[0].id,
      'workspace-id': bench.workspaceId,
      'workspace-name': expect.any(String),
      comment: 'The tags come tomorrow',
      detail: {
        runs: [{ id: runId }],
        policies: ['tags', 'size'].map((name) => ({ name, status: 'failed', 'policy-set': 'manners' })),
      },
    });
    const audit = await api.auditToken(bench.organization);
    const [seen] = (await audit.get(events).expect(200)).body.data;
    expect(seen.attributes).toEqual({ ...event.attributes, comment: null });
  });

  it('refuses values that are not a date-time or a page', async () => {
    for (const query of [
      'filter[outcome]=bad',
      'filter[routine]=no',
      'since=yesterday',
      'until=2030',
      'page[after]=x',
      'page[size]=101',
      'page[after]=ae-%25',
    ]) {
      const answer = await api.admin.get(`${trail}?${query}`).expect(422);
      expect(answer.body.errors[0].source.parameter).toBe(query.split('=')[0]);
    }
  });

  it('records refusals of rules and rights, and nothing of what cannot be understood', async () => {
    const stranger = await api.user(newName('stranger'));
    await stranger.delete(`/workspaces/${workspaceId}`).expect(404);
    await stranger.delete(`/workspaces/${workspaceId}`).expect(404);
    await stranger.get(`/workspaces/${workspaceId}`).expect(404);
    const owners = (await api.admin.get(`/organizations/${acme}/teams`).expect(200)).body.data[0].id;
    await api.admin.delete(`/teams/${owners}`).expect(409);
    await api.admin.post(`/organizations/${acme}/workspaces`, doc('workspaces', { name: 7 })).expect(422);
    await api.admin.post(`/organizations/${acme}/workspaces`, doc('workspaces', { name: 'network' })).expect(422);
    await api.flushRefusals(true);
    const refused = (await exported()).filter(({ outcome }) => outcome !== 'done');
    expect(refused.map(({ action, outcome, subject, count }) => [action, outcome, subject, count])).toEqual(
      expect.arrayContaining([
        ['workspaces/delete', 'resource/not-found', workspaceId, 2],
        ['teams/delete', 'owners-team/protected', owners, 1],
        ['workspaces/create', 'attribute/taken', acme, 1],
      ]),
    );
    expect(refused.filter(({ action }) => action === 'workspaces/create')).toHaveLength(1);
    expect(refused.find(({ action }) => action === 'workspaces/delete')?.['actor-id']).toBe(stranger.id);
  });

  it('counts invalid tokens by address, for site administrators', async () => {
    await api.flushRefusals(true);
    const before = (await exported('', '/admin/audit-events')).length;
    for (let number = 0; number < 5; number += 1) await api.anonymous.get('/account/details').expect(401);
    await api.as('wrong').delete(`/workspaces/${workspaceId}`).expect(401);
    await api.flushRefusals(true);
    const [event, ...others] = (await exported('', '/admin/audit-events')).slice(before);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      action: 'requests/authenticate',
      outcome: 'actor/unauthenticated',
      count: 6,
      'actor-kind': 'nobody',
      address: expect.stringMatching(/127\.0\.0\.1$/),
    });
  });

  it('records uploads, good and bad, without their URLs', async () => {
    const { id, uploadUrl } = await api.version(workspaceId);
    await api.upload(uploadUrl, await archiveOf({ 'main.tf': 'x' })).expect(200);
    const bad = await api.version(workspaceId);
    await api.upload(bad.uploadUrl, Buffer.from('no archive')).expect(422);
    await api.flushRefusals(true);
    const events = (await exported()).filter((event) => event['actor-kind'] === 'upload-url');
    expect(events.map(({ action, outcome, subject }) => [action, outcome, subject])).toEqual([
      ['configuration-versions/upload', 'done', id],
      ['configuration-versions/fail', 'done', bad.id],
      ['configuration-versions/upload', 'bundle/malformed', bad.id],
    ]);
    expect(JSON.stringify(events)).not.toContain(uploadUrl.split('/').at(-1));
    await api.settle();
    expect((await exported()).at(-1)).toMatchObject({ action: 'runs/queue', 'actor-kind': 'system', address: null });
  });

  it('of a removed organization is left to site administrators', async () => {
    const gone = newName('gone');
    await api.organization(gone);
    await api.workspace(gone, 'network');
    const site = (query = '') => exported(query, '/admin/audit-events');
    const created = (await site()).at(-1);
    expect(created).toMatchObject({ action: 'organizations/create' });
    const left = `?filter[organization]=${created.subject}`;
    expect(await site(left)).toEqual([]);
    await api.admin.delete(`/organizations/${gone}`).expect(204);
    expect((await site(left)).map(({ action }) => action)).toEqual(['workspaces/create']);
    await api.settle();
    expect((await site(left)).map(({ action }) => action)).toEqual(['workspaces/create']);
    expect((await site()).at(-1)).toMatchObject({ action: 'organizations/delete', subject: created.subject });
  });

  it('is streamed as lines, from where its reader left off', async () => {
    for (let number = 0; number < 3; number += 1) await api.workspace(acme, newName('ws'));
    const answer = await api.admin.get(`${trail}/export`).buffer(true).parse(asText).expect(200);
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    expect(answer.headers['content-length']).toBeUndefined();
    const all = linesOf(answer.body);
    const rest = await exported(`?page[after]=${all[2].id}`);
    expect(rest.map(({ id }) => id)).toEqual(all.slice(3).map(({ id }) => id));
    await api.admin.send('head', `${trail}/export`).expect(200);
  });

  it.each([
    [
      'token is revoked',
      async (owner: Caller) => {
        const { data } = (await owner.get(`/users/${owner.id}/authentication-tokens`).expect(200)).body;
        await owner.delete(`/authentication-tokens/${data[0].id}`).expect(204);
      },
    ],
    ['user is suspended', (owner: Caller) => api.admin.post(`/admin/users/${owner.id}/actions/suspend`).expect(200)],
  ])('is cut off when the %s while it is read', async (_, end) => {
    const owners = (await api.admin.get(`/organizations/${acme}/teams`).expect(200)).body.data[0].id;
    const owner = await api.member(acme, newName('owner'), [owners]);
    for (let number = 0; number < 101; number += 1) {
      await api.admin.patch(`/workspaces/${workspaceId}`, doc('workspaces', { description: `${number}` })).expect(200);
    }
    let parts = 0;
    const reading: UnitOfWork = {
      run: (work) => api.unitOfWork.run(work),
      read: (work) =>
        api.unitOfWork.read((tx) => {
          const slice: typeof tx.audit.slice = async (...given) => {
            const found = await tx.audit.slice(...given);
            parts += 1;
            if (parts === 1) await end(owner);
            return found;
          };
          return work({ ...tx, audit: Object.assign(Object.create(tx.audit), { slice }) });
        }),
    };
    const served = await startApi({ prefix, unitOfWork: reading });
    await expect(served.as(owner.secret).get(`${trail}/export`)).rejects.toThrow('aborted');
    expect(parts).toBe(1);
    const { fields } = served.log.lines.find(({ message }) => message === 'request') ?? {};
    expect(fields).toMatchObject({ status: 401 });
  });

  it('forgets what is older than it is kept', async () => {
    const kept = (await exported()).length;
    expect(kept).toBeGreaterThan(0);
    const forever = await startApi({ prefix, environment: { AUDIT_DAYS: '0' }, unitOfWork: api.unitOfWork });
    expect(await forever.forgetAuditEvents()).toEqual({ forgotten: 0, more: false });
    // The events carry the system's time, and the clock of the tests is years ahead of it.
    for (let more = true; more; ) ({ more } = await api.forgetAuditEvents());
    expect(await exported()).toEqual([]);
  });
});

/** A body that superagent does not parse. */
function asText(given: unknown, done: (error: Error | null, text: string) => void): void {
  const response = given as NodeJS.ReadableStream;
  let text = '';
  response.on('data', (chunk) => {
    text += chunk;
  });
  response.on('end', () => done(null, text));
}
