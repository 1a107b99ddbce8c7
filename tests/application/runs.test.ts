import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RunAction, Transaction, WorkspaceChange } from '../../src/application/index.js';
import { type Actor, type OrganizationId, type RunStatus, runStatuses } from '../../src/domain/index.js';
import { firstPage, invalid, type Member, missing, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { aTeamWorkspace, noon } from '../support/builders.js';
import { RowsInMemory } from '../support/rows-in-memory.js';
import { type RunGiven, RunSteps } from '../support/run-steps.js';
import { seedRun } from '../support/seed-run.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });

let world: World;
let steps: RunSteps;
beforeEach(async () => {
  world = await World.create();
  steps = await RunSteps.of(world);
});

const unusable = (because: string) => ({
  code: 'attribute/invalid',
  message: `Configuration version cannot be used because ${because}`,
  details: { relationship: 'configurationVersion' },
});

const refusedRun = (done: string, because: string) => ({
  code: 'run/transition-refused',
  message: `run could not be ${done} because ${because}`,
});

const lock = (action: 'lock' | 'unlock' | 'force-unlock', actor: Actor = world.owner) =>
  world.useCases.changeWorkspaceLock.execute(actor, world.workspace.id, { action, reason: null });

const settle = (settings: WorkspaceChange) =>
  world.useCases.updateWorkspace.execute(world.owner, { id: world.workspace.id }, settings);

const currentVersion = async (): Promise<string | null> =>
  (await world.useCases.showWorkspace.execute(world.owner, { id: world.workspace.id })).subject
    .currentConfigurationVersionId;

const teamActor = async (id: string): Promise<Actor> =>
  world.bearerOf((await world.newTokenOf({ kind: 'team', id })).secret);

/** Deletes an organization while the next transaction reads. */
class Vanishing extends RowsInMemory {
  vanishing: OrganizationId | undefined;

  override async run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const id = this.vanishing;
    this.vanishing = undefined;
    if (id === undefined) return super.run(work);
    try {
      return await super.run((tx) => {
        const workspaces = Object.create(tx.workspaces, { find: { value: async () => undefined } });
        return work(Object.create(tx, { workspaces: { value: workspaces } }));
      });
    } finally {
      await super.run((tx) => tx.organizations.remove(id, noon));
    }
  }
}

it('a run is not found if its organization is deleted meanwhile', async () => {
  const unitOfWork = new Vanishing();
  const gone = await World.create({ unitOfWork });
  await gone.uploadedVersion(files);
  const { id } = await (await RunSteps.of(gone)).create();
  unitOfWork.vanishing = gone.workspace.organizationId;
  await expect(gone.useCases.changeRun.execute(gone.owner, id, 'cancel')).rejects.toMatchObject(missing);
});

