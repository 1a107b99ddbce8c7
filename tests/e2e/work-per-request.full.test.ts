import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sample, seed } from '../../lab/bench/sample.js';
import { addressOf, adminToken, end, launch } from '../../lab/bench/servers.js';

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

/** The work of a request: functions called in the service and its packages, and bytes allocated. */
interface Work {
  readonly calls: number;
  readonly bytes: number;
}

/** Counted without V8's optimizations, which vary, and without garbage collection. */
const flags = [
  '--no-opt',
  '--no-maglev',
  '--expose-gc',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--import=./tests/support/work-counter.mjs',
];

const requestsCounted = 20;
const batches = 8;

/** Calls are the same everywhere; a newer package may make a few more. */
const maxCalls = ({ calls }: Work): number => Math.round(calls * 1.03) + 8;

/** The size of objects depends on the V8 version and the processor. */
const bytesRecorded = process.version.startsWith('v24.') && process.platform === 'linux' && process.arch === 'x64';
const maxBytes = ({ bytes }: Work): number => Math.round(bytes * 1.1);

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token: string;
  readonly status: number;
  readonly body?: object;
}

const get = (path: string, token: string, status = 200): Asked => ({ method: 'GET', path, token, status });

const newVersion = { data: { type: 'configuration-version', attributes: { 'auto-queue-runs': false } } };

/** The figures of the last intended change. A rise needs a reason; after a fall, lower them. */
const recorded: readonly (readonly [string, Work, (sample: Sample) => Asked])[] = [
  [
    'a configuration version',
    { calls: 341, bytes: 48_900 },
    ({ versionId, readerToken }) => get(`/configuration-versions/${versionId}`, readerToken),
  ],
  [
    'a page of 20 configuration versions',
    { calls: 992, bytes: 107_400 },
    ({ workspaceId, readerToken }) => get(`/workspaces/${workspaceId}/configuration-versions`, readerToken),
  ],
  [
    'a page of 20 policy set outcomes',
    { calls: 3_074, bytes: 226_900 },
    ({ evaluationId, readerToken }) => get(`/policy-evaluations/${evaluationId}/policy-set-outcomes`, readerToken),
  ],
  [
    'a list of 100 team-workspaces',
    { calls: 4_015, bytes: 352_600 },
    ({ workspaceId, readerToken }) => get(`/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${workspaceId}`, readerToken),
  ],
  [
    'a new configuration version',
    { calls: 820, bytes: 106_700 },
    ({ writable, writerToken }) => ({
      method: 'POST',
      path: `/workspaces/${writable[1]}/configuration-versions`,
      token: writerToken,
      status: 201,
      body: newVersion,
    }),
  ],
  ['a request without a valid token', { calls: 453, bytes: 34_800 }, () => get('/account/details', 'nobody', 401)],
];

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
    url = await addressOf('the service', service);
    sample = await seed(url, size);
  });

  afterAll(async () => {
    agent.destroy();
    await end(service, 'SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  const ask = ({ method, path, token, body }: Asked): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/vnd.api+json' }),
      };
      const asked = request(url + path, { agent, method, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      asked.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });

  const counter = async (question: 'begin' | 'end'): Promise<{ bytes: number; calls: Record<string, number> }> => {
    service.send(question);
    const [answer] = await once(service, 'message');
    return answer;
  };

  /** The minimum of several batches, which excludes background work between requests. */
  async function workOf(asked: Asked): Promise<Work & { by: object }> {
    const send = async () => {
      for (let sent = 0; sent < requestsCounted; sent += 1) expect(await ask(asked)).toBe(asked.status);
    };
    await send();
    let least = { calls: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY, by: {} };
    for (let batch = 0; batch < batches; batch += 1) {
      await counter('begin');
      await send();
      const { bytes, calls } = await counter('end');
      // The number of log writes depends on the clock.
      const by = Object.entries(calls).filter(([place]) => !place.includes('log-output'));
      const sum = by.reduce((all, [, count]) => all + count, 0);
      const perRequest = (all: number) => Math.round(all / requestsCounted);
      least = {
        bytes: Math.min(least.bytes, perRequest(bytes)),
        ...(perRequest(sum) < least.calls
          ? { calls: perRequest(sum), by: Object.fromEntries(by.map(([place, count]) => [place, perRequest(count)])) }
          : { calls: least.calls, by: least.by }),
      };
    }
    return least;
  }

  it.each(recorded)('for %s', async (_, record, askedOf) => {
    const { by, ...work } = await workOf(askedOf(sample));
    expect(work.bytes).toBeGreaterThan(0);
    const within = work.calls <= maxCalls(record) && (!bytesRecorded || work.bytes <= maxBytes(record));
    // All figures, for recording new ones or finding the one that rose.
    expect({ ...work, by, within }).toEqual({ ...work, by, within: true });
  });
});
