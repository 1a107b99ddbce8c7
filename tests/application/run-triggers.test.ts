import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  Run,
  type RunState,
  runTriggerLimits,
  type Workspace,
  type WorkspaceRunTrigger,
} from '../../src/domain/index.js';
import { firstPage, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { giveGrant } from '../support/builders.js';
import { RunSteps } from '../support/run-steps.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });

let world: World;
let steps: RunSteps;
let source: Workspace;
let target: Workspace;
beforeEach(async () => {
  world = await World.create();
  steps = await RunSteps.of(world);
  source = world.workspace;
  target = await world.newWorkspace('target');
  await world.uploadedVersion(files);
});

const configured = (workspace: Workspace = target) => world.uploadedVersion(files, { workspaceId: workspace.id });

const connect = (to: Workspace = target, from: Workspace = source, actor = world.owner): Promise<WorkspaceRunTrigger> =>
  world.useCases.createRunTrigger.execute(actor, to.id, from.id);

const autoApplied = (workspace: Workspace = target) =>
  world.useCases.updateWorkspace.execute(world.owner, { id: workspace.id }, { autoApplyRunTrigger: true });

/** A run of the source is applied, confirmed by the owner. */
async function applied(): Promise<RunState> {
  const { id } = await steps.create();
  await steps.plan();
  await steps.change(id, 'apply');
  await steps.apply();
  await world.performEffects();
  return steps.stateOf(id);
}

const runsOf = async (workspace: Workspace = target): Promise<readonly RunState[]> =>
  (await world.useCases.listRuns.execute(world.owner, workspace.id, firstPage)).items.map(({ run }) => run);

const lastQueueEvent = async () => {
  const events = await world.recorded();
  const { subject, outcome, actor, detail } = events.find(({ action }) => action === 'runs/queue') ?? {};
  return { subject, outcome, by: actor?.kind, reasons: detail?.reasons?.map(({ text }) => text) };
};

describe('an applied run', () => {
  it('queues one run of each workspace that it triggers, on behalf of who connected them', async () => {
    await configured();
    await connect();
    const other = await world.newWorkspace('other');
    await configured(other);
    await connect(other);
    const { id } = await applied();
    const [run, ...more] = await runsOf();
    expect(more).toEqual([]);
    expect(run).toMatchObject({
      source: 'tfe-run-trigger',
      status: 'plan_queued',
      autoApply: false,
      options: { message: `Triggered by run ${id}` },
      createdBy: { kind: 'user', id: world.owner.userId },
    });
    expect(await runsOf(other)).toHaveLength(1);
    const event = (await world.recorded()).find(({ subject }) => subject === run?.id);
    expect(event).toMatchObject({ action: 'runs/queue', outcome: 'done', detail: { triggeredBy: [{ id }] } });
  });

  it('queues it once, whichever process performs the effect and how often', async () => {
    await configured();
    await connect();
    const { id } = await steps.create();
    await steps.plan();
    await steps.change(id, 'apply');
    await steps.apply();
    const beside = world.processBeside();
    for (const _ of [1, 2, 3]) {
      await Promise.all([world.useCases, beside].map((process) => process.performEffects.execute('quick')));
    }
    await world.performEffects();
    expect(await runsOf()).toHaveLength(1);
  });

  it('queues runs of more workspaces than one transaction follows', async () => {
    const workspaces = [];
    for (let n = 0; n < 21; n += 1) workspaces.push(await world.newWorkspace(`target-${n}`));
    for (const workspace of workspaces) await connect(workspace);
    await applied();
    const refused = (await world.recorded()).filter(({ outcome }) => outcome === 'run/transition-refused');
    expect(refused).toHaveLength(21);
  });

  it.each([
    ['was discarded', async (id: string) => steps.change(id, 'discard')],
    [
      'failed',
      async (id: string) => {
        await steps.change(id, 'apply');
        await (await steps.claimed()).report('apply', { outcome: 'errored', message: 'no' });
      },
    ],
  ])('queues nothing if it %s', async (_, end) => {
    await configured();
    await connect();
    const { id } = await steps.create();
    await steps.plan();
    await end(id);
    await world.performEffects();
    expect(await runsOf()).toEqual([]);
  });

  it('queues nothing without changes, for plans only, and once the trigger or a workspace is gone', async () => {
    await configured();
    const trigger = await connect();
    await steps.create();
    await steps.plan(false);
    await steps.create({ planOnly: true });
    await steps.plan();
    await world.performEffects();
    expect(await runsOf()).toEqual([]);
    const other = await world.newWorkspace('other');
    await connect(other);
    const { id } = await steps.create();
    await steps.plan();
    await steps.change(id, 'apply');
    await steps.apply();
    await world.useCases.removeRunTrigger.execute(world.owner, trigger.id);
    await world.useCases.removeWorkspace.execute(world.owner, { id: other.id });
    await world.performEffects();
    expect(await runsOf()).toEqual([]);
    expect(world.ordered).toEqual([]);
  });
});

describe('a triggered run', () => {
  it('waits while its workspace is locked', async () => {
    await configured();
    await connect();
    const lock = (action: 'lock' | 'unlock') =>
      world.useCases.changeWorkspaceLock.execute(world.owner, target.id, { action, reason: null });
    await lock('lock');
    await applied();
    const [run] = await runsOf();
    expect(run?.status).toBe('pending');
    expect((await lastQueueEvent()).reasons).toEqual(['the run waits until the workspace is unlocked']);
    await lock('unlock');
    expect(await steps.statusOf(run?.id ?? '')).toBe('plan_queued');
  });

  it('applies automatically if the workspace says so', async () => {
    await configured();
    await connect();
    await autoApplied();
    await applied();
    expect(await runsOf()).toMatchObject([{ autoApply: true }]);
    expect(await steps.plan()).toBe('apply_queued');
  });

  it('waits for a person once who connected the workspaces has lost their rights', async () => {
    await configured();
    const team = await world.newTeam('connectors');
    await world.unitOfWork.run(async (tx) => {
      await giveGrant(tx, team.id, target.id, { access: 'admin' });
      await giveGrant(tx, team.id, source.id, { access: 'read' });
    });
    const admin = await world.join('nora', team.id);
    await connect(target, source, admin);
    await autoApplied();
    await world.useCases.removeOrganizationMembership.execute(world.owner, admin.membershipId);
    await applied();
    expect(await runsOf()).toMatchObject([{ autoApply: false, createdBy: null, status: 'plan_queued' }]);
    expect((await lastQueueEvent()).reasons).toEqual([
      'the run is not applied automatically, because the creator of its run trigger may no longer apply runs',
    ]);
    expect(await steps.plan()).toBe('planned');
  });

  const refusals: readonly (readonly [string, () => Promise<unknown>, string])[] = [
    [
      'without a configuration',
      async () => {},
      'Configuration version cannot be used because the workspace has no usable version',
    ],
    [
      'in local execution',
      async () => {
        await configured();
        const execution = { executionMode: 'local' } as const;
        await world.useCases.updateWorkspace.execute(world.owner, { id: target.id }, { execution });
      },
      'the execution mode of the workspace is local',
    ],
  ];

  it.each(refusals)('is not queued %s, which is audited and disturbs no other', async (_, prepare, reason) => {
    await prepare();
    const other = await world.newWorkspace('other');
    await configured(other);
    await connect();
    await connect(other);
    const { id, status } = await applied();
    expect(status).toBe('applied');
    expect(await runsOf()).toEqual([]);
    expect(await runsOf(other)).toHaveLength(1);
    const refused = (await world.recorded()).find(({ outcome }) => outcome === 'run/transition-refused');
    expect(refused).toMatchObject({
      ...{ action: 'runs/queue', subject: target.id, workspaceId: target.id },
      detail: { reasons: [{ text: `${id} triggered no run: ${reason}` }] },
    });
    expect(world.ordered).toEqual([]);
  });

  it('triggers others, at most 20 in a row that no person confirmed', async () => {
    await configured();
    await connect();
    await connect(source, target);
    for (const workspace of [source, target]) await autoApplied(workspace);
    const confirmed = await applied();
    await steps.plan();
    await steps.apply();
    await world.performEffects();
    const depths = async () => [(await runsOf())[0]?.triggerDepth, (await runsOf(source))[0]?.triggerDepth];
    expect(await depths()).toEqual([1, 2]);
    const follow = (run: RunState) =>
      world.unitOfWork.run(async (tx) => {
        const { sequence } = await tx.runs.takeSequence(source.id);
        const id = `${run.id}-last`;
        await tx.runs.add(Run.restore({ ...run, id, sequence, triggerDepth: runTriggerLimits.chain }));
        await tx.effects.enqueue(id, [{ kind: 'follow-run-triggers', runId: id, after: '' }]);
      });
    await follow({ ...confirmed, decisions: [] });
    await world.performEffects();
    expect(await runsOf()).toHaveLength(1);
    expect((await lastQueueEvent()).reasons?.[0]).toContain('the last of 20 runs that triggered each other');
    // A person begins a new chain.
    await follow({ ...confirmed, id: 'run-confirmed' });
    await world.performEffects();
    expect(await runsOf()).toMatchObject([{ triggerDepth: 1 }, { triggerDepth: 1 }]);
  });
});