describe('creating a run', () => {
  it('makes plan-only runs of speculative versions, and of others only where it is asked for', async () => {
    await world.uploadedVersion(files);
    const speculative = await world.uploadedVersion(files, { speculative: true });
    const kinds = [
      await steps.create(),
      await steps.create({ planOnly: true }),
      await steps.create({ configurationVersionId: speculative.id }),
      await steps.create({ configurationVersionId: speculative.id, autoApply: true, savePlan: true }),
    ].map(({ planOnly }) => planOnly);
    expect(kinds).toEqual([false, true, true, true]);
  });

  it.each<[asked: boolean | undefined, setting: boolean, right: 'plan' | 'write', applies: boolean]>([
    [undefined, true, 'write', true],
    [undefined, false, 'write', false],
    [undefined, true, 'plan', false],
    [undefined, false, 'plan', false],
    [true, false, 'write', true],
    [true, true, 'write', true],
    [false, true, 'write', false],
    [false, true, 'plan', false],
  ])('with auto-apply %j, the workspace’s %j and the right to %s: applies automatically %j', async (...given) => {
    const [autoApply, setting, right, applies] = given;
    await world.uploadedVersion(files);
    await settle({ autoApply: setting });
    expect((await steps.create({ autoApply }, await world.grantee(right))).autoApply).toBe(applies);
  });

  it.each([true, false])(
    'refuses auto-apply to a caller who may not apply, with the workspace’s setting %j',
    async (s) => {
      await world.uploadedVersion(files);
      await settle({ autoApply: s });
      const planner = await world.grantee('plan');
      await world.refuses(() => steps.create({ autoApply: true }, planner), invalid('autoApply'));
    },
  );

  it('refuses another workspace’s version, a hidden one and one that does not exist with the same words', async () => {
    await world.uploadedVersion(files);
    const elsewhere = await world.newWorkspace('storage');
    const other = await world.uploadedVersion(files, { workspaceId: elsewhere.id });
    const foreign = await world.useCases.createWorkspace.execute(world.administrator, 'globex', { name: 'secret' });
    const hidden = await world.useCases.createConfigurationVersion.execute(world.administrator, {
      workspaceId: foreign.subject.id,
      autoQueueRuns: false,
      source: 'tfe-api',
    });
    const planner = await world.grantee('plan');
    for (const id of [other.id, hidden.version.id, 'cv-nowhere', '']) {
      const attempt = () => steps.create({ configurationVersionId: id }, planner);
      await world.refuses(attempt, unusable('the workspace does not have this version'));
    }
  });

  it('records who asked for it, a user or a team', async () => {
    await world.uploadedVersion(files);
    const team = await world.newTeam('robots', ['manage-workspaces']);
    const run = await steps.create({}, await teamActor(team.id));
    expect(run.createdBy).toEqual({ kind: 'team', id: team.id });
  });
});

