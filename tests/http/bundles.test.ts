import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import supertest, { type Test } from 'supertest';
import {
  type Caller,
  doc,
  missing,
  newName,
  pathOf,
  refusal,
  startApi,
  type TestApi,
  unusableUrl,
} from '../support/api.js';
import { type ArchiveEntry, archiveOf, gzipped, packed } from '../support/archives.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';

const lifetimes = { UPLOAD_URL_SECONDS: '600', DOWNLOAD_URL_SECONDS: '30' };
const limits = { MAX_ARCHIVE_BYTES: '5000', MAX_UNPACKED_BYTES: '20000', MAX_ARCHIVE_ENTRIES: '3' };

const bundleStore = new MemoryBundleStore();

const api = await startApi({ bundleStore, environment: lifetimes });
await api.organization('acme');
const workspaceId = await api.workspace('acme', 'api');
const good = await archiveOf({ 'main.tf': 'terraform {}', 'modules/network/main.tf': '# nothing yet' });
const other = await archiveOf({ 'main.tf': randomBytes(4000).toString('hex') });

const servers: Server[] = [];

/** Resolves when one of the servers receives the next request. */
async function reached(): Promise<void> {
  const arrived = new AbortController();
  await Promise.race(servers.map((server) => once(server, 'request', arrived)));
  arrived.abort();
}

