import { expect, it } from '@jest/globals';
import { SealedSecretBox } from '../../src/adapters/system/sealed-secret-box.js';
import type { Organization, RunTask, TaskResult, Workspace } from '../../src/domain/index.js';
import { aCustomGrant, afterNoon, aRun, asOrganization, asTeam, asUser, noon, unique } from '../support/builders.js';
import { aRunTask, aTaskResult, aTaskStage, aWorkspaceTask } from '../support/policy-builders.js';
import { type Ground, onEveryBackend, onFreshGround, refusal, taken } from './on-every-backend.js';

const stale = refusal('shared/stale-revision');
const everything = { number: 1, size: 100 };
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

const addTask = async (on: Ground, organization: Organization, given: Partial<RunTask> = {}) => {
  const task = aRunTask(organization, given);
  await on.run((tx) => tx.runTasks.add(task));
  return task;
};

const attach = async (on: Ground, workspace: Workspace, task: RunTask, given = {}) => {
  const attached = aWorkspaceTask(workspace, task, given);
  await on.run((tx) => tx.workspaceTasks.add(attached));
  return attached;
};

onEveryBackend('run tasks', (on) => {
  it('have a name of their own in their organization', async () => {
    const [organization, other] = [await on.organization(), await on.organization()];
    const task = await addTask(on, organization);
    const second = await addTask(on, organization);
    await addTask(on, other, { name: task.name });
    const same = aRunTask(organization, { name: task.name });
    await expect(on.run((tx) => tx.runTasks.add(same))).rejects.toEqual(taken('name', 'Name'));
    const renamed = { ...second, name: task.name, revision: 1 };
    await expect(on.run((tx) => tx.runTasks.save(renamed))).rejects.toEqual(taken('name', 'Name'));
    await expect(on.run((tx) => tx.runTasks.save({ ...task, revision: 2 }))).rejects.toEqual(stale);
  });

  it('are listed by name, searched by a part of it, and hidden with their organization', async () => {
    const organization = await on.organization();
    for (const name of ['b-scan', 'A-check', 'c-SCAN']) await addTask(on, organization, { name });
    const names = async (search?: string) => {
      const page = await on.read((tx) => tx.runTasks.page(organization.id, everything, search));
      return [page.total, ...page.items.map(({ name }) => name)];
    };
    expect(await names()).toEqual([3, 'A-check', 'b-scan', 'c-SCAN']);
    expect(await names('scan')).toEqual([2, 'b-scan', 'c-SCAN']);
    const task = await addTask(on, organization);
    expect((await on.read((tx) => tx.runTasks.findFor(asOrganization(organization), task.id)))?.standing.member).toBe(
      true,
    );
    expect(
      (await on.read((tx) => tx.runTasks.findFor(asOrganization({ ...organization, id: 'org-2' }), task.id)))?.standing
        .member,
    ).toBe(false);
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await names()).toEqual([0]);
    expect(await on.read((tx) => tx.runTasks.find(task.id))).toBeUndefined();
  });

  it('apply to the runs of their workspaces while they are enabled', async () => {
    const organization = await on.organization();
    const [workspace, other] = [await on.workspace(organization), await on.workspace(organization)];
    const [first, second] = [await addTask(on, organization), await addTask(on, organization)];
    const later = await attach(on, workspace, first, { createdAt: afterNoon(2) });
    const sooner = await attach(on, workspace, second, { createdAt: afterNoon(1) });
    const elsewhere = await attach(on, other, first);
    const applying = async () => idsOf(await on.read((tx) => tx.workspaceTasks.applyingTo(workspace.id)));
    expect(await applying()).toEqual([sooner.id, later.id]);
    expect(await on.read((tx) => tx.workspaceTasks.page(workspace.id, { number: 2, size: 1 }))).toMatchObject({
      total: 2,
      items: [later],
    });
    expect(await on.read((tx) => tx.workspaceTasks.count(workspace.id))).toBe(2);
    const ofTasks = async (...tasks: readonly RunTask[]) =>
      (await on.read((tx) => tx.workspaceTasks.ofTasks(idsOf(tasks)))).filter(({ id }) => id !== elsewhere.id);
    expect(await ofTasks(first, second)).toEqual([sooner, later]);
    expect(await ofTasks(second)).toEqual([sooner]);
    expect(await ofTasks()).toEqual([]);
    await on.run((tx) => tx.runTasks.save({ ...first, enabled: false, revision: 1 }));
    expect(await applying()).toEqual([sooner.id]);
    const twice = aWorkspaceTask(workspace, second);
    await expect(on.run((tx) => tx.workspaceTasks.add(twice))).rejects.toEqual(taken('task', 'Task'));
    const takes = async ({ id }: Workspace) => (await on.run((tx) => tx.runs.takeSequence(id))).hasTasks;
    expect([await takes(workspace), await takes(await on.workspace(organization))]).toEqual([true, false]);
  });

  it('are found on their workspace, with the standing of the caller there', async () => {
    const organization = await on.organization();
    const [workspace, other] = [await on.workspace(organization), await on.workspace(organization)];
    const attached = await attach(on, workspace, await addTask(on, organization));
    const team = await on.team(organization);
    const grant = aCustomGrant({ runTasks: true });
    await on.grant(team, workspace, grant);
    const find = (id: string, actor = asTeam(team)) =>
      on.read((tx) => tx.workspaceTasks.findFor(actor, id, attached.id));
    expect((await find(workspace.id))?.standing.teams).toEqual([expect.objectContaining({ teamId: team.id, grant })]);
    expect((await find(workspace.id, asUser(await on.user())))?.standing.member).toBe(false);
    expect(await find(other.id)).toBeUndefined();
    expect(await on.read((tx) => tx.workspaceTasks.has(attached.id))).toBe(true);
    const ofTask = () => on.read((tx) => tx.workspaceTasks.ofTasks([attached.taskId]));
    expect(await ofTask()).toEqual([attached]);
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await ofTask()).toEqual([]);
    expect(await find(workspace.id)).toBeUndefined();
    expect(await on.read((tx) => tx.workspaceTasks.has(attached.id))).toBe(false);
    expect(await on.read((tx) => tx.workspaceTasks.count(workspace.id))).toBe(0);
  });

  it('take their attachments with them', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const [task, other] = [await addTask(on, organization), await addTask(on, organization)];
    const [attached, kept] = [await attach(on, workspace, task), await attach(on, workspace, other)];
    await on.run((tx) => tx.runTasks.remove(task.id));
    expect(await on.read((tx) => tx.runTasks.find(task.id))).toBeUndefined();
    expect(await on.read((tx) => tx.workspaceTasks.has(attached.id))).toBe(false);
    await on.run((tx) => tx.workspaceTasks.remove(kept.id));
    expect(await on.read((tx) => tx.workspaceTasks.count(workspace.id))).toBe(0);
  });

  it('are found by the key that sealed theirs', async () => {
    await onFreshGround(on.backend, async (fresh) => {
      const [box, other] = ['a', 'b'].map((letter) => new SealedSecretBox([letter.repeat(40)])) as [
        SealedSecretBox,
        SealedSecretBox,
      ];
      const organization = await fresh.organization();
      await addTask(fresh, organization);
      await addTask(fresh, organization, { sealedHmacKey: box.seal('one') });
      const old = [1, 2].map(() => addTask(fresh, organization, { sealedHmacKey: other.seal('two') }));
      const ids = idsOf(await Promise.all(old)).sort();
      const found = (after: string) =>
        fresh.read(async (tx) => idsOf(await tx.runTasks.sealedWithOtherKeys(box.fingerprints[0], after, 10)));
      expect(await found('')).toEqual(ids);
      expect(await found(ids[0] ?? '')).toEqual(ids.slice(1));
    });
  });
});