describe('the order of runs', () => {
  beforeEach(async () => {
    await world.uploadedVersion(files);
  });

  it('lets one run hold the workspace and the others wait, the oldest first', async () => {
    const [first, second, third] = [await steps.create(), await steps.create(), await steps.create()];
    const all = () => steps.statusesOf(first, second, third);
    expect(await all()).toEqual(['plan_queued', 'pending', 'pending']);
    await steps.plan();
    expect(await all()).toEqual(['planned', 'pending', 'pending']);
    await steps.change(first.id, 'apply');
    await steps.apply();
    expect(await all()).toEqual(['applied', 'plan_queued', 'pending']);
    await steps.plan(false);
    expect(await all()).toEqual(['applied', 'planned_and_finished', 'plan_queued']);
  });

  it.each(['apply', 'discard', 'cancel'] as const)(
    'shows the comment of %s, however late the status changes',
    async (action) => {
      const { id } = await steps.create();
      if (action !== 'cancel') await steps.plan();
      // Each look at the clock is later than the last.
      const standing = world.clock.now.bind(world.clock);
      world.clock.now = () => {
        world.clock.advance(0.001);
        return standing();
      };
      await world.useCases.changeRun.execute(world.owner, id, action, 'known');
      const { events } = await world.useCases.listRunEvents.execute(world.owner, id);
      expect(events.filter(({ comment }) => comment === 'known')).toHaveLength(1);
      expect(events.filter((event) => event.action === 'cancel_requested')).toEqual([]);
    },
  );

  it.each<RunAction>(['discard', 'cancel'])('lets the next one go on after a %s of the one before', async (action) => {
    const [first, second, third] = [await steps.create(), await steps.create(), await steps.create()];
    await steps.change(second.id, action);
    expect(await steps.statusesOf(first, third)).toEqual(['plan_queued', 'pending']);
    if (action === 'discard') await steps.plan();
    await steps.change(first.id, action);
    expect(await steps.statusOf(third.id)).toBe('plan_queued');
  });

  it('lets the next one go on after an error', async () => {
    const [first, second] = [await steps.create(), await steps.create()];
    await (await steps.claimed()).report('plan', { outcome: 'errored', message: 'no such provider' });
    expect(await steps.stateOf(first.id)).toMatchObject({ status: 'errored', failure: 'no such provider' });
    expect(await steps.statusOf(second.id)).toBe('plan_queued');
  });

  it('keeps a new run behind one that still waits for a free workspace', async () => {
    const { id: configurationVersionId } = await world.uploadedVersion(files);
    const workspaceId = world.workspace.id;
    await seedRun(world.unitOfWork, { id: 'run-waiting', workspaceId, configurationVersionId, status: 'pending' });
    expect((await steps.create()).status).toBe('pending');
  });

  it('does not reach beyond the workspace', async () => {
    const other = await world.newWorkspace('storage');
    await world.uploadedVersion(files, { workspaceId: other.id });
    const runs = [await steps.create(), await steps.create({ workspaceId: other.id }), await steps.create()];
    expect(await steps.statusesOf(...runs)).toEqual(['plan_queued', 'plan_queued', 'pending']);
    expect((await steps.create({ workspaceId: other.id })).sequence).toBe(2);
  });

  it.each(['unlock', 'force-unlock'] as const)(
    'holds runs back while the workspace is locked, until its %s',
    async (a) => {
      await lock('lock');
      const [first, second] = [await steps.create(), await steps.create()];
      expect(await steps.statusesOf(first, second)).toEqual(['pending', 'pending']);
      expect(await steps.claim()).toBeUndefined();
      await lock(a);
      expect(await steps.statusesOf(first, second)).toEqual(['plan_queued', 'pending']);
    },
  );

  it('locks the workspace for a run while it works, so that no one else locks or unlocks it', async () => {
    const [first, second] = [await steps.create(), await steps.create()];
    const refused = (message: string) => ({
      code: 'workspace/lock-refused',
      message: expect.stringContaining(message),
    });
    await world.refuses(() => lock('lock'), refused('workspace already locked'));
    for (const action of ['unlock', 'force-unlock'] as const) {
      await world.refuses(() => lock(action), refused(`workspace is locked by Run ${first.id}`));
    }
    await steps.plan(false);
    await world.refuses(() => lock('unlock'), refused(`workspace is locked by Run ${second.id}`));
    await steps.plan(false);
    await lock('lock');
    expect((await steps.create()).status).toBe('pending');
  });

  it('lets plan-only runs neither wait nor block other runs', async () => {
    const speculative = await world.uploadedVersion(files, { speculative: true });
    const planOnly = { configurationVersionId: speculative.id };
    const holding = await steps.create();
    const first = await steps.create(planOnly);
    await steps.change(holding.id, 'cancel');
    await lock('lock');
    const second = await steps.create(planOnly);
    expect(await steps.statusesOf(first, second)).toEqual(['plan_queued', 'plan_queued']);
    await lock('unlock');
    expect((await steps.create()).status).toBe('plan_queued');
  });

  it('finishes plan-only runs without an apply, whatever the plan says', async () => {
    const speculative = await world.uploadedVersion(files, { speculative: true });
    const run = await steps.create({ configurationVersionId: speculative.id, autoApply: true });
    expect(await steps.plan(true)).toBe('planned_and_finished');
    await expect(steps.change(run.id, 'apply')).rejects.toMatchObject(
      refusedRun('applied', 'its status is planned_and_finished'),
    );
  });

  it('lets a saved plan release the workspace, and queue again once its apply is requested', async () => {
    const saved = await steps.create({ savePlan: true });
    const second = await steps.create();
    expect(await steps.plan()).toBe('planned_and_saved');
    const third = await steps.create();
    expect(await steps.statusesOf(second, third)).toEqual(['plan_queued', 'pending']);
    await steps.change(saved.id, 'apply');
    expect(await steps.statusesOf(saved, second, third)).toEqual(['confirmed', 'plan_queued', 'pending']);
    await steps.change(second.id, 'cancel');
    expect(await steps.statusesOf(saved, second, third)).toEqual(['apply_queued', 'canceled', 'pending']);
    await steps.apply();
    expect(await steps.statusesOf(saved, third)).toEqual(['applied', 'plan_queued']);
  });

  it('lets a saved plan wait for an unlock once its apply is requested', async () => {
    const saved = await steps.create({ savePlan: true });
    await steps.plan();
    await lock('lock');
    await steps.change(saved.id, 'apply');
    expect(await steps.statusOf(saved.id)).toBe('confirmed');
    await lock('unlock');
    expect(await steps.statusOf(saved.id)).toBe('apply_queued');
  });

  it('saves a plan even when auto-apply is allowed, and not when there is nothing to apply', async () => {
    const saved = await steps.create({ savePlan: true, autoApply: true });
    expect(await steps.plan()).toBe('planned_and_saved');
    const empty = await steps.create({ savePlan: true });
    expect(await steps.plan(false)).toBe('planned_and_finished');
    expect(await steps.statusesOf(saved, empty)).toEqual(['planned_and_saved', 'planned_and_finished']);
  });

  it('applies an empty plan where that is allowed', async () => {
    await steps.create({ options: { allowEmptyApply: true }, autoApply: true });
    expect(await steps.plan(false)).toBe('apply_queued');
  });

  it('queues runs by upload in the order of all others, plan-only for speculative versions', async () => {
    const holding = await steps.create();
    const version = await world.uploadedVersion(files, { autoQueueRuns: true });
    const speculative = await world.uploadedVersion(files, { autoQueueRuns: true, speculative: true });
    await world.performEffects();
    const { items } = await world.useCases.listRuns.execute(world.owner, world.workspace.id, firstPage);
    expect(items.map(({ run }) => [run.configurationVersionId, run.planOnly, run.status])).toEqual([
      [speculative.id, true, 'plan_queued'],
      [version.id, false, 'pending'],
      [holding.configurationVersionId, false, 'plan_queued'],
    ]);
  });

  it('queues no run for an upload whose version cannot be used any more', async () => {
    const version = await world.uploadedVersion(files, { autoQueueRuns: true, provisional: true });
    await world.useCases.archiveConfigurationVersion.execute(world.owner, version.id);
    await world.performEffects();
    expect(world.ids.givenOut('run')).toEqual([]);
    expect(world.ordered).toEqual([]);
  });
});

