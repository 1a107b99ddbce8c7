import { expect, it } from '@jest/globals';
import { type OutcomeGroup, outcomeGroups } from '../../src/application/index.js';
import {
  type EvaluationStatus,
  type PolicySetOutcome,
  Run,
  type TaskStage,
  type TaskStageStatus,
  type Workspace,
  type WorkspaceVisibility,
} from '../../src/domain/index.js';
import { aRun, noon } from '../support/builders.js';
import { anEvaluation, aPolicyOutcome, aPolicySetOutcome, aTaskStage } from '../support/policy-builders.js';
import { fc, runs } from '../support/properties.js';
import { onEveryBackend } from './on-every-backend.js';

/** In two spans of 64 days, and several of 8. */
const days = ['2029-11-20', '2029-12-26', '2029-12-31', '2030-01-01'] as const;
const oldest = '2029-11-01';

const aResult = fc.record({
  policy: fc.constantFrom('a', 'b'),
  status: fc.constantFrom('passed', 'failed', 'errored'),
  level: fc.constantFrom('advisory', 'mandatory'),
});

/** A set that errored before any policy was evaluated has no results. */
const sets = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('one', 'two'),
    results: fc.uniqueArray(aResult, { selector: ({ policy }) => policy, maxLength: 2 }),
  }),
  { selector: ({ name }) => name, maxLength: 2 },
);

const ofWorkspace = fc.nat(2);
const ofRun = fc.nat(20);

const aStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      workspace: ofWorkspace,
      day: fc.nat(days.length - 1),
      planOnly: fc.boolean(),
      concluded: fc.boolean(),
      sets,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('report again' as const), run: ofRun, sets }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('override', 'cancel'), run: ofRun }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('delete', 'purge'), workspace: ofWorkspace }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('advance' as const), limit: fc.integer({ min: 1, max: 4 }) }) },
);

const failure: Sets = [{ name: 'one', results: [{ policy: 'a', status: 'failed', level: 'mandatory' }] }];

type Sets = typeof sets extends fc.Arbitrary<infer Value> ? Value : never;

interface Reported {
  readonly workspace: number;
  readonly day: string;
  readonly planOnly: boolean;
  stage: TaskStage;
  outcomes: readonly PolicySetOutcome[];
}

