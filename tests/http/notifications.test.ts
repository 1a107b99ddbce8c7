import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { notificationLimits } from '../../src/domain/index.js';
import { doc, invalid, missing, newName, type Prefix, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { noteSecret } from '../support/secrets-in-logs.js';

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The path of a request is /STATUS/anything, which is answered with the status. */
const received: Received[] = [];
const server = createServer(async (request, response) => {
  const body = await text(request);
  received.push({ path: request.url, headers: request.headers, text: body, body: JSON.parse(body) });
  response.writeHead(Number(request.url?.split('/')[1])).end('so it is');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const urlOf = (status: number, name = newName()) => `http://127.0.0.1:${port}/${status}/${name}`;
afterAll(() => void server.close());

const api = await startApi({ prefix, environment: { NOTIFICATION_ALLOWED_HOSTS: '127.0.0.1' } });
const { admin } = api;
await api.organization('acme');
const workspace = await api.workspace('acme', newName());
const path = `/workspaces/${workspace}/notification-configurations`;
const token = 'a token that is never shown';
noteSecret(token);

const webhook = (attributes: object = {}, relationships?: object) =>
  doc(
    'notification-configurations',
    { name: 'Our channel', enabled: false, 'destination-type': 'generic', url: urlOf(200), ...attributes },
    relationships,
  );

const create = async (attributes: object = {}, to = path) =>
  (await admin.post(to, webhook(attributes)).expect(201)).body.data;

const at = (pointer: string) => expect.objectContaining({ source: { pointer: `/data/${pointer}` } });

const answer = (url: string, code: number) => ({
  url,
  code: String(code),
  body: 'so it is',
  'sent-at': api.clock.now(),
  successful: code === 200 ? 'true' : 'false',
});

describe('notification configurations', () => {
  const resource = (id: string, attributes: object, mount: Prefix = prefix) => ({
    id,
    type: 'notification-configurations',
    attributes: {
      name: 'Our channel',
      enabled: false,
      'destination-type': 'generic',
      token: null,
      triggers: [],
      'email-addresses': [],
      'delivery-responses': [],
      'created-at': api.clock.now(),
      'updated-at': api.clock.now(),
      ...attributes,
    },
    relationships: {
      subscribable: { data: { id: workspace, type: 'workspaces' } },
      users: { data: [] },
    },
    links: { self: `${mount}/notification-configurations/${id}` },
  });

  it.each([prefix, ''] as const)(
    'are created, shown, changed and deleted, and never show their token, at %j',
    async (mount) => {
      const url = urlOf(200);
      const caller = admin.at(mount);
      const triggers = ['run:errored', 'run:created'];
      const subscribable = { data: { type: 'workspaces', id: workspace } };
      const given = webhook({ url, token, triggers }, { subscribable });
      const { text: told, body: created } = await caller.post(path, given).expect(201);
      const { id } = created.data;
      const whole = { url, triggers: ['run:created', 'run:errored'] };
      expect(created).toEqual({ data: resource(id, whole, mount) });
      expect(told).not.toContain(token);
      const one = `/notification-configurations/${id}`;
      expect((await caller.get(one).expect(200)).body).toEqual(created);
      const change = doc('notification-configurations', { name: 'Theirs', triggers: ['run:planning'], token: '' });
      const changed = await caller.patch(one, change).expect(200);
      expect(changed.body).toEqual({
        data: resource(id, { ...whole, name: 'Theirs', triggers: ['run:planning'] }, mount),
      });
      expect((await caller.get(one).expect(200)).body).toEqual(changed.body);
      expect(received.filter(({ path }) => url.endsWith(`${path}`))).toEqual([]);
      await caller.delete(one).expect(204);
      expect((await caller.get(one).expect(404)).body).toEqual(missing);
    },
  );

  it.each([prefix, ''] as const)('belong to projects and teams as well, at %j', async (mount) => {
    const caller = admin.at(mount);
    const project = (await admin.post('/organizations/acme/projects', doc('projects', { name: newName() })).expect(201))
      .body.data.id;
    const team = await api.team('acme', newName());
    for (const [type, id, trigger, refused] of [
      ['projects', project, 'run:errored', 'change_request:created'],
      ['teams', team, 'change_request:created', 'run:errored'],
    ] as const) {
      const to = `/${type}/${id}/notification-configurations`;
      const data = { type, id };
      const given = { enabled: true, url: urlOf(200), triggers: [trigger] };
      const { body } = await caller.post(to, webhook(given, { subscribable: { data } })).expect(201);
      expect(body.data).toMatchObject({
        attributes: { triggers: [trigger] },
        relationships: { subscribable: { data } },
      });
      expect((await caller.get(to).expect(200)).body).toEqual({ data: [body.data] });
      const one = `/notification-configurations/${body.data.id}`;
      expect((await caller.get(one).expect(200)).body).toEqual(body);
      const unserved = (await caller.patch(one, webhook({ triggers: [refused] })).expect(422)).body.errors;
      expect(unserved).toEqual([at('attributes/triggers')]);
      await caller.patch(one, webhook({ name: 'Theirs' })).expect(200);
      await caller.post(`${one}/actions/verify`).expect(200);
      const other = { subscribable: { data: { type, id: `${id}-not` } } };
      const misplaced = (await caller.post(to, webhook({}, other)).expect(422)).body.errors;
      expect(misplaced).toEqual([at('relationships/subscribable')]);
      await caller.delete(one).expect(204);
      expect((await caller.get(to).expect(200)).body).toEqual({ data: [] });
    }
  });

  it('are listed whole, or in pages', async () => {
    const elsewhere = `/workspaces/${await api.workspace('acme', newName())}/notification-configurations`;
    const all = [await create({}, elsewhere), await create({}, elsewhere)];
    const byId = [...all].sort((a, b) => (a.id < b.id ? -1 : 1));
    expect((await admin.get(elsewhere).expect(200)).body).toEqual({ data: byId });
    const { body } = await admin.get(`${elsewhere}?page[number]=2&page[size]=1`).expect(200);
    expect(body).toMatchObject({ data: byId.slice(1), meta: { pagination: { 'total-count': 2 } } });
  });

  it('are refused with what is not served, in words', async () => {
    for (const [attributes, pointer, words] of [
      [{ name: '' }, 'name', 'Name must be'],
      [{ enabled: undefined }, 'enabled', 'Enabled is required'],
      [{ url: undefined }, 'url', "Url can't be blank"],
      [{ url: 'ftp://hooks.example' }, 'url', 'Url must be'],
      [{ 'destination-type': 'pager' }, 'destination-type', 'must be one of'],
      [{ triggers: ['assessment:drifted'] }, 'triggers', 'there are no health assessments'],
      [{ 'destination-type': 'slack', token }, 'token', 'Token can be given only'],
      [{ 'destination-type': 'email', url: null, enabled: true }, 'enabled', 'this service sends no e-mail'],
    ] as const) {
      const refused = await admin.post(path, webhook(attributes)).expect(422);
      expect(refused.body.errors).toEqual([at(`attributes/${pointer}`)]);
      expect(refused.body.errors[0].detail).toContain(words);
    }
    const other = { subscribable: { data: { type: 'workspaces', id: 'ws-other' } } };
    const refused = await admin.post(path, webhook({}, other)).expect(422);
    expect(refused.body.errors).toEqual([at('relationships/subscribable')]);
    const { id } = await create();
    const change = doc('notification-configurations', { 'destination-type': 'slack' });
    expect((await admin.patch(`/notification-configurations/${id}`, change).expect(422)).body).toEqual(
      invalid('destination-type', 'Destination type cannot be changed: create another configuration'),
    );
  });

  it('keep for e-mail whom they are for, while they are disabled', async () => {
    const member = await api.member('acme', newName(), []);
    const users = { data: [{ type: 'users', id: member.id }] };
    const attributes = { 'destination-type': 'email', url: undefined, 'email-addresses': ['ops@acme.example'] };
    const { body } = await admin.post(path, webhook(attributes, { users })).expect(201);
    expect(body.data).toMatchObject({
      attributes: { url: null, 'email-addresses': ['ops@acme.example'] },
      relationships: { users },
    });
    const one = `/notification-configurations/${body.data.id}`;
    const stranger = { data: [{ type: 'users', id: (await api.user(newName())).id }] };
    const nobody = { data: [{ type: 'users', id: 'user-nobody' }] };
    const refused = await admin.patch(one, doc('notification-configurations', {}, { users: stranger })).expect(422);
    expect(refused.body.errors).toEqual([at('relationships/users')]);
    const alike = await admin.patch(one, doc('notification-configurations', {}, { users: nobody })).expect(422);
    expect(alike.text).toBe(refused.text);
    // Clients of this API family leave out an empty list.
    const changed = await admin.patch(one, doc('notification-configurations', { name: 'Nobody' })).expect(200);
    expect(changed.body.data).toMatchObject({
      attributes: { 'email-addresses': ['ops@acme.example'] },
      relationships: { users: { data: [] } },
    });
    expect((await admin.post(`${one}/actions/verify`).expect(400)).body.errors[0].detail).toContain('no e-mail');
  });

  it('are at most 20 for a workspace', async () => {
    const elsewhere = `/workspaces/${await api.workspace('acme', newName())}/notification-configurations`;
    for (let n = 0; n < notificationLimits.perSubject; n += 1) await create({}, elsewhere);
    const refused = await admin.post(elsewhere, webhook()).expect(422);
    expect(refused.body.errors[0].detail).toBe('A workspace can have at most 20 notification configurations');
  });

  it('are for admins of the workspace, and the organization token', async () => {
    const { id } = await create();
    const one = `/notification-configurations/${id}`;
    const [writing, administering] = [await api.team('acme', newName()), await api.team('acme', newName())];
    await api.grant(writing, workspace, { access: 'write' });
    await api.grant(administering, workspace, { access: 'admin' });
    const writer = await api.member('acme', newName(), [writing]);
    for (const target of [path, one]) expect((await writer.get(target).expect(404)).body).toEqual(missing);
    expect((await writer.post(path, webhook()).expect(404)).body).toEqual(missing);
    const keeper = await api.member('acme', newName(), [administering]);
    await keeper.get(path).expect(200);
    await keeper.patch(one, doc('notification-configurations', { name: 'Changed' })).expect(200);
  });
});

describe('the verification of a receiver', () => {
  it('precedes a configuration that is enabled, and is signed', async () => {
    const url = urlOf(200);
    const { id, attributes } = await create({ enabled: true, url, token });
    expect(attributes).toMatchObject({ enabled: true, 'delivery-responses': [answer(url, 200)] });
    const [one] = received.filter(({ path }) => url.endsWith(`${path}`));
    if (one === undefined) throw new Error('nothing was sent');
    const { headers, text, body } = one;
    const nothing = { run_status: null, run_updated_at: null, run_updated_by: null };
    expect(body).toEqual({
      payload_version: 1,
      notification_configuration_id: id,
      run_url: null,
      run_id: null,
      run_message: null,
      run_created_at: null,
      run_created_by: null,
      workspace_id: null,
      workspace_name: null,
      organization_name: null,
      notifications: [{ message: 'Verification of Our channel', trigger: 'verification', ...nothing }],
    });
    expect(headers['x-tfe-notification-signature']).toBe(createHmac('sha512', token).update(text).digest('hex'));
  });

  it('that fails keeps the configuration from being created or enabled', async () => {
    const before = (await admin.get(path).expect(200)).body;
    const detail = 'Unable to complete verification request to destination URL: the receiver answered with status 500';
    const failed = refusal(400, 'bad request', detail);
    expect((await admin.post(path, webhook({ enabled: true, url: urlOf(500) })).expect(400)).body).toEqual(failed);
    expect((await admin.get(path).expect(200)).body).toEqual(before);
    const created = await create({ url: urlOf(500) });
    const one = `/notification-configurations/${created.id}`;
    const enabling = doc('notification-configurations', { enabled: true });
    expect((await admin.patch(one, enabling).expect(400)).body).toEqual(failed);
    expect((await admin.get(one).expect(200)).body.data).toEqual(created);
  });

  it('can be repeated, and its answer is kept either way', async () => {
    const [good, bad] = [urlOf(200), urlOf(404)];
    const { id } = await create({ url: good });
    const one = `/notification-configurations/${id}`;
    const verified = await admin.post(`${one}/actions/verify`).expect(200);
    expect(verified.body.data.attributes['delivery-responses']).toEqual([answer(good, 200)]);
    await admin.at('').post(`${one}/actions/verify`).expect(200);
    await admin.patch(one, doc('notification-configurations', { url: bad })).expect(200);
    await admin.at('').post(`${one}/actions/verify`).expect(400);
    const { attributes } = (await admin.get(one).expect(200)).body.data;
    expect(attributes['delivery-responses']).toEqual([answer(bad, 404), answer(good, 200), answer(good, 200)]);
  });

  it('reaches no private address that the operator has not allowed', async () => {
    const refused = await admin.post(path, webhook({ enabled: true, url: 'https://127.0.0.2/' })).expect(400);
    expect(refused.body.errors[0].detail).toContain(
      '127.0.0.2 has a private address; add it to NOTIFICATION_ALLOWED_HOSTS to allow it',
    );
  });
});

describe('the notifications of a run', () => {
  let bench: Bench;
  let configurations: string;
  beforeAll(async () => {
    bench = await Bench.make(api);
    await bench.version();
    configurations = `/workspaces/${bench.workspaceId}/notification-configurations`;
  });

  const everything = [
    'run:created',
    'run:planning',
    'run:needs_attention',
    'run:applying',
    'run:completed',
    'run:errored',
  ];

  it('are sent in order to those that wait for them', async () => {
    const [all, few] = [urlOf(200), urlOf(200)];
    const { id } = await create({ enabled: true, url: all, token, triggers: everything }, configurations);
    await create({ enabled: true, url: few, 'destination-type': 'slack', triggers: ['run:completed'] }, configurations);
    await create({ url: urlOf(200), triggers: everything }, configurations);
    const seen = received.length;
    const run = await bench.run({ message: 'Make <it> so' });
    await bench.applied(run);
    await api.settle();
    const sent = received.slice(seen);
    const toAll = sent.filter(({ path }) => all.endsWith(`${path}`));
    const told = toAll.map(({ body }) => (body.notifications as readonly Record<string, string>[])[0]);
    expect(told.map((one) => [one?.message, one?.trigger, one?.run_status])).toEqual([
      ['Run Created', 'run:created', 'pending'],
      ['Run Planning', 'run:planning', 'planning'],
      ['Run Needs Attention', 'run:needs_attention', 'planned'],
      ['Run Applying', 'run:applying', 'applying'],
      ['Run Applied', 'run:completed', 'applied'],
    ]);
    const { attributes } = (await admin.get(`/workspaces/${bench.workspaceId}`).expect(200)).body.data;
    const page = `http://gatehouse.test/app/${bench.organization}/${attributes.name}/runs/${run}`;
    expect(toAll.at(-1)?.body).toMatchObject({
      payload_version: 1,
      notification_configuration_id: id,
      run_url: page,
      run_id: run,
      run_message: 'Make <it> so',
      run_created_at: api.clock.now(),
      run_created_by: expect.any(String),
      workspace_id: bench.workspaceId,
      workspace_name: attributes.name,
      organization_name: bench.organization,
    });
    const slack = sent.filter(({ path }) => few.endsWith(`${path}`));
    expect(slack.map(({ body }) => body)).toEqual([
      { text: expect.stringMatching(/^\*<http.*\|Run Applied>\*\n.*\n\*Message\*: Make &lt;it&gt; so\n/) },
    ]);
    expect(sent).toHaveLength(6);
    const kept = (await admin.get(`/notification-configurations/${id}`).expect(200)).body.data;
    expect(kept.attributes['delivery-responses']).toHaveLength(5);
    expect(kept.attributes['delivery-responses'][0]).toEqual(answer(all, 200));
  });
});