describe('a run with auto-apply', () => {
  let applier: Member;
  let teamId: string;
  beforeEach(async () => {
    await world.uploadedVersion(files);
    teamId = (await world.newTeam('appliers')).id;
    const grant = aTeamWorkspace(teamId, world.workspace.id, { id: 'tws-applier', grant: { access: 'write' } });
    await world.unitOfWork.run((tx) => tx.teamAccess.add(grant));
    applier = await world.join('ada', teamId);
  });

  it('applies while its creator holds the right', async () => {
    await steps.create({ autoApply: true }, applier);
    expect(await steps.plan()).toBe('apply_queued');
    expect(await steps.apply()).toBe('applied');
  });

  it('applies when its creator now holds the right through another team', async () => {
    await steps.create({ autoApply: true }, applier);
    const other = await world.newTeam('others', ['manage-workspaces']);
    await world.useCases.changeTeamMembers.execute(world.owner, other.id, 'add', [applier.username]);
    await world.useCases.removeTeam.execute(world.owner, teamId);
    expect(await steps.plan()).toBe('apply_queued');
  });

  const losses: Readonly<Record<string, () => Promise<unknown>>> = {
    'the grant was removed': () => world.unitOfWork.run((tx) => tx.teamAccess.remove('tws-applier')),
    'the team was deleted': () => world.useCases.removeTeam.execute(world.owner, teamId),
    'the user was suspended': () =>
      world.useCases.changeUserSuspension.execute(world.administrator, applier.userId, true),
    'the user left the organization': () =>
      world.useCases.removeOrganizationMembership.execute(world.owner, applier.membershipId),
  };
  it.each(Object.keys(losses))('waits for confirmation when %s before the plan ended', async (loss) => {
    const { id } = await steps.create({ autoApply: true }, applier);
    const held = await steps.claimed();
    await losses[loss]?.();
    expect(await held.planned()).toBe('planned');
    await steps.change(id, 'apply');
    expect(await steps.apply()).toBe('applied');
  });

  it('applies automatically when the right came back before the plan ended', async () => {
    await steps.create({ autoApply: true }, applier);
    const suspend = (suspended: boolean) =>
      world.useCases.changeUserSuspension.execute(world.administrator, applier.userId, suspended);
    await suspend(true);
    await suspend(false);
    expect(await steps.plan()).toBe('apply_queued');
  });

  it('waits for confirmation when it was queued by an upload whose creator may plan, and no longer apply', async () => {
    await settle({ autoApply: true });
    const { version, uploadUrl } = await world.useCases.createConfigurationVersion.execute(applier, {
      workspaceId: world.workspace.id,
      source: 'tfe-api',
    });
    await world.upload({ objectId: uploadUrl.slice(uploadUrl.lastIndexOf('/') + 1) }, files);
    await world.unitOfWork.run(async (tx) => {
      await tx.teamAccess.remove('tws-applier');
      await tx.teamAccess.add(aTeamWorkspace(teamId, world.workspace.id, { grant: { access: 'plan' } }));
    });
    await world.performEffects();
    expect(await steps.plan()).toBe('planned');
    expect(await steps.stateOf('run-1')).toMatchObject({ configurationVersionId: version.id, autoApply: false });
  });
});