/** Listens, until the last test is over, for clients that supertest cannot imitate. Returns the port. */
async function serve({ app }: TestApi): Promise<number> {
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A version that may be archived. */
const newVersion = (of: TestApi = api, workspace = workspaceId) => of.version(workspace, { speculative: true });

async function newUploaded(bytes: Buffer = good): Promise<{ id: string; uploadUrl: string }> {
  const version = await newVersion();
  await api.upload(version.uploadUrl, bytes).expect(200);
  return version;
}

const shown = async (id: string, of: TestApi = api) =>
  (await of.admin.get(`/configuration-versions/${id}`).expect(200)).body.data.attributes;

const statusOf = async (id: string, of: TestApi = api): Promise<string> => (await shown(id, of)).status;

const downloadUrl = async (id: string): Promise<string> =>
  (await api.admin.get(`/configuration-versions/${id}/download`).expect(302)).headers.location as string;

const at = (method: 'get' | 'head' | 'put' | 'post' | 'patch' | 'delete', url: string, of: TestApi = api): Test =>
  supertest(of.app)[method](pathOf(url)).redirects(0);

const download = (url: string): Test => at('get', url).responseType('blob');

const refused = (reason: string) =>
  refusal(
    409,
    'transition not allowed',
    `configuration could not be uploaded because ${reason}; upload to a new configuration version`,
  );

/** Attempts in the store that are neither kept nor discarded, of any age. */
const leftBehind = () => bundleStore.unsettled(-60);

const until = async (happened: () => boolean): Promise<void> => {
  while (!happened()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('an upload', () => {
  it('makes its version uploaded before it is answered, with an empty 200', async () => {
    const { id, uploadUrl } = await newVersion();
    const answer = await api.upload(uploadUrl, good).expect(200);
    expect(answer.text).toBe('');
    expect(answer.headers['content-length']).toBe('0');
    expect(await shown(id)).toMatchObject({
      status: 'uploaded',
      error: null,
      'error-message': null,
      'status-timestamps': { 'uploaded-at': api.clock.now() },
    });
  });

  it('needs no token, and neither looks at one nor at the type of its contents', async () => {
    for (const headers of [
      { Authorization: 'Bearer no such secret' },
      { Authorization: 'nonsense', 'Content-Type': 'text/plain; charset=klingon' },
      { 'Content-Type': 'application/json' },
      { 'Content-Type': 'application/vnd.api+json', Accept: 'application/json, */*' },
    ]) {
      const { id, uploadUrl } = await newVersion();
      const bytesAsTheyAre = (given: unknown) => given as string;
      await at('put', uploadUrl).set(headers).serialize(bytesAsTheyAre).send(good).expect(200);
      expect(await statusOf(id)).toBe('uploaded');
    }
  });

  it('is refused once a run has used the version, but for the very bytes it holds', async () => {
    const { id, uploadUrl } = await newUploaded();
    await api.seedRun({
      id: 'run-1',
      workspaceId,
      configurationVersionId: id,
      status: 'applied',
      createdBy: null,
    });
    expect((await api.upload(uploadUrl, other).expect(409)).body).toEqual(refused('a run has used it'));
    await api.upload(uploadUrl, good).expect(200);
    expect((await download(await downloadUrl(id)).expect(200)).body.equals(good)).toBe(true);
  });

  it('to an altered, foreign or expired address is 404', async () => {
    const { id, uploadUrl } = await newVersion();
    const { uploadUrl: anothers } = await newVersion();
    const directory = uploadUrl.slice(0, uploadUrl.lastIndexOf('/') + 1);
    const [own, expiry, signature] = uploadUrl.slice(directory.length).split('.');
    for (const url of [
      `${uploadUrl.slice(0, -10)}nonexisting`,
      uploadUrl.slice(0, -1),
      `${uploadUrl}A`,
      `${uploadUrl}.A`,
      `${directory}${own}.zzzzzzz.${signature}`,
      `${directory}${own}.${expiry}.${anothers.split('.').at(-1)}`,
      `${directory}nonexisting`,
      `${directory}...`,
    ]) {
      const answer = await api.upload(url, good).expect(404);
      expect(answer.body).toEqual(unusableUrl('configuration version'));
    }
    api.clock.advance(599);
    await api.upload(uploadUrl, good).expect(200);
    api.clock.advance(1);
    expect((await api.upload(uploadUrl, good).expect(404)).body).toEqual(unusableUrl('configuration version'));
    expect(await statusOf(id)).toBe('uploaded');
  });
});

const entries = (...given: ArchiveEntry[]) => packed([{ header: { name: 'main.tf' }, body: '{}' }, ...given]);

describe('an upload that is not a valid archive', () => {
  const bad: Readonly<Record<string, () => Promise<Buffer> | Buffer>> = {
    'plain text': () => Buffer.from('resource "nothing" "here" {}'),
    nothing: () => Buffer.alloc(0),
    'a truncated gzip': () => good.subarray(0, good.length - 10),
    'a gzip of text': () => gzipped(Buffer.from('not a tar'.repeat(200))),
    'a gzip of nothing': () => gzipped(Buffer.alloc(0)),
    'an archive with something behind it': () => Buffer.concat([good, Buffer.from('more')]),
    'an absolute path': () => entries({ header: { name: '/etc/passwd' }, body: 'root' }),
    'a path that climbs out': () => entries({ header: { name: '../main.tf' }, body: '{}' }),
    'a path that climbs out later': () => entries({ header: { name: 'a/../../main.tf' }, body: '{}' }),
    'a symbolic link out': () => entries({ header: { name: 'a/link', type: 'symlink', linkname: '../../etc' } }),
    'an absolute symbolic link': () => entries({ header: { name: 'link', type: 'symlink', linkname: '/etc' } }),
    'a hard link out': () => entries({ header: { name: 'link', type: 'link', linkname: '../etc/passwd' } }),
    'a device': () => entries({ header: { name: 'null', type: 'character-device', devmajor: 1, devminor: 3 } }),
  };

  it.each(Object.keys(bad))('but %s is 422, and its version errored', async (name) => {
    const { id, uploadUrl } = await newVersion();
    const answer = await api.upload(uploadUrl, await (bad[name] as () => Buffer)()).expect(422);
    expect(answer.body).toEqual(refusal(422, 'invalid archive', expect.any(String)));
    expect(await shown(id)).toMatchObject({
      status: 'errored',
      error: 'bad-archive',
      'error-message': answer.body.errors[0].detail,
      'status-timestamps': { 'errored-at': api.clock.now() },
    });
    expect(await leftBehind()).toEqual([]);
    await api.admin.get(`/configuration-versions/${id}/download`).expect(404);
    expect((await api.upload(uploadUrl, good).expect(409)).body).toEqual(refused('its status is errored'));
  });
});

const limited = await startApi({ environment: limits, bundleStore });
await limited.organization('acme');
const workspace = await limited.workspace('acme', 'api');

describe('an upload over a limit', () => {
  const over: readonly { limit: keyof typeof limits; sentence: string; bytes: () => Promise<Buffer> | Buffer }[] = [
    { limit: 'MAX_ARCHIVE_BYTES', sentence: 'the archive is larger', bytes: () => randomBytes(6000) },
    {
      limit: 'MAX_UNPACKED_BYTES',
      sentence: 'the archive unpacks to more',
      bytes: () => archiveOf({ 'zeros.tf': '0'.repeat(30_000) }),
    },
    {
      limit: 'MAX_ARCHIVE_ENTRIES',
      sentence: 'the archive has more entries',
      bytes: () => archiveOf({ a: '', b: '', c: '', d: '' }),
    },
  ];

  it.each(over)('is 413 naming $limit, and its version stays pending', async ({ limit, sentence, bytes }) => {
    const { id, uploadUrl } = await newVersion(limited, workspace);
    const answer = await limited.upload(uploadUrl, await bytes()).expect(413);
    const detail = `${sentence} than ${limit} allows (${limits[limit]})`;
    expect(answer.body).toEqual(refusal(413, 'payload too large', detail));
    expect(await statusOf(id, limited)).toBe('pending');
    expect(await leftBehind()).toEqual([]);
    await limited.upload(uploadUrl, good).expect(200);
    expect(await statusOf(id, limited)).toBe('uploaded');
    await limited.upload(uploadUrl, await bytes()).expect(413);
    expect(await statusOf(id, limited)).toBe('uploaded');
  });

  it.each(['keep-alive', 'close'])(
    'is refused in words that reach a client who sends everything before listening, on a connection to %s',
    async (connection) => {
      const { uploadUrl } = await newVersion(limited, workspace);
      const socket = connect(await serve(limited), '127.0.0.1').pause();
      const bytes = randomBytes(16 * 1024 * 1024);
      const headers = `Host: gatehouse\r\nConnection: ${connection}\r\nContent-Length: ${bytes.length}`;
      socket.write(`PUT ${pathOf(uploadUrl)} HTTP/1.1\r\n${headers}\r\n\r\n`);
      await new Promise<void>((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      });
      const answer = await new Promise<string>((resolve, reject) => {
        socket.once('data', (chunk) => resolve(String(chunk))).once('error', reject);
        socket.resume();
      });
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toContain('MAX_ARCHIVE_BYTES');
      socket.destroy();
    },
  );

  it('is refused before it is over, and logged as refused when the client then leaves', async () => {
    const { uploadUrl } = await newVersion(limited, workspace);
    const refusals = () => limited.log.lines.filter(({ fields }) => (fields as { status?: number }).status === 413);
    const before = refusals().length;
    const headers = { 'Content-Length': 1_000_000_000 };
    const options = { host: '127.0.0.1', port: await serve(limited), method: 'PUT', path: pathOf(uploadUrl), headers };
    const status = await new Promise((resolve, reject) => {
      const upload = request(options).on('error', reject);
      upload.on('response', (response) => {
        response.resume().once('end', () => {
          upload.off('error', reject).on('error', () => undefined);
          upload.destroy();
          resolve(response.statusCode);
        });
      });
      upload.write(randomBytes(6000));
    });
    expect(status).toBe(413);
    await until(() => refusals().length > before);
  });
});

const port = await serve(api);

describe('an upload that breaks off', () => {
  /** How often the log reports that a client left before its response. */
  const goneAway = () => api.log.lines.filter(({ fields }) => (fields as { status?: number }).status === 499).length;

  const put = (url: string, headers: Record<string, string | number> = {}) =>
    request({ host: '127.0.0.1', port, method: 'PUT', path: pathOf(url), headers });

  it('because the client goes away leaves its version pending, and nothing behind', async () => {
    const { id, uploadUrl } = await newVersion();
    const before = goneAway();
    const upload = put(uploadUrl).on('error', () => undefined);
    const arrived = reached();
    upload.write(other.subarray(0, 2000));
    await arrived;
    upload.destroy();
    await until(() => goneAway() > before);
    expect(await statusOf(id)).toBe('pending');
    expect(await leftBehind()).toEqual([]);
    await api.upload(uploadUrl, other).expect(200);
  });

  it('before it is as long as it said leaves its version pending, and nothing behind', async () => {
    const { id, uploadUrl } = await newVersion();
    const before = goneAway();
    const socket = connect(port, '127.0.0.1');
    socket.write(`PUT ${pathOf(uploadUrl)} HTTP/1.1\r\nHost: gatehouse\r\nContent-Length: ${good.length + 50}\r\n\r\n`);
    socket.end(good);
    await until(() => goneAway() > before);
    socket.destroy();
    expect(await statusOf(id)).toBe('pending');
    expect(await leftBehind()).toEqual([]);
  });

  it('does not when it only comes in pieces of unknown number', async () => {
    const { id, uploadUrl } = await newVersion();
    const status = await new Promise((resolve, reject) => {
      const upload = put(uploadUrl, { 'Transfer-Encoding': 'chunked' });
      upload.on('error', reject).on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      for (let at = 0; at < other.length; at += 1000) upload.write(other.subarray(at, at + 1000));
      upload.end();
    });
    expect(status).toBe(200);
    expect((await download(await downloadUrl(id)).expect(200)).body.equals(other)).toBe(true);
  });

  it('because the service stops is answered with that reason', async () => {
    const stopping = await startApi({ bundleStore });
    await stopping.organization('acme');
    const { id, uploadUrl } = await newVersion(stopping, await stopping.workspace('acme', 'api'));
    const upload = stopping.upload(uploadUrl, good);
    stopping.stopping.abort();
    expect((await upload.expect(408)).body).toEqual(refusal(408, 'request timeout', 'the service is stopping'));
    expect(await statusOf(id, stopping)).toBe('pending');
    expect(await leftBehind()).toEqual([]);
  });
});

describe('the upload URL of a creator who lost the right', () => {
  /** A user in a team, or that team's token, with the right to queue plans on a workspace of its own. */
  async function creator(kind: 'user' | 'team') {
    const name = newName('creator');
    const teamId = await api.team('acme', name);
    const ownWorkspace = await api.workspace('acme', name);
    const grantId = await api.grant(teamId, ownWorkspace, { access: 'plan' });
    const user = await api.member('acme', name, [teamId]);
    const token = await api.admin
      .post(`/teams/${teamId}/authentication-token`, doc('authentication-token'))
      .expect(201);
    const caller: Caller = kind === 'user' ? user : api.as(token.body.data.attributes.token);
    return {
      teamId,
      userId: user.id,
      workspaceId: ownWorkspace,
      grantId,
      name,
      revokeToken: async () => {
        const ofTeam = `/teams/${teamId}/authentication-token`;
        if (kind === 'team') return api.admin.delete(ofTeam).expect(204);
        const { body } = await user.get(`/users/${user.id}/authentication-tokens`).expect(200);
        return user.delete(`/authentication-tokens/${body.data[0].id}`).expect(204);
      },
      version: async (attributes: object = {}): Promise<{ id: string; uploadUrl: string }> => {
        const path = `/workspaces/${ownWorkspace}/configuration-versions`;
        const { body } = await caller.post(path, { data: { attributes } }).expect(201);
        return { id: body.data.id, uploadUrl: body.data.attributes['upload-url'] };
      },
    };
  }

  type Creator = Awaited<ReturnType<typeof creator>>;

  const membershipOf = async ({ name }: Creator): Promise<string> => {
    const { body } = await api.admin.get('/organizations/acme/organization-memberships?page[size]=100').expect(200);
    return body.data.find((one: { attributes: { email: string } }) => one.attributes.email === `${name}@example.com`)
      .id;
  };

  const grantPath = ({ grantId }: Creator) => `/team-workspaces/${grantId}`;
  const lost: readonly {
    readonly kind: 'user' | 'team';
    readonly how: string;
    readonly lose: (maker: Creator) => Promise<unknown>;
  }[] = [
    {
      kind: 'user',
      how: 'is suspended',
      lose: ({ userId }) => api.admin.post(`/admin/users/${userId}/actions/suspend`).expect(200),
    },
    { kind: 'user', how: 'is deleted', lose: ({ userId }) => api.admin.delete(`/admin/users/${userId}`).expect(204) },
    {
      kind: 'user',
      how: 'has left the organization',
      lose: async (maker) => api.admin.delete(`/organization-memberships/${await membershipOf(maker)}`).expect(204),
    },
    {
      kind: 'user',
      how: 'has left the team',
      lose: ({ teamId, userId }) =>
        api.admin.delete(`/teams/${teamId}/relationships/users`, { data: [{ id: userId, type: 'users' }] }).expect(204),
    },
    ...(['user', 'team'] as const).flatMap((kind) => [
      {
        kind,
        how: 'lost the team',
        lose: ({ teamId }: Creator) => api.admin.delete(`/teams/${teamId}`).expect(204),
      },
      { kind, how: 'lost the grant', lose: (maker: Creator) => api.admin.delete(grantPath(maker)).expect(204) },
      {
        kind,
        how: 'may only read by now',
        lose: (maker: Creator) =>
          api.admin.patch(grantPath(maker), doc('team-workspaces', { access: 'read' })).expect(200),
      },
    ]),
  ];

  /** Sends the head and half of the body, then the rest after `meanwhile`. */
  async function slowly(url: string, bytes: Buffer, meanwhile: () => Promise<unknown>) {
    const headers = { 'Content-Length': bytes.length };
    const sent = request({ host: '127.0.0.1', port, method: 'PUT', path: pathOf(url), headers });
    const answered = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      sent.on('error', reject).on('response', async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() });
      });
    });
    const arrived = reached();
    sent.write(bytes.subarray(0, bytes.length / 2));
    await arrived;
    await meanwhile();
    sent.end(bytes.subarray(bytes.length / 2));
    const { status, text } = await answered;
    return { status, body: text === '' ? undefined : JSON.parse(text) };
  }

  const gone = { status: 404, body: unusableUrl('configuration version') };

  describe.each(lost)('a $kind who $how', ({ kind, lose }) => {
    it('takes nothing, neither new bytes nor those that are there, and is as an altered one', async () => {
      const maker = await creator(kind);
      const [pending, uploaded] = [await maker.version(), await maker.version({ 'auto-queue-runs': false })];
      await api.upload(uploaded.uploadUrl, good).expect(200);
      await lose(maker);
      const altered = await api.upload(`${pending.uploadUrl.slice(0, -3)}abc`, good).expect(404);
      for (const [{ uploadUrl }, bytes] of [
        [pending, good],
        [pending, Buffer.from('not an archive')],
        [uploaded, good],
        [uploaded, other],
      ] as const) {
        const answer = await api.upload(uploadUrl, bytes).expect(404);
        expect(answer.text).toBe(altered.text);
      }
      expect(await statusOf(pending.id)).toBe('pending');
      expect((await download(await downloadUrl(uploaded.id)).expect(200)).body.equals(good)).toBe(true);
      expect(await leftBehind()).toEqual([]);
    });

    it('keeps nothing of what was being sent', async () => {
      const maker = await creator(kind);
      const { id, uploadUrl } = await maker.version();
      expect(await slowly(uploadUrl, other, () => lose(maker))).toEqual(gone);
      expect(await shown(id)).toMatchObject({ status: 'pending', error: null });
      expect(await leftBehind()).toEqual([]);
      await api.settle();
      expect((await api.admin.get(`/workspaces/${maker.workspaceId}/runs`).expect(200)).body.data).toEqual([]);
    });

    it('queues no run of what was uploaded in time, which the audit trail shows', async () => {
      const maker = await creator(kind);
      const { id, uploadUrl } = await maker.version();
      await api.upload(uploadUrl, good).expect(200);
      await lose(maker);
      await api.settle();
      expect(await statusOf(id)).toBe('uploaded');
      expect((await api.admin.get(`/workspaces/${maker.workspaceId}/runs`).expect(200)).body.data).toEqual([]);
      const trail = await api.admin.get('/organizations/acme/audit-events?filter[action]=runs/queue').expect(200);
      expect(trail.body.data[0].attributes).toMatchObject({
        action: 'runs/queue',
        outcome: 'resource/not-found',
        subject: id,
        'actor-kind': kind,
        'actor-id': kind === 'user' ? maker.userId : maker.teamId,
        'token-id': null,
        route: null,
      });
    });
  });

  const suspend = ({ userId }: Creator) => api.admin.post(`/admin/users/${userId}/actions/suspend`).expect(200);

  it('is refused before its body is read', async () => {
    const maker = await creator('user');
    const { uploadUrl } = await maker.version();
    await suspend(maker);
    const headers = { 'Content-Length': 1_000_000 };
    const status = await new Promise((resolve, reject) => {
      const upload = request({ host: '127.0.0.1', port, method: 'PUT', path: pathOf(uploadUrl), headers });
      upload
        .on('error', () => undefined)
        .on('response', (response) => {
          resolve(response.statusCode);
          upload.destroy();
        });
      upload.flushHeaders();
      setTimeout(() => reject(new Error('the body was waited for')), 4000).unref();
    });
    expect(status).toBe(404);
  });

  it('does not have its version errored by a body that is not an archive', async () => {
    const maker = await creator('user');
    const { id, uploadUrl } = await maker.version();
    expect(await slowly(uploadUrl, Buffer.from('not an archive at all'), () => suspend(maker))).toEqual(gone);
    expect(await shown(id)).toMatchObject({ status: 'pending', error: null });
    await api.admin.post(`/admin/users/${maker.userId}/actions/unsuspend`).expect(200);
    await api.upload(uploadUrl, good).expect(200);
  });

  it('answers no more about its version while the right is lost', async () => {
    const maker = await creator('user');
    const { id, uploadUrl } = await maker.version({ 'auto-queue-runs': false });
    await api.upload(uploadUrl, good).expect(200);
    const run = { id: `run-of-${id}`, workspaceId: maker.workspaceId, configurationVersionId: id } as const;
    await api.seedRun({ ...run, status: 'applied', createdBy: null });
    await api.upload(uploadUrl, other).expect(409);
    await api.upload(uploadUrl, good).expect(200);
    const unsuspend = () => api.admin.post(`/admin/users/${maker.userId}/actions/unsuspend`).expect(200);
    for (const bytes of [good, other]) {
      expect(await slowly(uploadUrl, bytes, () => suspend(maker))).toEqual(gone);
      await unsuspend();
    }
    await api.upload(uploadUrl, good).expect(200);
  });

  it.each(['user', 'team'] as const)('asks for the %s, and not for its token', async (kind) => {
    const maker = await creator(kind);
    const { id, uploadUrl } = await maker.version();
    await maker.revokeToken();
    await api.upload(uploadUrl, good).expect(200);
    await api.settle();
    expect(await statusOf(id)).toBe('uploaded');
    expect((await api.admin.get(`/workspaces/${maker.workspaceId}/runs`).expect(200)).body.data).toHaveLength(1);
  });
});

