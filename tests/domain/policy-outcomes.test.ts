import { describe, expect, it } from '@jest/globals';
import {
  type AppliedPolicySet,
  blocks,
  canOverride,
  concludeEvaluation,
  enforcementLevels,
  evaluationMoves,
  evaluationStatuses,
  type ManagedPolicy,
  moveAll,
  noResults,
  openTaskStage,
  outcomeStatuses,
  overrideStage,
  type PolicyLevel,
  type PolicyOutcome,
  type PolicySet,
  type PolicySetOutcome,
  type ReportedPolicySet,
  readReport,
  resultCountOf,
  sumOfCounts,
  type TaskStage,
  taskStageMoves,
  taskStageStatuses,
  verdictOf,
} from '../../src/domain/index.js';
import { canReset } from '../../src/domain/policy-outcomes/task-stage.js';
import type { LifecycleRow } from '../../src/domain/shared/lifecycle-engine.js';
import { checkPolicy } from '../../src/domain/supporting/policies/policy.js';
import {
  asApplied,
  checkKinds,
  checkNames,
  checkPolicySet,
  maxPoliciesOfSet,
} from '../../src/domain/supporting/policies/policy-set.js';
import { anOrganization } from '../support/builders.js';
import { aPolicySet } from '../support/policy-builders.js';
import {
  aManagedPolicy,
  anAppliedSet,
  anOpenStage,
  aPolicy,
  aReport,
  aSetOutcome,
  errored,
  failed,
  passed,
} from './policy-samples.js';
import { later, noon, thrownBy } from './samples.js';

describe('what one policy said', () => {
  it('has no level where it errored, and one everywhere else', () => {
    const common = { policyName: 'no-public-buckets', description: '', query: null, output: null };
    // @ts-expect-error: an errored outcome has no enforcement level.
    const impossible: PolicyOutcome = { ...common, status: 'errored', enforcementLevel: 'mandatory' };
    // @ts-expect-error: an evaluated outcome has a level.
    const incomplete: PolicyOutcome = { ...common, status: 'failed' };
    const possible: PolicyOutcome = { ...common, status: 'errored' };
    expect([impossible, incomplete, possible].map(({ status }) => status)).toEqual(['errored', 'failed', 'errored']);
  });

  it('is one of three things, at one of two levels', () => {
    expect(outcomeStatuses).toEqual(['passed', 'failed', 'errored']);
    expect(enforcementLevels).toEqual(['advisory', 'mandatory']);
  });
});

describe('what a set said', () => {
  it.each([
    ['nothing, with no policies', [], 'passed', null],
    ['passed', [passed('advisory')], 'passed', 'advisory'],
    [
      'passed at the strictest level of those that passed',
      [passed('advisory'), passed('mandatory')],
      'passed',
      'mandatory',
    ],
    ['failed for advice', [passed('mandatory'), failed('advisory')], 'failed', 'advisory'],
    ['failed', [failed('mandatory'), passed('advisory')], 'failed', 'mandatory'],
    [
      'failed at the strictest level of those that failed',
      [failed('advisory'), failed('mandatory')],
      'failed',
      'mandatory',
    ],
    ['errored, whatever else', [failed('mandatory'), errored, passed('advisory')], 'errored', null],
    ['errored alone', [errored], 'errored', null],
  ] as const)('is %s', (_, outcomes, status, enforcementLevel) => {
    expect(verdictOf({ error: null, outcomes })).toEqual({ status, enforcementLevel });
    expect(verdictOf({ error: null, outcomes: outcomes.toReversed() })).toEqual({ status, enforcementLevel });
    expect(verdictOf({ error: 'no such rule', outcomes })).toEqual({ status: 'errored', enforcementLevel: null });
  });

  it('stands in the way where a mandatory policy failed or errored, or the whole set errored', () => {
    const set = anAppliedSet({ policies: [aPolicy('strict', 'mandatory'), aPolicy('advice', 'advisory')] });
    const stands = (...outcomes: readonly PolicyOutcome[]) => blocks(set, { error: null, outcomes });
    expect(stands()).toBe(false);
    expect(stands(passed('mandatory'), failed('advisory'))).toBe(false);
    expect(stands(failed('advisory'), failed('mandatory'))).toBe(true);
    expect(stands(passed('mandatory'), { ...errored, policyName: 'strict' })).toBe(true);
    expect(stands(passed('mandatory'), { ...errored, policyName: 'advice' })).toBe(false);
    expect(stands(failed('mandatory'), { ...errored, policyName: 'advice' })).toBe(true);
    expect(stands({ ...errored, policyName: 'nowhere' })).toBe(true);
    expect(blocks(set, { error: 'no such rule', outcomes: [passed('advisory')] })).toBe(true);
    expect(blocks(undefined, { error: null, outcomes: [errored] })).toBe(true);
  });

  it('is counted by policy', () => {
    const outcomes = [
      passed('advisory'),
      passed('mandatory'),
      passed('mandatory'),
      failed('advisory'),
      failed('advisory'),
      failed('mandatory'),
      errored,
    ];
    const counts = { passed: 3, advisoryFailed: 2, mandatoryFailed: 1, errored: 1 };
    expect(resultCountOf({ outcomes })).toEqual(counts);
    expect(resultCountOf({ outcomes: [] })).toEqual(noResults);
    expect(sumOfCounts([])).toEqual(noResults);
    expect(sumOfCounts([counts, noResults, counts])).toEqual({
      passed: 6,
      advisoryFailed: 4,
      mandatoryFailed: 2,
      errored: 2,
    });
  });
});