describe('applying, discarding and canceling', () => {
  /** The result of each action in each status; elsewhere it is refused. */
  type Usual = Exclude<RunAction, 'force-cancel' | 'force-execute'>;
  const allowed: Readonly<Record<Usual, Readonly<Partial<Record<RunStatus, RunStatus>>>>> = {
    apply: { planned: 'apply_queued', planned_and_saved: 'apply_queued', post_plan_completed: 'apply_queued' },
    discard: {
      pending: 'discarded',
      planned: 'discarded',
      planned_and_saved: 'discarded',
      post_plan_awaiting_decision: 'discarded',
      post_plan_completed: 'discarded',
    },
    cancel: {
      pending: 'canceled',
      fetching: 'canceled',
      plan_queued: 'canceled',
      pre_plan_running: 'canceled',
      pre_plan_completed: 'canceled',
      planning: 'canceled',
      post_plan_running: 'canceled',
      confirmed: 'canceled',
      pre_apply_running: 'canceled',
      pre_apply_completed: 'canceled',
      apply_queued: 'canceled',
      applying: 'applying',
    },
  };
  const done = { apply: 'applied', discard: 'discarded', cancel: 'canceled' } as const;
  const everything = (Object.keys(allowed) as Usual[]).flatMap((action) =>
    runStatuses.map((status) => [action, status, allowed[action][status] ?? 'refused'] as const),
  );

  it.each(everything)('%s of a run that is %s: %s', async (action, status, to) => {
    const { id: configurationVersionId } = await world.uploadedVersion(files);
    const run = { id: 'run-seeded', workspaceId: world.workspace.id, configurationVersionId, status };
    await seedRun(world.unitOfWork, run);
    if (to === 'refused') {
      const told = refusedRun(done[action], `its status is ${status}`);
      await world.refuses(() => steps.change(run.id, action), told);
      return;
    }
    await steps.change(run.id, action);
    expect(await steps.stateOf(run.id)).toMatchObject({ status: to, cancelRequested: status === 'applying' });
  });
});

describe('the current version', () => {
  const applied = async (given: RunGiven) => {
    const { id } = await steps.create(given);
    if ((await steps.plan()) !== 'planned') return;
    await steps.change(id, 'apply');
    await steps.apply();
  };

  it('becomes a provisional one when its run is applied', async () => {
    const current = await world.uploadedVersion(files);
    const provisional = await world.uploadedVersion(files, { provisional: true });
    const run = await steps.create({ configurationVersionId: provisional.id });
    await steps.plan();
    await steps.change(run.id, 'apply');
    const held = await steps.claimed();
    expect(await currentVersion()).toBe(current.id);
    await held.applied();
    expect(await currentVersion()).toBe(provisional.id);
  });

  it('becomes a provisional one where there was none', async () => {
    const { id } = await world.uploadedVersion(files, { provisional: true });
    await applied({ configurationVersionId: id });
    expect(await currentVersion()).toBe(id);
  });

  it('stays where it is when it is newer than the provisional one', async () => {
    const provisional = await world.uploadedVersion(files, { provisional: true });
    const current = await world.uploadedVersion(files);
    await applied({ configurationVersionId: provisional.id });
    expect(await currentVersion()).toBe(current.id);
  });

  it('stays where it is after an older provisional one was applied last', async () => {
    const older = await world.uploadedVersion(files, { provisional: true });
    const newer = await world.uploadedVersion(files, { provisional: true });
    await applied({ configurationVersionId: newer.id });
    await applied({ configurationVersionId: older.id });
    expect(await currentVersion()).toBe(newer.id);
  });

  it('stays where it is when the provisional one’s run ends otherwise', async () => {
    const current = await world.uploadedVersion(files);
    const { id } = await world.uploadedVersion(files, { provisional: true });
    const given = { configurationVersionId: id };
    await steps.create(given);
    await steps.plan(false);
    await steps.change((await steps.create(given)).id, 'cancel');
    const held = await steps.applying(given);
    await held.report('apply', { outcome: 'errored', message: 'out of addresses' });
    expect(await currentVersion()).toBe(current.id);
  });

  it('is never a speculative one, and no older one that is neither', async () => {
    const older = await world.uploadedVersion(files);
    const current = await world.uploadedVersion(files);
    const speculative = await world.uploadedVersion(files, { speculative: true, provisional: true });
    await applied({ configurationVersionId: speculative.id });
    await applied({ configurationVersionId: older.id });
    expect(await currentVersion()).toBe(current.id);
  });
});

