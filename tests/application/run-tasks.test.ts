import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RunTaskCall, RunTaskDraft, Transaction, WorkspaceTaskSettings } from '../../src/application/index.js';
import {
  type RunId,
  type RunTask,
  type TaskReport,
  type TaskResult,
  taskWaits,
  withResult,
  withToken,
} from '../../src/domain/index.js';
import { firstPage, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { RowsInMemory } from '../support/rows-in-memory.js';
import { type Held, RunSteps } from '../support/run-steps.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });

let world: World;
let steps: RunSteps;
beforeEach(async () => {
  world = await World.create();
  steps = await RunSteps.of(world);
  await world.upload(await world.newVersion({ autoQueueRuns: false }), files);
});

const newTask = (given: Partial<RunTaskDraft> = {}): Promise<RunTask> =>
  world.useCases.createRunTask.execute(world.owner, 'acme', {
    name: 'scanner',
    url: 'https://scanner.example/check',
    description: '',
    enabled: true,
    hmacKey: null,
    ...given,
  });

/** A task that is attached to the workspace of the world. */
async function attached(
  stages: WorkspaceTaskSettings['stages'],
  enforcementLevel: WorkspaceTaskSettings['enforcementLevel'] = 'mandatory',
  given: Partial<RunTaskDraft> = {},
) {
  const task = await newTask(given);
  const settings = { taskId: task.id, stages, enforcementLevel };
  return { task, attachment: await world.useCases.addWorkspaceTask.execute(world.owner, world.workspace.id, settings) };
}

const said: TaskReport = { status: 'passed', message: undefined, url: undefined };

const report = ({ token, result }: RunTaskCall, given: Partial<TaskReport> = {}) =>
  world.useCases.reportTaskResult.execute({ resultId: result.id, secret: token }, { ...said, ...given }, undefined);

/** The last call, once every effect is performed. */
async function called(): Promise<RunTaskCall> {
  await world.performEffects();
  const call = world.runTasks.calls.at(-1);
  if (call === undefined) throw new Error('no task was called');
  return call;
}

const stagesOf = (id: RunId) => world.unitOfWork.read((tx) => tx.taskStages.ofRun(id));

async function resultsOf(id: RunId): Promise<readonly TaskResult[]> {
  return (await stagesOf(id)).flatMap(({ results }) => results);
}

const planned = async (held: Held, hasChanges = true) => {
  for (const name of ['plan-json', 'plan-json-redacted'] as const) {
    await world.useCases.storeRunArtifact.execute(held.holder, name, bytesOf(`{"${name}":true}`));
  }
  return held.planned(hasChanges);
};

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

const read = ({ token, result }: RunTaskCall, file: 'plan-json' | 'configuration') =>
  world.useCases.readTaskFiles.execute({ resultId: result.id, secret: token }, file).then(buffer);

const ended = { code: 'actor/unauthenticated' };

describe('a run task before the plan', () => {
  it('is called before an agent may claim the run, which goes on when it passes', async () => {
    const { task } = await attached(['pre_plan']);
    const run = await steps.create();
    expect(run.status).toBe('pre_plan_running');
    expect(await steps.claim()).toBeUndefined();
    const call = await called();
    expect(call).toMatchObject({
      url: task.url,
      hmacKey: null,
      run: { id: run.id },
      workspace: { id: world.workspace.id },
      createdBy: 'olga',
      commit: null,
      hasPlan: false,
      result: { stage: 'pre_plan', status: 'pending', taskName: 'scanner', enforcementLevel: 'mandatory' },
    });
    expect(await resultsOf(run.id)).toMatchObject([{ status: 'running' }]);
    await report(call, { message: 'all is well', url: 'https://scanner.example/1' });
    expect(await resultsOf(run.id)).toMatchObject([
      { status: 'passed', message: 'all is well', url: 'https://scanner.example/1', tokenDigest: null, deadline: null },
    ]);
    expect(await steps.statusOf(run.id)).toBe('plan_queued');
    expect((await steps.stateOf(run.id)).statusTimestamps).toMatchObject({
      'pre-plan-running-at': expect.any(String),
      'pre-plan-completed-at': expect.any(String),
    });
    await steps.plan();
    expect(await steps.statusOf(run.id)).toBe('planned');
  });

  it('is called alone if it has later stages too, where the agent keeps its lease until it has evaluated policies', async () => {
    await attached(['pre_plan', 'post_plan']);
    await steps.policySet('baseline', [['tags', 'mandatory']]);
    const run = await steps.create({ planOnly: true });
    expect(await stagesOf(run.id)).toMatchObject([
      { stage: 'pre_plan', status: 'running' },
      { stage: 'post_plan', status: 'pending' },
    ]);
    await report(await called());
    const held = await steps.claimed();
    await planned(held);
    expect(await steps.stateOf(run.id)).toMatchObject({ status: 'post_plan_running', lease: expect.anything() });
    await report(await called());
    expect(await held.judgeAll(() => 'passed')).toBe('planned_and_finished');
  });

  it('stops the run if it fails and is mandatory', async () => {
    await attached(['pre_plan']);
    const run = await steps.create();
    await report(await called(), { status: 'failed', message: 'not today' });
    expect(await steps.stateOf(run.id)).toMatchObject({
      status: 'errored',
      failure: 'a mandatory run task before the plan did not pass',
    });
    expect(await stagesOf(run.id)).toMatchObject([{ stage: 'pre_plan', status: 'failed' }]);
  });

  it('is only shown if it fails and is advisory', async () => {
    await attached(['pre_plan'], 'advisory');
    const run = await steps.create();
    await report(await called(), { status: 'failed' });
    expect(await steps.statusOf(run.id)).toBe('plan_queued');
    expect(await stagesOf(run.id)).toMatchObject([{ status: 'passed', results: [{ status: 'failed' }] }]);
  });

  it('is not called again when an agent loses the run', async () => {
    await attached(['pre_plan']);
    const run = await steps.create();
    await report(await called());
    await steps.claimed();
    world.clock.advance(61);
    await world.useCases.reclaimLostRuns.execute();
    expect(await steps.statusOf(run.id)).toBe('plan_queued');
    await world.performEffects();
    expect(world.runTasks.calls).toHaveLength(1);
  });
});

describe('a run task after the plan', () => {
  it('is called with the plan, once the agent has ended the phase, which is not lost meanwhile', async () => {
    await attached(['post_plan']);
    const run = await steps.create();
    const held = await steps.claimed();
    expect(await planned(held)).toBe('post_plan_running');
    expect(await steps.stateOf(run.id)).toMatchObject({ lease: null });
    const call = await called();
    expect(call).toMatchObject({ hasPlan: true, result: { stage: 'post_plan' } });
    world.clock.advance(500);
    await world.useCases.reclaimLostRuns.execute();
    expect(await steps.statusOf(run.id)).toBe('post_plan_running');
    expect((await read(call, 'plan-json')).toString()).toBe('{"plan-json-redacted":true}');
    expect(await read(call, 'configuration')).toEqual(files);
    await report(call);
    expect(await steps.statusOf(run.id)).toBe('post_plan_completed');
    await expect(read(call, 'plan-json')).rejects.toMatchObject(ended);
  });

  it('waits for an override if it fails and is mandatory', async () => {
    await attached(['post_plan']);
    const run = await steps.create();
    await planned(await steps.claimed());
    const call = await called();
    await report(call, { status: 'failed' });
    expect(await steps.statusOf(run.id)).toBe('post_plan_awaiting_decision');
    await expect(report(call)).rejects.toMatchObject(ended);
    const [stage] = await stagesOf(run.id);
    expect(stage).toMatchObject({ status: 'awaiting_override' });
    await world.useCases.overrideTaskStage.execute(world.owner, stage?.id ?? '');
    expect(await steps.statusOf(run.id)).toBe('post_plan_completed');
    expect(await stagesOf(run.id)).toMatchObject([{ status: 'passed', results: [{ status: 'failed' }] }]);
  });

  it('and policies decide together, whichever come last', async () => {
    await attached(['post_plan']);
    await steps.policySet('baseline', [['tags', 'mandatory']]);
    const first = await steps.create({ planOnly: true });
    const held = await steps.claimed();
    await planned(held);
    expect(await steps.stateOf(first.id)).toMatchObject({ status: 'post_plan_running', lease: expect.anything() });
    await report(await called());
    expect(await steps.statusOf(first.id)).toBe('post_plan_running');
    expect(await held.judgeAll(() => 'passed')).toBe('planned_and_finished');

    const second = await steps.create({ planOnly: true });
    const again = await steps.claimed();
    await planned(again);
    expect(await again.judgeAll(() => 'failed')).toBe('post_plan_running');
    expect(await steps.stateOf(second.id)).toMatchObject({ lease: null });
    await report(await called());
    // The policy set allows no override.
    expect(await steps.stateOf(second.id)).toMatchObject({ status: 'errored' });
  });

  it('is called again, with another token, if the agent is lost while it evaluates policies', async () => {
    await attached(['post_plan']);
    await steps.policySet('baseline', [['tags', 'mandatory']]);
    const run = await steps.create({ planOnly: true });
    await planned(await steps.claimed());
    const call = await called();
    world.clock.advance(61);
    await world.useCases.reclaimLostRuns.execute();
    expect(await resultsOf(run.id)).toMatchObject([{ status: 'pending', tokenDigest: null, deadline: null }]);
    await expect(report(call)).rejects.toMatchObject(ended);
    const held = await steps.claimed();
    await planned(held);
    await report(await called());
    expect(world.runTasks.calls).toHaveLength(2);
    expect(await held.judgeAll(() => 'passed')).toBe('planned_and_finished');
  });

  it('is not called again once the agent is lost, before the plan is made again', async () => {
    await attached(['post_plan']);
    await steps.policySet('baseline', [['tags', 'mandatory']]);
    await steps.create({ planOnly: true });
    await planned(await steps.claimed());
    world.runTasks.answer = () => ({ delivered: false, final: false, reason: 'no answer' });
    await called();
    world.clock.advance(61);
    await world.useCases.reclaimLostRuns.execute();
    world.runTasks.answer = () => ({ delivered: true });
    await world.performEffects();
    expect(world.runTasks.calls).toHaveLength(1);
    expect(world.ordered).toEqual([]);
    const held = await steps.claimed();
    await planned(held);
    await report(await called());
    expect(await held.judgeAll(() => 'passed')).toBe('planned_and_finished');
  });
});

describe('a run task around the apply', () => {
  it('precedes it, and stops it if it does not pass', async () => {
    await attached(['pre_apply']);
    const run = await steps.create();
    await steps.plan();
    await steps.change(run.id, 'apply');
    expect(await steps.statusOf(run.id)).toBe('pre_apply_running');
    await report(await called());
    expect(await steps.statusOf(run.id)).toBe('apply_queued');
    expect(await steps.apply()).toBe('applied');

    const stopped = await steps.create();
    await steps.plan();
    await steps.change(stopped.id, 'apply');
    await report(await called(), { status: 'failed' });
    expect(await steps.stateOf(stopped.id)).toMatchObject({
      status: 'errored',
      failure: 'a mandatory run task before the apply did not pass',
    });
  });

  it('follows it without holding the workspace', async () => {
    await attached(['post_apply']);
    const [run, next] = [await steps.create(), await steps.create()];
    await steps.plan();
    await steps.change(run.id, 'apply');
    expect(await steps.apply()).toBe('applied');
    expect(await steps.statusOf(next.id)).toBe('plan_queued');
    expect(await stagesOf(run.id)).toMatchObject([{ stage: 'post_apply', status: 'running' }]);
    await report(await called(), { status: 'failed' });
    expect(await stagesOf(run.id)).toMatchObject([{ status: 'failed' }]);
    expect(await steps.statusOf(run.id)).toBe('applied');
  });

  it('is not called if the run ends before', async () => {
    await attached(['pre_apply', 'post_apply']);
    const run = await steps.create();
    await steps.plan(false);
    expect(await steps.statusOf(run.id)).toBe('planned_and_finished');
    await world.performEffects();
    expect(world.runTasks.calls).toEqual([]);
    expect(await stagesOf(run.id)).toMatchObject([{ status: 'canceled' }, { status: 'canceled' }]);
  });
});

describe('waiting for a run task', () => {
  it('ends with the run', async () => {
    await attached(['pre_plan']);
    const run = await steps.create();
    const call = await called();
    await steps.change(run.id, 'cancel');
    expect(await stagesOf(run.id)).toMatchObject([
      { status: 'canceled', results: [{ status: 'canceled', tokenDigest: null, deadline: null }] },
    ]);
    await expect(report(call)).rejects.toMatchObject(ended);
    await expect(read(call, 'configuration')).rejects.toMatchObject(ended);
  });

  it('ends with the workspace', async () => {
    await attached(['pre_plan']);
    await steps.create();
    const call = await called();
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await expect(report(call)).rejects.toMatchObject(ended);
    await world.performEffects();
    expect(world.remembers(call.result.id)).toBe(false);
  });

  it.each(['task', 'attachment'] as const)('ends with its %s, as if it had failed', async (what) => {
    const { task, attachment } = await attached(['pre_plan']);
    const run = await steps.create();
    const call = await called();
    const { useCases, owner, workspace } = world;
    if (what === 'task') await useCases.removeRunTask.execute(owner, task.id);
    else await useCases.removeWorkspaceTask.execute(owner, workspace.id, attachment.id);
    await expect(report(call)).rejects.toMatchObject(ended);
    expect(await useCases.endOverdueResults.execute()).toEqual([call.result.id]);
    expect(await resultsOf(run.id)).toMatchObject([{ status: 'errored', message: 'the run task was removed' }]);
    expect(await steps.statusOf(run.id)).toBe('errored');
    expect((await steps.create()).status).toBe('plan_queued');
  });

  it('ends if the task was removed before it was called', async () => {
    const { task } = await attached(['pre_plan']);
    const run = await steps.create();
    await world.useCases.removeRunTask.execute(world.owner, task.id);
    await world.performEffects();
    expect(world.runTasks.calls).toEqual([]);
    expect(await resultsOf(run.id)).toMatchObject([{ status: 'unreachable', message: 'the run task was removed' }]);
    expect(await steps.statusOf(run.id)).toBe('errored');
    expect(world.ordered).toEqual([]);
  });

  it('goes on while it reports progress, within the total', async () => {
    await attached(['pre_plan']);
    const run = await steps.create();
    const call = await called();
    const overdue = () => world.useCases.endOverdueResults.execute();
    for (let waited = 0; waited < taskWaits.total - taskWaits.progress; waited += taskWaits.progress - 1) {
      world.clock.advance(taskWaits.progress - 1);
      expect(await overdue()).toEqual([]);
      await report(call, { status: 'running', message: `after ${waited}` });
    }
    world.clock.advance(taskWaits.progress - 1);
    expect(await overdue()).toEqual([call.result.id]);
    expect(await resultsOf(run.id)).toMatchObject([
      { status: 'errored', message: expect.stringContaining('did not report in time') },
    ]);
    expect(await steps.statusOf(run.id)).toBe('errored');
    expect(await overdue()).toEqual([]);
  });
});

describe('the call of a run task', () => {
  const refuses = (final: boolean) => () => ({ delivered: false, final, reason: 'it said no' }) as const;

  it('is tried again while its server may answer, each time with a new token', async () => {
    await attached(['pre_plan']);
    const run = await steps.create();
    world.runTasks.answer = refuses(false);
    const first = await called();
    expect(await resultsOf(run.id)).toMatchObject([{ status: 'pending' }]);
    world.runTasks.answer = () => ({ delivered: true });
    world.clock.advance(10);
    const second = await called();
    expect(second.token).not.toBe(first.token);
    await expect(report(first)).rejects.toMatchObject(ended);
    await report(second);
    expect(await steps.statusOf(run.id)).toBe('plan_queued');
  });

  it.each([
    ['final', true, 0],
    ['repeated for too long', false, taskWaits.call],
  ])('makes the result unreachable if the refusal is %s', async (_, final, seconds) => {
    await attached(['pre_plan']);
    const run = await steps.create();
    world.runTasks.answer = refuses(final);
    await called();
    world.clock.advance(seconds);
    await called();
    expect(await resultsOf(run.id)).toMatchObject([{ status: 'unreachable', message: 'it said no' }]);
    expect(await steps.statusOf(run.id)).toBe('errored');
  });

  it('may be answered before its server accepts it', async () => {
    await attached(['pre_plan']);
    const run = await steps.create();
    world.runTasks.answer = async (call) => {
      await report(call);
      return { delivered: true };
    };
    await called();
    expect(await resultsOf(run.id)).toMatchObject([{ status: 'passed' }]);
    expect(await steps.statusOf(run.id)).toBe('plan_queued');
    expect(world.ordered).toEqual([]);
  });

  it('is not repeated once the task has reported, whatever its server answered', async () => {
    await attached(['pre_plan']);
    const run = await steps.create();
    world.runTasks.answer = async (call) => {
      await report(call, { status: 'running' });
      return { delivered: false, final: false, reason: 'no answer' };
    };
    await called();
    world.clock.advance(10);
    await called();
    expect(world.runTasks.calls).toHaveLength(1);
    expect(await resultsOf(run.id)).toMatchObject([{ status: 'running' }]);
    expect(world.ordered).toEqual([]);
  });

  it('is signed with the key of the task, which is stored sealed', async () => {
    const { task } = await attached(['pre_plan'], 'mandatory', { hmacKey: 'a key of ours' });
    expect(world.box.open(task.sealedHmacKey ?? '')).toBe('a key of ours');
    await steps.create();
    expect(await called()).toMatchObject({ hmacKey: 'a key of ours' });
    const changed = await world.useCases.updateRunTask.execute(world.owner, task.id, { description: 'kept' });
    expect(changed.sealedHmacKey).toBe(task.sealedHmacKey);
    expect(
      (await world.useCases.updateRunTask.execute(world.owner, task.id, { hmacKey: '' })).sealedHmacKey,
    ).toBeNull();
  });

  it('is not made for a task that was detached before, and the run is not held up', async () => {
    const { attachment } = await attached(['pre_plan'], 'advisory');
    const run = await steps.create();
    await world.useCases.removeWorkspaceTask.execute(world.owner, world.workspace.id, attachment.id);
    await world.performEffects();
    expect(world.runTasks.calls).toEqual([]);
    expect(await resultsOf(run.id)).toMatchObject([{ status: 'unreachable', message: 'the run task was removed' }]);
    expect(await steps.statusOf(run.id)).toBe('plan_queued');
  });

  it('begins the time that a task has, however long it waited before', async () => {
    await attached(['pre_plan']);
    const run = await steps.create();
    world.clock.advance(taskWaits.attempt - 1);
    expect(await world.useCases.endOverdueResults.execute()).toEqual([]);
    world.runTasks.answer = refuses(false);
    await called();
    world.clock.advance(taskWaits.call - 1);
    world.runTasks.answer = () => ({ delivered: true });
    const call = await called();
    world.clock.advance(taskWaits.progress - taskWaits.call);
    expect(await world.useCases.endOverdueResults.execute()).toEqual([]);
    world.clock.advance(1);
    expect(await world.useCases.endOverdueResults.execute()).toEqual([call.result.id]);
    expect(await resultsOf(run.id)).toMatchObject([{ message: expect.stringContaining('did not report in time') }]);
  });

  it('ends the result with an error if it was never attempted within an hour', async () => {
    await attached(['pre_plan'], 'advisory');
    const run = await steps.create();
    world.clock.advance(taskWaits.attempt);
    await world.useCases.endOverdueResults.execute();
    expect(await resultsOf(run.id)).toMatchObject([
      { status: 'errored', message: expect.stringContaining('was not called within 60 minutes') },
    ]);
    expect(await steps.statusOf(run.id)).toBe('plan_queued');
    await world.performEffects();
    expect(world.runTasks.calls).toEqual([]);
  });

  it('is not made once the workspace is removed', async () => {
    await attached(['pre_plan']);
    await steps.create();
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await world.performEffects();
    expect(world.runTasks.calls).toEqual([]);
    expect(world.ordered).toEqual([]);
  });

  it('is not made for a disabled task', async () => {
    await attached(['pre_plan'], 'mandatory', { enabled: false });
    expect((await steps.create()).status).toBe('plan_queued');
  });

  it('is not made if the key of the task cannot be decrypted', async () => {
    const { task } = await attached(['pre_plan'], 'mandatory', { hmacKey: 'a key of ours' });
    const unreadable = { ...task, sealedHmacKey: 'sealed with a secret that is gone', revision: task.revision + 1 };
    await world.unitOfWork.run((tx) => tx.runTasks.save(unreadable));
    const run = await steps.create();
    await world.performEffects();
    expect(world.runTasks.calls).toEqual([]);
    expect(await resultsOf(run.id)).toMatchObject([
      { status: 'unreachable', message: expect.stringContaining('HMAC key of the task cannot be decrypted') },
    ]);
    expect(world.ordered).toEqual([]);
  });
});

describe('the audit trail', () => {
  const recorded = async (subject: string) => {
    const of = { organizationId: world.workspace.organizationId };
    const query = { of, actorId: undefined, action: undefined, since: undefined, until: undefined, oldestFirst: true };
    const { items } = await world.unitOfWork.read((tx) => tx.audit.slice(query, undefined, 1_000));
    return items.filter((event) => event.subject === subject).map(({ action, actor }) => [action, actor.kind]);
  };

  it('has an event for a call, a report, and a result that was not reported in time', async () => {
    await attached(['pre_plan']);
    await steps.create();
    const call = await called();
    await report(call, { status: 'running' });
    world.clock.advance(taskWaits.total);
    await world.useCases.endOverdueResults.execute();
    expect(await recorded(call.result.id)).toEqual([
      ['task-results/call', 'system'],
      ['task-results/report', 'run-task'],
      ['task-results/time-out', 'system'],
    ]);
  });

  it('has an event for a call that is not made', async () => {
    const { task } = await attached(['pre_plan']);
    const run = await steps.create();
    await world.useCases.removeRunTask.execute(world.owner, task.id);
    await world.performEffects();
    const [result] = await resultsOf(run.id);
    expect(await recorded(result?.id ?? '')).toEqual([['task-results/call', 'system']]);
  });
});

describe('a callback token', () => {
  it('belongs to one result', async () => {
    await attached(['pre_plan']);
    await attached(['pre_plan'], 'advisory', { name: 'other' });
    await steps.create();
    await world.performEffects();
    const [first, second] = world.runTasks.calls;
    const caller = { resultId: first?.result.id ?? '', secret: second?.token };
    const missing = { code: 'resource/not-found' };
    await expect(world.useCases.checkTaskResultToken.execute(caller)).rejects.toMatchObject(missing);
    await expect(world.useCases.reportTaskResult.execute(caller, said, [])).rejects.toMatchObject(missing);
    await expect(world.useCases.readTaskFiles.execute(caller, 'configuration')).rejects.toMatchObject(missing);
    await expect(world.bearerOf(second?.token ?? '')).rejects.toMatchObject(ended);
    for (const secret of [undefined, 'another', world.owner.secret]) {
      const attempt = world.useCases.checkTaskResultToken.execute({ ...caller, secret });
      await expect(attempt).rejects.toMatchObject(ended);
    }
  });

  it('reads the files that were fetched again for its run', async () => {
    const cloneUrl = 'https://git.example/acme/network.git';
    const repository = { cloneUrl, branch: 'main', credential: null };
    const { useCases, owner, workspace } = world;
    world.repositories.push(cloneUrl, 'main', files);
    await useCases.updateWorkspace.execute(owner, { id: workspace.id }, { repository });
    await useCases.fetchCommit.execute(owner, workspace.id);
    await world.performEffects();
    await steps.plan(false);
    await world.performEffects();
    await attached(['pre_plan']);
    const run = await steps.create();
    expect(run.status).toBe('fetching');
    expect(await read(await called(), 'configuration')).toEqual(files);
  });

  it('cannot change a final result, while its stage goes on', async () => {
    await attached(['pre_plan']);
    await attached(['pre_plan'], 'advisory', { name: 'other' });
    const run = await steps.create();
    await world.performEffects();
    const [call] = world.runTasks.calls;
    await report(call as RunTaskCall, { status: 'failed' });
    await world.refuses(() => report(call as RunTaskCall), {
      code: 'task-stage/transition-refused',
      message: 'task result could not be changed because its status is failed',
    });
    expect(await steps.statusOf(run.id)).toBe('pre_plan_running');
  });

  it('reports outcomes, which replace the ones before', async () => {
    await attached(['pre_plan']);
    await steps.create();
    const call = await called();
    const caller = { resultId: call.result.id, secret: call.token };
    const outcome = (outcomeId: string) => ({ outcomeId, description: '', body: '# It', url: '', tags: {} });
    const running = { ...said, status: 'running' } as const;
    await world.useCases.reportTaskResult.execute(caller, running, [outcome('a'), outcome('b')]);
    await world.useCases.reportTaskResult.execute(caller, running, undefined);
    const listed = () => world.useCases.listTaskResultOutcomes.execute(world.owner, call.result.id, firstPage);
    expect((await listed()).items).toMatchObject([
      { id: `${call.result.id}-1`, outcomeId: 'a' },
      { id: `${call.result.id}-2`, outcomeId: 'b' },
    ]);
    await world.useCases.reportTaskResult.execute(caller, said, [outcome('c')]);
    expect((await listed()).items).toMatchObject([{ outcomeId: 'c' }]);
    await expect(
      world.useCases.listTaskResultOutcomes.execute(world.stranger, call.result.id, firstPage),
    ).rejects.toMatchObject({ code: 'resource/not-found' });
  });

  it('takes no link that a browser would execute', async () => {
    await attached(['pre_plan']);
    await steps.create();
    const call = await called();
    const [caller, url] = [{ resultId: call.result.id, secret: call.token }, 'javascript:alert(1)'];
    const outcome = { outcomeId: 'any', description: '', body: '', tags: {} };
    await world.refuses(() => report(call, { url }), { code: 'attribute/invalid' });
    await world.refuses(
      () =>
        world.useCases.reportTaskResult.execute(caller, { ...said, status: 'running' }, [
          { ...outcome, url: '' },
          { ...outcome, url },
        ]),
      { code: 'attribute/invalid' },
    );
  });
});

/** Runs `overtake` between the lookup of a token and the lock: what another transaction commits there is seen after it. */
class Overtaken extends RowsInMemory {
  overtake: ((tx: Transaction) => Promise<void>) | undefined;

  override run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return super.run((tx) => {
      const taskResults: Transaction['taskResults'] = Object.create(tx.taskResults, {
        byToken: {
          value: async (digest: string) => {
            const located = await tx.taskResults.byToken(digest);
            await this.overtake?.(tx);
            return located;
          },
        },
      });
      return work(Object.create(tx, { taskResults: { value: taskResults } }));
    });
  }
}

