import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkspaceChange } from '../../src/application/index.js';
import { type Actor, type AutoDestroy, later } from '../../src/domain/index.js';
import { type Member, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { RunSteps } from '../support/run-steps.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });
const day = 86_400;

let world: World;
let admin: Member;
beforeEach(async () => {
  world = await World.create();
  admin = await world.grantee('admin');
});

const settle = async (change: WorkspaceChange, actor: Actor = admin): Promise<AutoDestroy | null> =>
  (await world.useCases.updateWorkspace.execute(actor, { id: world.workspace.id }, change)).subject.autoDestroy;

const inDays = (days: number) => later(world.clock.now(), days * day);

const schedule = (days = 2, actor: Actor = admin) => settle({ autoDestroy: { at: inDays(days) } }, actor);

const scheduled = async () =>
  (await world.useCases.showWorkspace.execute(world.owner, { id: world.workspace.id })).subject.autoDestroy;

const lock = (action: 'lock' | 'unlock') =>
  world.useCases.changeWorkspaceLock.execute(admin, world.workspace.id, { action, reason: null });

/** A new current state, which the worker has read. */
async function newState(serial: number, resources: number): Promise<void> {
  const instances = Array.from({ length: resources }, () => ({ attributes: {} }));
  const provider = 'provider["terraform.io/builtin/terraform"]';
  const resource = { mode: 'managed', type: 'terraform_data', name: 'one', provider, instances };
  const lineage = 'lineage-1';
  const state = Buffer.from(
    JSON.stringify({ version: 4, serial, lineage, outputs: {}, resources: resources > 0 ? [resource] : [] }),
  );
  await lock('lock');
  await world.useCases.createStateVersion.execute(admin, {
    workspaceId: world.workspace.id,
    ...{ serial, lineage, md5: createHash('md5').update(state).digest('hex'), force: false },
    ...{ runId: undefined, state, jsonState: undefined },
  });
  await lock('unlock');
  await world.performEffects();
}

const create = () => world.useCases.createScheduledDestroys.execute();

const passDays = (days: number) => {
  world.clock.advance(days * day);
  return create();
};

const lastEvent = async () => {
  const [newest] = await world.recorded();
  const { action, subject, outcome, actor, detail } = newest ?? {};
  return { action, subject, outcome, by: actor?.kind, reasons: detail?.reasons?.map(({ text }) => text) };
};

describe('a scheduled destruction', () => {
  it('creates one destroy run when its time has come, which applies itself, and is over', async () => {
    const steps = await RunSteps.of(world);
    await world.uploadedVersion(files);
    await newState(1, 1);
    await schedule();
    expect(await passDays(1.99)).toEqual([]);
    expect((await scheduled())?.at).not.toBeNull();
    const [id = '', ...others] = await passDays(0.01);
    expect(others).toEqual([]);
    expect(await scheduled()).toBeNull();
    expect(await steps.stateOf(id)).toMatchObject({
      status: 'plan_queued',
      autoApply: true,
      options: { isDestroy: true, message: 'Scheduled destruction of the workspace' },
      createdBy: { kind: 'user', id: admin.userId },
    });
    expect(await lastEvent()).toEqual({
      ...{ action: 'runs/queue', subject: id, outcome: 'done', by: 'system' },
      reasons: ['scheduled destruction'],
    });
    expect(await steps.plan()).toBe('apply_queued');
    expect(await passDays(10)).toEqual([]);
  });

  it('is inherited from the project, is due once for each state, and is postponed by a new one', async () => {
    const steps = await RunSteps.of(world);
    await world.uploadedVersion(files);
    const { projectId } = world.workspace;
    const settleProject = (autoDestroyActivityDuration: string | null) =>
      world.useCases.updateProject.execute(world.owner, projectId, { autoDestroyActivityDuration });
    await settleProject('2d');
    await newState(1, 1);
    expect(await passDays(1)).toEqual([]);
    await newState(2, 1);
    expect(await passDays(1.99)).toEqual([]);
    const [run = '', ...others] = await passDays(0.01);
    expect(others).toEqual([]);
    const { options, autoApply, createdBy } = await steps.stateOf(run);
    expect([options.isDestroy, autoApply, createdBy]).toEqual([true, true, { kind: 'user', id: world.owner.userId }]);
    await steps.change(run, 'cancel');
    expect(await passDays(3)).toEqual([]);
    await newState(3, 0);
    const before = await lastEvent();
    expect(await passDays(3)).toEqual([]);
    expect(await lastEvent()).toEqual(before);
    await newState(4, 1);
    await settleProject(null);
    expect(await passDays(30)).toEqual([]);
    await settleProject('12h');
    expect(await passDays(0.4)).toEqual([]);
    expect(await passDays(0.1)).toHaveLength(1);
  });

  it('waits for a locked workspace', async () => {
    const steps = await RunSteps.of(world);
    await world.uploadedVersion(files);
    await newState(1, 1);
    await schedule();
    await lock('lock');
    const [id = ''] = await passDays(2);
    expect(await steps.statusOf(id)).toBe('pending');
    expect((await lastEvent()).reasons).toEqual([
      'scheduled destruction',
      'the run waits until the workspace is unlocked',
    ]);
    await lock('unlock');
    expect(await steps.statusOf(id)).toBe('plan_queued');
  });

  const refusals: readonly (readonly [string, () => Promise<unknown>, string, string])[] = [
    ['without a state', async () => {}, 'run/transition-refused', 'the workspace has no resources to destroy'],
    [
      'without resources in the state',
      () => newState(1, 0),
      'run/transition-refused',
      'the workspace has no resources to destroy',
    ],
    [
      'where destroy runs are not allowed',
      async () => {
        await newState(1, 1);
        await settle({ allowDestroyPlan: false });
      },
      'run/transition-refused',
      'destroy runs are not allowed in the workspace: see allow-destroy-plan',
    ],
    [
      'in local execution',
      async () => {
        await newState(1, 1);
        await settle({ execution: { executionMode: 'local' } });
      },
      'run/transition-refused',
      'the execution mode of the workspace is local',
    ],
    [
      'after its admin has left',
      async () => {
        await newState(1, 1);
        await world.useCases.removeOrganizationMembership.execute(world.owner, admin.membershipId);
      },
      'resource/not-found',
      'the user or team that scheduled the destruction is no longer an admin of the workspace',
    ],
  ];

  it.each(refusals)('creates no run %s, is over, and says why', async (_, prepare, outcome, reason) => {
    await world.uploadedVersion(files);
    await schedule();
    await prepare();
    expect(await passDays(2)).toEqual([]);
    expect(await scheduled()).toBeNull();
    expect(await lastEvent()).toMatchObject({ outcome, subject: world.workspace.id, reasons: [reason] });
    await world.keepsEverything(() => passDays(1));
  });

  it('creates no run without a configuration', async () => {
    await newState(1, 1);
    await schedule();
    expect(await passDays(2)).toEqual([]);
    expect((await lastEvent()).reasons).toEqual([
      'Configuration version cannot be used because the workspace has no usable version',
    ]);
  });

  it('creates no run in an organization over its quota', async () => {
    world = await World.create({ maxOrganizationBytes: 1_000_000 });
    admin = await world.grantee('admin');
    await world.uploadedVersion(files);
    await newState(1, 1);
    await schedule();
    Object.assign(world.settings, { maxOrganizationBytes: 1 });
    const full = world.processBeside();
    world.clock.advance(2 * day);
    expect(await full.createScheduledDestroys.execute()).toEqual([]);
    expect(await lastEvent()).toMatchObject({
      outcome: 'organization/over-quota',
      reasons: ['the organization is over its quota'],
    });
  });

  it('is created once by two processes, and not at a time that an admin has moved', async () => {
    await world.uploadedVersion(files);
    await newState(1, 1);
    await schedule(1);
    await schedule(3);
    expect(await passDays(1)).toEqual([]);
    world.clock.advance(2 * day);
    const beside = world.processBeside();
    const created = await Promise.all([create(), beside.createScheduledDestroys.execute()]);
    expect(created.flat()).toHaveLength(1);
  });

  it('leaves out a workspace that was deleted, and handles the others', async () => {
    const other = await world.newWorkspace('storage');
    await schedule();
    const autoDestroy = { at: inDays(1) };
    await world.useCases.updateWorkspace.execute(world.owner, { id: other.id }, { autoDestroy });
    await world.unitOfWork.run(async (tx) => tx.workspaces.remove(other.id, world.clock.now()));
    expect(await passDays(2)).toEqual([]);
    expect(await scheduled()).toBeNull();
  });
});

describe('a destruction after inactivity', () => {
  const rest = { autoDestroy: { activityDuration: '2d' } };

  it('counts from the last state that has resources', async () => {
    await world.uploadedVersion(files);
    expect(await settle(rest)).toMatchObject({ at: null, activityDuration: '2d' });
    expect(await passDays(10)).toEqual([]);
    await newState(1, 1);
    expect((await scheduled())?.at).toBe(inDays(2));
    expect(await passDays(1)).toEqual([]);
    await newState(2, 2);
    expect((await scheduled())?.at).toBe(inDays(2));
    expect(await passDays(1)).toEqual([]);
    const [id = '', ...others] = await passDays(1);
    expect(others).toEqual([]);
    await world.useCases.changeRun.execute(admin, id, 'cancel');
    expect(await scheduled()).toMatchObject({ at: null, activityDuration: '2d' });
    await newState(3, 0);
    expect(await passDays(10)).toEqual([]);
    await newState(4, 1);
    expect((await scheduled())?.at).toBe(inDays(2));
  });

  it('counts from its setting where there are resources', async () => {
    await newState(1, 1);
    world.clock.advance(5 * day);
    expect((await settle(rest))?.at).toBe(inDays(2));
    expect(await settle({ autoDestroy: { activityDuration: null } })).toBeNull();
  });
});

describe('scheduling a destruction', () => {
  it('takes an admin, who makes it, and never an organization token', async () => {
    const writer = await world.grantee('write');
    for (const actor of [writer, world.organizationToken]) {
      await world.refuses(() => schedule(2, actor), { code: 'resource/not-found' });
    }
    expect((await schedule())?.by).toEqual({ kind: 'user', id: admin.userId });
    expect((await schedule(3, world.owner))?.by).toEqual({ kind: 'user', id: world.owner.userId });
    await world.refuses(() => settle({ autoDestroy: { at: null } }, world.organizationToken), {
      code: 'resource/not-found',
    });
    const at = (await scheduled())?.at ?? null;
    expect((await settle({ autoDestroy: { at } }, world.organizationToken))?.by.id).toBe(world.owner.userId);
  });

  it('takes a time that has come, which is due at once', async () => {
    expect((await schedule(-1))?.at).toBe(inDays(-1));
    await create();
    expect(await scheduled()).toBeNull();
  });

  it('is possible when the workspace is created', async () => {
    const given = { name: 'storage', autoDestroy: { at: inDays(2), activityDuration: '14d' } };
    const { subject } = await world.useCases.createWorkspace.execute(world.owner, 'acme', given);
    expect(subject.autoDestroy).toEqual({ ...given.autoDestroy, by: { kind: 'user', id: world.owner.userId } });
    const token = () =>
      world.useCases.createWorkspace.execute(world.organizationToken, 'acme', { ...given, name: 'other' });
    await world.refuses(token, { code: 'resource/not-found' });
  });
});
