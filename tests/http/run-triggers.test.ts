import { describe, expect, it } from '@jest/globals';
import { runTriggerLimits } from '../../src/domain/index.js';
import { doc, missing, newName, type Prefix, prefix, startApi } from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');

const workspaces = async (count: number): Promise<readonly string[]> => {
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) made.push(await api.workspace('acme', newName()));
  return made;
};

const from = (id: string) => doc('run-triggers', {}, { sourceable: { data: { type: 'workspaces', id } } });
const pathOf = (workspace: string) => `/workspaces/${workspace}/run-triggers`;
const inbound = (workspace: string, more = '') => `${pathOf(workspace)}?filter[run-trigger][type]=inbound${more}`;
const outbound = (workspace: string, more = '') => `${pathOf(workspace)}?filter[run-trigger][type]=outbound${more}`;
const nameOf = async (id: string): Promise<string> => (await admin.get(`/workspaces/${id}`)).body.data.attributes.name;

const connect = async (workspace: string, source: string): Promise<string> =>
  (await admin.post(pathOf(workspace), from(source)).expect(201)).body.data.id;

const idsIn = ({ body }: { readonly body: { readonly data: readonly { readonly id: string }[] } }) =>
  body.data.map(({ id }) => id);

describe('run triggers', () => {
  it.each([prefix, ''] as const)('are created, shown, listed and deleted, at %j', async (mount: Prefix) => {
    const [workspace = '', source = ''] = await workspaces(2);
    const caller = admin.at(mount);
    const created = await caller.post(pathOf(workspace), from(source)).expect(201);
    const { id } = created.body.data;
    expect(created.body).toEqual({
      data: {
        id: expect.stringMatching(/^rt-/),
        type: 'run-triggers',
        attributes: {
          'created-at': api.clock.now(),
          'sourceable-name': await nameOf(source),
          'workspace-name': await nameOf(workspace),
        },
        relationships: {
          sourceable: { data: { id: source, type: 'workspaces' } },
          workspace: { data: { id: workspace, type: 'workspaces' } },
        },
        links: { self: `${mount}/run-triggers/${id}` },
      },
    });
    expect((await caller.get(`/run-triggers/${id}`).expect(200)).body).toEqual(created.body);
    const listed = await caller.get(inbound(workspace)).expect(200);
    expect(listed.body).toMatchObject({ data: [created.body.data], meta: { pagination: { 'total-count': 1 } } });
    expect((await caller.get(outbound(source)).expect(200)).body.data).toEqual([created.body.data]);
    expect((await caller.get(outbound(workspace)).expect(200)).body.data).toEqual([]);
    await caller.delete(`/run-triggers/${id}`).expect(204);
    expect((await caller.get(`/run-triggers/${id}`).expect(404)).body).toEqual(missing);
    expect((await caller.delete(`/run-triggers/${id}`).expect(404)).body).toEqual(missing);
  });

  it('include their workspaces', async () => {
    const [workspace = '', source = ''] = await workspaces(2);
    const id = await connect(workspace, source);
    const included = async (path: string) => {
      const { body } = await admin.get(path).expect(200);
      return (body.included ?? []).map((one: { readonly type: string; readonly id: string }) => one.id).sort();
    };
    expect(await included(inbound(workspace, '&include=sourceable'))).toEqual([source]);
    expect(await included(outbound(source, '&include=workspace'))).toEqual([workspace]);
    expect(await included(`/run-triggers/${id}?include=workspace,sourceable`)).toEqual([workspace, source].sort());
    expect(await included(`/run-triggers/${id}`)).toEqual([]);
    const refused = await admin.get(`/run-triggers/${id}?include=organization`).expect(400);
    expect(refused.body.errors[0].detail).toMatch(/Invalid include parameter$/);
  });

  it('are listed by their type, which is required', async () => {
    const [workspace = ''] = await workspaces(1);
    for (const query of ['', '?filter[run-trigger][type]=', '?filter[run-trigger][type]=oubound']) {
      const { body } = await admin.get(`${pathOf(workspace)}${query}`).expect(422);
      expect(body.errors).toEqual([
        expect.objectContaining({
          source: { parameter: 'filter[run-trigger][type]' },
          detail: 'filter[run-trigger][type] must be one of inbound, outbound',
        }),
      ]);
    }
  });

  it('are refused for itself, twice, and without a source or one elsewhere', async () => {
    const [workspace = '', source = ''] = await workspaces(2);
    await connect(workspace, source);
    await api.organization('elsewhere');
    const beyond = await api.workspace('elsewhere', newName());
    const post = (id: string) => admin.post(pathOf(workspace), from(id));
    for (const [id, detail] of [
      [workspace, 'Sourceable must be another workspace'],
      [source, 'Sourceable has already been taken'],
      [beyond, 'Sourceable must be a workspace of the same organization'],
    ] as const) {
      expect((await post(id).expect(422)).body.errors).toEqual([
        expect.objectContaining({ detail, source: { pointer: '/data/relationships/sourceable' } }),
      ]);
    }
    await admin.post(pathOf(workspace), doc('run-triggers')).expect(422);
    const unknown = await post('ws-unknown').expect(404);
    expect(unknown.body.errors[0].source).toEqual({ pointer: '/data/relationships/sourceable' });
  });

  it('are at most 20 for a workspace', async () => {
    const [workspace = '', ...sources] = await workspaces(runTriggerLimits.sources + 2);
    const last = sources.pop() ?? '';
    const [first = ''] = await Promise.all(sources.map((source) => connect(workspace, source)));
    const refused = await admin.post(pathOf(workspace), from(last)).expect(422);
    expect(refused.body.errors[0].detail).toBe('A workspace can have at most 20 source workspaces');
    await admin.delete(`/run-triggers/${first}`).expect(204);
    await connect(workspace, last);
  });

  it('go with either workspace', async () => {
    const [workspace = '', source = '', other = ''] = await workspaces(3);
    const ids = [await connect(workspace, source), await connect(other, workspace)];
    await admin.delete(`/workspaces/${workspace}`).expect(204);
    for (const id of ids) expect((await admin.get(`/run-triggers/${id}`).expect(404)).body).toEqual(missing);
    expect(idsIn(await admin.get(outbound(source)).expect(200))).toEqual([]);
    expect(idsIn(await admin.get(inbound(other)).expect(200))).toEqual([]);
  });
});