describe('a download', () => {
  it('is the uploaded bytes, unchanged and not encoded, whatever the client asks for', async () => {
    const { id } = await newUploaded();
    const url = await downloadUrl(id);
    for (const headers of [
      {},
      { 'Accept-Encoding': 'gzip, br' },
      { Accept: 'application/vnd.api+json', Authorization: 'Bearer no such secret' },
      { Accept: 'image/png', 'If-None-Match': '*' },
    ]) {
      const answer = await download(url).set(headers).expect(200);
      expect(answer.body.equals(good)).toBe(true);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-length': String(good.length),
        'accept-ranges': 'bytes',
        etag: `"${createHash('sha256').update(good).digest('hex')}"`,
        'content-disposition': 'attachment; filename="configuration.tar.gz"',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(answer.headers).not.toHaveProperty('transfer-encoding');
    }
  });

  it('of a part is that part', async () => {
    const { id } = await newUploaded();
    const url = await downloadUrl(id);
    const { length } = good;
    const parts: readonly [string, number, number][] = [
      ['bytes=0-9', 0, 9],
      ['bytes=5-5', 5, 5],
      ['bytes=20-', 20, length - 1],
      ['bytes=-7', length - 7, length - 1],
      [`bytes=10-${length + 100}`, 10, length - 1],
    ];
    for (const [range, start, end] of parts) {
      const answer = await download(url).set('Range', range).expect(206);
      expect(answer.body.equals(good.subarray(start, end + 1))).toBe(true);
      expect(answer.headers['content-range']).toBe(`bytes ${start}-${end}/${length}`);
      expect(answer.headers['content-length']).toBe(String(end - start + 1));
      expect(answer.headers['content-type']).toBe('application/octet-stream');
    }
  });

  it('of a part that is not there is 416', async () => {
    const { id } = await newUploaded();
    const answer = await at('get', await downloadUrl(id)).set('Range', `bytes=${good.length}-`);
    expect(answer.status).toBe(416);
    expect(answer.headers['content-range']).toBe(`bytes */${good.length}`);
  });

  it('is whole when several parts are asked for, or none that can be understood', async () => {
    const { id } = await newUploaded();
    const url = await downloadUrl(id);
    for (const range of ['bytes=0-1,4-5', 'bytes=abc', 'lines=0-1', 'bytes']) {
      const answer = await download(url).set('Range', range).expect(200);
      expect(answer.body.equals(good)).toBe(true);
      expect(answer.headers).not.toHaveProperty('content-range');
    }
  });

  it('of a part is whole when the part is wanted of other bytes', async () => {
    const { id, uploadUrl } = await newUploaded();
    const url = await downloadUrl(id);
    const { etag = '' } = (await download(url).expect(200)).headers;
    await download(url).set({ Range: 'bytes=0-9', 'If-Range': etag }).expect(206);
    await api.upload(uploadUrl, other).expect(200);
    for (const condition of [etag, 'Tue, 01 Jan 2030 00:00:00 GMT']) {
      const answer = await download(url).set({ Range: 'bytes=0-9', 'If-Range': condition }).expect(200);
      expect(answer.body.equals(other)).toBe(true);
    }
  });

  it('can be asked for its headers alone', async () => {
    const { id } = await newUploaded();
    const url = await downloadUrl(id);
    for (const headers of [{}, { Range: 'bytes=0-9' }]) {
      const answer = await at('head', url).set(headers).expect(200);
      expect(answer.headers['content-length']).toBe(String(good.length));
      expect(answer.headers['content-type']).toBe('application/octet-stream');
      expect(answer.text ?? '').toBe('');
    }
  });

  it('asks again each time whether the version still has its bytes', async () => {
    const { id } = await newUploaded();
    const url = await downloadUrl(id);
    await download(url).expect(200);
    await api.admin.post(`/configuration-versions/${id}/actions/archive`).expect(202);
    expect((await at('get', url).expect(404)).body).toEqual(missing);
    await at('head', url).expect(404);
  });

  it('from an altered or expired address is 404', async () => {
    const { id } = await newUploaded();
    const url = await downloadUrl(id);
    expect((await at('get', `${url.slice(0, -10)}nonexisting`).expect(404)).body).toEqual(missing);
    api.clock.advance(29);
    await download(url).expect(200);
    api.clock.advance(1);
    expect((await at('get', url).expect(404)).body).toEqual(missing);
    await download(await downloadUrl(id)).expect(200);
  });
});

