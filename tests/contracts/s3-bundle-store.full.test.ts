import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { S3BundleStore, type S3BundleStoreOptions, s3Client } from '../../src/adapters/files/s3-bundle-store.js';
import {
  type Fate,
  type S3Operation,
  type S3Server,
  type S3ServerOptions,
  startS3Server,
} from '../support/s3-server.js';
import { until } from '../support/service-steps.js';
import { aBundleStore, gathered, noise, pieces } from './bundle-store.js';

const KiB = 1024;
const MiB = 1024 * KiB;
/** Parts are small here, so that two of them cost little. */
const partBytes = 64 * KiB;
const ended: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function serve(options: S3ServerOptions = {}): Promise<S3Server> {
  const server = await startS3Server({ partMinimum: partBytes, ...options });
  ended.push(() => server.close());
  return server;
}

function storeOn(
  server: Pick<S3Server, 'endpoint' | 'bucket'>,
  options: Partial<S3BundleStoreOptions> = {},
  credentials = { accessKeyId: 'TESTACCESSKEY', secretAccessKey: 'a-secret-access-key-for-tests' },
) {
  const client = s3Client({ endpoint: server.endpoint, region: 'us-east-1' });
  client.config.credentials = async () => credentials;
  ended.push(() => client.destroy());
  return new S3BundleStore({ client, bucket: server.bucket, urlSeconds: 60, partBytes, ...options });
}

const unavailable = { code: 'service/unavailable', message: 'the archive store is unavailable' };
/** Retries at once. Leaves ample time for an answer, and fails fast without one. */
const quickly = { answer: 5_000, transfer: 1_000, pause: 5 };
/** For stores that do not answer. */
const impatient = { answer: 200, transfer: 200, pause: 5 };
const twoParts = noise(96 * KiB, 7);
/** More than the connections buffer. */
const large = noise(6 * MiB, 8);

/** A server that handles the first requests of each named operation as given, and a store on it. */
async function withFates(
  fates: Partial<Record<S3Operation, readonly Fate[]>>,
  only: (key: string) => boolean = () => true,
) {
  const left = new Map(Object.entries(fates).map(([operation, list]) => [operation, [...list]]));
  const before = (operation: S3Operation, key: string) => (only(key) && left.get(operation)?.shift()) || 'serve';
  const server = await serve({ before });
  const stalls = Object.values(fates).flat().includes('stall');
  return { server, store: storeOn(server, { timeouts: stalls ? { ...quickly, transfer: 400 } : quickly }) };
}

const holdings = ({ objects, uploads }: S3Server) => ({ objects: [...objects.keys()].sort(), uploads: uploads.size });