describe('the right to a run trigger', () => {
  it('takes admin of the workspace, and reading runs of the source', async () => {
    const [workspace = '', source = '', hidden = ''] = await workspaces(3);
    const [administering, writing] = [await api.team('acme', newName()), await api.team('acme', newName())];
    for (const team of [administering, writing]) await api.grant(team, source, { access: 'read' });
    await api.grant(administering, workspace, { access: 'admin' });
    await api.grant(writing, workspace, { access: 'write' });
    const [keeper, writer] = [
      await api.member('acme', newName(), [administering]),
      await api.member('acme', newName(), [writing]),
    ];
    const id = (await keeper.post(pathOf(workspace), from(source)).expect(201)).body.data.id;
    const unseen = await keeper.post(pathOf(workspace), from(hidden)).expect(404);
    const none = await keeper.post(pathOf(workspace), from('ws-none')).expect(404);
    expect(unseen.text).toBe(none.text);
    const unable = await writer.post(pathOf(workspace), from(source)).expect(404);
    expect(unable.body.errors[0].detail).toBe('not authorized: requires workspace admin');
    await writer.get(`/run-triggers/${id}`).expect(200);
    await writer.delete(`/run-triggers/${id}`).expect(404);
    const organization = await api.organizationToken('acme');
    await organization.get(inbound(workspace)).expect(200);
    await organization.post(pathOf(workspace), from(hidden)).expect(404);
    await organization.delete(`/run-triggers/${id}`).expect(404);
    await keeper.delete(`/run-triggers/${id}`).expect(204);
  });

  it('hides those whose other workspace is hidden, but not from admins of the workspace', async () => {
    const [workspace = '', visible = '', hidden = ''] = await workspaces(3);
    const [shown, unseen] = [await connect(workspace, visible), await connect(workspace, hidden)];
    const out = await connect(visible, workspace);
    await connect(hidden, workspace);
    const [reading, administering] = [await api.team('acme', newName()), await api.team('acme', newName())];
    for (const [team, access] of [
      [reading, 'read'],
      [administering, 'admin'],
    ] as const) {
      await api.grant(team, workspace, { access });
      await api.grant(team, visible, { access: 'read' });
    }
    const reader = await api.member('acme', newName(), [reading]);
    const keeper = await api.member('acme', newName(), [administering]);
    expect(idsIn(await reader.get(inbound(workspace)).expect(200))).toEqual([shown]);
    expect((await reader.get(`/run-triggers/${unseen}`).expect(404)).body).toEqual(missing);
    const all = await keeper.get(inbound(workspace, '&include=sourceable')).expect(200);
    expect(idsIn(all).sort()).toEqual([shown, unseen].sort());
    expect(all.body.included.map(({ id }: { readonly id: string }) => id)).toEqual([visible]);
    for (const caller of [reader, keeper]) {
      expect(idsIn(await caller.get(outbound(workspace)).expect(200))).toEqual([out]);
    }
    await keeper.get(`/run-triggers/${unseen}`).expect(200);
    await keeper.delete(`/run-triggers/${unseen}`).expect(204);
  });
});
