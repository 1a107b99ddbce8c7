import { expect, it } from '@jest/globals';
import type { Agent, PolicyTrial, Run, TrialLease, TrialResult, Workspace } from '../../src/domain/index.js';
import { aBundle, afterNoon, aRun, asOrganization, noon, unique } from '../support/builders.js';
import {
  anAgentPool,
  anEvaluation,
  aPolicySet,
  aPolicySetOutcome,
  aPolicyTrial,
  aTaskStage,
  aTrialPlan,
} from '../support/policy-builders.js';
import { type Ground, onEveryBackend, refusal } from './on-every-backend.js';

const page = { number: 1, size: 10 };

async function runsIn(on: Ground, workspace: Workspace, count: number): Promise<Run[]> {
  const version = await on.version(workspace);
  const runs: Run[] = [];
  for (let n = 0; n < count; n += 1) {
    runs.push(
      await on.run(async (tx) => {
        const { sequence } = await tx.runs.takeSequence(workspace.id);
        const run = aRun(workspace, version.state, { sequence });
        await tx.runs.add(run);
        return run;
      }),
    );
  }
  return runs;
}

const result = (verdict: TrialResult['verdict']): TrialResult => ({
  verdict,
  reason: null,
  policyToolVersion: '1.10.0',
  outcomes: [],
});

const aLease = (given: Partial<TrialLease> = {}): TrialLease => ({
  poolId: unique('apool'),
  agent: 'rack 4',
  digest: unique('digest'),
  expiresAt: afterNoon(60),
  ...given,
});

/** A trial of a run in each of two workspaces, which a pool of the organization serves. */
async function aTrial(on: Ground, given: Partial<PolicyTrial> = {}) {
  const organization = await on.organization();
  const pool = anAgentPool(organization);
  await on.run((tx) => tx.agentPools.add(pool));
  const settings = { executionMode: 'agent', agentPoolId: pool.id } as const;
  const workspaces = [await on.workspace(organization, settings), await on.workspace(organization, settings)] as const;
  const runs = [...(await runsIn(on, workspaces[0], 1)), ...(await runsIn(on, workspaces[1], 1))];
  const trial = aPolicyTrial(organization, given);
  const plans = runs.map((run, position) => aTrialPlan(trial, run.state, { position }));
  await on.run((tx) => tx.policyTrials.add(trial, Buffer.from('code'), plans));
  const agent = { poolId: pool.id, organizationId: organization.id };
  return { organization, workspaces, runs, trial, plans, agent };
}

