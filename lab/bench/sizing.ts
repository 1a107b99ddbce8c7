import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { randomText } from '../../src/adapters/system/random-ids.js';
import { archiveOf } from '../../tests/support/archives.js';
import { over, ReferenceAgent } from '../../tests/support/reference-agent.js';
import { residentMiB } from '../../tests/support/resident-memory.js';
import type { BenchGroup, Finding } from './finding.js';
import { adminToken, cpuSeconds, postgresUrl, Server } from './servers.js';

/** The files of one run: those of a team with tens of resources. */
const logBytes = 20_000;
const stateBytes = 40_000;
/** Less than the 60 seconds that `gatehouse-agent` waits, so that the measurement ends. */
const waitSeconds = 20;
/** Agents at work at the same time, each in a workspace of its own. */
const atWork = 8;

/** Bytes of all files below a directory. */
async function bytesBelow(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file).catch(() => undefined))?.size ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member here.
async function ask(url: string, method: string, path: string, data?: object): Promise<any> {
  const response = await fetch(`${url}/api/v2${path}`, {
    method,
    headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/vnd.api+json' },
    ...(data && { body: JSON.stringify({ data }) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text).data;
}

/** A service with workspaces that apply automatically, and the token of the agents that serve them. */
class Fleet {
  private runs = 0;

  private constructor(
    private readonly url: string,
    private readonly workspaces: readonly string[],
    private readonly token: string,
    private readonly states = new Map<string, number>(),
  ) {}

  static async of({ url }: Server): Promise<Fleet> {
    await ask(url, 'POST', '/organizations', {
      type: 'organizations',
      attributes: { name: 'acme', email: 'ops@example.com' },
    });
    const pool = await ask(url, 'POST', '/admin/agent-pools', { type: 'agent-pools', attributes: { name: 'pool' } });
    const issued = await ask(url, 'POST', `/admin/agent-pools/${pool.id}/authentication-tokens`);
    const archive = await archiveOf({ 'main.tf': 'output "a" { value = 1 }\n'.repeat(400) });
    const workspaces: string[] = [];
    for (let each = 0; each < atWork; each += 1) {
      const attributes = { name: `w${each}`, 'auto-apply': true };
      const { id } = await ask(url, 'POST', '/organizations/acme/workspaces', { type: 'workspaces', attributes });
      const version = await ask(url, 'POST', `/workspaces/${id}/configuration-versions`, {
        type: 'configuration-versions',
        attributes: { 'auto-queue-runs': false },
      });
      const upload = { method: 'PUT', body: new Uint8Array(archive) };
      await (await fetch(version.attributes['upload-url'], upload)).arrayBuffer();
      workspaces.push(id);
    }
    return new Fleet(url, workspaces, issued.attributes.token);
  }

  /** Runs for so long, each from its request to its applied state. Returns how many. */
  async work(seconds: number): Promise<number> {
    const before = this.runs;
    const deadline = performance.now() + seconds * 1_000;
    await Promise.all(
      this.workspaces.map(async (id, nth) => {
        const agent = new ReferenceAgent(over(this.url), this.token, `agent-${nth}`);
        while (performance.now() < deadline) await this.one(agent, id);
      }),
    );
    return this.runs - before;
  }

  private async one(agent: ReferenceAgent, workspaceId: string): Promise<void> {
    const relationships = { workspace: { data: { id: workspaceId, type: 'workspaces' } } };
    await ask(this.url, 'POST', '/runs', { type: 'runs', relationships });
    // Whichever run comes: each agent asks for one and takes two phases.
    for (let phase = 0; phase < 2; phase += 1) {
      const job = await agent.claimed();
      await job.configuration();
      await job.heartbeat();
      await job.log(0, 'x'.repeat(logBytes));
      if (job.phase === 'plan') {
        await job.planned();
        continue;
      }
      const serial = (this.states.get(job.json.workspace.id) ?? 0) + 1;
      this.states.set(job.json.workspace.id, serial);
      const state = { version: 4, serial, lineage: 'lineage-1', outputs: {}, resources: [], padding: '' };
      await job.writeState(JSON.stringify({ ...state, padding: 'x'.repeat(stateBytes) }), { serial });
      await job.applied();
      this.runs += 1;
    }
  }

  /** Keeps agents waiting for runs while something is measured. */
  async whileWaiting<Result>(count: number, measure: () => Promise<Result>): Promise<Result> {
    let isOver = false;
    const agents = Array.from({ length: count }, async (_, nth) => {
      const agent = new ReferenceAgent(over(this.url), this.token, `waiting-${nth}`);
      while (!isOver) await agent.claim(waitSeconds);
    });
    try {
      await pause((waitSeconds + 1) * 1_000);
      return await measure();
    } finally {
      isOver = true;
      await Promise.all(agents);
    }
  }
}

const once = (measured: number) => ({ measured, spread: [measured, measured] as const });
const megabyte = 1_048_576;

async function* findingsOf(
  engine: string,
  server: Server,
  quick: boolean,
  stored: () => Promise<readonly [database: number, files: number]>,
): AsyncIterable<Finding> {
  const { pid } = server;
  const cpu = (): number => cpuSeconds(pid) ?? Number.NaN;
  const fleet = await Fleet.of(server);
  await fleet.work(quick ? 2 : 10);
  const idle = await residentMiB(pid, 'VmRSS');
  const [before, databaseBefore] = [cpu(), await stored()];
  const began = performance.now();
  const runs = await fleet.work(quick ? 5 : 60);
  const seconds = (performance.now() - began) / 1_000;
  const spent = cpu() - before;
  const [database, files] = (await stored()).map((bytes, index) => bytes - (databaseBefore[index] ?? 0));
  yield {
    name: `${engine}: runs that one core carries, each planned and applied`,
    unit: '/s',
    ...once(runs / spent),
    note: `${runs.toLocaleString('en')} in ${seconds.toFixed(0)} s with ${atWork} agents that execute nothing`,
  };
  const perRun = (bytes = 0): number => bytes / runs / megabyte;
  yield { name: `${engine}: database, for a thousand runs`, unit: 'MiB', ...once(perRun(database) * 1_000) };
  yield {
    name: `${engine}: files, for a thousand runs`,
    unit: 'MiB',
    ...once(perRun(files) * 1_000),
    note: `states of ${stateBytes / 1_000} KB`,
  };
  yield {
    name: `${engine}: memory after ${runs.toLocaleString('en')} runs`,
    unit: 'MiB',
    ...once(await residentMiB(pid, 'VmRSS')),
    note: `${idle.toFixed(0)} MiB before`,
  };
  const waiting = quick ? 100 : 500;
  yield await fleet.whileWaiting(waiting, async () => {
    const [cpuBefore, from] = [cpu(), performance.now()];
    await pause(waitSeconds * 1_000);
    const share = ((cpu() - cpuBefore) / ((performance.now() - from) / 1_000)) * 100;
    const memory = await residentMiB(pid, 'VmRSS');
    return {
      name: `${engine}: share of a core for ${waiting.toLocaleString('en')} agents that wait for runs`,
      unit: '%' as const,
      ...once(share),
      note: `${memory.toFixed(0)} MiB of memory; each asks again after ${waitSeconds} seconds`,
    };
  });
}

export const sizing: BenchGroup = {
  name: 'sizing',
  title: 'Sizing: one core, memory and a disk',
  async *run({ quick, directory, print }) {
    const data = join(directory, 'sizing');
    await mkdir(data, { recursive: true });
    const server = await Server.service(data);
    yield* findingsOf('SQLite', server, quick, async () => {
      const entries = (await readdir(data)).filter((name) => name.startsWith('gatehouse.sqlite'));
      const sizes = await Promise.all(entries.map(async (name) => (await stat(join(data, name))).size));
      return [sizes.reduce((sum, size) => sum + size, 0), await bytesBelow(join(data, 'bundles'))];
    });
    await server.stop();

    const url = await postgresUrl();
    if (url === undefined) return print('  no Postgres for this machine: what needs one is left out');
    const name = `gatehouse_bench_${process.pid}_sizing`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`create database ${name}`);
    try {
      const place = join(directory, 'sizing-postgres');
      await mkdir(place, { recursive: true });
      const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
      const service = await Server.service(place, { DATABASE_URL: own, SIGNING_SECRET: randomText(48) });
      yield* findingsOf('Postgres', service, quick, async () => {
        const { rows } = await client.query<{ size: string }>(`select pg_database_size('${name}') as size`);
        return [Number(rows[0]?.size), await bytesBelow(join(place, 'bundles'))];
      });
      await service.stop();
    } finally {
      await client.query(`drop database ${name} with (force)`);
      await client.end();
    }
  },
};
