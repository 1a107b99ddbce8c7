import { expect, it } from '@jest/globals';
import type { AttentionScope } from '../../src/application/index.js';
import type { DueDecision, Organization, RunState, Workspace, WorkspaceVisibility } from '../../src/domain/index.js';
import { afterNoon, aProject, aRun, giveProjectGrant, noon } from '../support/builders.js';
import {
  anAgentPool,
  anAgentToken,
  anEvaluation,
  aPolicyOutcome,
  aPolicySetOutcome,
  aSiteAgentPool,
  aTaskStage,
} from '../support/policy-builders.js';
import { type Ground, onEveryBackend } from './on-every-backend.js';

const owner = { actor: 'user', siteAdministrator: false, member: true, teams: [] } as const;

const scopeOf = ({ id }: Organization, visibility: WorkspaceVisibility = 'all'): AttentionScope => ({
  organizationId: id,
  standing: owner,
  visibility,
});

/** A run of a new workspace. */
async function aRunIn(
  on: Ground,
  organization: Organization,
  given: Partial<RunState>,
  settings: Partial<Workspace> = {},
): Promise<{ readonly workspace: Workspace; readonly run: RunState }> {
  const workspace = await on.workspace(organization, settings);
  const { state: version } = await on.version(workspace);
  const run = aRun(workspace, version, given);
  await on.run((tx) => tx.runs.add(run));
  return { workspace, run: run.state };
}