onEveryBackend('counts of policy outcomes', (on) => {
  const advance = (limit = 100) => on.run((tx) => tx.outcomeCounts.advance(oldest, limit));

  const world = async () => {
    const organization = await on.organization();
    const workspaces: Workspace[] = [];
    for (const name of ['c', 'b', 'a']) workspaces.push(await on.workspace(organization, { name }));
    const team = await on.team(organization);
    await on.grant(team, workspaces[0] as Workspace, { access: 'read' });
    const most = await on.team(organization);
    for (const workspace of workspaces.slice(1)) await on.grant(most, workspace, { access: 'read' });
    const none = await on.team(organization);
    const reported: Reported[] = [];
    const deleted = new Set<number>();

    const saved = async (one: Reported, to: { status: TaskStageStatus; evaluation?: EvaluationStatus }) => {
      const { stage } = one;
      const evaluations = stage.evaluations.map((each) => ({ ...each, status: to.evaluation ?? each.status }));
      one.stage = { ...stage, status: to.status, evaluations, revision: stage.revision + 1 };
      await on.run((tx) => tx.taskStages.save(one.stage));
    };

    const outcomesOf = (stage: TaskStage, given: Sets) =>
      given.map(({ name, results }, position) =>
        aPolicySetOutcome(stage.evaluations[0] as never, {
          position,
          policySetName: name,
          error: results.length === 0 ? 'no engine' : null,
          outcomes: results.map(({ policy, status, level }) =>
            aPolicyOutcome({
              policyName: policy,
              ...(status === 'errored' ? { status } : { status, enforcementLevel: level }),
            } as never),
          ),
        }),
      );

    const steps = {
      report: async (step: { workspace: number; day: number; planOnly: boolean; concluded: boolean; sets: Sets }) => {
        if (deleted.has(step.workspace)) return;
        const workspace = workspaces[step.workspace] as Workspace;
        const version = await on.version(workspace);
        const createdAt = `${days[step.day]}T12:00:00.000Z`;
        const { planOnly } = step;
        await on.run(async (tx) => {
          const { sequence } = await tx.runs.takeSequence(workspace.id);
          const given = { sequence, status: 'planned_and_finished', planOnly, createdAt } as const;
          const run = Run.restore(aRun(workspace, { id: version.state.id }, given).state);
          const evaluations = [anEvaluation({ status: step.concluded ? 'failed' : 'running' })];
          const status = step.concluded ? 'awaiting_override' : 'running';
          const stage = aTaskStage(run, { status, evaluations, createdAt });
          const outcomes = outcomesOf(stage, step.sets);
          await tx.runs.add(run);
          await tx.taskStages.add(stage);
          await tx.taskStages.addOutcomes(outcomes);
          reported.push({ workspace: step.workspace, day: createdAt.slice(0, 10), planOnly, stage, outcomes });
        });
      },
      'report again': async ({ run, sets: given }: { run: number; sets: Sets }) => {
        const one = reported[run % Math.max(reported.length, 1)];
        if (one?.stage.status !== 'running') return;
        await on.run(async (tx) => {
          await tx.taskStages.dropOutcomes(one.stage);
          one.outcomes = outcomesOf(one.stage, given);
          await tx.taskStages.addOutcomes(one.outcomes);
        });
        await saved(one, { status: 'awaiting_override', evaluation: 'failed' });
      },
      override: async ({ run }: { run: number }) => {
        const one = reported[run % Math.max(reported.length, 1)];
        if (one?.stage.status === 'awaiting_override') await saved(one, { status: 'passed', evaluation: 'overridden' });
      },
      cancel: async ({ run }: { run: number }) => {
        const one = reported[run % Math.max(reported.length, 1)];
        if (one?.stage.status === 'awaiting_override') await saved(one, { status: 'canceled' });
      },
      delete: async ({ workspace }: { workspace: number }) => {
        deleted.add(workspace);
        await on.run((tx) => tx.workspaces.remove(workspaces[workspace]?.id ?? '', noon));
      },
      purge: async ({ workspace }: { workspace: number }) => {
        await steps.delete({ workspace });
        const id = workspaces[workspace]?.id ?? '';
        const batch = () => on.run((tx) => tx.removals.removeBatch({ kind: 'workspace', id }, 1_000));
        while (!(await batch()).finished);
        for (const one of reported.filter((each) => each.workspace === workspace)) {
          reported.splice(reported.indexOf(one), 1);
        }
      },
      advance: ({ limit }: { limit: number }) => advance(limit),
    };

    const recount = (group: OutcomeGroup, visible: readonly number[], from: string, speculative: boolean) => {
      const sums = new Map<string, Record<string, unknown>>();
      for (const { workspace, day, planOnly, stage, outcomes } of reported) {
        if (deleted.has(workspace) || !visible.includes(workspace) || day < from) continue;
        if ((planOnly && !speculative) || stage.status === 'running') continue;
        const isOverridden = stage.evaluations[0]?.status === 'overridden';
        for (const { policySetName, outcomes: results } of outcomes) {
          const all = results.length > 0 ? results : [{ policyName: null, status: 'errored' } as const];
          for (const one of all) {
            const key = {
              policySet: group.startsWith('policy') ? policySetName : null,
              policy: group === 'policy' ? one.policyName : null,
              workspaceId: group === 'workspace' ? workspaces[workspace]?.id : null,
              workspaceName: group === 'workspace' ? workspaces[workspace]?.name : null,
              day: group === 'day' ? day : null,
            };
            const counts = { passed: 0, failed: 0, overridden: 0, errored: 0 };
            const sum = sums.get(JSON.stringify(key)) ?? { ...key, ...counts };
            const isAdvisory = 'enforcementLevel' in one && one.enforcementLevel === 'advisory';
            const name = isOverridden && one.status !== 'passed' && !isAdvisory ? 'overridden' : one.status;
            sums.set(JSON.stringify(key), { ...sum, [name]: Number(sum[name]) + 1 });
          }
        }
      }
      return [...sums.values()];
    };

    const compare = async () => {
      const readers: readonly (readonly [WorkspaceVisibility, readonly number[]])[] = [
        ['all', [0, 1, 2]],
        [{ throughTeams: [team.id] }, [0]],
        [{ throughTeams: [most.id] }, [1, 2]],
        [{ throughTeams: [none.id] }, []],
      ];
      for (const [visibility, visible] of readers) {
        for (const group of outcomeGroups) {
          for (const [speculative, from] of [[true, days[0]] as const, [false, days[1]] as const]) {
            const query = { organizationId: organization.id, visibility, group, from, speculative };
            const found = await on.read((tx) => tx.outcomeCounts.counts(query));
            const expected = recount(group, visible, from, speculative);
            expect(found).toHaveLength(expected.length);
            expect(found).toEqual(expect.arrayContaining(expected));
          }
        }
      }
    };
    return { organization, steps, compare };
  };

  it('are those of the outcomes, whatever is added up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 4, maxLength: 16 }), async (given) => {
        const { steps, compare } = await world();
        for (const step of given) await steps[step.kind](step as never);
        await compare();
        while ((await advance()) > 0);
        await compare();
      }),
      { numRuns: runs(25) },
    );
  });

  it('are forgotten day by day, and older runs are never added up', async () => {
    const { organization, steps } = await world();
    const report = { workspace: 1, planOnly: false, concluded: true, sets: failure };
    for (const day of [1, 3]) await steps.report({ ...report, day });
    while ((await advance()) > 0);
    const counted = async () => {
      const query = { visibility: 'all', group: 'day', from: days[0], speculative: false } as const;
      const found = await on.read((tx) => tx.outcomeCounts.counts({ ...query, organizationId: organization.id }));
      return found.map(({ day }) => day).toSorted();
    };
    expect(await counted()).toEqual([days[1], days[3]]);
    while ((await on.run((tx) => tx.outcomeCounts.forget(days[2], 1))) > 0);
    expect(await counted()).toEqual([days[3]]);
    await steps.report({ ...report, day: 0 });
    expect(await on.run((tx) => tx.outcomeCounts.advance(days[1], 10))).toBe(1);
    expect(await counted()).toEqual([days[3]]);
  });

  it('of an organization that is deleted are deleted with it', async () => {
    const { organization, steps } = await world();
    await steps.report({ workspace: 1, day: 1, planOnly: false, concluded: true, sets: failure });
    await advance();
    const before = (await on.rowCounts()).outcome_counts as number;
    const batch = () => on.run((tx) => tx.removals.removeBatch({ kind: 'organization', id: organization.id }, 100));
    while (!(await batch()).finished);
    expect((await on.rowCounts()).outcome_counts).toBe(before - 6);
  });
});