describe('a capability URL', () => {
  it('serves the one purpose it was given for', async () => {
    const { id, uploadUrl } = await newUploaded();
    const url = await downloadUrl(id);
    expect((await at('get', uploadUrl).expect(404)).body).toEqual(missing);
    expect((await api.upload(url, other).expect(404)).body).toEqual(unusableUrl('configuration version'));
    expect((await download(url).expect(200)).body.equals(good)).toBe(true);
  });

  it('is good where its signing secret is known and another one signs, as are sealed values', async () => {
    const [old, fresh, other] = ['one old secret', 'one new secret', 'no such secret'].map((text) =>
      text.padEnd(40, '.'),
    );
    const rows = await startApi({ signingSecrets: [old as string] });
    await rows.organization('acme');
    const workspace = await rows.workspace('acme', 'api');
    const variables = `/workspaces/${workspace}/vars`;
    const variable = doc('vars', { key: 'REGION', value: 'north', category: 'env' });
    await rows.admin.post(variables, variable).expect(201);
    const [first, second] = [await rows.version(workspace), await rows.version(workspace)];
    await rows.upload(first.uploadUrl, good).expect(200);
    const { headers } = await rows.admin.get(`/configuration-versions/${first.id}/download`).expect(302);
    const beside = (...signingSecrets: readonly [string, ...string[]]) => startApi({ ...rows, signingSecrets });
    const answers = async (at: TestApi) => {
      const uploaded = await at.upload(second.uploadUrl, good);
      const downloaded = await at.anonymous.get(pathOf(headers.location as string));
      const shown = await at.as(rows.admin.secret).get(variables).expect(200);
      return [uploaded.status, downloaded.status, shown.body.data[0].attributes.value];
    };
    expect(await answers(await beside(fresh as string, old as string))).toEqual([200, 200, 'north']);
    expect(await answers(await beside(fresh as string, other as string, old as string))).toEqual([200, 200, 'north']);
    expect(await answers(await beside(fresh as string, other as string))).toEqual([404, 404, null]);
  });

  it('names its methods when asked with another', async () => {
    const { uploadUrl } = await newVersion();
    for (const method of ['post', 'patch', 'delete'] as const) {
      const answer = await at(method, uploadUrl).expect(405);
      expect(answer.headers.allow).toBe('GET, HEAD, PUT');
      expect(answer.body.errors[0]).toMatchObject({ status: '405', title: 'method not allowed' });
    }
  });

  it('is dead with its workspace', async () => {
    const doomed = await api.workspace('acme', 'doomed');
    const { id, uploadUrl } = await newVersion(api, doomed);
    await api.upload(uploadUrl, good).expect(200);
    const key = (await api.unitOfWork.read((tx) => tx.configurationVersions.find(id)))?.state.bundle?.key ?? '';
    const url = await downloadUrl(id);
    await api.admin.delete(`/workspaces/${doomed}`).expect(204);
    expect((await at('get', url).expect(404)).body).toEqual(missing);
    expect((await api.upload(uploadUrl, other).expect(404)).body).toEqual(unusableUrl('configuration version'));
    expect((await api.upload(uploadUrl, good).expect(404)).body).toEqual(unusableUrl('configuration version'));
    expect(await bundleStore.read(key)).toBeDefined();
    await api.settle();
    expect(await bundleStore.read(key)).toBeUndefined();
    expect(await leftBehind()).toEqual([]);
  });

  it('is not served under the prefix of the clients', async () => {
    const { uploadUrl } = await newVersion();
    await supertest(api.app)
      .put(`/api/v2${pathOf(uploadUrl)}`)
      .send(good)
      .expect(404);
  });

  it('never stands in the log', async () => {
    const { id } = await newUploaded();
    const url = await downloadUrl(id);
    await download(url).expect(200);
    const lines = inspect(api.log.lines, { depth: null, maxArrayLength: null, maxStringLength: null });
    expect(lines).toContain("route: '/v1/object/:objectId'");
    expect(lines).not.toContain(url.split('.').at(-1));
    expect(lines).not.toMatch(/v1\/object\/cv-/);
  });
});
