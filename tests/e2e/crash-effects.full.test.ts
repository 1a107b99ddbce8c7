import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { completedRunStatuses, runStatusesHoldingWorkspace } from '../../src/domain/index.js';
import { archiveOf } from '../support/archives.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import type { Job } from '../support/reference-agent.js';
import { ServiceSteps, until } from '../support/service-steps.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

/** The minimum: rounds continue until every kind of work was cut off. */
const kills = 12;

/** The outcome of a request: its response, or undefined if the process died first. */
type Outcome = { readonly status: number; readonly json: Json } | undefined;

interface Version {
  readonly id: string;
  readonly workspaceId: string;
  readonly bytes: Buffer;
  readonly autoQueue: boolean;
  uploaded: 'acknowledged' | 'unknown';
  /** The one later request about it. */
  change?: { readonly action: 'archive' | 'soft_delete_backing_data'; readonly outcome: Outcome };
}

interface QueuedRun {
  readonly id: string;
  readonly workspaceId: string;
  /** The status after an acknowledged cancel. */
  canceled: boolean;
}

const statusAfter = { archive: 'archived', soft_delete_backing_data: 'backing_data_soft_deleted' } as const;

/** All requests to the service, and those it acknowledged. */
class Workload {
  readonly versions: Version[] = [];
  readonly runs: QueuedRun[] = [];
  /** The status of each run in the response to its agent's last report. */
  readonly ended = new Map<string, string>();
  readonly applyReported = new Set<string>();
  unanswered = 0;
  resumed = 0;

  constructor(
    readonly workspaceIds: readonly string[],
    private readonly token: string,
    private readonly bytes: readonly Buffer[],
  ) {}

  /** Whether every kind of work was both acknowledged and cut off at least once. */
  isVaried(): boolean {
    const ends = new Set(this.ended.values());
    const changes = this.versions.flatMap(({ change }) => (change?.outcome === undefined ? [] : [change.action]));
    return (
      this.versions.some(({ uploaded, autoQueue }) => autoQueue && uploaded === 'acknowledged') &&
      changes.includes('archive') &&
      changes.includes('soft_delete_backing_data') &&
      this.runs.some(({ canceled }) => canceled) &&
      ends.has('applied') &&
      ends.has('planned_and_finished') &&
      this.unanswered > kills &&
      this.resumed > 0
    );
  }

  /** Performs all kinds of work concurrently until the service dies. */
  async against(service: ServiceProcess, jobs: (Job | undefined)[]): Promise<void> {
    const steps = new ServiceSteps(service);
    await Promise.all([
      this.repeated(() => this.upload(service)),
      this.repeated(() => this.upload(service)),
      this.repeated(() => this.changeVersion(service)),
      this.repeated(() => this.queueAndCancel(service)),
      ...jobs.map((_, index) => this.repeated(() => this.execute(steps, jobs, index))),
    ]);
  }

  /** Advances each job to its next report; true if there was work. */
  async execute(steps: ServiceSteps, jobs: (Job | undefined)[], index: number): Promise<boolean> {
    const agent = steps.agent(this.token, `agent-${index}`);
    const held = jobs[index];
    if (held === undefined) {
      jobs[index] = await this.answered(agent.claim());
      if (jobs[index] === undefined) await pause(20);
      return jobs[index] !== undefined;
    }
    const job = agent.resumed(held);
    if (job.phase === 'apply') {
      this.applyReported.add(job.runId);
      const said = await job.applied();
      if (said.status === 200) this.ended.set(job.runId, said.json.run.status);
      else expect(said.status).toBe(409);
    } else {
      expect([200, 409]).toContain((await job.log(0, 'planning\n')).status);
      const planned = await job.planned(Math.random() < 0.7);
      expect([200, 409]).toContain(planned.status);
      const judged = await job.judgeAll(() => 'passed');
      expect([200, 409]).toContain(judged.status);
      if (judged.status === 200 && completedRunStatuses.includes(judged.json.run.status)) {
        this.ended.set(job.runId, judged.json.run.status);
      }
    }
    jobs[index] = undefined;
    return true;
  }

  private async upload(service: ServiceProcess): Promise<void> {
    const workspaceId = oneOf(this.workspaceIds);
    const autoQueue = Math.random() < 0.4;
    const body = { data: { type: 'configuration-version', attributes: { 'auto-queue-runs': autoQueue } } };
    const created = await this.ask(service, 'POST', `/workspaces/${workspaceId}/configuration-versions`, body);
    if (created === undefined) return;
    expect(created.status).toBe(201);
    const bytes = oneOf(this.bytes);
    const version: Version = { id: created.json.data.id, workspaceId, bytes, autoQueue, uploaded: 'unknown' };
    this.versions.push(version);
    const upload = fetch(created.json.data.attributes['upload-url'], { method: 'PUT', body: new Uint8Array(bytes) });
    const response = await this.answered(upload);
    expect([200, undefined]).toContain(response?.status);
    if (response !== undefined) version.uploaded = 'acknowledged';
    await pause(Math.random() * 60);
  }