onEveryBackend('the results of run tasks', (on) => {
  const place = async (...results: readonly TaskResult[]) => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const version = await on.version(workspace, { status: 'uploaded' });
    const stage = await on.run(async (tx) => {
      const { sequence } = await tx.runs.takeSequence(workspace.id);
      const run = aRun(workspace, version.state, { sequence });
      await tx.runs.add(run);
      const added = aTaskStage(run, { stage: 'pre_plan', evaluations: [], results });
      await tx.taskStages.add(added);
      return added;
    });
    return { organization, workspace, stage };
  };

  const open = (given: Partial<TaskResult> = {}) =>
    aTaskResult({ tokenDigest: unique('digest'), deadline: afterNoon(5), ...given });

  it('are found by their tokens, until their workspace is removed', async () => {
    const result = open();
    const { stage, workspace } = await place(result);
    const { id: taskStageId, runId } = stage;
    const located = { ...result, taskStageId, runId, stage: 'pre_plan' };
    const byToken = () => on.read((tx) => tx.taskResults.byToken(result.tokenDigest ?? ''));
    expect(await byToken()).toEqual(located);
    expect(await on.read((tx) => tx.taskResults.find(result.id))).toEqual(located);
    expect(await on.read((tx) => tx.taskResults.byToken('another'))).toBeUndefined();
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await byToken()).toBeUndefined();
    expect(await on.read((tx) => tx.taskResults.find(result.id))).toBeUndefined();
  });

  it('are found with the standing of the caller on the workspace', async () => {
    const result = open();
    const { organization, workspace } = await place(result);
    const team = await on.team(organization);
    await on.grant(team, workspace, aCustomGrant({ runs: 'read' }));
    const seen = await on.read((tx) => tx.taskResults.findFor(asTeam(team), result.id));
    expect(seen).toMatchObject({ subject: result, standing: { teams: [{ teamId: team.id }] } });
    const outsider = asUser(await on.user());
    expect((await on.read((tx) => tx.taskResults.findFor(outsider, result.id)))?.standing.member).toBe(false);
    expect(await on.read((tx) => tx.taskResults.findFor(outsider, 'taskrs-nobody'))).toBeUndefined();
  });

  it('are overdue once their deadline has passed, the longest first', async () => {
    await onFreshGround(on.backend, async (fresh) => {
      const results = [afterNoon(3), afterNoon(1), null, afterNoon(9)].map((deadline) => open({ deadline }));
      const organization = await fresh.organization();
      const workspace = await fresh.workspace(organization);
      const version = await fresh.version(workspace);
      await fresh.run(async (tx) => {
        const { sequence } = await tx.runs.takeSequence(workspace.id);
        const run = aRun(workspace, version.state, { sequence });
        await tx.runs.add(run);
        await tx.taskStages.add(aTaskStage(run, { results }));
      });
      const overdue = (limit: number) =>
        fresh.read(async (tx) => idsOf(await tx.taskResults.overdue(afterNoon(3), limit)));
      expect(await overdue(10)).toEqual([results[1]?.id, results[0]?.id]);
      expect(await overdue(1)).toEqual([results[1]?.id]);
    });
  });

  it('lose their tokens with their task, which makes saves that know them stale', async () => {
    const [ended, other] = [open(), open()];
    const { stage } = await place(ended, other, aTaskResult({ taskId: ended.taskId }));
    const stored = async () => (await on.read((tx) => tx.taskStages.ofRun(stage.runId)))[0];
    await on.run((tx) => tx.taskResults.endTask({ taskId: ended.taskId }, noon));
    expect(await stored()).toMatchObject({
      revision: 1,
      results: [{ tokenDigest: null, deadline: noon }, other, { tokenDigest: null, deadline: null }],
    });
    await expect(on.run((tx) => tx.taskStages.save({ ...stage, revision: 1 }))).rejects.toEqual(stale);
    await on.run((tx) => tx.taskResults.endTask({ workspaceTaskId: other.workspaceTaskId }, noon));
    expect(await stored()).toMatchObject({ revision: 2, results: [{}, { tokenDigest: null, deadline: noon }, {}] });
    await on.run((tx) => tx.taskResults.endTask({ taskId: 'task-nobody' }, noon));
    expect(await stored()).toMatchObject({ revision: 2 });
  });

  it('are saved with their stage, and have outcomes that are replaced and dropped', async () => {
    const result = open();
    const { stage } = await place(result);
    const outcome = (outcomeId: string) => ({ outcomeId, description: '', body: '', url: '', tags: {} });
    const listed = (page = everything) => on.read((tx) => tx.taskResults.outcomes(result.id, page));
    await on.run((tx) => tx.taskResults.keepOutcomes(result.id, ['a', 'b', 'c'].map(outcome)));
    expect(await listed({ number: 2, size: 2 })).toEqual({ number: 2, size: 2, total: 3, items: [outcome('c')] });
    await on.run((tx) => tx.taskResults.keepOutcomes(result.id, ['d'].map(outcome)));
    expect((await listed()).items).toEqual([outcome('d')]);
    await on.run((tx) => tx.taskStages.dropOutcomes(stage));
    expect(await listed()).toMatchObject({ total: 0, items: [] });
    await on.run((tx) => tx.taskResults.keepOutcomes(result.id, []));
    expect(await listed()).toMatchObject({ total: 0 });
  });
});
