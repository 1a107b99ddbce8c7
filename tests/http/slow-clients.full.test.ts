import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { httpServer } from '../../src/adapters/http/server/http-server.js';
import { defaultTimeouts } from '../../src/adapters/http/server/timeouts.js';
import type { ByteRange } from '../../src/application/index.js';
import { pathOf, startApi } from '../support/api.js';
import { archiveOf, packed } from '../support/archives.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';

/** One service cuts off silent clients and tolerates slow ones; the other does the reverse. */
const timeouts = {
  silent: { ...defaultTimeouts, head: 500, idle: 1_000, total: 60_000, lingering: 100 },
  endless: { ...defaultTimeouts, head: 900, idle: 1_000, total: 300, lingering: 100 },
};
/** The delay a busy machine may add to any of them. */
const grace = 10_000;

/** Knows how many are reading from it. */
class WatchedStore extends MemoryBundleStore {
  readers = 0;

  override async read(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    const bytes = await super.read(key, range);
    return bytes && this.watched(bytes);
  }

  private async *watched(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.readers += 1;
    try {
      yield* bytes;
    } finally {
      this.readers -= 1;
    }
  }
}

const store = new WatchedStore();
const servers = {} as Record<keyof typeof timeouts, Server>;

afterAll(async () => {
  for (const server of Object.values(servers)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const portOf = (kind: keyof typeof timeouts): number => (servers[kind].address() as AddressInfo).port;

/** A client that decides itself when to write and to read. */
class Client {
  heard = '';
  private readonly begun = performance.now();
  /** How long it was connected, in milliseconds. */
  readonly closed: Promise<number>;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.heard += chunk.toString('latin1');
    });
    // A client that is cut off while it writes receives an error event.
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', () => resolve(performance.now() - this.begun));
    });
  }

  static async connected(text = '', kind: keyof typeof timeouts = 'silent'): Promise<Client> {
    const socket = connect(portOf(kind), '127.0.0.1');
    const client = new Client(socket);
    await once(socket, 'connect');
    socket.write(text);
    return client;
  }

  /** Writes byte after byte until it is cut off or has sent everything. */
  async dribble(text: string | Uint8Array, milliseconds: number): Promise<void> {
    for (const byte of Buffer.from(text)) {
      if (this.socket.destroyed) return;
      this.socket.write(Uint8Array.of(byte));
      await pause(milliseconds);
    }
  }
}

