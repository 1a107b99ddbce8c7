import { describe, expect, it } from '@jest/globals';
import type {
  PolicyEvaluation,
  PolicyOutcome,
  PolicySetOutcome,
  RunStatus,
  TaskStage,
  TaskStageStatus,
} from '../../src/domain/index.js';
import { type Caller, doc, newName, onePage, prefix, refusal, startApi } from '../support/api.js';
import { afterNoon, aRun, noon, unique } from '../support/builders.js';
import { anEvaluation, aPolicyOutcome, aPolicySetOutcome, aTaskStage } from '../support/policy-builders.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');
await api.organization('globex');

interface Seeded {
  readonly workspace: string;
  readonly version: string;
  readonly run: string;
  readonly stage: TaskStage;
}

async function seedRun(status: RunStatus): Promise<Omit<Seeded, 'stage'>> {
  const workspace = await api.workspace('acme', newName());
  const { id: version } = await api.version(workspace);
  const run = unique('run');
  await api.seedRun({ id: run, workspaceId: workspace, configurationVersionId: version, status, hasChanges: true });
  return { workspace, run, version };
}

/** A stage on a run of its own, in a workspace of its own. */
async function seedStage(
  given: Partial<TaskStage> = {},
  status: RunStatus = 'post_plan_awaiting_decision',
): Promise<Seeded> {
  const { workspace, run, version } = await seedRun(status);
  const stage = aTaskStage(aRun({ id: workspace }, { id: version }, { id: run }), given);
  await api.unitOfWork.run((tx) => tx.taskStages.add(stage));
  return { workspace, version, run, stage };
}

/** Outcomes in the order in which one evaluation reported them. */
async function seedOutcomes(
  ...given: readonly Partial<PolicySetOutcome>[]
): Promise<Seeded & { readonly evaluation: string; readonly outcomes: readonly PolicySetOutcome[] }> {
  const evaluation = anEvaluation();
  const seeded = await seedStage({ evaluations: [evaluation] });
  const outcomes = given.map((one, position) => aPolicySetOutcome(evaluation, { position, ...one }));
  await api.unitOfWork.run((tx) => tx.taskStages.addOutcomes(outcomes));
  return { ...seeded, evaluation: evaluation.id, outcomes };
}

/** A member of a new team that holds these organization-level permissions, and the team's token. */
const holderOf = async (...permissions: string[]): Promise<{ member: Caller; token: Caller }> => {
  const access = Object.fromEntries(permissions.map((permission) => [permission, true]));
  const team = await api.team('acme', newName(), { 'organization-access': access });
  const { body } = await api.admin.post(`/teams/${team}/authentication-token`, doc('authentication-token')).expect(201);
  return { member: await api.member('acme', newName(), [team]), token: api.as(body.data.attributes.token) };
};

/** A member whose team has this access to the workspace. */
async function grantedOn(workspace: string, access: string): Promise<Caller> {
  const team = await api.team('acme', newName());
  await api.grant(team, workspace, { access });
  return api.member('acme', newName(), [team]);
}

const failed = (enforcementLevel: 'advisory' | 'mandatory') => aPolicyOutcome({ status: 'failed', enforcementLevel });
const passed = (enforcementLevel: 'advisory' | 'mandatory') => aPolicyOutcome({ status: 'passed', enforcementLevel });
const errored = () => aPolicyOutcome({ status: 'errored' });

interface Wire {
  readonly id: string;
  readonly type: string;
  readonly relationships?: Record<
    string,
    { readonly data?: { id: string; type: string } | { id: string; type: string }[] }
  >;
}

/** Whether relationships inside `included` ever lead back to their start. */
function goesInCircles(included: readonly Wire[]): boolean {
  const nextOf = ({ relationships = {} }: Wire) =>
    Object.values(relationships)
      .flatMap(({ data }) => data ?? [])
      .flatMap(({ id, type }) => included.filter((other) => other.id === id && other.type === type));
  const reaches = (from: Wire, seen: readonly Wire[]): boolean =>
    seen.includes(from) || nextOf(from).some((next) => reaches(next, [...seen, from]));
  return included.some((one) => reaches(one, []));
}

