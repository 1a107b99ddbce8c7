import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Heartbeat } from '../../src/agent/service/heartbeat.js';
import { LeasedRun } from '../../src/agent/service/leased-run.js';
import {
  LeaseLost,
  ServiceClient,
  ServiceRefused,
  ServiceUnavailable,
} from '../../src/agent/service/service-client.js';
import { startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { noteSecret } from '../support/secrets-in-logs.js';
import { until } from '../support/service-steps.js';

/** A fault between agent and service, injected the given number of times. */
interface Trouble {
  readonly kind: 'cut' | 503 | 429 | 408;
  times: number;
}

let trouble: Trouble | undefined;
let asked: string[] = [];
let said: string[] = [];

beforeEach(() => {
  trouble = undefined;
  asked = [];
  said = [];
});

afterAll(() => {
  front.close().closeAllConnections();
});

const url = (): string => `http://127.0.0.1:${(front.address() as AddressInfo).port}`;

const api = await startApi();
const front = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  if (trouble === undefined || trouble.times === 0) {
    api.app(request as never, response as never);
    return;
  }
  trouble.times -= 1;
  if (trouble.kind === 'cut') request.socket.destroy();
  else response.writeHead(trouble.kind, { 'Retry-After': '0' }).end('{}');
}).listen(0, '127.0.0.1');
await once(front, 'listening');
const clientWith = (token: string): ServiceClient => new ServiceClient(url(), token, (line) => void said.push(line));
const never = new AbortController().signal;

async function bench() {
  const made = await Bench.make(api);
  await made.version();
  const runId = await made.run();
  const issued = await api.admin.post(`/agent-pools/${made.poolId}/authentication-tokens`).expect(201);
  const token: string = issued.body.data.attributes.token;
  noteSecret(token);
  return { runId, client: clientWith(token) };
}

/** A run leased by our agent. */
async function leased() {
  const { runId, client } = await bench();
  const job = await client.claim('ours', 0, never);
  if (job === undefined) throw new Error('there was nothing to claim');
  noteSecret(job.lease.token);
  expect(job).toMatchObject({ phase: 'plan', run: { id: runId } });
  return { runId, job, run: new LeasedRun(client, job) };
}

describe("an agent's client", () => {
  it.each(['cut', 503, 429, 408] as const)('tries again what may be over by then: %s', async (kind) => {
    const { client, runId } = await bench();
    trouble = { kind, times: 1 };
    expect((await client.claim('ours', 0, never))?.run.id).toBe(runId);
    expect(asked).toHaveLength(2);
    expect(said).toEqual([
      expect.stringMatching(/^the service is unavailable, retrying: /),
      'the service is available again',
    ]);
  });

  it('never tries again what is refused, and says so in the words of the service', async () => {
    const refused = clientWith('not-a-token-of-anybody').claim('ours', 0, never);
    await expect(refused).rejects.toMatchObject({ name: 'ServiceRefused', status: 401 });
    expect(asked).toHaveLength(1);
  });

  it('stops waiting as soon as its signal aborts', async () => {
    const { client } = await bench();
    await client.claim('ours', 0, never);
    const stop = new AbortController();
    const waiting = client.claim('ours', 30, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('a leased run', () => {
  it('is downloaded whole, also where a try was cut off', async () => {
    const { job, run } = await leased();
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-agent-'));
    try {
      trouble = { kind: 'cut', times: 1 };
      await run.download(job.configuration.url, join(directory, 'archive'));
      expect((await readFile(join(directory, 'archive'))).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('is over for the agent with the first answer that says so', async () => {
    const { run, runId } = await leased();
    await api.admin.post(`/runs/${runId}/actions/cancel`).expect(202);
    await expect(run.appendLog(0, new Uint8Array([1]))).rejects.toBeInstanceOf(LeaseLost);
    expect(run.lost.aborted).toBe(true);
    asked = [];
    await expect(run.reportPhase({ status: 'errored', message: 'x' })).rejects.toBeInstanceOf(LeaseLost);
    expect(asked).toEqual([]);
  });

  it('is kept by heartbeats, from the beginning on', async () => {
    const { run } = await leased();
    const heartbeat = new Heartbeat(run);
    await until('a heartbeat arrives', async () => asked.some((line) => line.endsWith('/heartbeat')));
    heartbeat.stop();
    expect(heartbeat.canceled.aborted).toBe(false);
  });

  it('is reported once, also where the answer is lost', async () => {
    const { run } = await leased();
    const report = {
      status: 'finished',
      resources: { additions: 1, changes: 0, destructions: 0, imports: 0 },
    } as const;
    await run.reportPhase({ ...report, hasChanges: true });
    await expect(run.reportPhase(report)).rejects.toBeInstanceOf(ServiceRefused);
  });

  it('is given up in time when the service does not answer', async () => {
    const { run } = await leased();
    trouble = { kind: 'cut', times: 100 };
    await expect(run.heartbeat()).rejects.toBeInstanceOf(ServiceUnavailable);
    expect(asked.filter((line) => line.endsWith('/heartbeat'))).toHaveLength(1);
  });
});