onEveryBackend('what waits for people', (on) => {
  it('are the runs that wait for a decision, oldest first', async () => {
    const organization = await on.organization();
    const planned = await aRunIn(on, organization, { status: 'planned', createdAt: afterNoon(3) });
    const failed = await aRunIn(on, organization, { status: 'post_plan_awaiting_decision' });
    const saved = await aRunIn(on, organization, { status: 'planned_and_saved', createdAt: afterNoon(2) });
    for (const status of ['applied', 'planning', 'errored'] as const) await aRunIn(on, organization, { status });
    await aRunIn(on, await on.organization(), { status: 'planned' });
    const removed = await aRunIn(on, organization, { status: 'planned' });
    await on.run((tx) => tx.workspaces.remove(removed.workspace.id, noon));
    const awaiting = async (decision: DueDecision, limit = 10) => {
      const found = await on.read((tx) => tx.attention.awaitingDecision(scopeOf(organization), decision, limit));
      return found.map(({ subject }) => subject.id);
    };
    expect(await awaiting('confirm')).toEqual([saved.run.id, planned.run.id]);
    expect(await awaiting('override')).toEqual([failed.run.id]);
    expect(await awaiting('confirm', 1)).toEqual([saved.run.id]);
  });

  it('are for a team those on which it has access, with its standing', async () => {
    const organization = await on.organization();
    const project = aProject(organization);
    await on.run((tx) => tx.projects.add(project));
    const team = await on.team(organization);
    const { workspace, run } = await aRunIn(on, organization, { status: 'planned' });
    const inProject = await aRunIn(
      on,
      organization,
      { status: 'planned', createdAt: afterNoon(1) },
      { projectId: project.id },
    );
    await aRunIn(on, organization, { status: 'planned' });
    await on.grant(team, workspace, { access: 'write' });
    await on.run((tx) => giveProjectGrant(tx, team.id, project.id, { access: 'read' }));
    const standing = { ...owner, teams: [{ teamId: team.id, owners: false, access: team.access }] };
    const scope = { ...scopeOf(organization, { throughTeams: [team.id] }), standing };
    const found = await on.read((tx) => tx.attention.awaitingDecision(scope, 'confirm', 10));
    expect(
      found.map(({ subject, standing: { teams } }) => [subject.id, teams[0]?.grant, teams[0]?.projectGrant]),
    ).toEqual([
      [run.id, { access: 'write' }, undefined],
      [inProject.run.id, undefined, { access: 'read' }],
    ]);
    const none = scopeOf(organization, { throughTeams: [] });
    expect(await on.read((tx) => tx.attention.awaitingDecision(none, 'confirm', 10))).toEqual([]);
  });

  it('are the runs that wait for an agent of a pool that had no agent in contact', async () => {
    const organization = await on.organization();
    const pools = [anAgentPool(organization), anAgentPool(organization)];
    const [silent, reached] = pools;
    if (silent === undefined || reached === undefined) throw new Error('there are two');
    await on.run(async (tx) => {
      for (const pool of pools) await tx.agentPools.add(pool);
      await tx.agentTokens.add(anAgentToken(silent, { lastUsedAt: noon }));
      await tx.agentTokens.add(anAgentToken(reached, { lastUsedAt: afterNoon(60) }));
    });
    const served = (pool: { readonly id: string }) => ({ executionMode: 'agent', agentPoolId: pool.id }) as const;
    const waits = { status: 'plan_queued' } as const;
    const { run, workspace } = await aRunIn(on, organization, waits, served(silent));
    await aRunIn(on, organization, waits, served(reached));
    await aRunIn(on, organization, { status: 'planning' }, served(silent));
    const remote = await aRunIn(
      on,
      organization,
      { status: 'apply_queued', createdAt: afterNoon(1) },
      { executionMode: 'remote' },
    );
    const unserved = async (since: string) => {
      const found = await on.read((tx) => tx.attention.withoutAgent(scopeOf(organization), since, 10));
      return found.map(({ id, poolId }) => [id, poolId]);
    };
    expect(await unserved(afterNoon(30))).toEqual([
      [run.id, silent.id],
      [remote.run.id, null],
    ]);
    const ofSite = aSiteAgentPool();
    await on.run(async (tx) => {
      await tx.agentPools.add(ofSite);
      await tx.agentTokens.add(anAgentToken(ofSite, { lastUsedAt: afterNoon(45) }));
    });
    expect(await unserved(afterNoon(30))).toEqual([[run.id, silent.id]]);
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await unserved(afterNoon(30))).toEqual([]);
  });

  it('have the names of the workspace, of a member who created them, and of the policies that failed', async () => {
    const organization = await on.organization();
    const [member, gone] = [await on.member(organization), await on.user()];
    const by = ({ id }: { readonly id: string }) => ({ createdBy: { kind: 'user', id } as const });
    const mine = await aRunIn(on, organization, { status: 'post_plan_awaiting_decision', ...by(member) });
    const theirs = await aRunIn(on, organization, { status: 'errored', ...by(gone) });
    const evaluation = anEvaluation();
    const failed = { status: 'failed', enforcementLevel: 'mandatory' } as const;
    const outcomes = [
      aPolicyOutcome({ ...failed, policyName: 'tags' }),
      aPolicyOutcome({ ...failed, policyName: 'owners' }),
      aPolicyOutcome({ status: 'failed', enforcementLevel: 'advisory', policyName: 'advice' }),
      aPolicyOutcome({ status: 'passed', enforcementLevel: 'mandatory', policyName: 'all' }),
    ];
    await on.run(async (tx) => {
      const { workspace, run } = mine;
      await tx.taskStages.add(
        aTaskStage(aRun(workspace, { id: run.configurationVersionId }, run), { evaluations: [evaluation] }),
      );
      await tx.taskStages.addOutcomes([aPolicySetOutcome(evaluation, { outcomes })]);
    });
    const named = await on.read((tx) => tx.attention.runs(owner, [mine.run.id, theirs.run.id, 'run-nobody']));
    const byId = new Map(named.map(({ subject: { run, ...names } }) => [run.id, names]));
    expect(byId).toEqual(
      new Map([
        [
          mine.run.id,
          {
            workspaceName: mine.workspace.name,
            createdBy: member.username,
            failedPolicy: 'owners',
            failedPolicies: 2,
          },
        ],
        [
          theirs.run.id,
          { workspaceName: theirs.workspace.name, createdBy: null, failedPolicy: null, failedPolicies: 0 },
        ],
      ]),
    );
    expect(await on.read((tx) => tx.attention.runs(owner, []))).toEqual([]);
  });

  it('are tokens that expire within a time, and the names of teams', async () => {
    const organization = await on.organization();
    const [user, team] = [await on.member(organization), await on.team(organization)];
    const owners = [
      { kind: 'user', id: user.id },
      { kind: 'organization', id: organization.id },
    ] as const;
    const [of, ofAll] = owners;
    const second = await on.token(of, { expiresAt: afterNoon(20) });
    const first = await on.token(ofAll, { expiresAt: afterNoon(10) });
    await on.token(of, { expiresAt: afterNoon(31) });
    await on.token(of, { expiresAt: null });
    await on.token(of, { expiresAt: noon });
    await on.token({ kind: 'team', id: team.id }, { expiresAt: afterNoon(10) });
    const range = { after: noon, until: afterNoon(30) };
    const expiring = (...asked: Parameters<Ground['token']>[0][]) =>
      on.read((tx) => tx.tokens.expiringOf(asked, range, 10));
    expect(await expiring(...owners)).toEqual([first, second]);
    expect(await expiring(of)).toEqual([second]);
    expect(await expiring()).toEqual([]);
    expect(await on.read((tx) => tx.attention.teamNames([team.id, 'team-nobody']))).toEqual(
      new Map([[team.id, team.name]]),
    );
  });
});