const head = (method: string, path: string, ...headers: readonly string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: gatehouse.test', ...headers, '', ''].join('\r\n');

/** Has the usual timeouts, and shows what became of requests to the impatient ones. */
const api = await startApi({ bundleStore: store });
for (const kind of ['silent', 'endless'] as const) {
  const given = { bundleStore: store, unitOfWork: api.unitOfWork, timeouts: timeouts[kind] };
  const { server, serve } = httpServer(timeouts[kind]);
  serve((await startApi(given)).app);
  servers[kind] = server.listen(0, '127.0.0.1');
  await once(servers[kind], 'listening');
}
await api.organization('acme');
const workspaceId = await api.workspace('acme', 'api');
const good = await archiveOf({ 'main.tf': 'terraform {}' });
/** More than the buffers between two sockets can hold. */
const large = await packed([{ header: { name: 'noise' }, body: randomBytes(16_000_000) }]);

const put = (url: string, bytes: number) => head('PUT', pathOf(url), `Content-Length: ${bytes}`);

const newVersion = () => api.version(workspaceId, { speculative: true });

const statusOf = async (id: string): Promise<string> =>
  (await api.admin.get(`/configuration-versions/${id}`).expect(200)).body.data.attributes.status;

const downloadPath = async (id: string): Promise<string> =>
  pathOf((await api.admin.get(`/configuration-versions/${id}/download`).expect(302)).headers.location as string);

const expectNothingLeft = async (id: string): Promise<void> => {
  expect(await statusOf(id)).toBe('pending');
  expect(await store.unsettled(-60)).toEqual([]);
};

describe.each([
  ['a client that never says anything', async () => Client.connected()],
  ['a client that stops within the head of its request', async () => Client.connected('GET /healthz HTTP/1.1\r\nHo')],
  [
    'a client that sends the head of its request byte by byte',
    async () => {
      const client = await Client.connected();
      void client.dribble(head('GET', '/healthz', `X-Padding: ${'x'.repeat(500)}`), 20);
      return client;
    },
  ],
  [
    'a client whose second request never ends',
    async () => {
      const client = await Client.connected(head('GET', '/healthz'));
      await once(client.socket, 'data');
      client.heard = '';
      client.socket.write('GET /healthz HTTP/1.1\r\n');
      return client;
    },
  ],
] as const)('%s', (_, begin) => {
  it('is refused and cut off', async () => {
    const client = await begin();
    const lasted = await client.closed;
    expect(client.heard).toMatch(/^HTTP\/1\.1 408 /);
    expect(lasted).toBeGreaterThan(timeouts.silent.head - 20);
    expect(lasted).toBeLessThan(timeouts.silent.head * 2 + grace);
  });
});

describe('an upload', () => {
  it('that falls silent is refused, and leaves nothing', async () => {
    const { id, uploadUrl } = await newVersion();
    const client = await Client.connected(put(uploadUrl, good.length));
    client.socket.write(good.subarray(0, 40));
    expect(await client.closed).toBeLessThan(timeouts.silent.idle + timeouts.silent.lingering + grace);
    expect(client.heard).toMatch(/^HTTP\/1\.1 408 /);
    expect(client.heard).toContain('the upload took too long; try again');
    await expectNothingLeft(id);
    await api.upload(uploadUrl, good).expect(200);
  });

  it('that never ends is refused in time, and leaves nothing', async () => {
    const { total, lingering } = timeouts.endless;
    const { id, uploadUrl } = await newVersion();
    const client = await Client.connected(put(uploadUrl, good.length), 'endless');
    void client.dribble(good, 30);
    const lasted = await client.closed;
    expect(client.heard).toMatch(/^HTTP\/1\.1 408 /);
    expect(lasted).toBeGreaterThan(total - 50);
    expect(lasted).toBeLessThan(total + lingering + grace);
    await expectNothingLeft(id);
  });

  it('that is slow and gets on is taken', async () => {
    const { id, uploadUrl } = await newVersion();
    const client = await Client.connected(put(uploadUrl, good.length));
    const pieces = 12;
    for (let piece = 0; piece < pieces; piece += 1) {
      await pause((1.5 * timeouts.silent.idle) / pieces);
      const [from, to] = [piece, piece + 1].map((at) => Math.floor((at * good.length) / pieces));
      client.socket.write(good.subarray(from, to));
    }
    await once(client.socket, 'data');
    expect(client.heard).toMatch(/^HTTP\/1\.1 200 /);
    expect(await statusOf(id)).toBe('uploaded');
    client.socket.destroy();
  });
});

const { id, uploadUrl } = await newVersion();
await api.upload(uploadUrl, large).expect(200);
const path = await downloadPath(id);

describe('a download', () => {
  it('whose reader stops is cut off, and nothing stays open for it', async () => {
    const client = await Client.connected(head('GET', path));
    await once(client.socket, 'data');
    client.socket.pause();
    expect(store.readers).toBe(1);
    const begun = performance.now();
    while (store.readers > 0) await pause(10);
    expect(performance.now() - begun).toBeLessThan(timeouts.silent.idle * 2 + grace);
    client.socket.resume();
    await client.closed;
    expect(client.heard.length).toBeLessThan(large.length);
  });

  it('whose reader is always slow is cut off in time', async () => {
    const { total, idle } = timeouts.endless;
    const client = await Client.connected(head('GET', path), 'endless');
    client.socket.on('data', () => {
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 60);
    });
    const begun = performance.now();
    await once(client.socket, 'data');
    while (store.readers > 0) await pause(10);
    const lasted = performance.now() - begun;
    expect(lasted).toBeGreaterThan(total - 50);
    expect(lasted).toBeLessThan(total + idle + grace);
    client.socket.destroy();
  });

  it('whose reader keeps up arrives whole', async () => {
    const client = await Client.connected(head('GET', path, 'Connection: close'));
    await client.closed;
    expect(client.heard.slice(client.heard.indexOf('\r\n\r\n') + 4)).toHaveLength(large.length);
  });
});

describe('a client that was answered before it had sent everything', () => {
  it.each([
    ['with what it asked for', head('GET', '/healthz', 'Content-Length: 1000'), 200],
    ['with a refusal', head('PUT', '/v1/object/nothing', 'Content-Length: 1000'), 404],
  ])('%s is read for a few seconds only', async (_, text, status) => {
    const client = await Client.connected(text);
    void client.dribble('x'.repeat(900), 20);
    expect(await client.closed).toBeLessThan(timeouts.silent.lingering + grace);
    expect(client.heard).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

describe('a crowd of clients that only hold their connections', () => {
  it('does not keep others from being served, and is gone soon', async () => {
    const { uploadUrl } = await newVersion();
    // Each is stuck at another point.
    const texts = ['', 'GET /hea', put(uploadUrl, good.length), head('POST', '/organizations', 'Content-Length: 9')];
    const crowd = await Promise.all(
      Array.from({ length: 400 }, (_, index) => Client.connected(texts[index % texts.length])),
    );
    for (let asked = 0; asked < 20; asked += 1) {
      const answer = await fetch(`http://127.0.0.1:${portOf('silent')}/organizations`, {
        headers: { Authorization: `Bearer ${api.admin.secret}` },
      });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
    }
    await Promise.all(crowd.map(({ closed }) => closed));
  });
});
