import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  AppendRunLog,
  ClaimRun,
  type PhaseReport,
  ReclaimLostRuns,
  RunProgress,
  type Transaction,
  type UnitOfWork,
} from '../../src/application/index.js';
import { maxLogBytes } from '../../src/application/supporting/agents/append-run-log.js';
import { leaseSeconds } from '../../src/application/supporting/agents/lease-holder.js';
import { type Agent, type PolicySet, Run, type RunStatus } from '../../src/domain/index.js';
import { firstPage, inChunks, objectIdOf, SlowBody, unauthenticated, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { aVariable } from '../support/builders.js';
import { type Held, RunSteps, someCounts, verdictsOn } from '../support/run-steps.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });

const lost = { code: 'lease/lost' };
const invalidReport = { code: 'agent-report/invalid' };
const errored: PhaseReport = { outcome: 'errored', message: 'no such provider' };
const canceled: PhaseReport = { outcome: 'canceled' };

let world: World;
let steps: RunSteps;
beforeEach(async () => {
  world = await World.create();
  steps = await RunSteps.of(world);
  await world.uploadedVersion(files);
});

/** The workspace names the pool or follows its organization. */
const named = (agentPoolId: string | null) =>
  world.useCases.updateWorkspace.execute(
    world.owner,
    { id: world.workspace.id },
    { execution: { agentPoolId, overwrites: { executionMode: agentPoolId !== null } } },
  );

const ours = () => ({ id: steps.agent.poolId, of: 'site' }) as const;

const reclaim = () => world.useCases.reclaimLostRuns.execute();

/** The agent is silent for longer than its lease. */
const fallSilent = () => {
  world.clock.advance(leaseSeconds);
  return reclaim();
};

/** Every call an agent can make about a run. */
const calls = (held: Held): Readonly<Record<string, () => Promise<unknown>>> => ({
  heartbeat: () => held.heartbeat(),
  configuration: () => held.files(),
  log: () => held.log(0, 'planning\n'),
  plan: () => held.planned(),
  'errored plan': () => held.report('plan', errored),
  'canceled plan': () => held.report('plan', canceled),
  apply: () => held.applied(),
  'errored apply': () => held.report('apply', errored),
  'canceled apply': () => held.report('apply', canceled),
  'policy evaluation': () => held.judge('policy-evaluation-1', []),
});

/** Asserts that every call with the lease is refused and changes nothing. */
async function isFenced(held: Held): Promise<void> {
  for (const call of Object.values(calls(held))) await world.refuses(call, lost);
}

describe('claiming a run', () => {
  it('gives all there is to know, and a lease that ends in a minute', async () => {
    await steps.policySet('baseline', [['tags', 'mandatory']]);
    const run = await steps.create();
    const { job } = await steps.claimed();
    expect(job).toMatchObject({
      phase: 'plan',
      expiresAt: '2030-01-01T00:01:00.000Z',
      run: { id: run.id, status: 'planning' },
      workspace: { id: world.workspace.id, name: 'network' },
      version: { id: run.configurationVersionId },
      stage: { evaluations: [{ kind: 'opa', policySets: [{ name: 'baseline', policies: [{ name: 'tags' }] }] }] },
    });
    expect(world.remembers(job.leaseToken)).toBe(false);
    expect((await steps.stateOf(run.id)).lease).toMatchObject({ poolId: steps.agent.poolId, agent: 'rack-1' });
  });

  it('gives nothing when there is nothing, and changes nothing', async () => {
    await world.keepsEverything(async () => expect(await steps.claim()).toBeUndefined());
    await steps.create();
    await steps.claimed();
    await steps.create();
    await world.keepsEverything(async () => expect(await steps.claim()).toBeUndefined());
  });

  it('gives the oldest first, over all workspaces, plans and applies alike', async () => {
    const other = await world.newWorkspace('storage');
    await world.uploadedVersion(files, { workspaceId: other.id });
    const first = await steps.create({ workspaceId: other.id });
    world.clock.advance(1);
    const second = await steps.create();
    expect((await steps.claimed()).id).toBe(first.id);
    const held = await steps.claimed();
    expect([held.id, held.job.phase]).toEqual([second.id, 'plan']);
    await held.planned();
    world.clock.advance(1);
    const third = await steps.create({ planOnly: true });
    await steps.change(second.id, 'apply');
    const order = [await steps.claimed(), await steps.claimed()].map(({ id, job }) => [id, job.phase]);
    expect(order).toEqual([
      [second.id, 'apply'],
      [third.id, 'plan'],
    ]);
  });

  it('gives different runs to agents that ask at once, as far as there are any', async () => {
    const other = await world.newWorkspace('storage');
    await world.uploadedVersion(files, { workspaceId: other.id });
    const runs = [await steps.create(), await steps.create({ workspaceId: other.id })];
    const claims = await Promise.all([steps.claim(), steps.claim(), steps.claim()]);
    expect(claims.map((held) => held?.id).sort()).toEqual([...runs.map(({ id }) => id), undefined]);
    const tokens = claims.map((held) => held?.job.leaseToken);
    expect(new Set(tokens).size).toBe(3);
  });

  it('leaves a workspace that names a pool to that pool', async () => {
    const others = await steps.agentOfOrganization('theirs');
    await named(others.poolId);
    const run = await steps.create();
    expect(await steps.claim()).toBeUndefined();
    expect((await steps.claimed(others)).id).toBe(run.id);
  });

  it('gives a remote workspace to every site pool, and to none of an organization', async () => {
    const foreign = await steps.agentOfOrganization('foreign', world.administrator, 'globex');
    const own = await steps.agentOfOrganization('own');
    const others = await steps.anotherAgent('theirs');
    const run = await steps.create();
    for (const agent of [foreign, own]) expect(await steps.claim(agent)).toBeUndefined();
    expect((await steps.claimed(others)).id).toBe(run.id);
  });

  it('gives nothing of a workspace or an organization that is gone', async () => {
    const run = await steps.create();
    await steps.change(run.id, 'cancel');
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    expect(await steps.claim()).toBeUndefined();
  });

  it('gives the files of the run to its holder', async () => {
    await steps.create();
    expect(await (await steps.claimed()).files()).toEqual(files);
  });

  it('fails to give files whose bytes went away', async () => {
    await steps.create();
    const held = await steps.claimed();
    for (const key of (await world.bundles()).keys()) await world.store.discard(key);
    await world.refuses(() => held.files(), {
      code: 'resource/not-found',
      message: 'the files of the run are missing',
    });
  });
});

describe('a claim', () => {
  /** Claims through a unit of work that runs these two before and after each search for a run. */
  const claimWith = (agent: Agent, before: () => Promise<unknown>, after: () => Promise<unknown>) => {
    const { clock, ids, secrets, box } = world;
    const interrupted: UnitOfWork = {
      run: (work) => world.unitOfWork.run(work),
      read: async (work) => {
        await before();
        const found = await world.unitOfWork.read(work);
        await after();
        return found;
      },
    };
    return new ClaimRun(interrupted, clock, secrets, box, new RunProgress(clock, ids), world.urls).execute(
      agent,
      'rack-4',
    );
  };
  const nothing = async () => undefined;

  it('takes nothing of a workspace that was given to another pool after it was looked at', async () => {
    const [mine, theirs] = [await steps.agentOfOrganization('mine'), await steps.agentOfOrganization('theirs')];
    await named(mine.poolId);
    const { id } = await steps.create();
    expect(await claimWith(mine, nothing, () => named(theirs.poolId))).toBeUndefined();
    expect((await steps.claimed(theirs)).id).toBe(id);
  });

  it('takes nothing of a workspace that left the scope of the pool after it was looked at', async () => {
    const mine = await steps.agentOfOrganization('mine');
    await named(mine.poolId);
    await steps.create();
    const excludedWorkspaceIds = [world.workspace.id];
    const pool = { id: mine.poolId, of: 'organization' } as const;
    const narrow = () => world.useCases.updateAgentPool.execute(world.owner, pool, { excludedWorkspaceIds });
    expect(await claimWith(mine, nothing, narrow)).toBeUndefined();
    expect(await steps.claim(mine)).toBeUndefined();
  });

  it('takes nothing of a workspace that was removed after it was looked at', async () => {
    const { id } = await steps.create();
    let removed = false;
    const remove = async () => {
      if (removed) return;
      removed = true;
      await steps.change(id, 'cancel');
      await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
      await world.performEffects();
    };
    expect(await claimWith(steps.agent, nothing, remove)).toBeUndefined();
  });

  it('looks a bounded number of times for a run that it can have, and then answers that there is none', async () => {
    const [mine, theirs] = [await steps.agentOfOrganization('mine'), await steps.agentOfOrganization('theirs')];
    await named(mine.poolId);
    await steps.create();
    let looks = 0;
    // The run is there at each search and gone at each claim.
    const appears = () => {
      looks += 1;
      if (looks > 1_000) throw new Error('it looks forever');
      return named(mine.poolId);
    };
    expect(await claimWith(mine, appears, () => named(theirs.poolId))).toBeUndefined();
    expect(looks).toBe(20);
  });
});

describe('a report', () => {
  it('is refused when the lease ends while it waits for the lock on the row of the workspace', async () => {
    await steps.create();
    const held = await steps.claimed();
    /** Changes another transaction has committed by the time the lock is acquired. */
    const turnComesAfter = (changed: (tx: Transaction) => Promise<unknown>): UnitOfWork => ({
      read: (work) => world.unitOfWork.read(work),
      run: (work) =>
        world.unitOfWork.run((tx) => {
          const workspaces = Object.assign(Object.create(tx.workspaces), {
            lockRow: async (id: string) => {
              await changed(tx);
              await tx.workspaces.lockRow(id);
            },
          });
          return work({ ...tx, workspaces });
        }),
    });
    const ended = async (tx: Transaction) => {
      const run = await tx.runs.find(held.id);
      if (run === undefined) throw new Error('it was just claimed');
      await tx.runs.save(Run.restore({ ...run.state, lease: null, revision: run.state.revision + 1 }));
    };
    const appending = new AppendRunLog(turnComesAfter(ended), world.secrets);
    await world.refuses(() => appending.execute(held.holder, 0, Buffer.from('too late')), lost);
    expect(await held.log(0, 'in time')).toBe(7);
  });
});

describe('an agent’s token', () => {
  it('is good for nothing once it is revoked, or its pool is removed', async () => {
    const { token, secret } = await world.useCases.issueAgentToken.execute(world.administrator, ours(), 'rack 4');
    const another = await world.useCases.issueAgentToken.execute(world.administrator, ours(), 'rack 5');
    await world.useCases.revokeToken.execute(world.administrator, token.id);
    await world.refuses(() => world.useCases.authenticateAgent.execute(secret), unauthenticated);
    await world.useCases.removeAgentPool.execute(world.administrator, ours());
    await world.refuses(() => world.useCases.authenticateAgent.execute(another.secret), unauthenticated);
  });

  it('keeps its pool from being removed while one of its agents executes a run, or a workspace names it', async () => {
    const inUse = { code: 'agent-pool/in-use' };
    const { removeAgentPool } = world.useCases;
    const agent = await steps.agentOfOrganization('own');
    const pool = { id: agent.poolId, of: 'organization' } as const;
    await named(agent.poolId);
    await world.refuses(() => removeAgentPool.execute(world.owner, pool), inUse);
    await steps.create();
    const held = await steps.claimed(agent);
    await named(null);
    await world.refuses(() => removeAgentPool.execute(world.owner, pool), inUse);
    await held.planned(false);
    await removeAgentPool.execute(world.owner, pool);
  });
});

describe('the lease', () => {
  it('is prolonged by each heartbeat, to a minute from then', async () => {
    await steps.create();
    const held = await steps.claimed();
    for (let beat = 1; beat <= 5; beat += 1) {
      world.clock.advance(leaseSeconds - 1);
      const expiresAt = new Date(Date.parse(world.clock.now()) + leaseSeconds * 1000).toISOString();
      expect(await held.heartbeat()).toEqual({ expiresAt, status: 'planning', cancel: false });
      expect(await reclaim()).toEqual([]);
    }
    world.clock.advance(leaseSeconds - 0.001);
    expect(await reclaim()).toEqual([]);
    world.clock.advance(0.001);
    expect(await reclaim()).toEqual([held.id]);
  });

  it('is kept by an agent that reports before the lease was found expired', async () => {
    await steps.create();
    const held = await steps.claimed();
    world.clock.advance(leaseSeconds * 10);
    await held.heartbeat();
    expect(await reclaim()).toEqual([]);
    expect(await held.planned()).toBe('planned');
  });

  it('is over when the phase is', async () => {
    const run = await steps.create();
    const planner = await steps.claimed();
    await planner.planned();
    await isFenced(planner);
    await steps.change(run.id, 'apply');
    await isFenced(planner);
    const applier = await steps.claimed();
    await isFenced(planner);
    await applier.applied();
    await isFenced(applier);
  });

  it('takes no report on a phase that is not running', async () => {
    await steps.create();
    const planner = await steps.claimed();
    const told = { code: 'run/transition-refused' };
    for (const report of [errored, canceled, { outcome: 'finished', hasChanges: true, resources: null } as const]) {
      await world.refuses(() => planner.report('apply', report), told);
    }
    await world.refuses(() => planner.report('plan', canceled), told);
    await planner.planned();
    await steps.change(planner.id, 'apply');
    const applier = await steps.claimed();
    for (const report of [errored, canceled, { outcome: 'finished', hasChanges: true, resources: null } as const]) {
      await world.refuses(() => applier.report('plan', report), told);
    }
    await world.refuses(() => applier.report('apply', canceled), told);
  });
});

describe('what an agent reports of a phase', () => {
  it('is kept with the run', async () => {
    const { id } = await steps.create({ autoApply: true });
    await steps.plan();
    expect(await steps.stateOf(id)).toMatchObject({ hasChanges: true, planned: someCounts, applied: null });
    await steps.apply();
    const { status, applied, failure, statusTimestamps } = await steps.stateOf(id);
    expect({ status, applied, failure }).toEqual({ status: 'applied', applied: someCounts, failure: null });
    expect(Object.keys(statusTimestamps)).toEqual([
      'plan-queueable-at',
      'plan-queued-at',
      'planning-at',
      'planned-at',
      'confirmed-at',
      'apply-queued-at',
      'applying-at',
      'applied-at',
    ]);
  });

  it.each([
    ['counts and generated configuration', someCounts, true, { ...someCounts, generatedConfiguration: true }],
    ['counts alone', someCounts, false, someCounts],
    ['no counts', null, true, null],
  ] as const)('is kept with %s', async (_, resources, generatedConfiguration, planned) => {
    const { id } = await steps.create();
    const held = await steps.claimed();
    await held.report('plan', { outcome: 'finished', hasChanges: true, generatedConfiguration, resources });
    expect((await steps.stateOf(id)).planned).toEqual(planned);
  });

  it.each(['plan', 'apply'] as const)('makes the run errored with the reason when the %s failed', async (phase) => {
    await steps.create({ autoApply: true });
    if (phase === 'apply') await steps.plan();
    const held = await steps.claimed();
    expect(await held.report(phase, errored)).toBe('errored');
    expect(await steps.stateOf(held.id)).toMatchObject({ status: 'errored', failure: 'no such provider', lease: null });
  });
});

describe('an agent that falls silent', () => {
  it('is not given up in the first seconds after the service, or its database, was away', async () => {
    const { unitOfWork, clock, ids } = world;
    let away = false;
    const reading: UnitOfWork = {
      run: (work) => unitOfWork.run(work),
      read: async (work) => {
        if (away) throw new Error('the database is unavailable');
        return unitOfWork.read(work);
      },
    };
    const starting = new ReclaimLostRuns(reading, clock, new RunProgress(clock, ids));
    const { id } = await steps.create();
    await steps.claimed();
    world.clock.advance(leaseSeconds);
    expect(await starting.execute()).toEqual([]);
    world.clock.advance(14);
    expect(await starting.execute()).toEqual([]);
    away = true;
    await expect(starting.execute()).rejects.toThrow('unavailable');
    away = false;
    world.clock.advance(14);
    expect(await starting.execute()).toEqual([]);
    world.clock.advance(15);
    expect(await starting.execute()).toEqual([id]);
  });

  it('while it plans: the run goes to the next agent, and what the lost one reported is dropped', async () => {
    const run = await steps.create();
    const lostAgent = await steps.claimed();
    await lostAgent.log(0, 'half a plan\n');
    expect(await fallSilent()).toEqual([run.id]);
    const { status, lease, statusTimestamps } = await steps.stateOf(run.id);
    expect({ status, lease }).toEqual({ status: 'plan_queued', lease: null });
    expect(Object.keys(statusTimestamps)).toEqual(['plan-queueable-at', 'plan-queued-at']);
    await isFenced(lostAgent);
    const next = await steps.claimed();
    await isFenced(lostAgent);
    expect(next.id).toBe(run.id);
    expect(next.job.leaseToken).not.toBe(lostAgent.job.leaseToken);
    expect(await next.log(0, 'a plan\n')).toBe(7);
    expect(await next.planned()).toBe('planned');
    expect(await fallSilent()).toEqual([]);
  });

  it('while policies are evaluated: plan, log and every outcome are dropped, and the stage begins again', async () => {
    await steps.policySet('opa', [['tags', 'advisory']]);
    await steps.policySet('sentinel', [['regions', 'mandatory']], { kind: 'sentinel' });
    const run = await steps.create();
    const lostAgent = await steps.claimed();
    await lostAgent.log(0, 'a plan\n');
    await lostAgent.planned();
    const [first, second] = lostAgent.job.stage?.evaluations ?? [];
    if (first === undefined || second === undefined) throw new Error('there are two evaluations');
    const set = first.policySets[0]?.id ?? '';
    expect(await lostAgent.judge(first.id, [verdictsOn(set, [['tags', 'failed']])])).toBe('post_plan_running');
    const outcomes = () =>
      world.useCases.listPolicySetOutcomes.execute(world.owner, { id: first.id, filters: [], page: firstPage });
    expect((await outcomes()).total).toBe(1);
    expect(await fallSilent()).toEqual([run.id]);
    expect(await steps.stateOf(run.id)).toMatchObject({ status: 'plan_queued', hasChanges: false, planned: null });
    expect((await outcomes()).total).toBe(0);
    const stage = await steps.stageOf(run.id);
    const none = { advisoryFailed: 0, mandatoryFailed: 0, passed: 0, errored: 0 };
    expect(stage.status).toBe('pending');
    for (const evaluation of stage.evaluations) {
      expect(evaluation).toMatchObject({ status: 'pending', resultCount: none, policyToolVersion: '' });
    }
    await isFenced(lostAgent);
    const next = await steps.claimed();
    expect(await next.planned()).toBe('post_plan_running');
    expect(await next.judgeAll(() => 'passed')).toBe('post_plan_completed');
  });

  it('while it applies: the run is errored with the reason, and never started again', async () => {
    const held = await steps.applying();
    const waiting = await steps.create();
    await held.log(0, 'half an apply\n');
    expect(await fallSilent()).toEqual([held.id]);
    const { status, failure, lease } = await steps.stateOf(held.id);
    expect({ status, lease }).toEqual({ status: 'errored', lease: null });
    expect(failure).toContain('rack-1 was lost during the apply');
    await isFenced(held);
    expect(await steps.statusOf(waiting.id)).toBe('plan_queued');
    expect((await steps.claimed()).id).toBe(waiting.id);
    expect(await steps.claim()).toBeUndefined();
    await expect(steps.change(held.id, 'apply')).rejects.toMatchObject({ code: 'run/transition-refused' });
  });

  it('while it was asked to cancel an apply: the run is errored all the same, since its progress is unknown', async () => {
    const held = await steps.applying();
    await steps.change(held.id, 'cancel');
    await fallSilent();
    expect(await steps.stateOf(held.id)).toMatchObject({
      status: 'errored',
      failure: expect.stringContaining('was lost during the apply') as unknown as string,
    });
  });

  it('is taken for lost once, by however many look after it', async () => {
    await steps.create();
    await steps.claimed();
    world.clock.advance(leaseSeconds);
    const taken = await Promise.all([reclaim(), reclaim(), reclaim()]);
    expect(taken.flat()).toEqual(['run-1']);
    expect(await steps.statusOf('run-1')).toBe('plan_queued');
  });

  it('among others: when one run cannot be taken, the others are, and the failure is thrown', async () => {
    const { unitOfWork, clock, ids } = world;
    const runs = [await steps.create({ planOnly: true }), await steps.create({ planOnly: true })];
    for (const _ of runs) await steps.claimed();
    let failing = false;
    const failingOnce: UnitOfWork = {
      read: (work) => unitOfWork.read(work),
      run: async (work) => {
        if (failing) {
          failing = false;
          throw new Error('the connection was lost');
        }
        return unitOfWork.run(work);
      },
    };
    const reclaiming = new ReclaimLostRuns(failingOnce, clock, new RunProgress(clock, ids));
    await reclaiming.execute();
    world.clock.advance(leaseSeconds);
    failing = true;
    await expect(reclaiming.execute()).rejects.toThrow('the connection was lost');
    expect([...(await steps.statusesOf(...runs))].sort()).toEqual(['plan_queued', 'planning']);
  });

  it('among many: all are taken', async () => {
    const runs = 120;
    for (let made = 0; made < runs; made += 1) {
      await steps.create({ planOnly: true });
      await steps.claimed();
    }
    world.clock.advance(leaseSeconds);
    const taken: string[] = [];
    for (let some = await reclaim(); some.length > 0; some = await reclaim()) taken.push(...some);
    expect(new Set(taken).size).toBe(runs);
  });
});

describe('canceling a run in an agent’s hands', () => {
  it('ends a plan at once', async () => {
    const run = await steps.create();
    const held = await steps.claimed();
    await steps.change(run.id, 'cancel');
    expect(await steps.stateOf(run.id)).toMatchObject({ status: 'canceled', lease: null });
    await isFenced(held);
  });

  it('ends an evaluation of policies at once, with its stage', async () => {
    await steps.policySet('baseline', [['tags', 'mandatory']]);
    const run = await steps.create();
    const held = await steps.claimed();
    await held.planned();
    await steps.change(run.id, 'cancel');
    expect(await steps.statusOf(run.id)).toBe('canceled');
    expect(await steps.stageOf(run.id)).toMatchObject({ status: 'canceled', evaluations: [{ status: 'canceled' }] });
    await isFenced(held);
  });

  it('asks the applying agent to stop, and waits until it reports that it did', async () => {
    const held = await steps.applying();
    const waiting = await steps.create();
    expect((await held.heartbeat()).cancel).toBe(false);
    await steps.change(held.id, 'cancel');
    expect(await held.heartbeat()).toMatchObject({ status: 'applying', cancel: true });
    expect(await steps.statusOf(waiting.id)).toBe('pending');
    expect(await held.report('apply', canceled)).toBe('canceled');
    expect(await steps.statusesOf(held, waiting)).toEqual(['canceled', 'plan_queued']);
  });

  it.each<[PhaseReport, RunStatus]>([
    [{ outcome: 'finished', hasChanges: true, resources: someCounts }, 'applied'],
    [errored, 'errored'],
  ])('takes it when the apply ends with %j before it could be stopped', async (report, status) => {
    const held = await steps.applying();
    await steps.change(held.id, 'cancel');
    expect(await held.report('apply', report)).toBe(status);
  });
});

describe('what a plan leaves', () => {
  const refusedIn = (status: RunStatus) => ({
    code: 'run/transition-refused',
    message: `plan-file could not be stored because the run's status is ${status}`,
  });
  const store = (held: Held, body: AsyncIterable<Uint8Array>) =>
    world.useCases.storeRunArtifact.execute(held.holder, 'plan-file', body);
  let held: Held;
  beforeEach(async () => {
    await steps.policySet('baseline', [['tags', 'mandatory']]);
    await steps.create();
    held = await steps.claimed();
  });

  it('is refused before a byte is read once the plan is finished', async () => {
    await held.planned();
    let read = false;
    async function* body() {
      read = true;
      yield Buffer.from('a plan');
    }
    await world.refuses(() => store(held, body()), refusedIn('post_plan_running'));
    expect(read).toBe(false);
  });

  it('is not read before the apply', async () => {
    await store(held, inChunks([Buffer.from('a plan')]));
    await world.refuses(() => world.useCases.readPlanFile.execute(held.holder, 'plan-file'), {
      code: 'run/transition-refused',
      message: "plan file could not be read because the run's status is planning",
    });
  });

  it('is refused when the plan is finished while the bytes arrive', async () => {
    const body = new SlowBody(Buffer.from('a plan'));
    const storing = store(held, body);
    await body.halfway;
    await held.planned();
    const refused = async () => {
      body.finish();
      await storing;
    };
    await world.refuses(refused, refusedIn('post_plan_running'));
  });
});

describe('the audit trail', () => {
  const recorded = async () => {
    const of = { organizationId: world.workspace.organizationId };
    const query = { of, actorId: undefined, action: undefined, since: undefined, until: undefined, oldestFirst: true };
    return (await world.unitOfWork.read((tx) => tx.audit.slice(query, undefined, 1_000))).items;
  };

  /** The audit events that a call adds. */
  const recordedBy = async (call: () => Promise<unknown>) => {
    const before = await recorded();
    await call();
    const known = new Set(before.map(({ id }) => id));
    const added = (await recorded()).filter(({ id }) => !known.has(id));
    return added.map(({ actor, action, subject, outcome }) => ({ actor, action, subject, outcome }));
  };

  it('has one event for each change an agent makes, and none for what it only asks or adds to a log', async () => {
    await steps.policySet('baseline', [['tags', 'mandatory']]);
    const { id } = await steps.create({ autoApply: true });
    const { poolId, tokenId } = steps.agent;
    const actor = { kind: 'agent', id: poolId, tokenId };
    const does = async (call: () => Promise<unknown>, action: string, subject: string = id) =>
      expect(await recordedBy(call)).toEqual([{ actor, action, subject, outcome: 'done' }]);
    const { storeRunArtifact, announceState, uploadState } = world.useCases;
    const state = Buffer.from('a state');
    const announcement = {
      serial: 1,
      lineage: 'lineage-1',
      md5: createHash('md5').update(state).digest('hex'),
      size: state.length,
      outputs: [],
    };

    let held = undefined as unknown as Held;
    const claim = async () => {
      held = await steps.claimed();
    };
    await does(claim, 'runs/claim');
    await does(() => storeRunArtifact.execute(held.holder, 'plan-file', inChunks([state])), 'runs/store-artifact');
    await does(() => held.planned(), 'runs/report');
    const evaluation = held.job.stage?.evaluations[0]?.id ?? '';
    await does(() => held.judgeAll(() => 'passed'), 'policy-outcomes/report', evaluation);
    await does(claim, 'runs/claim');
    const { version } = await announceState.execute(held.holder, announcement);
    const upload = () => uploadState.execute(held.holder, version.id, inChunks([state]));
    await does(upload, 'state-versions/write', version.id);
    for (const call of [upload, () => held.heartbeat(), () => held.log(0, 'applying\n')]) {
      expect(await recordedBy(call)).toEqual([]);
    }
    await does(() => held.applied(), 'runs/report');
  });

  it('has an event for a run that is taken from a lost agent', async () => {
    const { id } = await steps.create();
    await steps.claimed();
    const actor = { kind: 'system', id: null, tokenId: null };
    expect(await recordedBy(fallSilent)).toEqual([{ actor, action: 'runs/reclaim', subject: id, outcome: 'done' }]);
  });

  it('has an event for a run that fails because a variable cannot be opened', async () => {
    const { id } = await steps.create();
    await world.unitOfWork.run((tx) => tx.variables.add(aVariable(world.workspace, { sealedValue: 'v2.lost.sealed' })));
    const actor = { kind: 'system', id: null, tokenId: null };
    expect(await recordedBy(() => steps.claim())).toEqual([
      { actor, action: 'runs/fail', subject: id, outcome: 'done' },
    ]);
    expect(await steps.stateOf(id)).toMatchObject({
      status: 'errored',
      failure:
        "1 of the workspace's variables cannot be decrypted with any signing secret: set those without a value again",
    });
  });
});

describe('the parameters of the policy sets of a run', () => {
  let set: PolicySet;
  beforeEach(async () => {
    set = await steps.policySet('baseline', [['tags', 'mandatory']]);
    const given = { key: 'limit', value: '3', category: 'policy-set', sensitive: false } as const;
    await world.useCases.createPolicySetParameter.execute(world.owner, set.id, given);
  });

  it('are given to who plans it, and not to who applies it', async () => {
    await steps.create({ autoApply: true });
    const held = await steps.claimed();
    expect(held.job.parameters).toMatchObject([{ policySetId: set.id, key: 'limit', value: '3' }]);
    await held.planned();
    await held.judgeAll(() => 'passed');
    const { phase, parameters } = (await steps.claimed()).job;
    expect({ phase, parameters }).toEqual({ phase: 'apply', parameters: [] });
  });

  it('fail it if they cannot be opened', async () => {
    await world.unitOfWork.run(async (tx) => {
      const [parameter] = await tx.policySetParameters.ofSets([set.id]);
      if (parameter === undefined) throw new Error('it was just created');
      await tx.policySetParameters.save({
        ...parameter,
        sealedValue: 'v2.lost.sealed',
        revision: parameter.revision + 1,
      });
    });
    const { id } = await steps.create();
    expect(await steps.claim()).toBeUndefined();
    expect((await steps.stateOf(id)).failure).toMatch(/^1 of the policy sets' parameters cannot be decrypted/);
  });
});

describe('the log of a phase', () => {
  const read = async (phase: 'plan' | 'apply', id: string, offset = 0, limit = 65_536) => {
    const { logUrl } = await world.useCases.showRunPhase.execute(world.organizationToken, id, phase);
    return Buffer.from(await world.useCases.readRunLog.execute(objectIdOf(logUrl), offset, limit)).toString('latin1');
  };
  let held: Held;
  beforeEach(async () => {
    await steps.create();
    held = await steps.claimed();
  });

  it('refuses to grow beyond its limit', async () => {
    const half = Buffer.alloc(maxLogBytes / 2);
    const { appendRunLog } = world.useCases;
    await appendRunLog.execute(held.holder, 0, half);
    expect(await appendRunLog.execute(held.holder, half.length, half)).toBe(maxLogBytes);
    for (const [offset, text] of [
      [maxLogBytes, 'x'],
      [maxLogBytes - 1, 'xy'],
    ] as const) {
      await expect(held.log(offset, text)).rejects.toMatchObject(invalidReport);
    }
    expect(await held.log(maxLogBytes - 1, 'x')).toBe(maxLogBytes);
  });

  it('is kept apart for plan and apply, each whole once its phase is over', async () => {
    await held.log(0, 'planning\n');
    expect(await read('plan', held.id)).toBe('\x02planning\n');
    await held.planned();
    expect(await read('plan', held.id)).toBe('\x02planning\n\x03');
    expect(await read('apply', held.id)).toBe('\x02');
    await steps.change(held.id, 'apply');
    const applier = await steps.claimed();
    await applier.log(0, 'applying\n');
    expect(await read('apply', held.id)).toBe('\x02applying\n');
    await applier.applied();
    expect(await read('apply', held.id)).toBe('\x02applying\n\x03');
    expect(await read('plan', held.id)).toBe('\x02planning\n\x03');
  });

  it('is read in parts of any size, each byte once', async () => {
    await held.log(0, 'one\ntwo\n');
    await held.planned();
    const whole = '\x02one\ntwo\n\x03';
    for (const limit of [1, 2, 3, 9, 10, 11]) {
      let text = '';
      for (
        let part = await read('plan', held.id, 0, limit);
        part !== '';
        part = await read('plan', held.id, text.length, limit)
      ) {
        expect(part.length).toBeLessThanOrEqual(limit);
        text += part;
      }
      expect(text).toBe(whole);
    }
    expect(await read('plan', held.id, 0, 0)).toBe('');
    expect(await read('plan', held.id, 10)).toBe('');
    expect(await read('plan', held.id, 1000)).toBe('');
  });

  it('is empty but over for a phase that will never begin', async () => {
    await steps.change(held.id, 'cancel');
    expect(await read('apply', held.id)).toBe('\x02\x03');
  });

  it('does not end while its agent may still add to it', async () => {
    await held.planned(false);
    await steps.policySet('baseline', [['tags', 'advisory']]);
    const { id } = await steps.create();
    const judge = await steps.claimed();
    await judge.log(0, 'planning\n');
    await judge.planned();
    expect(await read('plan', id)).toBe('\x02planning\n');
    await judge.log(9, 'judging\n');
    await judge.judgeAll(() => 'passed');
    expect(await read('plan', id)).toBe('\x02planning\njudging\n\x03');
  });
});

describe('what policies say of a run', () => {
  let strict: PolicySet;
  let soft: PolicySet;

  /** A run whose plan is finished, and the agent that evaluates its policies. */
  const judged = async (given: Parameters<RunSteps['create']>[0] = {}): Promise<Held> => {
    await steps.create(given);
    const held = await steps.claimed();
    expect(await held.planned()).toBe('post_plan_running');
    return held;
  };
  const evaluationOf = (held: Held, kind: string): string =>
    held.job.stage?.evaluations.find((one) => one.kind === kind)?.id ?? '';
  const report = (held: Held, ...sets: readonly ReturnType<typeof verdictsOn>[]) =>
    held.judge(evaluationOf(held, 'opa'), sets);

  beforeEach(async () => {
    strict = await steps.policySet('strict', [
      ['tags', 'mandatory'],
      ['names', 'advisory'],
    ]);
    soft = await steps.policySet('soft', [['regions', 'mandatory']], { overridable: true });
  });

  const strictly = (
    tags: 'passed' | 'failed' | 'errored',
    names: 'passed' | 'failed' | 'errored',
    error: string | null = null,
  ) =>
    verdictsOn(
      strict.id,
      [
        ['tags', tags],
        ['names', names],
      ],
      error,
    );
  const softly = (regions: 'passed' | 'failed' | 'errored') => verdictsOn(soft.id, [['regions', regions]]);

  it.each<
    [
      tags: 'passed' | 'failed' | 'errored',
      names: 'passed' | 'failed' | 'errored',
      regions: 'passed' | 'failed' | 'errored',
      RunStatus,
      string,
    ]
  >([
    ['passed', 'passed', 'passed', 'post_plan_completed', 'passed'],
    ['passed', 'failed', 'passed', 'post_plan_completed', 'passed'],
    ['passed', 'passed', 'failed', 'post_plan_awaiting_decision', 'awaiting_override'],
    ['passed', 'failed', 'errored', 'post_plan_awaiting_decision', 'awaiting_override'],
    ['failed', 'passed', 'passed', 'errored', 'failed'],
    ['failed', 'passed', 'failed', 'errored', 'failed'],
    ['passed', 'errored', 'passed', 'post_plan_completed', 'passed'],
    ['passed', 'errored', 'failed', 'post_plan_awaiting_decision', 'awaiting_override'],
    ['errored', 'passed', 'failed', 'errored', 'errored'],
  ])('tags %s, names %s, regions %s: the run is %s', async (tags, names, regions, status, stageStatus) => {
    const held = await judged();
    expect(await report(held, strictly(tags, names), softly(regions))).toBe(status);
    expect(await steps.statusOf(held.id)).toBe(status);
    expect((await steps.stageOf(held.id)).status).toBe(stageStatus);
    await isFenced(held);
  });

  it('takes a set that could not be evaluated as a whole', async () => {
    const held = await judged();
    const broken = verdictsOn(strict.id, [], 'the set’s code does not parse');
    expect(await report(held, broken, softly('passed'))).toBe('errored');
    const query = { id: evaluationOf(held, 'opa'), filters: [], page: firstPage };
    const { items } = await world.useCases.listPolicySetOutcomes.execute(world.organizationToken, query);
    expect(items.map(({ policySetName, error, outcomes }) => [policySetName, error, outcomes.length])).toEqual([
      ['soft', null, 1],
      ['strict', 'the set’s code does not parse', 0],
    ]);
  });

  it('waits for every kind of policy', async () => {
    const other = await steps.policySet('elsewhere', [['owners', 'mandatory']], { kind: 'sentinel' });
    const held = await judged();
    expect(await report(held, strictly('passed', 'passed'), softly('passed'))).toBe('post_plan_running');
    await world.refuses(() => report(held, strictly('failed', 'passed'), softly('passed')), {
      code: 'task-stage/transition-refused',
    });
    expect((await held.heartbeat()).status).toBe('post_plan_running');
    const sentinel = evaluationOf(held, 'sentinel');
    expect(await held.judge(sentinel, [verdictsOn(other.id, [['owners', 'passed']])])).toBe('post_plan_completed');
  });

  const wrong: Readonly<Record<string, () => readonly [ReturnType<typeof verdictsOn>[], string]>> = {
    'no set': () => [[], 'policySets'],
    'one set too few': () => [[strictly('passed', 'passed')], 'policySets'],
    'a set twice': () => [
      [softly('passed'), strictly('passed', 'passed'), softly('failed')],
      'policySets/2/policySetId',
    ],
    'a set that does not apply': () => [
      [softly('passed'), strictly('passed', 'passed'), verdictsOn('polset-99', [])],
      'policySets/2/policySetId',
    ],
    'one policy too few': () => [
      [softly('passed'), verdictsOn(strict.id, [['tags', 'passed']])],
      'policySets/1/policies',
    ],
    'a policy twice': () => [
      [
        verdictsOn(soft.id, [
          ['regions', 'failed'],
          ['regions', 'passed'],
        ]),
        strictly('passed', 'passed'),
      ],
      'policySets/0/policies/1/name',
    ],
    'a policy that is not in the set': () => [
      [
        verdictsOn(soft.id, [
          ['regions', 'passed'],
          ['tags', 'passed'],
        ]),
        strictly('passed', 'passed'),
      ],
      'policySets/0/policies/1/name',
    ],
    'an unknown policy of a set with an error': () => [
      [softly('passed'), verdictsOn(strict.id, [['costs', 'failed']], 'out of memory')],
      'policySets/1/policies/0/name',
    ],
  };
  it.each(Object.keys(wrong))('is refused whole, saying where, when it names %s', async (fault) => {
    const held = await judged();
    const [sets, member] = wrong[fault]?.() ?? [[], ''];
    await world.refuses(() => report(held, ...sets), { ...invalidReport, details: { member } });
    expect(await report(held, strictly('passed', 'passed'), softly('passed'))).toBe('post_plan_completed');
  });

  it('is refused for an evaluation that is not the run’s, and before its plan is done', async () => {
    await steps.create({ planOnly: true });
    const other = await steps.claimed();
    await steps.create();
    const held = await steps.claimed();
    const theirs = evaluationOf(other, 'opa');
    await world.refuses(() => held.judge(theirs, [strictly('passed', 'passed'), softly('passed')]), {
      code: 'resource/not-found',
    });
    await world.refuses(() => held.judge('policy-evaluation-99', []), { code: 'resource/not-found' });
    await world.refuses(() => report(held, strictly('passed', 'passed'), softly('passed')), {
      code: 'task-stage/transition-refused',
    });
  });

  it('may be that the plan failed after all', async () => {
    const held = await judged();
    expect(await held.report('plan', errored)).toBe('errored');
    expect((await steps.stageOf(held.id)).status).toBe('canceled');
  });

  it.each<[given: Parameters<RunSteps['create']>[0], hasChanges: boolean, RunStatus]>([
    [{}, true, 'post_plan_completed'],
    [{ autoApply: true }, true, 'apply_queued'],
    [{ savePlan: true }, true, 'planned_and_saved'],
    [{ planOnly: true }, true, 'planned_and_finished'],
    [{}, false, 'planned_and_finished'],
  ])('lets a run with %j and changes %j go on as without policies: %s', async (given, hasChanges, status) => {
    for (const way of ['passing', 'overriding'] as const) {
      await steps.create(given);
      const held = await steps.claimed();
      await held.planned(hasChanges);
      await report(held, strictly('passed', 'failed'), softly(way === 'passing' ? 'passed' : 'failed'));
      if (way === 'overriding') {
        expect(await steps.statusOf(held.id)).toBe('post_plan_awaiting_decision');
        await world.useCases.overrideTaskStage.execute(world.owner, (await steps.stageOf(held.id)).id);
      }
      expect(await steps.statusOf(held.id)).toBe(status);
      if (status === 'apply_queued') await steps.change(held.id, 'cancel');
      if (status === 'post_plan_completed') await steps.change(held.id, 'discard');
    }
  });

  it('keeps a run from being applied until it was overridden', async () => {
    const held = await judged();
    await report(held, strictly('passed', 'passed'), softly('failed'));
    const told = { code: 'run/transition-refused' };
    await world.refuses(() => steps.change(held.id, 'apply'), told);
    const { id } = await steps.stageOf(held.id);
    await world.useCases.overrideTaskStage.execute(world.owner, id);
    expect(await steps.stageOf(held.id)).toMatchObject({ status: 'passed', evaluations: [{ status: 'overridden' }] });
    await world.refuses(() => world.useCases.overrideTaskStage.execute(world.owner, id), {
      code: 'task-stage/transition-refused',
    });
    await steps.change(held.id, 'apply');
    expect(await steps.apply()).toBe('applied');
  });

  it('may be discarded instead, and its stage is closed', async () => {
    const held = await judged();
    await report(held, strictly('passed', 'passed'), softly('failed'));
    await steps.change(held.id, 'discard');
    expect((await steps.stageOf(held.id)).status).toBe('canceled');
    const { id } = await steps.stageOf(held.id);
    await world.refuses(() => world.useCases.overrideTaskStage.execute(world.owner, id), {
      code: 'task-stage/transition-refused',
    });
  });
});