describe('policy outcomes', () => {
  const read = async (path: string) => (await admin.get(path).expect(200)).body;

  const stageResource = ({ id, runId, status, evaluations, ...stage }: TaskStage, mayOverride = true) => ({
    id,
    type: 'task-stages',
    attributes: {
      status,
      stage: 'post_plan',
      'status-timestamps': stage.statusTimestamps,
      'created-at': stage.createdAt,
      'updated-at': stage.updatedAt,
      permissions: {
        'can-override-policy': mayOverride,
        'can-override-tasks': mayOverride,
        'can-override': mayOverride,
      },
      actions: { 'is-overridable': status === 'awaiting_override' },
    },
    relationships: {
      run: { data: { id: runId, type: 'runs' } },
      'task-results': { data: [] },
      'policy-evaluations': { data: evaluations.map((one) => ({ id: one.id, type: 'policy-evaluations' })) },
    },
    links: { self: `${prefix}/task-stages/${id}` },
  });

  const evaluationResource = (evaluation: PolicyEvaluation, stage: string) => ({
    id: evaluation.id,
    type: 'policy-evaluations',
    attributes: {
      status: evaluation.status,
      'policy-kind': evaluation.kind,
      'policy-tool-version': evaluation.policyToolVersion,
      'result-count': {
        'advisory-failed': evaluation.resultCount.advisoryFailed,
        'mandatory-failed': evaluation.resultCount.mandatoryFailed,
        passed: evaluation.resultCount.passed,
        errored: evaluation.resultCount.errored,
      },
      'status-timestamps': evaluation.statusTimestamps,
      'created-at': evaluation.createdAt,
      'updated-at': evaluation.updatedAt,
    },
    relationships: {
      'policy-attachable': { data: { id: stage, type: 'task-stages' } },
      'policy-set-outcomes': {
        links: { related: `${prefix}/policy-evaluations/${evaluation.id}/policy-set-outcomes` },
      },
    },
    links: { self: `${prefix}/policy-evaluations/${evaluation.id}` },
  });

  const opa = (given: Partial<PolicyEvaluation> = {}) =>
    anEvaluation({
      kind: 'opa',
      status: 'failed',
      policyToolVersion: '0.44.0',
      resultCount: { advisoryFailed: 1, mandatoryFailed: 2, passed: 3, errored: 0 },
      statusTimestamps: { 'running-at': noon, 'failed-at': afterNoon(5) },
      updatedAt: afterNoon(5),
      ...given,
    });
  const sentinel = (given: Partial<PolicyEvaluation> = {}) => anEvaluation({ kind: 'sentinel', ...given });

  describe('task stages', () => {
    const statuses: readonly TaskStageStatus[] = [
      'pending',
      'running',
      'passed',
      'awaiting_override',
      'failed',
      'errored',
      'canceled',
    ];

    it.each(statuses)('are shown when they are %s', async (status) => {
      const statusTimestamps = { 'running-at': noon, 'passed-at': afterNoon(9) };
      const evaluations = [opa(), sentinel()];
      const { stage } = await seedStage({ status, evaluations, statusTimestamps, updatedAt: afterNoon(9) });
      expect(await read(`/task-stages/${stage.id}`)).toEqual({ data: stageResource(stage) });
    });

    it('are the one a run has, or none', async () => {
      const { run, stage } = await seedStage();
      const list = `/runs/${run}/task-stages`;
      expect(await read(list)).toEqual(onePage(list, [stageResource(stage)]));
      const past = await read(`${list}?page[number]=2&page[size]=1`);
      expect(past.data).toEqual([]);
      expect(past.meta.pagination).toMatchObject({ 'current-page': 2, 'total-count': 1 });
      await admin.get(`${list}?page[size]=101`).expect(422);
      const without = await seedRun('planned');
      const none = await read(`/runs/${without.run}/task-stages`);
      expect(none).toMatchObject({ data: [], meta: { pagination: { 'total-count': 0 } } });
    });

    it('include what is asked for, and know no other word', async () => {
      const evaluations = [opa(), sentinel()];
      const { workspace, run, stage } = await seedStage({ evaluations });
      const shown = async (include: string) => {
        const { data, ...rest } = await read(`/task-stages/${stage.id}?include=${include}`);
        expect(data).toEqual(stageResource(stage));
        return rest;
      };
      for (const include of ['', 'task_results', 'task-results,cost_estimate,,cost-estimate']) {
        expect(await shown(include)).toEqual({});
      }
      for (const include of ['toString', 'run,x', 'RUN']) {
        await admin.get(`/task-stages/${stage.id}?include=${include}`).expect(400);
      }
      const withRun = (await read(`/runs/${run}`)).data;
      const withWorkspace = (await read(`/workspaces/${workspace}`)).data;
      expect(withWorkspace.relationships['current-run'].data.id).toBe(run);
      // Clients would follow the cycle endlessly.
      for (const name of ['current-run', 'latest-run', 'locked-by']) delete withWorkspace.relationships[name];
      const withEvaluations = evaluations.map((one) => evaluationResource(one, stage.id));
      expect(await shown('run')).toEqual({ included: [withRun] });
      for (const include of ['run.workspace', 'run,run.workspace']) {
        expect(await shown(include)).toEqual({ included: [withRun, withWorkspace] });
      }
      for (const include of ['policy_evaluations', 'policy-evaluations', 'policy-evaluations,policy_evaluations']) {
        expect(await shown(include)).toEqual({ included: withEvaluations });
      }
      const all = await shown('run,run.workspace,task_results,policy_evaluations,cost_estimate');
      expect(all).toEqual({ included: [withRun, withWorkspace, ...withEvaluations] });
      expect(goesInCircles(all.included as Wire[])).toBe(false);
      await admin.get(`/task-stages/${stage.id}?include=run&include=run`).expect(422);
    });

    it('say to each caller whether that caller may override them', async () => {
      const { workspace, run, stage } = await seedStage({ status: 'awaiting_override' });
      const overriding = await holderOf('manage-policy-overrides');
      for (const [caller, may] of [
        [api.admin, true],
        [overriding.member, true],
        [overriding.token, true],
        [await grantedOn(workspace, 'admin'), false],
        [(await holderOf('manage-policies')).member, false],
        [await api.organizationToken('acme'), false],
      ] as const) {
        const at = caller;
        expect((await at.get(`/task-stages/${stage.id}`).expect(200)).body).toEqual({
          data: stageResource(stage, may),
        });
        expect((await at.get(`/runs/${run}/task-stages`).expect(200)).body.data).toEqual([stageResource(stage, may)]);
      }
    });
  });

  describe('an override', () => {
    const override = (stage: string, caller = admin) => caller.post(`/task-stages/${stage}/actions/override`);
    const waiting = () =>
      seedStage({ status: 'awaiting_override', evaluations: [opa(), sentinel({ status: 'passed' })] });

    it('lets the run go on, whatever its body says', async () => {
      for (const body of [undefined, '{"comment":"It is fine"}', 'no JSON at all']) {
        api.clock.advance(1);
        const { run, stage } = await waiting();
        const request = override(stage.id);
        const answer = await (body === undefined ? request : request.set('Content-Type', 'text/plain').send(body));
        expect(answer.status).toBe(200);
        const now = api.clock.now();
        const overridden: TaskStage = {
          ...stage,
          status: 'passed',
          statusTimestamps: { 'passed-at': now },
          updatedAt: now,
        };
        expect(answer.body).toEqual({ data: stageResource(overridden) });
        expect(await read(`/task-stages/${stage.id}`)).toEqual(answer.body);
        const { data } = await read(`/task-stages/${stage.id}/policy-evaluations`);
        expect(data.map(({ attributes }: { attributes: { status: string } }) => attributes.status)).toEqual([
          'overridden',
          'passed',
        ]);
        expect(data[0].attributes['status-timestamps']).toMatchObject({ 'overridden-at': now });
        expect((await read(`/runs/${run}`)).data.attributes.status).toBe('post_plan_completed');
      }
    });

    it('is delegated to a team that has policy overrides on the workspace, and the right to have them', async () => {
      const { workspace, stage } = await waiting();
      const delegate = 'delegate-policy-overrides';
      const holder = async (access: object, attributes: object) => {
        const team = await api.team('acme', newName(), { 'organization-access': access });
        await api.grant(team, workspace, attributes);
        return team;
      };
      const delegated = await holder({ [delegate]: true }, { access: 'custom', 'policy-overrides': true });
      const notDelegated = await holder({}, { access: 'custom', 'policy-overrides': true });
      const notGranted = await holder({ [delegate]: true }, { access: 'admin' });
      // Each has one of the two, and together they have both.
      const between = await api.member('acme', newName(), [notDelegated, notGranted]);
      await override(stage.id, between).expect(404);
      await override(stage.id, await api.member('acme', newName(), [delegated])).expect(200);
    });

    it('happens once', async () => {
      const { stage } = await waiting();
      await override(stage.id).expect(200);
      const words = 'task stage could not be overridden because its status is passed';
      expect((await override(stage.id).expect(409)).body).toEqual(refusal(409, 'transition not allowed', words));
    });
  });

  describe('policy evaluations', () => {
    it('are listed kind by kind, and shown', async () => {
      const [one, other] = [opa(), sentinel()];
      const { stage } = await seedStage({ evaluations: [one, other] });
      const list = `/task-stages/${stage.id}/policy-evaluations`;
      const resources = [one, other].map((evaluation) => evaluationResource(evaluation, stage.id));
      const whole = await read(list);
      expect(whole.data).toEqual(resources);
      expect(whole.links.self).toBe(`${prefix}${list}?page%5Bnumber%5D=1&page%5Bsize%5D=20`);
      for (const number of [1, 2]) {
        const page = await read(`${list}?page[size]=1&page[number]=${number}`);
        expect(page.data).toEqual([resources[number - 1]]);
        expect(page.meta.pagination).toMatchObject({ 'current-page': number, 'total-pages': 2, 'total-count': 2 });
      }
      const past = await read(`${list}?page[size]=1&page[number]=3`);
      expect(past).toMatchObject({ data: [], meta: { pagination: { 'total-count': 2, 'next-page': null } } });
      for (const resource of resources) {
        expect(await read(`/policy-evaluations/${resource.id}`)).toEqual({ data: resource });
      }
    });
  });

  describe('policy set outcomes', () => {
    const resource = (outcome: PolicySetOutcome, derived: { status: string; level: string | null; counts: object }) => {
      const counts = { 'advisory-failed': 0, 'mandatory-failed': 0, passed: 0, errored: 0, ...derived.counts };
      return {
        id: outcome.id,
        type: 'policy-set-outcomes',
        attributes: {
          status: derived.status,
          'enforcement-level': derived.level,
          outcomes: outcome.outcomes.map((one: PolicyOutcome) => ({
            enforcement_level: one.status === 'errored' ? null : one.enforcementLevel,
            query: one.query,
            status: one.status,
            policy_name: one.policyName,
            description: one.description,
            output: one.output,
          })),
          error: outcome.error ?? '',
          warnings: outcome.warnings,
          overridable: outcome.overridable,
          'policy-set-name': outcome.policySetName,
          'policy-set-description': outcome.policySetDescription,
          'result-count': counts,
          result_count: counts,
          'policy-tool-version': outcome.policyToolVersion,
        },
        relationships: {
          'policy-evaluation': { data: { id: outcome.policyEvaluationId, type: 'policy-evaluations' } },
        },
        links: { self: `${prefix}/policy-set-outcomes/${outcome.id}` },
      };
    };

    it('say what their policies said, and what follows from it', async () => {
      const said = {
        policyName: 'office hours',
        description: 'Sleep',
        query: 'data.hours.deny',
        output: [{ msg: 'too late', at: [22, null] }, 'go to bed', 3],
      };
      const described = { policySetName: 'strict', policySetDescription: 'No mercy', policyToolVersion: '1.2.3' };
      const { evaluation, outcomes } = await seedOutcomes(
        { ...described, overridable: true, outcomes: [aPolicyOutcome(said), passed('advisory')] },
        { outcomes: [passed('advisory')], warnings: ['slow', 'very slow'] },
        { outcomes: [failed('advisory'), passed('mandatory')] },
        { outcomes: [failed('advisory'), failed('mandatory'), failed('mandatory')] },
        { outcomes: [aPolicyOutcome({ ...said, status: 'errored' }), failed('mandatory')] },
        { outcomes: [], error: 'the set does not compile' },
        { outcomes: [passed('mandatory')], error: 'it broke in the middle' },
        { outcomes: [] },
      );
      const derived = [
        { status: 'passed', level: 'mandatory', counts: { passed: 2 } },
        { status: 'passed', level: 'advisory', counts: { passed: 1 } },
        { status: 'failed', level: 'advisory', counts: { 'advisory-failed': 1, passed: 1 } },
        { status: 'failed', level: 'mandatory', counts: { 'advisory-failed': 1, 'mandatory-failed': 2 } },
        { status: 'errored', level: null, counts: { errored: 1, 'mandatory-failed': 1 } },
        { status: 'errored', level: null, counts: {} },
        { status: 'errored', level: null, counts: { passed: 1 } },
        { status: 'passed', level: null, counts: {} },
      ];
      const resources = derived.map((one, index) => resource(outcomes[index] as PolicySetOutcome, one));
      expect((await read(`/policy-evaluations/${evaluation}/policy-set-outcomes`)).data).toEqual(resources);
      for (const one of resources) expect(await read(`/policy-set-outcomes/${one.id}`)).toEqual({ data: one });
    });

    it('are those whose own status and level match one of the groups of a filter', async () => {
      const { evaluation, outcomes } = await seedOutcomes(
        { outcomes: [passed('advisory')] },
        { outcomes: [passed('mandatory')] },
        { outcomes: [failed('advisory'), passed('mandatory')] },
        { outcomes: [passed('advisory'), failed('mandatory')] },
        { outcomes: [errored(), failed('mandatory')] },
        { outcomes: [], error: 'the set does not compile' },
        { outcomes: [] },
      );
      const matching: readonly (readonly [status: string, level: string | undefined, positions: readonly number[]])[] =
        [
          ['passed', undefined, [0, 1, 6]],
          ['passed', 'advisory', [0]],
          ['passed', 'mandatory', [1]],
          ['failed', undefined, [2, 3]],
          ['failed', 'advisory', [2]],
          ['failed', 'mandatory', [3]],
          ['errored', undefined, [4, 5]],
        ];
      const group = (token: string, spelling: string, [status, level]: (typeof matching)[number]) =>
        `filter[${token}][status]=${status}${level === undefined ? '' : `&filter[${token}][${spelling}]=${level}`}`;
      const found = async (query: string) => {
        const { data, meta } = await read(`/policy-evaluations/${evaluation}/policy-set-outcomes?${query}`);
        expect(meta.pagination['total-count']).toBe(data.length);
        return data.map(({ id }: { id: string }) => outcomes.findIndex((outcome) => outcome.id === id));
      };
      expect(await found('')).toEqual([0, 1, 2, 3, 4, 5, 6]);
      for (const one of matching) {
        expect(await found(group('0', 'enforcementLevel', one))).toEqual(one[2]);
        for (const other of matching) {
          const both = `${group('0', 'enforcement_level', one)}&${group('any%20word', 'enforcementLevel', other)}`;
          expect(await found(both)).toEqual([...new Set([...one[2], ...other[2]])].sort());
        }
      }
      expect(
        await found(matching.map((one, index) => group(String(index), 'enforcement_level', one)).join('&')),
      ).toEqual([0, 1, 2, 3, 4, 5, 6]);
      const spelledTwice = 'filter[0][enforcementLevel]=advisory&filter[0][enforcement_level]=advisory';
      expect(await found(`filter[0][status]=failed&${spelledTwice}`)).toEqual([2]);
      expect(await found('status=failed&filters[0]=x&search=1')).toEqual([0, 1, 2, 3, 4, 5, 6]);
    });

    it.each([
      ['filter=failed', 'filter'],
      ['filter[0]=failed', 'filter[0]'],
      ['filter[][status]=failed', 'filter[][status]'],
      ['filter[0][other]=failed', 'filter[0][other]'],
      ['filter[0][status][x]=failed', 'filter[0][status][x]'],
      ['filter%5B0%5D%5Bother%5D=failed', 'filter[0][other]'],
      ['filter[0][status]=', 'filter[0][status]'],
      ['filter[0][status]=Failed', 'filter[0][status]'],
      ['filter[0][status]=overridden', 'filter[0][status]'],
      ['filter[0][status]=failed&filter[0][enforcementLevel]=soft', 'filter[0][enforcementLevel]'],
      ['filter[0][enforcementLevel]=mandatory', 'filter[0][enforcementLevel]'],
      ['filter[1][status]=failed&filter[0][enforcement_level]=mandatory', 'filter[0][enforcement_level]'],
      ['filter[0][status]=errored&filter[0][enforcement_level]=mandatory', 'filter[0][enforcement_level]'],
      [
        'filter[0][status]=failed&filter[0][enforcementLevel]=advisory&filter[0][enforcement_level]=mandatory',
        'filter[0][enforcement_level]',
      ],
      ['filter[0][status]=failed&filter[0][status]=failed', 'filter[0][status]'],
      [Array.from({ length: 21 }, (_, index) => `filter[${index}][status]=failed`).join('&'), 'filter[20][status]'],
    ])('are not listed for %s', async (query, parameter) => {
      const { evaluation } = await seedOutcomes({});
      const answer = await admin.get(`/policy-evaluations/${evaluation}/policy-set-outcomes?${query}`).expect(400);
      expect(answer.body).toEqual(refusal(400, 'bad request', expect.any(String), { parameter }));
    });
  });
});