  /** Archives or deletes a version that no run was ever queued from. */
  private async changeVersion(service: ServiceProcess): Promise<void> {
    await pause(30);
    const fit = this.versions.filter((one) => !one.autoQueue && one.uploaded === 'acknowledged' && !one.change);
    const version = fit.slice(0, -3)[0];
    if (version === undefined) return;
    const action = Math.random() < 0.5 ? 'archive' : 'soft_delete_backing_data';
    const outcome = await this.ask(service, 'POST', `/api/v2/configuration-versions/${version.id}/actions/${action}`);
    // Refused while it is its workspace's current version or a run uses it; retried later.
    if (outcome !== undefined && outcome.status >= 400) expect([400, 409]).toContain(outcome.status);
    else version.change = { action, outcome };
  }

  private async queueAndCancel(service: ServiceProcess): Promise<void> {
    const workspaceId = oneOf(this.workspaceIds);
    const relationships = { workspace: { data: { id: workspaceId, type: 'workspaces' } } };
    const created = await this.ask(service, 'POST', '/runs', { data: { type: 'runs', relationships } });
    await pause(Math.random() * 150);
    // The current version cannot be used before its upload.
    if (created === undefined || created.status === 422) return;
    expect(created.status).toBe(201);
    const run: QueuedRun = { id: created.json.data.id, workspaceId, canceled: false };
    this.runs.push(run);
    if (Math.random() < 0.4) return;
    const canceled = await this.ask(service, 'POST', `/runs/${run.id}/actions/cancel`);
    expect([202, 409, undefined]).toContain(canceled?.status);
    run.canceled = canceled?.status === 202;
  }

  private async ask(service: ServiceProcess, method: string, path: string, body?: object): Promise<Outcome> {
    return this.answered(service.api(method, path, body));
  }

  private async answered<Answer>(request: Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await request;
    } catch (error) {
      if (!isCut(error)) throw error;
      this.unanswered += 1;
      this.dead = true;
      return undefined;
    }
  }

  private dead = false;

  private async repeated(work: () => Promise<unknown>): Promise<void> {
    this.dead = false;
    while (!this.dead) {
      await work().catch((error) => {
        if (!isCut(error)) throw error;
        this.dead = true;
      });
    }
  }
}

/** Whether fetch failed because the other end closed the connection, or JSON.parse because half a response arrived. */
const isCut = (error: unknown): boolean => {
  const { name, message } = error as Error;
  return (name === 'TypeError' && /fetch failed|terminated/.test(message)) || name === 'SyntaxError';
};

function oneOf<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}