describe('a report', () => {
  const network = anAppliedSet({
    id: 'polset-1',
    name: 'network',
    description: 'Of networks',
    overridable: true,
    policies: [aPolicy('closed', 'mandatory', 'data.closed'), aPolicy('tagged', 'advisory')],
  });
  const cost = anAppliedSet({ id: 'polset-2', name: 'cost', policies: [aPolicy('cheap', 'advisory')] });
  const onNetwork: ReportedPolicySet = {
    policySetId: 'polset-1',
    error: null,
    warnings: ['slow'],
    policies: [
      { name: 'tagged', status: 'failed', output: [{ missing: 'owner' }] },
      { name: 'closed', status: 'errored', output: null },
    ],
  };
  const onCost = aReport(cost);
  const refused = (message: string, member: string) => ({
    code: 'agent-report/invalid',
    message,
    details: { member },
  });
  const refusalOf = (applied: readonly AppliedPolicySet[], ...reported: readonly ReportedPolicySet[]) =>
    thrownBy(() => readReport(applied, reported));

  it('is read with the levels and words of the sets, in their order and in that of their policies', () => {
    expect(readReport([network, cost], [onCost, onNetwork])).toEqual([
      {
        position: 0,
        policySetName: 'network',
        policySetDescription: 'Of networks',
        overridable: true,
        error: null,
        warnings: ['slow'],
        outcomes: [
          { policyName: 'closed', description: 'About closed', query: 'data.closed', status: 'errored', output: null },
          {
            policyName: 'tagged',
            description: 'About tagged',
            query: null,
            status: 'failed',
            enforcementLevel: 'advisory',
            output: [{ missing: 'owner' }],
          },
        ],
      },
      {
        position: 1,
        policySetName: 'cost',
        policySetDescription: null,
        overridable: false,
        error: null,
        warnings: [],
        outcomes: [
          {
            policyName: 'cheap',
            description: 'About cheap',
            query: null,
            status: 'passed',
            enforcementLevel: 'advisory',
            output: null,
          },
        ],
      },
    ]);
  });

  it('of nothing is enough where no set applies', () => {
    expect(readReport([], [])).toEqual([]);
  });

  it('must be of every set', () => {
    expect(refusalOf([network, cost], onCost)).toMatchObject(
      refused('Policy set polset-1 is not reported', 'policySets'),
    );
  });

  it('cannot be of another set', () => {
    expect(refusalOf([cost], onCost, onNetwork)).toMatchObject(
      refused('Policy set does not apply to the run', 'policySets/1/policySetId'),
    );
  });

  it('must be of each set once', () => {
    expect(refusalOf([network, cost], onCost, onNetwork, onCost)).toMatchObject(
      refused('Policy set is reported more than once', 'policySets/2/policySetId'),
    );
  });

  it('must be of every policy of a set', () => {
    expect(
      refusalOf([cost, network], onCost, { ...onNetwork, policies: onNetwork.policies.slice(0, 1) }),
    ).toMatchObject(refused('Policy closed is not reported', 'policySets/1/policies'));
  });

  it('cannot be of another policy', () => {
    const policies = [...onNetwork.policies, { name: 'cheap', status: 'passed' as const, output: null }];
    expect(refusalOf([network, cost], onCost, { ...onNetwork, policies })).toMatchObject(
      refused('Policy is not in the set', 'policySets/1/policies/2/name'),
    );
  });

  it('must be of each policy once', () => {
    const [tagged] = onNetwork.policies;
    const policies = [...onNetwork.policies, ...(tagged ? [tagged] : [])];
    expect(refusalOf([network], { ...onNetwork, policies })).toMatchObject(
      refused('Policy is reported more than once', 'policySets/0/policies/2/name'),
    );
  });

  it('of a set that could not be evaluated may leave policies out, and may name none that are not there', () => {
    const broken = { ...onNetwork, error: 'no such package' };
    const read = (policies: ReportedPolicySet['policies']) => readReport([network], [{ ...broken, policies }])[0];
    expect(read([])).toMatchObject({ error: 'no such package', outcomes: [] });
    expect(read(onNetwork.policies.slice(0, 1))?.outcomes.map(({ policyName }) => policyName)).toEqual(['tagged']);
    expect(refusalOf([network], { ...broken, policies: onCost.policies })).toMatchObject(
      refused('Policy is not in the set', 'policySets/0/policies/0/name'),
    );
  });
});

