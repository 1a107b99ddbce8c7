import { describe, expect, it } from '@jest/globals';
import { newName, prefix, startApi } from '../support/api.js';
import { aRun, unique } from '../support/builders.js';
import { anEvaluation, aPolicyOutcome, aPolicySetOutcome, aTaskStage } from '../support/policy-builders.js';

const api = await startApi({ prefix });
await api.organization('acme');
const path = '/organizations/acme/policy-outcome-counts';
const today = api.clock.now().slice(0, 10);
const daysAgo = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);

/** A run whose policy failed, in a workspace of its own. */
async function seedFailure({ planOnly = false, on = today } = {}) {
  const name = newName();
  const workspace = await api.workspace('acme', name);
  const { id: version } = await api.version(workspace);
  const id = unique('run');
  const createdAt = `${on}T00:00:00.000Z`;
  await api.seedRun({
    id,
    workspaceId: workspace,
    configurationVersionId: version,
    status: 'post_plan_awaiting_decision',
    hasChanges: true,
    ...(planOnly && { planOnly }),
  });
  const evaluation = anEvaluation({ status: 'failed' });
  const run = aRun({ id: workspace }, { id: version }, { id });
  const stage = aTaskStage(run, { status: 'awaiting_override', evaluations: [evaluation], createdAt });
  const outcomes = [
    aPolicyOutcome({ policyName: 'tags', status: 'passed' }),
    aPolicyOutcome({ policyName: 'regions', status: 'failed', enforcementLevel: 'mandatory' }),
  ];
  await api.unitOfWork.run(async (tx) => {
    await tx.taskStages.add(stage);
    await tx.taskStages.addOutcomes([aPolicySetOutcome(evaluation, { policySetName: 'network', outcomes })]);
  });
  return { workspace, name, stage: stage.id };
}

interface Counted {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const counted = async (query: string, caller = api.admin): Promise<readonly Counted[]> =>
  (await caller.get(`${path}?${query}`).expect(200)).body.data;

describe('counts of policy outcomes', () => {
  it('begin with the policy that fails most, and say which days they are of', async () => {
    await seedFailure();
    const { body } = await api.admin.get(path).expect(200);
    expect(body.data.map(({ id }: Counted) => id)).toEqual(['network/regions', 'network/tags']);
    expect(body.data[0]).toEqual({
      id: 'network/regions',
      type: 'policy-outcome-counts',
      attributes: {
        'policy-set-name': 'network',
        'policy-name': 'regions',
        'workspace-name': null,
        day: null,
        passed: 0,
        failed: 1,
        overridden: 0,
        errored: 0,
      },
      relationships: { workspace: { data: null } },
    });
    expect(body.meta).toMatchObject({ from: daysAgo(29), until: today, pagination: { 'total-count': 2 } });
  });

  it('follow an override, and the deletion of a workspace', async () => {
    const { workspace, name, stage } = await seedFailure();
    const own = async () =>
      (await counted('group=workspace&page[size]=100')).find(({ attributes }) => attributes['workspace-name'] === name);
    expect((await own())?.attributes).toMatchObject({ passed: 1, failed: 1, overridden: 0 });
    await api.admin.post(`/task-stages/${stage}/actions/override`, {}).expect(200);
    expect((await own())?.attributes).toMatchObject({ passed: 1, failed: 0, overridden: 1 });
    await api.unitOfWork.run((tx) => tx.workspaces.remove(workspace, api.clock.now()));
    expect(await own()).toBeUndefined();
  });

  it('leave out workspaces that the caller cannot read', async () => {
    const { workspace } = await seedFailure();
    await seedFailure();
    const team = await api.team('acme', newName());
    await api.grant(team, workspace, { access: 'read' });
    const member = await api.member('acme', newName(), [team]);
    const seen = await counted('group=policy-set', member);
    expect(seen.map(({ attributes }) => attributes)).toMatchObject([{ passed: 1, failed: 1 }]);
    const nobody = await api.member('acme', newName());
    expect(await counted('group=policy-set', nobody)).toEqual([]);
  });

  it('leave out runs that cannot be applied, unless they are asked for', async () => {
    const failures = async (query: string) => {
      const days = await counted(`group=day&filter[from]=${daysAgo(50)}${query}`);
      return days.filter(({ id }) => id === daysAgo(50)).map(({ attributes }) => attributes.failed);
    };
    await seedFailure({ planOnly: true, on: daysAgo(50) });
    expect(await failures('')).toEqual([]);
    expect(await failures('&filter[speculative]=true')).toEqual([1]);
  });

  it.each([
    ['filter[from]=yesterday', 'must be a day'],
    ['filter[from]=2030-02-30', 'must be a day'],
    [`filter[from]=${daysAgo(90)}`, `must be a day from ${daysAgo(89)} to ${today}`],
    [`filter[from]=${daysAgo(-1)}`, `must be a day from ${daysAgo(89)} to ${today}`],
    ['group=team', 'group'],
    ['filter[speculative]=yes', 'must be true or false'],
  ])('of %s are refused', async (query, detail) => {
    const { body } = await api.admin.get(`${path}?${query}`).expect(422);
    expect(body.errors[0]).toMatchObject({ detail: expect.stringContaining(detail) });
  });
});
