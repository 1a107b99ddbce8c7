import { expect, it } from '@jest/globals';
import type { RemovalTarget } from '../../src/application/index.js';
import {
  type AppliedPolicySet,
  defaultProjectId,
  type Organization,
  openTaskStage,
  type PolicySetOutcome,
  phases,
  type RunState,
  type Workspace,
} from '../../src/domain/index.js';
import { asApplied } from '../../src/domain/supporting/policies/policy-set.js';
import {
  aBundle,
  afterNoon,
  aRun,
  aRunComment,
  aSetVariable,
  aStateOutput,
  aStateVersion,
  aTagBinding,
  aVariable,
  aVariableSet,
  giveProjectGrant,
  noon,
  ownedBy,
  someIngressAttributes,
  unique,
} from '../support/builders.js';
import {
  aManagedPolicy,
  aNotificationConfiguration,
  anAgentPool,
  aPolicySet,
  aPolicySetParameter,
  aPolicySetVersion,
  aPolicyTrial,
  aRunTask,
  aRunTrigger,
  aTaskResult,
  aTrialPlan,
  aWorkspaceTask,
} from '../support/policy-builders.js';
import { type Ground, onEveryBackend, onFreshGround } from './on-every-backend.js';

const anOutcome = (policyEvaluationId: string, position: number): PolicySetOutcome => ({
  id: unique('psout'),
  policyEvaluationId,
  position,
  policySetName: 'policies',
  policySetDescription: null,
  overridable: true,
  policyToolVersion: '1.0.0',
  error: null,
  warnings: [],
  outcomes: ['p', 'q'].map((policyName) => ({
    policyName,
    description: '',
    query: 'data.p',
    output: null,
    status: 'passed',
    enforcementLevel: 'advisory',
  })),
});

/** A completed run with logs and policy outcomes. */
async function addRun(
  on: Ground,
  workspace: Workspace,
  versionId: string,
  given: Partial<RunState> = {},
  policySets: readonly AppliedPolicySet[] = [],
) {
  return on.run(async (tx) => {
    const sequence = (await tx.runs.takeSequence(workspace.id)).sequence;
    const { state } = aRun(workspace, { id: versionId }, { status: 'applied', ...given, sequence });
    await tx.runs.add(aRun(workspace, { id: versionId }, state));
    for (const phase of phases) {
      for (const offset of [0, 4]) await tx.runLogs.append(state, phase, offset, Buffer.from('line'));
    }
    const evaluations = (['opa', 'sentinel'] as const).map((kind) => ({
      id: unique('poleval'),
      kind,
      policySets: kind === 'opa' ? policySets : [],
    }));
    await tx.runComments.add(aRunComment(state));
    const stage = { id: unique('ts'), runId: state.id, stage: 'post_plan', createdAt: noon } as const;
    await tx.taskStages.add({ ...openTaskStage(stage, evaluations), status: 'passed' });
    const result = aTaskResult();
    const opened = { id: unique('ts'), runId: state.id, stage: 'pre_plan', createdAt: noon } as const;
    await tx.taskStages.add(openTaskStage(opened, [], [result]));
    await tx.taskResults.keepOutcomes(result.id, [{ outcomeId: 'a', description: '', body: '', url: '', tags: {} }]);
    await tx.taskStages.addOutcomes(evaluations.flatMap(({ id }) => [anOutcome(id, 0), anOutcome(id, 1)]));
    return state;
  });
}

/** States of a run, one of them pending, the artifacts of its plan, and their bundle keys. */
async function addStates(on: Ground, run: RunState): Promise<readonly string[]> {
  const [state, artifact] = [aBundle(), aBundle()];
  await on.run(async (tx) => {
    const version = aStateVersion(run, { serial: run.sequence });
    await tx.stateVersions.add(version, [aStateOutput(version), aStateOutput(version)]);
    await tx.stateVersions.finalize(version, state);
    await tx.stateVersions.keepContents(version.id, {
      terraformVersion: null,
      resourceCount: 0,
      resources: [],
      warnings: [],
    });
    const pending = aStateVersion(run, { serial: run.sequence + 1 });
    await tx.stateVersions.add(pending, [aStateOutput(pending)]);
    await tx.runArtifacts.put(run.id, 'plan-json', artifact);
  });
  return [state.key, artifact.key];
}