describe('a policy set', () => {
  it('differs in the names of its policies, and has a name that can stand in a URL', () => {
    const settings = { name: 'network', policies: [aPolicy('a', 'advisory'), aPolicy('b', 'mandatory')] };
    expect(checkPolicySet(settings)).toBe(settings);
    expect(checkPolicySet({})).toEqual({});
    expect(
      thrownBy(() => checkPolicySet({ policies: [aPolicy('a', 'advisory'), aPolicy('a', 'mandatory')] })),
    ).toMatchObject({
      code: 'attribute/invalid',
      message: 'Policies must have different names',
      details: { attribute: 'policies' },
    });
    expect(thrownBy(() => checkPolicySet({ name: 'a/b' }))).toMatchObject({
      code: 'attribute/invalid',
      details: { attribute: 'name' },
    });
  });

  const aSet = (given: Partial<PolicySet> = {}): PolicySet => ({
    ...aPolicySet(anOrganization()),
    ...anAppliedSet(),
    global: true,
    ...given,
  });

  it('is applied as it is, with the code of what is attached, and without what only its owner needs', () => {
    const written = { name: 'a', description: 'About a', query: null, enforcementLevel: 'advisory' } as const;
    const attached = [aManagedPolicy('b', { code: 'abc' }), aManagedPolicy('c')];
    expect(asApplied({ ...aSet({ policies: [written] }), attached })).toEqual(
      anAppliedSet({
        policies: [
          { ...written, code: null },
          { ...aPolicy('b', 'mandatory', 'data.b.deny'), code: 'abc' },
          aPolicy('c', 'mandatory', 'data.c.deny'),
        ],
      }),
    );
  });

  it('counts both mandatory levels of Sentinel as one, and is not overridable with a hard-mandatory policy', () => {
    const sentinel = (enforcementLevel: PolicyLevel) =>
      aManagedPolicy(enforcementLevel, { kind: 'sentinel', query: null, enforcementLevel });
    const applied = (...levels: readonly PolicyLevel[]) => {
      const { overridable, policies } = asApplied({
        ...aSet({ kind: 'sentinel', overridable: true, policyToolVersion: '0.26.0' }),
        attached: levels.map(sentinel),
      });
      return [overridable, policies.map((policy) => policy.enforcementLevel)];
    };
    expect(applied('advisory', 'soft-mandatory')).toEqual([true, ['advisory', 'mandatory']]);
    expect(applied('soft-mandatory', 'hard-mandatory')).toEqual([false, ['mandatory', 'mandatory']]);
  });

  it.each(['latest', '1', '0.70', '0.44.0', '1.10.0', '0.22.1+1234abcd', '1.0.0-rc.1'])(
    'takes the version %s',
    (version) => {
      expect(checkPolicySet({ policyToolVersion: version })).toEqual({ policyToolVersion: version });
    },
  );

  it.each(['', 'newest', 'v1.0.0', '>= 1.0', '1.2.3.4', '1.0.0 '])('refuses the version %p', (version) => {
    expect(thrownBy(() => checkPolicySet({ policyToolVersion: version }))).toMatchObject({
      code: 'attribute/invalid',
      details: { attribute: 'policyToolVersion' },
    });
  });

  it('takes policies of its own kind and of other names, and no more than a report may speak of', () => {
    const at = { member: 'data' };
    const set = aSet({ policies: [aPolicy('a', 'advisory')] });
    const others = (count: number) => Array.from({ length: count }, (_, index) => aManagedPolicy(`b${index}`));
    const attach = (...attached: ManagedPolicy[]) => {
      checkKinds(set, attached, at);
      checkNames(set, attached, at);
    };
    attach();
    attach(...others(maxPoliciesOfSet - 1));
    const refused = (...attached: ManagedPolicy[]) => {
      expect(thrownBy(() => attach(...attached))).toMatchObject({ code: 'attribute/invalid', details: at });
    };
    refused(aManagedPolicy('b', { kind: 'sentinel' }));
    refused(aManagedPolicy('a'));
    refused(aManagedPolicy('b'), aManagedPolicy('b', { id: 'pol-other' }));
    refused(...others(maxPoliciesOfSet));
  });
});