describe('the S3 bundle store', () => {
  const usual = 5 * MiB;
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const pass = async (milliseconds: number) => {
    ahead += milliseconds;
  };
  aBundleStore(async () => storeOn(await serve({ partMinimum: usual, now }), { partBytes: usual }), {
    rounds: 5,
    pass,
  });

  it('marks an attempt before anything else, and takes the mark away last', async () => {
    const server = await serve();
    const store = storeOn(server);
    const changes = () =>
      server.requests
        .splice(0)
        .filter(({ operation }) => !/^(Head|Get|List)/.test(operation))
        .map(({ operation, key }) => `${operation} ${key}`);
    await store.write('b-1', pieces('one'));
    expect(changes()).toEqual(['PutObject unsettled/b-1', 'PutObject bundles/b-1']);
    await store.keep('b-1');
    expect(changes()).toEqual(['DeleteObject unsettled/b-1']);
    await store.discard('b-1');
    expect(changes()).toEqual(['DeleteObject bundles/b-1', 'DeleteObject unsettled/b-1']);
    await store.write('b-2', pieces(twoParts));
    expect(changes()).toEqual([
      'PutObject unsettled/b-2',
      'CreateMultipartUpload bundles/b-2',
      'UploadPart bundles/b-2',
      'UploadPart bundles/b-2',
      'CompleteMultipartUpload bundles/b-2',
    ]);
  });

  it('lists more attempts, and discards more open uploads, than fit into one answer', async () => {
    const server = await serve({ pageSize: 2 });
    const store = storeOn(server);
    for (let at = 0; at < 5; at += 1) {
      await store.write(`b-${at}`, pieces('x'));
      server.uploads.set(`old-${at}`, { key: 'bundles/b-1', initiated: 0, parts: new Map() });
    }
    server.uploads.set('other', { key: 'bundles/b-10', initiated: 0, parts: new Map() });
    // Attempts of any age: the clock of the store is known within two seconds.
    expect([...(await store.unsettled(-60))].sort()).toEqual(['b-0', 'b-1', 'b-2', 'b-3', 'b-4']);
    await store.discard('b-1');
    expect([...server.uploads.keys()]).toEqual(['other']);
  });

  it('measures the age of attempts by the clock of the store', async () => {
    let ahead = 3_600_000;
    const server = await serve({ now: () => Date.now() + ahead });
    const store = storeOn(server, { timeouts: quickly });
    await store.write('b-1', pieces('one'));
    expect(await store.unsettled(600)).toEqual([]);
    ahead += 900_000;
    expect(await store.unsettled(600)).toEqual(['b-1']);
  });

  it.each<[S3Operation, Fate]>([
    ['HeadObject', 'drop'],
    ['PutObject', 'refuse'],
    ['CreateMultipartUpload', 'refuse'],
    ['UploadPart', 'refuse'],
    ['UploadPart', 'drop'],
    ['UploadPart', 'serve then drop'],
    ['UploadPart', 'stall'],
    ['CompleteMultipartUpload', 'refuse'],
  ])('gets over %s, of which one fares thus: %s', async (operation, fate) => {
    const { server, store } = await withFates({ [operation]: [fate] }, (key) => key.startsWith('bundles/'));
    await store.write('b-1', pieces('one'));
    await store.write('b-2', pieces(twoParts));
    await store.keep('b-1');
    await store.keep('b-2');
    expect(await gathered(await store.read('b-1'))).toBe('one');
    expect(await gathered(await store.read('b-2'))).toBe(twoParts.toString('latin1'));
    expect(holdings(server)).toEqual({ objects: ['bundles/b-1', 'bundles/b-2'], uploads: 0 });
  });

  it.each<[S3Operation, Fate]>([
    ['PutObject', 'drop'],
    ['PutObject', 'serve then drop'],
    ['PutObject', 'stall'],
    ['CreateMultipartUpload', 'serve then drop'],
    ['CompleteMultipartUpload', 'drop'],
    ['CompleteMultipartUpload', 'serve then drop'],
  ])('asks for what it cannot take back once, and leaves the rest to the sweep: %s, %s', async (operation, fate) => {
    const { server, store } = await withFates({ [operation]: [fate] }, (key) => key.startsWith('bundles/'));
    const bytes = operation === 'PutObject' ? pieces('one') : pieces(twoParts);
    await expect(store.write('b-1', bytes)).rejects.toMatchObject(unavailable);
    expect(server.requests.filter((request) => request.operation === operation && /^b/.test(request.key))).toHaveLength(
      1,
    );
    expect(server.objects.has('unsettled/b-1')).toBe(true);
    await store.discard('b-1');
    expect(holdings(server)).toEqual({ objects: [], uploads: 0 });
  });

  it('keeps the mark of an attempt whose source failed while a part was in doubt', async () => {
    const { server, store } = await withFates({ UploadPart: ['serve then drop'] });
    async function* failing() {
      yield twoParts;
      await pause(400);
      throw new Error('the client went away');
    }
    await expect(store.write('b-1', failing())).rejects.toThrow('the client went away');
    expect(holdings(server)).toEqual({ objects: ['unsettled/b-1'], uploads: 1 });
    await store.discard('b-1');
    expect(holdings(server)).toEqual({ objects: [], uploads: 0 });
  });

  it('lets go of its source when the store fails', async () => {
    const { store } = await withFates({ UploadPart: ['drop', 'drop', 'drop'] });
    let released = false;
    async function* endless() {
      try {
        for (;;) yield twoParts;
      } finally {
        released = true;
      }
    }
    await expect(store.write('b-1', endless())).rejects.toMatchObject(unavailable);
    expect(released).toBe(true);
  });

  it.each<Fate>(['refuse', 'drop', 'stall'])('ends within its timeouts while the store does this: %s', async (fate) => {
    const server = await serve({ before: () => fate });
    const store = storeOn(server, { timeouts: impatient });
    const begun = performance.now();
    const asked = [
      store.write('b-1', pieces('one')),
      store.keep('b-1'),
      store.discard('b-1'),
      store.read('b-1'),
      store.unsettled(0),
    ];
    for (const answer of await Promise.allSettled(asked)) {
      expect(answer).toMatchObject({ status: 'rejected', reason: unavailable });
    }
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it.each<Fate>(['cut short', 'stall'])('fails a read that is interrupted, and makes up no end: %s', async (fate) => {
    let now: Fate = 'serve';
    const server = await serve({ before: (operation) => (operation === 'GetObject' ? now : 'serve') });
    const timeouts = { ...quickly };
    const store = storeOn(server, { timeouts });
    await store.write('b-1', pieces(large));
    const bytes = await store.read('b-1');
    now = fate;
    timeouts.answer = fate === 'stall' ? 200 : timeouts.answer;
    await expect(gathered(bytes)).rejects.toMatchObject(unavailable);
  });

  it('closes the connection of a reader that stops early, and uses others again', async () => {
    const server = await serve();
    const store = storeOn(server);
    await store.write('b-1', pieces(large));
    for (let at = 0; at < 5; at += 1) {
      for await (const chunk of (await store.read('b-1')) ?? []) {
        expect(chunk.length).toBeLessThan(large.length);
        break;
      }
    }
    await until('they are closed', async () => server.connections() === 0);
    for (let at = 0; at < 5; at += 1) await gathered(await store.read('b-1'));
    expect(server.connections()).toBe(1);
  });

  it('waits for a slow reader', async () => {
    const timeouts = { ...quickly };
    const store = storeOn(await serve(), { timeouts });
    await store.write('b-1', pieces(large));
    timeouts.answer = 2_000;
    let read = 0;
    for await (const chunk of (await store.read('b-1')) ?? []) {
      if (read === 0) await pause(2_500);
      read += chunk.length;
    }
    expect(read).toBe(large.length);
  });

  it('says what is wrong with the store to the log, and nothing of it to callers', async () => {
    const { store } = await withFates({ HeadObject: ['refuse', 'refuse', 'refuse'] });
    await expect(store.read('b-1')).rejects.toMatchObject({
      ...unavailable,
      cause: { message: 'HeadObject, returned 503' },
    });
  });

  it('tells a store that refuses from one that does not answer', async () => {
    const server = await serve();
    expect(await storeOn(server).fault()).toBeUndefined();
    expect(await storeOn({ ...server, bucket: 'nowhere' }).fault()).toMatchObject({ definite: true });
    const stranger = { accessKeyId: 'TESTACCESSKEY', secretAccessKey: 'guessed' };
    expect(await storeOn(server, {}, stranger).fault()).toMatchObject({ definite: true });
    await server.close();
    expect(await storeOn(server, { timeouts: impatient }).fault()).toMatchObject({ definite: false });
  });

  it('gives no URLs unless their lifetime is set', async () => {
    const store = new S3BundleStore({ client: s3Client({ endpoint: 'http://s3', region: 'x' }), bucket: 'b' });
    expect(await store.temporaryUrl('b-1')).toBeUndefined();
  });

  it('gives URLs that end, that cannot be altered, and that go with no other right', async () => {
    let ahead = 0;
    const server = await serve({ now: () => Date.now() + ahead });
    const store = storeOn(server);
    await store.write('b-1', pieces('one'));
    await store.write('b-2', pieces('two'));
    const url = (await store.temporaryUrl('b-1')) ?? '';
    const ask = async (address: string, headers = {}) => {
      const answer = await fetch(address, { headers });
      return [answer.status, /<Code>(.*)<\/Code>/.exec(await answer.text())?.[1]];
    };
    expect(await ask(url)).toEqual([200, undefined]);
    expect(await ask(url.replace('b-1', 'b-2'))).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await ask(url.replace('Expires=60', 'Expires=600'))).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await ask(url, { Authorization: 'Bearer token' })).toEqual([400, 'InvalidArgument']);
    ahead = 61_000;
    expect(await ask(url)).toEqual([403, 'AccessDenied']);
  });
});