/** State versions a client wrote, and one it has announced. */
async function addStatesOfClient(on: Ground, { id: workspaceId }: Workspace): Promise<readonly string[]> {
  const [state, json, announced] = [aBundle(), aBundle(), aBundle()];
  const ofClient = { source: 'client', runId: null } as const;
  await on.run(async (tx) => {
    const version = aStateVersion({ id: '', workspaceId }, ofClient);
    await tx.stateVersions.add(version, [aStateOutput(version)]);
    await tx.stateVersions.finalize(version, state);
    await tx.stateVersions.keepJson(version.id, json);
    const pending = aStateVersion({ id: '', workspaceId }, ofClient);
    await tx.stateVersions.add(pending, []);
    await tx.stateVersions.keepJson(pending.id, announced);
  });
  return [state.key, json.key, announced.key];
}

/** A workspace with versions, each with a bundle, a commit, a delivery and two runs; and every bundle key in it. */
async function addWorkspace(on: Ground, organization: Organization, versions = 3) {
  const workspace = await on.workspace(organization);
  await on.run((tx) => tx.variables.add(aVariable(workspace)));
  const ofProject = { kind: 'project', id: workspace.projectId } as const;
  await on.run(async (tx) => {
    await tx.tags.give(workspace.organizationId, [workspace.id], [{ id: unique('tag'), name: 'network' }], noon);
    for (const binding of [aTagBinding(workspace), aTagBinding(workspace, { owner: ofProject })]) {
      await tx.tagBindings.bind(binding.owner, [binding]);
    }
  });
  const keys = [...(await addStatesOfClient(on, workspace))];
  for (let n = 0; n < versions; n += 1) {
    const [bundle, own] = [aBundle(), aBundle()];
    keys.push(bundle.key, own.key);
    const { state } = await on.version(workspace, { status: 'uploaded', bundle, origin: 'version-control' });
    await on.run(async (tx) => {
      await tx.configurationVersions.addIngressAttributes(state.id, someIngressAttributes());
      await tx.configurationVersions.addDelivery(workspace.id, unique('delivery'), state.id);
    });
    keys.push(...(await addStates(on, await addRun(on, workspace, state.id))));
    await addRun(on, workspace, state.id, { ownFiles: own });
  }
  return { workspace, keys };
}