const filesBelow = async (directory: string): Promise<number> =>
  existsSync(directory)
    ? (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length
    : 0;

/** Resolves when some of the ordered runs are queued, or after a second. */
async function performing(file: string): Promise<void> {
  const database = new Database(file, { readonly: true });
  const ordered = database.prepare(`select count(*) from effects where kind = 'queue-run'`).pluck();
  const deadline = performance.now() + 1000;
  for (let before = 0, now = 0; now >= before && performance.now() < deadline; ) {
    await pause(1);
    before = now;
    now = ordered.get() as number;
  }
  database.close();
}

/** All pages of a list. */
async function all(steps: ServiceSteps, path: string): Promise<readonly Json[]> {
  const found: Json[] = [];
  for (let page = 1; ; page += 1) {
    const data = await steps.ask('GET', `${path}?page[size]=100&page[number]=${page}`);
    found.push(...data);
    if (data.length < 100) return found;
  }
}

async function expectOneHolderEach(steps: ServiceSteps, workspaceIds: readonly string[]): Promise<void> {
  for (const id of workspaceIds) {
    const runs = await all(steps, `/workspaces/${id}/runs`);
    const holding = runs.filter(({ attributes }) => runStatusesHoldingWorkspace.includes(attributes.status));
    expect(holding.length).toBeLessThanOrEqual(1);
  }
}

it('keeps all it acknowledged, and does all that follows from it once, however often it is killed', async () => {
  await inTemporaryDirectory(async (directory) => {
    const environment = { DATA_DIR: directory, LOG_LEVEL: 'error' };
    const inDatabase = <Result>(work: (database: Database.Database) => Result): Result => {
      const database = new Database(join(directory, 'gatehouse.sqlite'));
      try {
        return work(database);
      } finally {
        database.close();
      }
    };
    let service = await ServiceProcess.start(environment);
    try {
      let steps = new ServiceSteps(service);
      const workspaceIds = [
        await service.provision(),
        await steps.workspace('second', { 'auto-apply': true }),
        await steps.workspace('third', { 'auto-apply': true }),
      ];
      await steps.update(workspaceIds[0] ?? '', { 'auto-apply': true });
      await steps.ask('POST', '/organizations/acme/policy-sets', {
        data: {
          type: 'policy-sets',
          attributes: { name: 'all', global: true, policies: [{ name: 'one', 'enforcement-level': 'mandatory' }] },
        },
      });
      const bytes = await Promise.all(['a', 'b', 'c'].map((text) => archiveOf({ 'main.tf': text.repeat(30_000) })));
      const workload = new Workload(workspaceIds, await steps.agentToken(), bytes);
      const jobs: (Job | undefined)[] = [undefined, undefined];

      for (let round = 0; round < kills || !workload.isVaried(); round += 1) {
        const working = workload.against(service, jobs);
        // Half of the kills happen at any time, half while effects are performed.
        const moment =
          round % 2 === 0 ? pause(50 + Math.random() * 500) : performing(join(directory, 'gatehouse.sqlite'));
        await Promise.race([working, moment]);
        await service.end('SIGKILL');
        await working;
        workload.resumed += jobs.filter((job) => job !== undefined).length;
        service = await ServiceProcess.start(environment);
        steps = new ServiceSteps(service);
        await expectOneHolderEach(steps, workspaceIds);
      }

      // The responses to some claims were lost. Their leases end in a minute, which the test does not wait for; it
      // does wait for the seconds that the service gives agents to report after its start.
      await service.end('SIGKILL');
      const abandoned = inDatabase((database) => {
        const applying = database.prepare(`select id from runs where status = 'applying'`).pluck().all();
        database
          .prepare(`update runs set lease_expires_at = '2000-01-01T00:00:00.000Z' where lease_digest is not null`)
          .run();
        return new Set(applying as string[]);
      });
      service = await ServiceProcess.start(environment);
      steps = new ServiceSteps(service);
      const settled: (Job | undefined)[] = [undefined];
      const inProgress = async () => {
        const runs = (await Promise.all(workspaceIds.map((id) => all(steps, `/workspaces/${id}/runs`)))).flat();
        return runs.filter(({ attributes }) => !completedRunStatuses.includes(attributes.status));
      };
      await until('all runs are over', async () => {
        while (await workload.execute(steps, settled, 0));
        return (await inProgress()).length === 0;
      });
      const left = () =>
        inDatabase(
          (database) => database.prepare('select kind, count(*) as count from effects group by kind').all() as Json[],
        );
      await until('nothing is left to do', async () => left().every(({ kind }) => kind === 'purge-backing-data'));
      expect((await service.api('GET', '/admin/failing-effects')).json.data).toEqual([]);

      const runs = (await Promise.all(workspaceIds.map((id) => all(steps, `/workspaces/${id}/runs`)))).flat();
      const statuses = new Map<string, string>(runs.map((run) => [run.id, run.attributes.status]));
      const versions = new Map<string, Json>();
      for (const id of workspaceIds) {
        const listed = await all(steps, `/workspaces/${id}/configuration-versions`);
        for (const version of listed) versions.set(version.id, version);
        const current = (await steps.ask('GET', `/workspaces/${id}`)).relationships['current-configuration-version'];
        expect(current.data.id).toBe(listed[0].id);
      }

      let [live, deleted] = [0, 0];
      for (const { id, autoQueue, bytes: sent, uploaded, change } of workload.versions) {
        const { status } = versions.get(id).attributes;
        if (change === undefined) {
          expect(uploaded === 'acknowledged' ? ['uploaded'] : ['uploaded', 'pending']).toContain(status);
        } else {
          const after = statusAfter[change.action];
          expect(change.outcome === undefined ? ['uploaded', after] : [after]).toContain(status);
        }
        if (status === 'uploaded') {
          live += 1;
          expect((await service.download(id)).equals(sent)).toBe(true);
        }
        if (status === 'backing_data_soft_deleted') deleted += 1;
        const queued = runs.filter(
          ({ attributes, relationships }) =>
            relationships['configuration-version'].data.id === id && attributes.source === 'tfe-configuration-version',
        );
        expect(queued.map((run) => run.id)).toHaveLength(autoQueue && status === 'uploaded' ? 1 : 0);
      }
      // Every file belongs to a version that may still need it.
      expect(await filesBelow(join(directory, 'bundles'))).toBe(live + deleted);
      expect(await filesBelow(join(directory, 'bundles', 'incoming'))).toBe(0);
      expect(left().reduce((sum, { count }) => sum + count, 0)).toBe(deleted);
      expect(await readdir(join(directory, 'tmp'))).toEqual([]);

      // A restored version has its bytes.
      const softly = workload.versions.find(({ id }) => versions.get(id).attributes.status.endsWith('soft_deleted'));
      await steps.ask('POST', `/api/v2/configuration-versions/${softly?.id}/actions/restore_backing_data`);
      expect((await service.download(softly?.id ?? '')).equals(softly?.bytes ?? Buffer.of())).toBe(true);

      for (const { id, canceled } of workload.runs) {
        expect(statuses.has(id)).toBe(true);
        // Whether an apply whose agent is lost was interrupted cannot be known. One that was under way may have ended
        // before it received the cancel.
        if (abandoned.has(id)) expect(statuses.get(id)).toBe('errored');
        else if (canceled) {
          expect(workload.applyReported.has(id) ? ['canceled', 'applied'] : ['canceled']).toContain(statuses.get(id));
        }
      }
      for (const [id, status] of workload.ended) expect(statuses.get(id)).toBe(status);
    } finally {
      await service.end('SIGKILL');
    }
  });
});