describe('the S3 server of the tests', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  /** A server that alters each signed request before it passes it on to the one that verifies it. */
  async function relaying(alter: (request: string) => string) {
    const judge = await serve();
    const relay = createServer((socket) => {
      socket.once('data', async (data) => {
        const lines = alter(data.toString('latin1'));
        const [head = '', body = ''] = lines.split('\r\n\r\n', 2);
        const [first = '', ...rest] = head.split('\r\n');
        const [method = '', path = ''] = first.split(' ');
        const headers = Object.fromEntries(rest.map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
        const { request } = await import('node:http');
        const asked = request(judge.endpoint + path, { method, headers }, async (answer) => {
          const chunks: Buffer[] = [];
          for await (const chunk of answer) chunks.push(chunk);
          const text = Buffer.concat(chunks).toString();
          socket.end(
            `HTTP/1.1 ${answer.statusCode} X\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
          );
        });
        asked.end(Buffer.from(body, 'latin1'));
      });
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    ended.push(() => new Promise<void>((resolve) => relay.close(() => resolve())));
    const { port } = relay.address() as { port: number };
    return { judge, store: storeOn({ endpoint: `http://127.0.0.1:${port}`, bucket: judge.bucket }) };
  }

  it.each<[string, (request: string) => string]>([
    ['another method', (request) => request.replace(/^DELETE/, 'HEAD')],
    ['another key', (request) => request.replace('unsettled/b-1', 'unsettled/b-2')],
    ['a header that is not signed', (request) => request.replace('\r\n', '\r\nx-amz-acl: public-read\r\n')],
    ['another digest', (request) => request.replace(sha256(''), sha256('x'))],
    ['another time', (request) => request.replace(/(x-amz-date: \d+T\d{4})\d\dZ/, (_, start) => `${start}77Z`)],
    ['another query', (request) => request.replace('x-id=DeleteObject', 'x-id=Other')],
  ])('takes no request with %s', async (_, alter) => {
    const { judge, store } = await relaying(alter);
    await expect(store.keep('b-1')).rejects.toMatchObject(unavailable);
    expect(judge.requests).toEqual([]);
  });

  it('takes a request as it was signed', async () => {
    const { judge, store } = await relaying((request) => request);
    await store.keep('b-1');
    expect(judge.requests).toEqual([{ operation: 'DeleteObject', key: 'unsettled/b-1' }]);
  });
});