/** An organization with a row in every table that refers to one. */
async function addOrganization(on: Ground) {
  const organization = await on.organization();
  const member = await on.member(organization);
  const team = await on.team(organization, {}, [member]);
  await on.run((tx) => tx.teamGroups.map(team.id, 'group'));
  await on.run((tx) => tx.teamGroups.note({ team, userId: member.id, identityId: 'idn-1', group: 'group' }));
  await on.run((tx) => tx.teamGroups.give(organization.id, ['group']));
  const places = [await addWorkspace(on, organization), await addWorkspace(on, organization, 2)];
  const ids = places.map(({ workspace }) => workspace.id);
  for (const { workspace } of places) {
    await on.grant(team, workspace, { access: 'read' });
    await on.run((tx) => tx.workspaces.changeStateConsumers(workspace.id, { added: ids, removed: [] }));
    const others = places.filter((place) => place.workspace.id !== workspace.id);
    for (const { workspace: source } of others) {
      await on.run((tx) => tx.runTriggers.add(aRunTrigger(workspace, source)));
    }
    const [run] = (await on.read((tx) => tx.runs.page(workspace.id, { number: 1, size: 1 }))).items;
    const trial = aPolicyTrial(organization);
    const plans = run === undefined ? [] : [aTrialPlan(trial, run)];
    await on.run((tx) => tx.policyTrials.add(trial, Buffer.from('code'), plans));
  }
  const grant = { access: 'read' } as const;
  await on.run((tx) => giveProjectGrant(tx, team.id, defaultProjectId(organization.id), grant));
  await on.token(ownedBy('team', team));
  await on.token(ownedBy('organization', organization));
  const listed = {
    allowedWorkspaceIds: ids,
    allowedProjectIds: [defaultProjectId(organization.id)],
    excludedWorkspaceIds: ids,
  };
  const pool = anAgentPool(organization, listed);
  const policies = [aManagedPolicy(organization), aManagedPolicy(organization)];
  const policySet = aPolicySet(organization, {
    policies: [{ name: 'p', description: '', query: 'data.p', enforcementLevel: 'advisory' }],
    workspaceIds: ids,
    policyIds: policies.map(({ id }) => id),
  });
  const versions = [1, 2, 3].map((sequence) => aPolicySetVersion(policySet, { sequence, bundle: aBundle() }));
  versions.push(aPolicySetVersion(policySet, { sequence: 4 }));
  await on.run(async (tx) => {
    const task = aRunTask(organization);
    await tx.runTasks.add(task);
    for (const id of ids) {
      await tx.workspaceTasks.add(aWorkspaceTask({ id }, task));
      await tx.notificationConfigurations.add(aNotificationConfiguration({ id, organizationId: organization.id }));
    }
    await tx.agentPools.add(pool);
    for (const _ of [1, 2]) {
      await tx.agentTokens.add({
        id: unique('at'),
        poolId: pool.id,
        secretDigest: unique('digest'),
        description: '',
        createdBy: null,
        createdAt: noon,
        lastUsedAt: null,
      });
    }
    for (const policy of policies) await tx.policies.add(policy);
    for (const code of ['package a', 'package b', 'package c']) await tx.policies.keepCode(organization.id, code);
    await tx.policySets.add(policySet);
    const attached = {
      workspaceIds: places.map(({ workspace }) => workspace.id),
      projectIds: [defaultProjectId(organization.id)],
    };
    const variableSet = aVariableSet(organization, attached);
    await tx.variableSets.add(variableSet);
    await tx.setVariables.add(aSetVariable(variableSet));
    const excluded = places.map(({ workspace }) => workspace.id);
    const { projectIds } = attached;
    const tagSelectors = [{ key: 'env', value: 'prod', excludes: false }];
    const scope = { excludedWorkspaceIds: excluded, projectIds, excludedProjectIds: projectIds, tagSelectors };
    await tx.policySets.add(aPolicySet(organization, scope));
    await tx.policySetParameters.add(aPolicySetParameter(policySet));
    for (const version of versions) await tx.policySetVersions.add(version);
  });
  const archive = { versionId: versions[0]?.id ?? '', sha256: 'a'.repeat(64), bytes: 1 };
  const { workspace, keys: ofRun } = await addWorkspace(on, organization, 0);
  const { state } = await on.version(workspace);
  await addRun(on, workspace, state.id, {}, [{ ...asApplied({ ...policySet, attached: [] }), archive }]);
  const archives = versions.flatMap(({ bundle }) => bundle?.key ?? []);
  return { organization, places, policySet, keys: [...places.flatMap(({ keys }) => keys), ...ofRun, ...archives] };
}

/** Calls until nothing is left. Returns every bundle key named, and the number of calls. */
async function removeAll(on: Ground, target: RemovalTarget, limit: number) {
  const keys: string[] = [];
  for (let calls = 1; ; calls += 1) {
    const batch = await on.run((tx) => tx.removals.removeBatch(target, limit));
    keys.push(...batch.bundleKeys);
    if (batch.finished) return { keys: keys.sort(), calls };
    if (calls > 100) throw new Error('it never finishes');
  }
}

const refersToAny = (on: Ground, keys: readonly string[]) =>
  on.read(async (tx) => {
    const answers = await Promise.all(keys.map((key) => tx.storedFiles.refersTo(key)));
    return answers.some(Boolean);
  });