describe('a policy', () => {
  const settings = {
    name: 'tags',
    kind: 'opa',
    description: '',
    query: 'data.tags.deny',
    enforcementLevel: 'advisory',
  } as const;

  it('has a well-formed name, and a query if it is one of OPA, and only then', () => {
    expect(checkPolicy(settings)).toBe(settings);
    const sentinel = { ...settings, kind: 'sentinel', query: null, enforcementLevel: 'soft-mandatory' } as const;
    expect(checkPolicy(sentinel)).toEqual(sentinel);
    expect(checkPolicy({ ...sentinel, query: 'data.cost.deny' })).toEqual(sentinel);
    for (const [change, attribute] of [
      [{ name: 'a tag' }, 'name'],
      [{ query: null }, 'query'],
      [{ enforcementLevel: 'hard-mandatory' }, 'enforcementLevel'],
      [{ kind: 'sentinel', query: null, enforcementLevel: 'mandatory' }, 'enforcementLevel'],
    ] as const) {
      const refused = thrownBy(() => checkPolicy({ ...settings, ...change }));
      expect(refused).toMatchObject({ code: 'attribute/invalid', details: { attribute } });
    }
  });
});

describe('a task stage', () => {
  const started = () => moveAll(anOpenStage(), 'start', noon);
  const statusesOf = ({ status, evaluations }: TaskStage) => [status, ...evaluations.map((one) => one.status)];
  const conclude = (stage: TaskStage, id: string, ...outcomes: readonly PolicySetOutcome[]) =>
    concludeEvaluation(stage, id, '0.70.0', outcomes, later);

  it('knows these moves and no other', () => {
    const waysOf = (rows: readonly LifecycleRow<string>[]) =>
      Object.fromEntries(rows.map(({ trigger, from, to }) => [trigger, [...from, '→', to].join(' ')]));
    expect(waysOf(evaluationMoves)).toEqual({
      start: 'pending → running',
      pass: 'running → passed',
      fail: 'running → failed',
      error: 'running → errored',
      override: 'failed errored → overridden',
      close: 'pending running → canceled',
      reset: 'running passed failed errored → pending',
    });
    expect(waysOf(taskStageMoves)).toEqual({
      start: 'pending → running',
      pass: 'running → passed',
      'await-override': 'running → awaiting_override',
      fail: 'running → failed',
      error: 'running → errored',
      override: 'awaiting_override → passed',
      close: 'pending running awaiting_override → canceled',
      reset: 'running → pending',
    });
    const reached = (moves: readonly { readonly to: string }[]) => new Set(['pending', ...moves.map(({ to }) => to)]);
    expect(reached(evaluationMoves)).toEqual(new Set(evaluationStatuses));
    expect(reached(taskStageMoves)).toEqual(new Set(taskStageStatuses));
  });

  it('is pending with its evaluations when it comes into being', () => {
    const set = anAppliedSet();
    const stage = openTaskStage({ id: 'ts-1', runId: 'run-1', stage: 'post_plan', createdAt: noon }, [
      { id: 'poleval-1', kind: 'opa', policySets: [set] },
    ]);
    const fresh = {
      status: 'pending',
      statusTimestamps: { 'pending-at': noon },
      createdAt: noon,
      updatedAt: noon,
    };
    expect(stage).toEqual({
      ...fresh,
      results: [],
      id: 'ts-1',
      runId: 'run-1',
      stage: 'post_plan',
      revision: 0,
      evaluations: [
        {
          ...fresh,
          id: 'poleval-1',
          kind: 'opa',
          policySets: [set],
          policyToolVersion: '',
          resultCount: noResults,
          overridable: true,
        },
      ],
    });
  });

  it('starts with every evaluation, of whatever kind', () => {
    const stage = moveAll(anOpenStage(), 'start', later);
    expect(statusesOf(stage)).toEqual(['running', 'running', 'running']);
    expect(stage).toMatchObject({ revision: 1, updatedAt: later });
    expect(stage.statusTimestamps).toEqual({ 'pending-at': noon, 'running-at': later });
    expect(stage.evaluations.map(({ kind }) => kind)).toEqual(['opa', 'sentinel']);
    for (const { statusTimestamps } of stage.evaluations) {
      expect(statusTimestamps).toEqual({ 'pending-at': noon, 'running-at': later });
    }
  });

  it('goes on while one of its evaluations does', () => {
    const outcome = aSetOutcome({ overridable: true, outcomes: [failed('mandatory'), passed('advisory')] });
    const stage = conclude(started(), 'poleval-opa', outcome);
    expect(statusesOf(stage)).toEqual(['running', 'failed', 'running']);
    expect(stage.revision).toBe(2);
    expect(stage.evaluations[0]).toMatchObject({
      policyToolVersion: '0.70.0',
      resultCount: { passed: 1, advisoryFailed: 0, mandatoryFailed: 1, errored: 0 },
      overridable: true,
      updatedAt: later,
      statusTimestamps: { 'pending-at': noon, 'running-at': noon, 'failed-at': later },
    });
    expect(stage.evaluations[1]).toEqual(started().evaluations[1]);
  });

  it('adds up what all sets of an evaluation said', () => {
    const stage = conclude(
      started(),
      'poleval-opa',
      aSetOutcome({ outcomes: [passed('advisory'), failed('advisory')] }),
      aSetOutcome({ outcomes: [passed('mandatory'), errored] }),
    );
    expect(stage.evaluations[0]).toMatchObject({
      status: 'errored',
      resultCount: { passed: 2, advisoryFailed: 1, mandatoryFailed: 0, errored: 1 },
    });
  });

  it('is errored if one set was and another failed', () => {
    const stage = conclude(
      started(),
      'poleval-opa',
      aSetOutcome({ outcomes: [failed('mandatory')] }),
      aSetOutcome({ outcomes: [errored] }),
    );
    expect(stage.evaluations[0]).toMatchObject({ status: 'errored' });
  });

  it('may be overridden where each set that stands in the way may be, whatever the others', () => {
    const overridable = (...sets: readonly PolicySetOutcome[]) =>
      conclude(started(), 'poleval-opa', ...sets).evaluations[0]?.overridable;
    const soft = aSetOutcome({ overridable: true, outcomes: [failed('mandatory')] });
    const hard = aSetOutcome({ overridable: false, outcomes: [failed('mandatory')] });
    const advice = aSetOutcome({ overridable: false, outcomes: [failed('advisory')] });
    expect(overridable(soft, advice)).toBe(true);
    expect(overridable(soft, hard)).toBe(false);
    expect(overridable(advice)).toBe(true);
    expect(overridable()).toBe(true);
  });

  const verdicts = {
    passes: [],
    'fails for advice': [aSetOutcome({ overridable: false, outcomes: [failed('advisory')] })],
    'fails, overridable': [aSetOutcome({ overridable: true, outcomes: [failed('mandatory')] })],
    'fails for good': [aSetOutcome({ overridable: false, outcomes: [failed('mandatory')] })],
    'errors, overridable': [aSetOutcome({ overridable: true, outcomes: [errored] })],
    'errors for good': [aSetOutcome({ overridable: false, error: 'no such package' })],
  } as const;
  type Verdict = keyof typeof verdicts;
  const kinds = Object.keys(verdicts) as readonly Verdict[];
  const concluded = (opa: Verdict, sentinel: Verdict) =>
    conclude(conclude(started(), 'poleval-opa', ...verdicts[opa]), 'poleval-sentinel', ...verdicts[sentinel]);

  it.each(kinds.flatMap((opa) => kinds.map((sentinel) => [opa, sentinel] as const)))(
    'ends as promised where one evaluation %s and the other %s, in either order',
    (opa, sentinel) => {
      const both = [opa, sentinel];
      const any = (...words: readonly string[]) => both.some((one) => words.some((word) => one.includes(word)));
      const promised = () => {
        if (any('for good')) return any('errors') ? 'errored' : 'failed';
        return any('overridable') ? 'awaiting_override' : 'passed';
      };
      const stage = concluded(opa, sentinel);
      expect(stage.status).toBe(promised());
      expect(stage.statusTimestamps).toHaveProperty(promised().replace('_', '-').concat('-at'), later);
      expect(stage.revision).toBe(3);
      const [first, second] = [verdicts[sentinel], verdicts[opa]];
      const other = conclude(conclude(started(), 'poleval-sentinel', ...first), 'poleval-opa', ...second);
      expect(statusesOf(other)).toEqual(statusesOf(stage));
    },
  );

  it('takes what is reported of a running evaluation only, and once', () => {
    const refusal = (status: string) => ({
      code: 'task-stage/transition-refused',
      message: `policy evaluation could not be reported because its status is ${status}`,
    });
    expect(thrownBy(() => conclude(anOpenStage(), 'poleval-opa'))).toMatchObject(refusal('pending'));
    const once = conclude(started(), 'poleval-opa');
    expect(thrownBy(() => conclude(once, 'poleval-opa'))).toMatchObject(refusal('passed'));
    const closed = moveAll(started(), 'close', later);
    expect(thrownBy(() => conclude(closed, 'poleval-opa'))).toMatchObject(refusal('canceled'));
    expect(thrownBy(() => conclude(started(), 'poleval-nobody'))).toMatchObject({
      code: 'task-stage/transition-refused',
    });
  });

  it('passes when its failure is overridden, and so do the evaluations that failed', () => {
    const stage = overrideStage(concluded('fails, overridable', 'passes'), later);
    expect(statusesOf(stage)).toEqual(['passed', 'overridden', 'passed']);
    expect(stage.revision).toBe(4);
    expect(stage.statusTimestamps).toMatchObject({ 'awaiting-override-at': later, 'passed-at': later });
    expect(statusesOf(overrideStage(concluded('errors, overridable', 'fails, overridable'), later))).toEqual([
      'passed',
      'overridden',
      'overridden',
    ]);
  });

  it('is overridden while it waits for that, and never else', () => {
    for (const status of taskStageStatuses) {
      const stage: TaskStage = { ...anOpenStage(), status };
      expect(canOverride(stage)).toBe(status === 'awaiting_override');
      if (status === 'awaiting_override') continue;
      expect(thrownBy(() => overrideStage(stage, later))).toMatchObject({
        code: 'task-stage/transition-refused',
        message: `task stage could not be overridden because its status is ${status}`,
      });
    }
  });

  it('is closed with what is still open, and keeps what was concluded', () => {
    expect(statusesOf(moveAll(anOpenStage(), 'close', later))).toEqual(['canceled', 'canceled', 'canceled']);
    const half = conclude(started(), 'poleval-opa', ...verdicts['fails for good']);
    expect(statusesOf(moveAll(half, 'close', later))).toEqual(['canceled', 'failed', 'canceled']);
    const waits = concluded('fails, overridable', 'passes');
    expect(statusesOf(moveAll(waits, 'close', later))).toEqual(['canceled', 'failed', 'passed']);
    for (const over of [concluded('passes', 'passes'), concluded('fails for good', 'passes')]) {
      expect(moveAll(over, 'close', later)).toEqual({ ...over, revision: over.revision + 1 });
    }
  });

  it('forgets when it is reset what was reported, and starts again', () => {
    const half = conclude(started(), 'poleval-opa', ...verdicts['fails for good']);
    const reset = moveAll(half, 'reset', later);
    expect(statusesOf(reset)).toEqual(['pending', 'pending', 'pending']);
    for (const evaluation of reset.evaluations) {
      expect(evaluation).toMatchObject({ policyToolVersion: '', resultCount: noResults, overridable: true });
    }
    const again = moveAll(reset, 'start', later);
    expect(statusesOf(again)).toEqual(['running', 'running', 'running']);
    expect(statusesOf(conclude(again, 'poleval-opa'))).toEqual(['running', 'passed', 'running']);
  });

  it('keeps its outcomes once it has ended, since they are added up', () => {
    const begun = (status: string) => status === 'pending' || status === 'running';
    for (const { from, to } of taskStageMoves) if (begun(to)) expect(from.filter((one) => !begun(one))).toEqual([]);
    const waits = concluded('fails, overridable', 'passes');
    for (const stage of [concluded('passes', 'passes'), concluded('fails for good', 'passes'), waits]) {
      expect(canReset(stage)).toBe(false);
      expect(moveAll(stage, 'reset', later)).toEqual({ ...stage, revision: stage.revision + 1 });
    }
  });

  it('that did not start has nothing to forget', () => {
    const stage = anOpenStage();
    expect(moveAll(stage, 'reset', later)).toEqual({ ...stage, revision: 1 });
  });
});
