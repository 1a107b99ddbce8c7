import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { outcomeGroups } from '../../src/application/index.js';
import type { Actor, OutcomeFilter } from '../../src/domain/index.js';
import {
  aConfigurationVersion,
  anOrganization,
  aProject,
  aRun,
  asOrganization,
  asTeam,
  asUser,
  aTeam,
  aUser,
  aWorkspace,
  giveGrant,
  noon,
} from '../support/builders.js';
import {
  aManagedPolicy,
  anAgentPool,
  anAgentToken,
  aPolicyOutcome,
  aPolicySet,
  aPolicySetOutcome,
  aSiteAgentPool,
  aTaskStage,
} from '../support/policy-builders.js';
import { QueryPlanner, type Work } from '../support/query-planner.js';

describe('statements about policies and agents on SQLite', () => {
  const organization = anOrganization();
  const project = aProject(organization);
  const workspace = aWorkspace(organization, { projectId: project.id });
  const version = aConfigurationVersion(workspace);
  const run = aRun(workspace, version.state);
  const stage = aTaskStage(run);
  const evaluationId = stage.evaluations[0]?.id ?? '';
  const outcome = aPolicySetOutcome({ id: evaluationId }, { outcomes: [aPolicyOutcome()] });
  const policy = aManagedPolicy(organization);
  const policySet = aPolicySet(organization, {
    workspaceIds: [workspace.id],
    projectIds: [project.id],
    tagSelectors: [{ key: 'env', value: 'prod', excludes: false }],
    policyIds: [policy.id],
  });
  const pool = anAgentPool(organization);
  const reading = aTeam(organization);
  let planner: QueryPlanner;

  beforeAll(async () => {
    planner = await QueryPlanner.open(async (tx) => {
      await tx.organizations.add(organization);
      await tx.projects.add(project);
      await tx.workspaces.add(workspace);
      await tx.configurationVersions.add(version);
      await tx.runs.add(run);
      await tx.taskStages.add(stage);
      await tx.taskStages.addOutcomes([outcome]);
      await tx.policies.add(policy);
      await tx.policySets.add(policySet);
      await tx.agentPools.add(pool);
      await tx.teams.add(reading);
      await giveGrant(tx, reading.id, workspace.id, { access: 'read' });
      await tx.agentPools.add(aSiteAgentPool());
      await tx.agentTokens.add(anAgentToken(pool));
    });
  });

  afterAll(() => planner.close());

  const statementsOf: QueryPlanner['statementsOf'] = (...asked) => planner.statementsOf(...asked);
  const planOf = (sql: string): readonly string[] => planner.planOf(sql);

  const callers: readonly Actor[] = [asUser(aUser()), asTeam(aTeam(organization)), asOrganization(organization)];
  const page = (number: number) => ({ number, size: 20 });
  const filters: readonly OutcomeFilter[] = [
    { status: 'passed', enforcementLevel: 'mandatory' },
    { status: 'errored', enforcementLevel: null },
  ];

  const finds: readonly (readonly [string, number, Work])[] = [
    ['an agent', 1, (tx) => tx.agentTokens.findAgent('digest')],
    ['the policy sets of a workspace, and the policies in them', 2, (tx) => tx.policySets.applyingTo(workspace.id)],
    [
      'the workspaces of an organization',
      1,
      (tx) => tx.workspaces.visibleAmong(organization.id, ['ws-1', 'ws-2'], { throughTeams: ['team-1'] }),
    ],
    ['policies by their ids', 1, (tx) => tx.policies.allOf(organization.id, ['pol-1', 'pol-2'])],
    ['the code of a policy', 1, (tx) => tx.policies.findCode(organization.id, 'sha256')],
    ['the task stage of a run', 2, (tx) => tx.taskStages.ofRun(run.state.id)],
    ['the ids of the task stages of runs', 1, (tx) => tx.taskStages.idsOfRuns([run.state.id, 'run-1', 'run-2'])],
    ['the task stages of runs', 1, (tx) => tx.taskStages.ofRuns([run.state.id, 'run-1', 'run-2'])],
    ['a page of outcomes', 2, (tx) => tx.taskStages.outcomes(evaluationId, [], page(1))],
    ['a page of filtered outcomes', 3, (tx) => tx.taskStages.outcomes(evaluationId, filters, page(1))],
    ['policy sets', 2, (tx) => tx.policySets.page(organization.id, page(1))],
    ['agent pools', 2, (tx) => tx.agentPools.page(organization.id, page(1))],
    ['an agent pool', 1, (tx) => tx.agentPools.find(pool.id)],
    ['an agent’s token', 1, (tx) => tx.agentTokens.find('agt-1')],
    ['who made tokens of agents', 1, (tx) => tx.agentTokens.creatorsOf(pool.id)],
    ['site agent pools', 2, (tx) => tx.agentPools.page(null, page(1))],
    ['tokens of agents', 2, (tx) => tx.agentTokens.page(pool.id, page(1))],
    ...callers.flatMap((actor): (readonly [string, number, Work])[] => [
      [`a policy with the standing of a ${actor.kind}`, 1, (tx) => tx.policies.findFor(actor, policy.id)],
      [`a policy set with the standing of a ${actor.kind}`, 1, (tx) => tx.policySets.findFor(actor, policySet.id)],
      [`a task stage with the standing of a ${actor.kind}`, 2, (tx) => tx.taskStages.findFor(actor, stage.id)],
      [`an evaluation with that of a ${actor.kind}`, 1, (tx) => tx.taskStages.findEvaluationFor(actor, evaluationId)],
      [`an outcome with the standing of a ${actor.kind}`, 2, (tx) => tx.taskStages.findOutcomeFor(actor, outcome.id)],
      // For members, such as the organization's token, a second statement finds what the pool serves.
      [
        `an agent pool with the standing of a ${actor.kind}`,
        actor.kind === 'organization' ? 2 : 1,
        (tx) => tx.agentPools.findFor(actor, pool.id),
      ],
    ]),
  ];

  it.each(finds)('find %s in %i of them, through indexes alone', async (_, count, work) => {
    const sql = await statementsOf(work);
    expect(sql).toHaveLength(count);
    const plan = sql.flatMap(planOf);
    // A page of ids was found before it is gone through.
    expect(plan.filter((step) => step.startsWith('SCAN') && !/^SCAN (CONSTANT ROW|page)$/.test(step))).toEqual([]);
    expect(plan.filter((step) => step.startsWith('SEARCH')).length).toBeGreaterThan(0);
  });

  const changes: readonly (readonly [string, Work])[] = [
    ['save a policy set', (tx) => tx.policySets.save({ ...policySet, revision: 1 })],
    ['save a policy', (tx) => tx.policies.save({ ...policy, revision: 1 })],
    ['remove a policy', (tx) => tx.policies.remove('pol-1')],
    ['keep the code of a policy', async (tx) => void (await tx.policies.keepCode(organization.id, 'package a'))],
    ['remove a policy set', (tx) => tx.policySets.remove('polset-1')],
    ['save a task stage', (tx) => tx.taskStages.save({ ...stage, revision: 1 })],
    ['drop outcomes', (tx) => tx.taskStages.dropOutcomes(aTaskStage(run))],
    ['save an agent pool', (tx) => tx.agentPools.save({ ...pool, name: 'another' })],
    [
      'set the defaults of an organization',
      (tx) => tx.organizations.setDefaults(organization.id, organization.defaults),
    ],
    ['remove an agent pool', (tx) => tx.agentPools.remove('apool-1')],
    ['remove an agent’s token', (tx) => tx.agentTokens.remove('agt-1')],
    ['mark an agent’s token', (tx) => tx.agentTokens.markUsed(new Map([['agt-1', noon]]))],
  ];

  it.each(changes)('%s without reading through a table', async (_, work) => {
    const sql = await statementsOf(work, true);
    expect(sql.length).toBeGreaterThan(0);
    expect(sql.flatMap(planOf).filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });

  it('say whether a pool is in use by looking at runs under a lease only', async () => {
    const [sql] = await statementsOf((tx) => tx.agentPools.inUse(pool.id));
    const plan = planOf(sql ?? '');
    expect(plan).toContainEqual(expect.stringMatching(/SEARCH workspaces USING INDEX workspaces_agent_pool/));
    expect(plan).toContainEqual(expect.stringMatching(/runs USING INDEX runs_lease/));
  });

  it('reach a page of outcomes by a range of positions, however deep, and sort and count nothing', async () => {
    const at = (number: number) => statementsOf((tx) => tx.taskStages.outcomes(evaluationId, [], page(number)));
    const [[shallow], [deep]] = [await at(1), await at(5_000)];
    expect(deep).toBe(shallow);
    expect(deep).not.toMatch(/offset|count\(/i);
    const plan = planOf(deep ?? '');
    expect(plan).toContainEqual(
      expect.stringMatching(
        /SEARCH q USING INDEX policy_set_outcomes_position \(policy_evaluation_id=\? AND position>\? AND position<\?\)/,
      ),
    );
    expect(plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  });

  it('reach an agent by its token’s digest, and search outcomes in an index alone', async () => {
    const [agent] = await statementsOf((tx) => tx.agentTokens.findAgent('digest'));
    expect(planOf(agent ?? '')).toContain('SEARCH k USING INDEX agent_tokens_secret_digest (secret_digest=?)');
    const [count] = await statementsOf((tx) => tx.taskStages.outcomes(evaluationId, filters, page(1)));
    expect(planOf(count ?? '')).toContain(
      'SEARCH q USING COVERING INDEX policy_set_outcomes_verdicts (policy_evaluation_id=?)',
    );
  });

  // The last one reads most workspaces: what is added up of the others is subtracted.
  const readers = ['all', { throughTeams: ['team-1', 'team-2'] }, { throughTeams: [reading.id] }] as const;

  it.each(outcomeGroups)(
    'count outcomes by %s in ranges of the key of sums, and the few that are in none',
    async (group) => {
      for (const visibility of readers) {
        const query = { organizationId: organization.id, visibility, group, from: '2030-01-03', speculative: false };
        const sql = await statementsOf((tx) => tx.outcomeCounts.counts(query));
        const plan = sql.flatMap(planOf);
        expect(
          plan.filter((step) => step.startsWith('SCAN') && !/^SCAN (CONSTANT ROW|\(subquery|[svm]$)/.test(step)),
        ).toEqual([]);
        const sums = plan.filter((step) => step.startsWith('SEARCH k ') && !step.includes('outcome_counts_leaving'));
        expect(sums.length).toBeGreaterThan(0);
        for (const step of sums) {
          expect(step).toMatch(/\(organization_id=\? AND workspace_id=\? AND span=\? AND day>\?/);
        }
        const outcomes = plan.filter((step) => step.startsWith('SEARCH s '));
        for (const step of outcomes) expect(step).toContain('task_stages_uncounted (created_at>?)');
        expect(outcomes).toHaveLength(2);
      }
    },
  );
});