describe('a report in a race with a new attempt of its call', () => {
  it('is refused where the attempt has replaced its token before the lock', async () => {
    const unitOfWork = new Overtaken();
    world = await World.create({ unitOfWork });
    steps = await RunSteps.of(world);
    await world.upload(await world.newVersion({ autoQueueRuns: false }), files);
    await attached(['pre_plan']);
    const run = await steps.create();
    // Its server takes the call, but the answer is lost.
    world.runTasks.answer = () => ({ delivered: false, final: false, reason: 'no answer' });
    const call = await called();
    const { digest } = world.secrets.generate();
    unitOfWork.overtake = async (tx) => {
      unitOfWork.overtake = undefined;
      const [stage] = await tx.taskStages.ofRun(run.id);
      const [result] = stage?.results ?? [];
      if (stage === undefined || result === undefined) throw new Error('the run has no result');
      await tx.taskStages.save(withResult(stage, withToken(result, digest), world.clock.now()));
    };
    await expect(report(call)).rejects.toMatchObject({ code: 'resource/not-found' });
    expect((await resultsOf(run.id)).map(({ status }) => status)).toEqual(['pending']);
    expect(unitOfWork.overtake).toBeUndefined();
  });
});

/** Runs `overtake` after the next transaction that reads: those after it see what it commits. */
class ReadBefore extends RowsInMemory {
  overtake: (() => Promise<unknown>) | undefined;

