import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { archiveOf } from '../support/archives.js';
import { inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import type { Job, ReferenceAgent } from '../support/reference-agent.js';
import { ServiceSteps, until } from '../support/service-steps.js';

let service: ServiceProcess;
let steps: ServiceSteps;
let workspaceId: string;
let token: string;
let bytes: Buffer;
let release: () => void;
let done: Promise<void>;
let directory: string;

/** Resolves once that many requests wait for their answers, besides the one that asks. */
const inFlight = (requests: number) =>
  until(`${requests} requests wait`, async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    return metrics.includes(`gatehouse_http_requests_in_flight ${requests + 1}\n`);
  });

const start = async (): Promise<void> => {
  service = await ServiceProcess.start({ DATA_DIR: directory });
  steps = new ServiceSteps(service);
};

beforeEach(async () => {
  await new Promise<void>((ready) => {
    done = inTemporaryDirectory(async (made) => {
      directory = made;
      ready();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
  });
  await start();
  workspaceId = await service.provision();
  token = await steps.agentToken();
  bytes = await archiveOf({ 'main.tf': '# nothing' });
});

afterEach(async () => {
  await service.end('SIGKILL');
  release();
  await done;
});

const newPolicySet = (attributes: object): Promise<{ id: string }> =>
  steps.ask('POST', '/organizations/acme/policy-sets', {
    data: { type: 'policy-sets', attributes: { global: true, ...attributes } },
  });

const stageOf = async (runId: string) => {
  const [stage] = await steps.ask('GET', `/runs/${runId}/task-stages`);
  return stage;
};

/** All of the phase's log that is there, without the marks around it. */
async function logOf(runId: string, phase: 'plan' | 'apply'): Promise<string> {
  const shown = await steps.ask(
    'GET',
    `/${phase === 'plan' ? 'plans' : 'applies'}/${runId.replace('run-', `${phase}-`)}`,
  );
  const text = await (await fetch(shown.attributes['log-read-url'])).text();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the marks.
  return text.replace(/^\x02|\x03$/g, '');
}

/** Queues the workspace's first run by an upload, and lets the agent claim it. */
async function planning(agent: ReferenceAgent): Promise<Job> {
  await steps.uploaded(workspaceId, bytes);
  return agent.claimed();
}

describe('agents of a running service', () => {
  it('plan, fail a mandatory policy that may be overridden, and apply once it is overridden', async () => {
    await newPolicySet({
      name: 'baseline',
      overridable: true,
      policies: [
        { name: 'tags', query: 'data.tags.deny', 'enforcement-level': 'mandatory' },
        { name: 'cost', 'enforcement-level': 'advisory' },
      ],
    });
    const agent = steps.agent(token);
    const job = await planning(agent);
    expect(job.json).toMatchObject({
      phase: 'plan',
      workspace: { id: workspaceId, name: 'api', organization: 'acme' },
      'policy-evaluations': [{ 'policy-kind': 'opa', 'policy-sets': [{ name: 'baseline' }] }],
    });
    expect((await job.configuration()).bytes.equals(bytes)).toBe(true);
    expect((await job.log(0, 'planning\n')).json).toEqual({ size: 9 });
    expect((await job.planned()).json.run.status).toBe('post_plan_running');
    expect((await job.judgeAll(() => 'failed')).json.run.status).toBe('post_plan_awaiting_decision');
    // The lease is over with the policies: nothing more is taken.
    expect((await job.heartbeat()).status).toBe(409);
    expect(await agent.claim()).toBeUndefined();

    const stage = await stageOf(job.runId);
    expect(stage.attributes).toMatchObject({ status: 'awaiting_override', actions: { 'is-overridable': true } });
    const [evaluation] = await steps.ask('GET', `/task-stages/${stage.id}/policy-evaluations`);
    expect(evaluation.attributes['result-count']).toEqual({
      'advisory-failed': 1,
      'mandatory-failed': 1,
      passed: 0,
      errored: 0,
    });
    expect((await service.api('POST', `/runs/${job.runId}/actions/apply`)).status).toBe(409);
    await steps.ask('POST', `/task-stages/${stage.id}/actions/override`);
    expect((await stageOf(job.runId)).attributes.status).toBe('passed');
    expect(await steps.statusOf(job.runId)).toBe('post_plan_completed');

    await steps.ask('POST', `/runs/${job.runId}/actions/apply`);
    const applying = await agent.claimed();
    expect([applying.runId, applying.phase]).toEqual([job.runId, 'apply']);
    await applying.log(0, 'applying\n');
    expect((await applying.applied()).json.run.status).toBe('applied');
    expect(await logOf(job.runId, 'plan')).toBe('planning\n');
    expect(await logOf(job.runId, 'apply')).toBe('applying\n');
    expect(await service.end()).toBe(0);
    expect(service.printed).not.toContain(token);
    expect(service.printed).not.toContain(job.json.lease.token);
  });

  it('share the work, two at once: each run is executed by one, and each workspace by one at a time', async () => {
    const workspaces = [workspaceId, await steps.workspace('second'), await steps.workspace('third')];
    const runs: string[] = [];
    for (const id of workspaces) {
      await steps.uploaded(id, bytes, { 'auto-queue-runs': false });
      for (let count = 0; count < 4; count += 1) runs.push(await steps.run(id));
    }
    const executing = new Set<string>();
    const executed: string[] = [];
    const work = async (name: string): Promise<void> => {
      const agent = steps.agent(token, name);
      for (let job = await agent.claim(1); job !== undefined; job = await agent.claim(1)) {
        const { id } = job.json.workspace;
        expect(executing.has(id)).toBe(false);
        executing.add(id);
        executed.push(job.runId);
        expect((await job.heartbeat()).status).toBe(200);
        // Another agent may claim the next run before this response is read.
        executing.delete(id);
        expect((await job.planned(false)).json.run.status).toBe('planned_and_finished');
      }
    };
    await Promise.all([work('one'), work('two')]);
    expect(executed.toSorted()).toEqual(runs.toSorted());
    for (const id of workspaces) {
      const own = (await steps.runs(id)).map((run) => run.id).reverse();
      expect(executed.filter((runId) => own.includes(runId))).toEqual(own);
    }
  });

  it('go on with a plan across a restart, on the lease they have', async () => {
    const job = await planning(steps.agent(token));
    await job.log(0, 'before\n');
    expect(await service.end()).toBe(0);
    await start();
    const kept = steps.agent(token).resumed(job);
    expect((await kept.heartbeat()).json).toMatchObject({ run: { status: 'planning' }, cancel: false });
    // No other agent gets it.
    expect(await steps.agent(token, 'another').claim()).toBeUndefined();
    expect((await kept.configuration()).bytes.equals(bytes)).toBe(true);
    // A part whose answer was lost may be sent again.
    expect((await kept.log(0, 'before\nafter\n')).json).toEqual({ size: 13 });
    expect((await kept.planned()).json.run.status).toBe('planned');
    expect(await logOf(job.runId, 'plan')).toBe('before\nafter\n');

    await service.end('SIGKILL');
    await start();
    await steps.ask('POST', `/runs/${job.runId}/actions/apply`);
    const applying = await steps.agent(token).claimed();
    await service.end('SIGKILL');
    await start();
    expect((await steps.agent(token).resumed(applying).applied()).json.run.status).toBe('applied');
  });

  it('that wait for a run are sent away soon when the service stops, and claim nothing then', async () => {
    const waiting = steps.agent(token).claim(60);
    const other = steps.agent(token, 'other').claim(60);
    await inFlight(2);
    expect(await service.end('SIGTERM')).toBe(0);
    // The service answers them before it would cut them off.
    expect(await waiting).toBeUndefined();
    expect(await other).toBeUndefined();
  });

  it('get a run as soon as there is one, while they wait for it', async () => {
    const waiting = steps.agent(token).claim(30);
    await inFlight(1);
    await steps.uploaded(workspaceId, bytes);
    const begun = performance.now();
    const job = await waiting;
    expect(job?.json.workspace.id).toBe(workspaceId);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
