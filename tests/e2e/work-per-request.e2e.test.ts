import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sample, seed } from '../bench/sample.js';
import { adminToken, launch } from '../bench/servers.js';

const size = {
  workspaces: 4,
  writable: 2,
  teams: 100,
  granted: 100,
  users: 2,
  versions: 20,
  uploaded: 20,
  policySets: 20,
};

/** What a request does in the service: functions called in our modules and the packages they use, and bytes allocated. */
interface Work {
  readonly calls: number;
  readonly bytes: number;
}

/** Counted without V8's optimizations, which come and go. */
const flags = [
  '--no-opt',
  '--expose-gc',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--import=./tests/support/work-counter.mjs',
];

const requestsCounted = 20;
const batches = 8;

describe('work per request', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let directory: string;
  let service: ChildProcess;
  let url: string;
  let sample: Sample;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-work-'));
    const settings = { PORT: '0', DATA_DIR: directory, RATE_LIMIT_PER_SECOND: '1000000', ADMIN_TOKEN: adminToken };
    service = launch('any', [...flags, 'dist/infrastructure/main.js'], settings, ['ignore', 'ignore', 'pipe', 'ipc']);
    let said = '';
    url = await new Promise<string>((resolve, reject) => {
      service.stderr?.on('data', (chunk: Buffer) => {
        said += chunk;
        const address = /serves at (\S+)/.exec(said)?.[1];
        if (address !== undefined) resolve(address);
      });
      service.once('exit', (code) => reject(new Error(`ended with ${code}: ${said}`)));
    });
    sample = await seed(url, size);
  });

  afterAll(async () => {
    agent.destroy();
    const ended = once(service, 'exit');
    service.kill('SIGKILL');
    await ended;
    await rm(directory, { recursive: true, force: true });
  });

  const ask = (method: string, path: string, token: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token}` };
      const asked = request(url + path, { agent, method, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      asked.once('error', reject).end();
    });

  const counter = async (question: 'begin' | 'end'): Promise<{ bytes: number; calls: Record<string, number> }> => {
    service.send(question);
    const [answer] = await once(service, 'message');
    return answer;
  };

  /** The least of several batches: whatever else the service does between requests is in the others. */
  async function workOf(send: () => Promise<number | undefined>, status: number): Promise<Work & { by: object }> {
    for (let sent = 0; sent < requestsCounted; sent += 1) expect(await send()).toBe(status);
    const counted: (Work & { by: object })[] = [];
    for (let batch = 0; batch < batches; batch += 1) {
      await counter('begin');
      for (let sent = 0; sent < requestsCounted; sent += 1) await send();
      const { bytes, calls } = await counter('end');
      const by = Object.fromEntries(Object.entries(calls).map(([place, count]) => [place, count / requestsCounted]));
      const all = Object.values(by).reduce((sum, count) => sum + count, 0);
      counted.push({ calls: Math.round(all), bytes: Math.round(bytes / requestsCounted), by });
    }
    return counted.reduce((least, one) => (one.calls < least.calls ? one : least));
  }

  const promised: readonly (readonly [string, Work, (sample: Sample) => readonly [string, string, string, number]])[] =
    [
      [
        'GET a configuration version',
        { calls: 0, bytes: 0 },
        ({ versionId, readerToken }) => ['GET', `/configuration-versions/${versionId}`, readerToken, 200],
      ],
      [
        'a page of 20 configuration versions',
        { calls: 0, bytes: 0 },
        ({ workspaceId, readerToken }) => [
          'GET',
          `/workspaces/${workspaceId}/configuration-versions`,
          readerToken,
          200,
        ],
      ],
      [
        'a page of 20 policy set outcomes',
        { calls: 0, bytes: 0 },
        ({ evaluationId, readerToken }) => [
          'GET',
          `/policy-evaluations/${evaluationId}/policy-set-outcomes`,
          readerToken,
          200,
        ],
      ],
      [
        'a list of 100 team-workspaces',
        { calls: 0, bytes: 0 },
        ({ workspaceId, readerToken }) => [
          'GET',
          `/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${workspaceId}`,
          readerToken,
          200,
        ],
      ],
      [
        'create a configuration version',
        { calls: 0, bytes: 0 },
        ({ writable, writerToken }) => ['POST', `/workspaces/${writable[1]}/configuration-versions`, writerToken, 201],
      ],
      ['a request without a valid token', { calls: 0, bytes: 0 }, () => ['GET', '/account/details', 'nobody', 401]],
    ];

  it.each(promised)('%s', async (name, bound, of) => {
    const [method, path, token, status] = of(sample);
    const { by, ...work } = await workOf(() => ask(method, path, token), status);
    process.stderr.write(`${name} ${JSON.stringify(work)} ${JSON.stringify(by)}\n`);
    expect(bound).toBeDefined();
  });
});