  override async read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const found = await super.read(work);
    const { overtake } = this;
    this.overtake = undefined;
    await overtake?.();
    return found;
  }
}

describe('a result that is overdue', () => {
  it.each([
    ['progress', 'running', false],
    ['a final result', 'passed', false],
    ['a final result, while its stage goes on', 'passed', true],
  ] as const)('does not end where its task reports in the meantime: %s', async (_, status, goesOn) => {
    const unitOfWork = new ReadBefore();
    world = await World.create({ unitOfWork });
    steps = await RunSteps.of(world);
    await world.upload(await world.newVersion({ autoQueueRuns: false }), files);
    await attached(['pre_plan']);
    if (goesOn) await attached(['pre_plan'], 'advisory', { name: 'other' });
    const run = await steps.create();
    await world.performEffects();
    const [call] = world.runTasks.calls as [RunTaskCall];
    world.clock.advance(taskWaits.progress);
    unitOfWork.overtake = () => report(call, { status });
    expect(await world.useCases.endOverdueResults.execute()).not.toContain(call.result.id);
    expect(await resultsOf(run.id)).toContainEqual(expect.objectContaining({ id: call.result.id, status }));
    expect(unitOfWork.overtake).toBeUndefined();
  });
});

describe('attaching run tasks', () => {
  it('takes those of the organization only, once, and at most twenty', async () => {
    const { task, attachment } = await attached(['post_apply', 'pre_plan', 'pre_plan']);
    expect(attachment.stages).toEqual(['pre_plan', 'post_apply']);
    const attach = (taskId: string) =>
      world.useCases.addWorkspaceTask.execute(world.owner, world.workspace.id, {
        taskId,
        stages: ['post_plan'],
        enforcementLevel: 'advisory',
      });
    await world.refuses(() => attach(task.id), { code: 'attribute/taken' });
    const draft = { name: 'scanner', url: task.url, description: '', enabled: true, hmacKey: null };
    const elsewhere = await world.useCases.createRunTask.execute(world.administrator, 'globex', draft);
    for (const id of ['task-nobody', elsewhere.id]) {
      await world.refuses(() => attach(id), {
        code: 'attribute/invalid',
        message: 'Task cannot be attached because the organization has no such run task',
        details: { relationship: 'task' },
      });
    }
    for (let index = 1; index < 20; index += 1) await attach((await newTask({ name: `task-${index}` })).id);
    const last = await newTask({ name: 'last' });
    await world.refuses(() => attach(last.id), { message: 'A workspace can have at most 20 run tasks' });
  });
});