onEveryBackend('policy trials', (on) => {
  const next = (agent: Pick<Agent, 'poolId' | 'organizationId'>, now = noon) =>
    on.read((tx) => tx.policyTrials.nextPart(agent, now));

  it('give each part to one agent of the pool that serves its workspace, until its lease ends', async () => {
    const { trial, agent, plans } = await aTrial(on);
    const first = await next(agent);
    expect(first).toMatchObject({ trialId: trial.id, lease: null });
    if (first === undefined) return;
    await on.run((tx) => tx.policyTrials.saveLease(first, aLease()));
    const second = await next(agent);
    expect(second?.workspaceId).not.toBe(first.workspaceId);
    expect(await on.read((tx) => tx.policyTrials.progress(trial.id))).toEqual({ waiting: 2, leased: 1 });
    expect(await next({ ...agent, poolId: unique('apool') })).toBeUndefined();
    for (const plan of plans) {
      if (plan.workspaceId !== first.workspaceId)
        await on.run((tx) => tx.policyTrials.keepResult(plan, result('passed')));
    }
    expect(await next(agent)).toBeUndefined();
    expect((await next(agent, afterNoon(60)))?.workspaceId).toBe(first.workspaceId);
  });

  it('are counted and listed by verdict, as far as the workspace is visible', async () => {
    const { organization, workspaces, trial, plans } = await aTrial(on);
    const team = await on.team(organization);
    await on.grant(team, workspaces[0], { access: 'read' });
    const [mine] = plans;
    if (mine === undefined) return;
    expect(await on.run((tx) => tx.policyTrials.keepResult(mine, result('failed')))).toBe(true);
    expect(await on.run((tx) => tx.policyTrials.keepResult(mine, result('passed')))).toBe(false);
    const found = (workspaceId: string) =>
      on.read((tx) => tx.policyTrials.findPlan({ trialId: trial.id, workspaceId }, mine.runId));
    expect(await found(workspaces[0].id)).toEqual({ ...mine, now: result('failed') });
    expect(await found(workspaces[1].id)).toBeUndefined();
    const visibility = { throughTeams: [team.id] };
    const counts = await on.read((tx) => tx.policyTrials.counts(trial.id, 'all'));
    expect(counts).toHaveLength(2);
    expect(await on.read((tx) => tx.policyTrials.counts(trial.id, visibility))).toEqual([
      { before: null, now: 'failed', plans: 1 },
    ]);
    expect((await on.read((tx) => tx.policyTrials.results(trial.id, visibility, page))).total).toBe(1);
    expect((await on.read((tx) => tx.policyTrials.results(trial.id, 'all', page))).items[0]).toEqual({
      ...mine,
      now: result('failed'),
      recorded: [],
    });
  });

  it('know which plans are kept, and what the compared set said of them', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const [kept, other] = await runsIn(on, workspace, 2);
    if (kept === undefined || other === undefined) return;
    const set = aPolicySet(organization);
    const applied = (id: string) => ({
      id,
      name: id,
      description: null,
      overridable: false,
      policyToolVersion: null,
      policies: [],
      archive: null,
    });
    const evaluation = anEvaluation({ policySets: [applied('polset-other'), applied(set.id)] });
    const outcomes = [0, 1].map((position) => aPolicySetOutcome(evaluation, { position }));
    await on.run(async (tx) => {
      await tx.taskStages.add(aTaskStage(kept, { evaluations: [evaluation] }));
      await tx.taskStages.addOutcomes(outcomes);
      await tx.runArtifacts.put(kept.state.id, 'plan-json-redacted', aBundle());
    });
    const ids = [kept.state.id, other.state.id];
    const found = await on.read((tx) => tx.policyTrials.plansOf(ids, set.id));
    expect(found.get(kept.state.id)).toMatchObject({ kept: true, before: { outcomeId: outcomes[1]?.id } });
    expect(found.get(other.state.id)).toEqual({ kept: false, before: null });
    expect((await on.read((tx) => tx.policyTrials.plansOf(ids, null))).get(kept.state.id)?.before).toBeNull();
  });

  it('discard their code and leases when they end, and their plans with the run', async () => {
    const { trial, workspaces, runs, organization } = await aTrial(on);
    const lease = aLease();
    await on.run((tx) => tx.policyTrials.saveLease({ trialId: trial.id, workspaceId: workspaces[0].id }, lease));
    expect(Buffer.from((await on.read((tx) => tx.policyTrials.code(trial.id))) ?? []).toString()).toBe('code');
    expect(await on.read((tx) => tx.policyTrials.askersOfOpen(organization.id))).toEqual([trial.requestedBy]);
    const ended: PolicyTrial = { ...trial, status: 'canceled', dueAt: null, revision: 1 };
    await on.run((tx) => tx.policyTrials.save(ended));
    await expect(on.run((tx) => tx.policyTrials.save(ended))).rejects.toEqual(refusal('shared/stale-revision'));
    expect(await on.read((tx) => tx.policyTrials.code(trial.id))).toBeUndefined();
    expect(await on.read((tx) => tx.policyTrials.partByLease(lease.digest))).toBeUndefined();
    expect(await on.read((tx) => tx.policyTrials.askersOfOpen(organization.id))).toEqual([]);
    expect(await on.run((tx) => tx.policyTrials.findLocked(trial.id))).toEqual(ended);
    await on.run((tx) => tx.runArtifacts.drop(runs[0]?.state.id ?? ''));
    expect((await on.read((tx) => tx.policyTrials.results(trial.id, 'all', page))).total).toBe(1);
  });

  it('are overdue, or too old, by their times', async () => {
    const { trial, organization } = await aTrial(on, { dueAt: afterNoon(5), createdAt: afterNoon(1) });
    const at = (now: string, before: string) => on.read((tx) => tx.policyTrials.ended(now, before, 100));
    expect((await at(afterNoon(4), noon)).overdue).not.toContain(trial.id);
    expect((await at(afterNoon(5), noon)).overdue).toContain(trial.id);
    expect((await at(noon, afterNoon(1))).old).not.toContain(trial.id);
    expect((await at(noon, afterNoon(2))).old).toContain(trial.id);
    const listed = await on.read((tx) => tx.policyTrials.page(organization.id, page));
    expect(listed.items).toEqual([trial]);
    await on.run((tx) => tx.policyTrials.remove(trial.id));
    const actor = asOrganization(organization);
    expect(await on.read((tx) => tx.policyTrials.findFor(actor, trial.id))).toBeUndefined();
  });

  it('ask for the workspaces that a set applies to, as runs do', async () => {
    const organization = await on.organization();
    const [applied, excluded, other] = [
      await on.workspace(organization),
      await on.workspace(organization),
      await on.workspace(organization),
    ];
    const set = aPolicySet(organization, { global: true, excludedWorkspaceIds: [excluded.id] });
    const narrow = aPolicySet(organization, { workspaceIds: [applied.id] });
    await on.run(async (tx) => {
      await tx.policySets.add(set);
      await tx.policySets.add(narrow);
    });
    const ids = [applied.id, excluded.id, other.id];
    for (const { id } of [set, narrow]) {
      const among = await on.read((tx) => tx.policySets.appliedAmong(id, ids));
      const expected = [];
      for (const workspaceId of ids) {
        const sets = await on.read((tx) => tx.policySets.applyingTo(workspaceId));
        if (sets.some((one) => one.id === id)) expected.push(workspaceId);
      }
      expect(among.toSorted()).toEqual(expected.toSorted());
      expect(among.length).toBeGreaterThan(0);
    }
  });
});