onEveryBackend('removals of runs, policies and agents', (on) => {
  it.each([1, 3, 200])('leave of an organization nothing in any table, %d at a time', async (limit) => {
    await onFreshGround(on.backend, async (fresh) => {
      const neighbour = await addOrganization(fresh);
      const user = await fresh.user();
      const before = await fresh.rowCounts();
      const { organization, keys } = await addOrganization(fresh);
      await fresh.membership(organization, user);
      await fresh.run((tx) => tx.outcomeCounts.advance('2030-01-01', 1));
      const between = await fresh.rowCounts();
      await fresh.run((tx) => tx.organizations.remove(organization.id, noon));
      const removed = await removeAll(fresh, { kind: 'organization', id: organization.id }, limit);
      expect(removed.keys).toEqual(keys.sort());
      expect(await refersToAny(fresh, removed.keys)).toBe(false);
      // Its member is a user of the service and remains one.
      const users = (before.users ?? 0) + 1;
      expect(await fresh.rowCounts()).toEqual({ ...before, users });

      const grown = Object.keys(before).filter((table) => (between[table] ?? 0) > (before[table] ?? 0));
      const apart =
        /^(effects|deletions|users|identities|identity_?providers|sessions|sign_in_links|first_sign_in|login_?codes|awaited|signing_?keys|request_?rates|audit_?events|audit_usernames|audit_horizon|fills|sqlite_sequence|knex_.*|.*migrations.*)$/i;
      expect(Object.keys(before).filter((table) => !apart.test(table) && !grown.includes(table))).toEqual([]);
      expect(await refersToAny(fresh, neighbour.keys)).toBe(true);
    });
  });

  it('leave of a workspace nothing in any table, and its organization as it was', async () => {
    await onFreshGround(on.backend, async (fresh) => {
      const { organization, policySet, places } = await addOrganization(fresh);
      const before = await fresh.rowCounts();
      const { workspace, keys } = await addWorkspace(fresh, organization);
      await fresh.run((tx) =>
        tx.policySets.save({
          ...policySet,
          workspaceIds: [...policySet.workspaceIds, workspace.id],
          excludedWorkspaceIds: [workspace.id],
          revision: policySet.revision + 1,
        }),
      );
      await fresh.run((tx) => tx.workspaces.remove(workspace.id, noon));
      const removed = await removeAll(fresh, { kind: 'workspace', id: workspace.id }, 2);
      expect(removed.keys).toEqual([...keys].sort());
      expect(await fresh.rowCounts()).toEqual(before);
      for (const place of places) {
        const applying = await fresh.read((tx) => tx.policySets.applyingTo(place.workspace.id));
        expect(applying.map(({ id }) => id)).toEqual([policySet.id]);
      }
    });
  });

  it('do not remove more runs at once than their limit, however many a version has', async () => {
    const workspace = await on.workspace(await on.organization());
    const { state: version } = await on.version(workspace, { status: 'uploaded', bundle: aBundle() });
    const own: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      const ownFiles = aBundle();
      own.push(ownFiles.key);
      await addRun(on, workspace, version.id, { ownFiles });
    }
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    const target = { kind: 'workspace', id: workspace.id } as const;
    const first = await on.run((tx) => tx.removals.removeBatch(target, 3));
    expect(first.finished).toBe(false);
    expect(first.bundleKeys).toHaveLength(3);
    expect(await refersToAny(on, first.bundleKeys)).toBe(false);
    expect(await refersToAny(on, [version.bundle?.key ?? ''])).toBe(true);
    const rest = await removeAll(on, target, 3);
    expect([...first.bundleKeys, ...rest.keys].sort()).toEqual([...own, version.bundle?.key ?? ''].sort());
  });

  it('take few runs away at once, whose logs may be long', async () => {
    const workspace = await on.workspace(await on.organization());
    const { state: version } = await on.version(workspace, { status: 'uploaded', bundle: aBundle() });
    for (let n = 0; n < 21; n += 1) await addRun(on, workspace, version.id, { ownFiles: aBundle() });
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    const target = { kind: 'workspace', id: workspace.id } as const;
    const first = await on.run((tx) => tx.removals.removeBatch(target, 200));
    expect(first.bundleKeys.length).toBeLessThanOrEqual(20);
    expect((await removeAll(on, target, 200)).keys).toHaveLength(22 - first.bundleKeys.length);
  });

  it('take many small workspaces of an organization away at once', async () => {
    const organization = await on.organization();
    const keys: string[] = [];
    for (let n = 0; n < 25; n += 1) {
      const bundle = aBundle();
      keys.push(bundle.key);
      await on.version(await on.workspace(organization), { status: 'uploaded', bundle });
    }
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    const removed = await removeAll(on, { kind: 'organization', id: organization.id }, 200);
    expect(removed.keys).toEqual(keys.sort());
    expect(removed.calls).toBeLessThanOrEqual(3);
  });

  it('take a bounded number of rows away at once, however many hang on one', async () => {
    await onFreshGround(on.backend, async (fresh) => {
      const workspace = await fresh.workspace(await fresh.organization());
      const { state: version } = await fresh.version(workspace);
      const run = await addRun(fresh, workspace, version.id);
      const state = aStateVersion(run, { serial: 1 });
      await fresh.run((tx) =>
        tx.stateVersions.add(
          state,
          Array.from({ length: 1_100 }, () => aStateOutput(state)),
        ),
      );
      await fresh.run((tx) => tx.workspaces.remove(workspace.id, noon));
      const target = { kind: 'workspace', id: workspace.id } as const;
      const rows = async () => Object.values(await fresh.rowCounts()).reduce((sum, count) => sum + count, 0);
      let [before, calls, finished] = [await rows(), 0, false];
      while (!finished) {
        ({ finished } = await fresh.run((tx) => tx.removals.removeBatch(target, 200)));
        const after = await rows();
        expect(before - after).toBeLessThanOrEqual(501);
        [before, calls] = [after, calls + 1];
      }
      expect(calls).toBeGreaterThanOrEqual(3);
      expect(calls).toBeLessThanOrEqual(on.backend.name === 'SQLite' ? 10 : 6);
    });
  });

  it('take a few long logs away at once', async () => {
    await onFreshGround(on.backend, async (fresh) => {
      const workspace = await fresh.workspace(await fresh.organization());
      const { state: version } = await fresh.version(workspace);
      const run = await addRun(fresh, workspace, version.id);
      const mebibyte = 1_048_576;
      for (let chunk = 0; chunk < 6; chunk += 1) {
        await fresh.run((tx) => tx.runLogs.append(run, 'plan', 8 + chunk * mebibyte, Buffer.alloc(mebibyte)));
      }
      await fresh.run((tx) => tx.workspaces.remove(workspace.id, noon));
      const { calls } = await removeAll(fresh, { kind: 'workspace', id: workspace.id }, 200);
      expect(calls).toBeGreaterThanOrEqual(2);
    });
  });

  it('are listed with the workspaces left, the organization deleted first at the beginning', async () => {
    await onFreshGround(on.backend, async (fresh) => {
      const page = (number: number, size = 20) => fresh.read((tx) => tx.removals.organizations({ number, size }, 2));
      const left = (max: number) => fresh.read((tx) => tx.removals.countWorkspaces(max));
      const [first, second] = [await fresh.organization(), await fresh.organization()];
      await fresh.workspace(await fresh.organization());
      for (const organization of [first, first, first, second]) await fresh.workspace(organization);
      expect([await page(1), await left(10)]).toEqual([{ number: 1, size: 20, total: 0, items: [] }, 0]);
      await fresh.run((tx) => tx.organizations.remove(second.id, afterNoon(1)));
      await fresh.run((tx) => tx.organizations.remove(first.id, noon));
      const removal = ({ id, name }: Organization, begunAt: string, workspacesLeft: number) => ({
        organizationId: id,
        organizationName: name,
        begunAt,
        workspacesLeft,
      });
      // Counted up to two.
      const items = [removal(first, noon, 2), removal(second, afterNoon(1), 1)];
      expect(await page(1)).toEqual({ number: 1, size: 20, total: 2, items });
      expect((await page(2, 1)).items).toEqual(items.slice(1));
      expect([await left(10), await left(3)]).toEqual([4, 3]);
      await removeAll(fresh, { kind: 'organization', id: first.id }, 1);
      expect([(await page(1)).items, await left(10)]).toEqual([items.slice(1), 1]);
    });
  });

  it('leave other workspaces of the organization alone', async () => {
    const { organization, places } = await addOrganization(on);
    const [gone, kept] = places;
    if (gone === undefined || kept === undefined) throw new Error('there are two places');
    await on.run((tx) => tx.workspaces.remove(gone.workspace.id, noon));
    await removeAll(on, { kind: 'workspace', id: gone.workspace.id }, 200);
    const runs = await on.read((tx) => tx.runs.page(kept.workspace.id, { number: 1, size: 20 }));
    expect(runs.items).toHaveLength(4);
    for (const { id } of runs.items) {
      expect(await on.read((tx) => tx.runLogs.size(id, 'plan'))).toBe(8);
      expect(await on.read((tx) => tx.taskStages.ofRun(id))).not.toEqual([]);
    }
    const pools = await on.read((tx) => tx.agentPools.page(organization.id, { number: 1, size: 20 }));
    expect(pools.items).toHaveLength(1);
  });
});