describe('a deletion', () => {
  const seeded = async (status: RunStatus, createdBy?: string) => {
    const { id } = await world.uploadedVersion(files);
    await world.run(id, status, createdBy === undefined ? {} : { createdBy });
  };
  const refusal = (what: string) => ({
    code: 'runs/in-progress',
    message: `the ${what} has a run that is being applied: wait for it, or cancel it`,
  });

  it('is refused for workspace and organization of a run that is applied, and not for its creator', async () => {
    const creator = await world.grantee('plan');
    await seeded('applying', creator.userId);
    const { removeWorkspace, removeOrganization, removeUser } = world.useCases;
    await world.refuses(() => removeWorkspace.execute(world.owner, { id: world.workspace.id }), refusal('workspace'));
    await world.refuses(() => removeOrganization.execute(world.owner, 'acme'), refusal('organization'));
    await removeUser.execute(world.administrator, creator.userId);
  });

  it.each(runStatuses.filter((status) => status !== 'applying'))('takes along a run that is %s', async (status) => {
    const creator = await world.grantee('plan');
    await seeded(status, creator.userId);
    await world.useCases.removeUser.execute(world.administrator, creator.userId);
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await world.useCases.removeOrganization.execute(world.owner, 'acme');
    await world.performEffects();
    expect(world.remembers('run-1')).toBe(false);
  });

  it('goes on for a team whose token asked for the run, which goes on too', async () => {
    await world.uploadedVersion(files);
    const team = await world.newTeam('robots', ['manage-workspaces']);
    const run = await steps.create({}, await teamActor(team.id));
    await world.useCases.removeTeam.execute(world.owner, team.id);
    await (await steps.claimed()).planned();
    expect(await steps.statusOf(run.id)).toBe('planned');
  });

  it('ends the lease of the agent that plans', async () => {
    await world.uploadedVersion(files);
    await steps.create();
    const held = await steps.claimed();
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await world.refuses(() => held.planned(), { code: 'lease/lost' });
    await world.performEffects();
    await world.refuses(() => held.log(0, 'too late'), { code: 'lease/lost' });
  });

  it('takes the run away with its stage and what was reported, once it may', async () => {
    await world.uploadedVersion(files);
    await steps.policySet('baseline', [['tags', 'mandatory']], { overridable: true });
    const { id } = await steps.create();
    const held = await steps.claimed();
    await held.log(0, 'planning\n');
    await held.planned();
    await held.judgeAll(() => 'failed');
    const stage = await steps.stageOf(id);
    const remains = [id, stage.id, ...stage.evaluations.map((evaluation) => evaluation.id), 'policy-set-outcome-1'];
    expect(remains.filter((one) => !world.remembers(one))).toEqual([]);
    await steps.change(id, 'discard');
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await world.performEffects();
    expect(remains.filter((one) => world.remembers(one))).toEqual([]);
    expect(await world.bundles()).toEqual(new Map());
  });
});
