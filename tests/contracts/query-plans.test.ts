import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { RandomSecrets } from '../../src/adapters/system/random-secrets.js';
import { Authenticate, TokenUses } from '../../src/application/index.js';
import type { Actor } from '../../src/domain/index.js';
import {
  aConfigurationVersion,
  anOrganization,
  aRun,
  asOrganization,
  asTeam,
  asUser,
  aTeam,
  aUser,
  aVariable,
  aWorkspace,
  noon,
} from '../support/builders.js';
import { aClaim } from '../support/claims.js';
import { QueryPlanner, type Work } from '../support/query-planner.js';

describe('statements on SQLite', () => {
  const organization = anOrganization();
  const workspace = aWorkspace(organization);
  const version = aConfigurationVersion(workspace);
  let planner: QueryPlanner;

  beforeAll(async () => {
    planner = await QueryPlanner.open(async (tx) => {
      await tx.organizations.add(organization);
      await tx.workspaces.add(workspace);
      await tx.variables.add(aVariable(workspace, { key: 'seeded' }));
      await tx.configurationVersions.add(version);
      await tx.runs.add(aRun(workspace, version.state));
    });
  });

  afterAll(() => planner.close());

  const statementsOf: QueryPlanner['statementsOf'] = (...asked) => planner.statementsOf(...asked);
  const planOf = (sql: string): readonly string[] => planner.planOf(sql);

  const callers: readonly Actor[] = [asUser(aUser()), asTeam(aTeam(organization)), asOrganization(organization)];
  const page = (number: number) => ({ number, size: 20 });
  const nobody = { actor: 'user', siteAdministrator: false, member: false, teams: [] } as const;

  const inOne: readonly (readonly [string, Work])[] = [
    ['a credential', (tx) => tx.tokens.findCredential('digest')],
    ['the user of a session', (tx) => tx.sessions.findCredential('digest')],
    ['the user of an identity', (tx) => tx.identities.find('https://provider.test', 'ada')],
    ['the teams of groups', (tx) => tx.teamGroups.teamsOf(['engineers', 'owners'])],
    ['the memberships that sign-ins made', (tx) => tx.teamGroups.memberships({ userId: 'user-1' })],
    ['the memberships of organizations that sign-ins made', (tx) => tx.teamGroups.withoutTeam({ userId: 'user-1' })],
    ['the groups of organizations', (tx) => tx.teamGroups.given(['org-1'])],
    ['the sessions of a user', (tx) => tx.sessions.ofUser('user-1', '2026-01-01')],
    ['the token of a team', (tx) => tx.tokens.findOf({ kind: 'team', id: 'team-1' })],
    ['what a user has on a workspace', (tx) => tx.teamAccess.holder({ kind: 'user', id: 'user-1' }, 'ws-1')],
    ['what a team has on a workspace', (tx) => tx.teamAccess.holder({ kind: 'team', id: 'team-1' }, 'ws-1')],
    ['a version', (tx) => tx.configurationVersions.find('cv-1')],
    ['the first page of versions', (tx) => tx.configurationVersions.page('ws-1', page(1))],
    ['a deep page of versions', (tx) => tx.configurationVersions.page('ws-1', page(5_000))],
    ['a state version', (tx) => tx.stateVersions.find('sv-1')],
    ['the current state of a workspace', (tx) => tx.stateVersions.current('ws-1')],
    ['states with what was read of them', (tx) => tx.stateVersions.among(['sv-1', 'sv-2'])],
    ['what a run announced', (tx) => tx.stateVersions.pending('run-1')],
    ['the first page of states', (tx) => tx.stateVersions.page('ws-1', page(1))],
    ['a deep page of states', (tx) => tx.stateVersions.page('ws-1', page(5_000))],
    ['outputs of a state, in order', (tx) => tx.stateOutputs.slice('sv-1', 'a', { rows: 10, characters: 10 })],
    ['ids and names of outputs', (tx) => tx.stateOutputs.listed('sv-1')],
    ['what a plan left', (tx) => tx.runArtifacts.find('run-1', 'plan-file')],
    ['what an organization keeps', (tx) => tx.keptBytes.of({ organizationId: 'org-1' })],
    ['what the organization of a workspace keeps', (tx) => tx.keptBytes.of({ workspaceId: 'ws-1' })],
    ['the organizations that keep the most', (tx) => tx.keptBytes.largest(100)],
    ['whether a bundle is referred to', (tx) => tx.storedFiles.refersTo('bundle-1')],
    ['the variables of a workspace', (tx) => tx.variables.ofWorkspace('ws-1')],
    ['what the variables of a workspace come to', (tx) => tx.variables.totalsOf('ws-1')],
    ['variables sealed with another key', (tx) => tx.variables.sealedWithOtherKeys('f', 'var-1', 10)],
    ['what runs say of a version', (tx) => tx.runs.aboutVersion('cv-1')],
    ['whether a run of a workspace is applied', (tx) => tx.runs.anyApplying({ workspaceId: 'ws-1' })],
    ['whether a run of an organization is applied', (tx) => tx.runs.anyApplying({ organizationId: 'org-1' })],
    ['a run', (tx) => tx.runs.find('run-1')],
    ['a run by its lease', (tx) => tx.runs.findByLease('digest')],
    ['whether another run holds a workspace', (tx) => tx.runs.anotherHolds('ws-1', 'run-1')],
    ['the run whose turn is next', (tx) => tx.runs.nextWaiting('ws-1')],
    ['leases that ran out', (tx) => tx.runs.withExpiredLease(noon, 10)],
    ['workspaces to destroy', (tx) => tx.workspaces.dueForDestruction(noon, 10)],
    ['projects with workspaces to destroy', (tx) => tx.projects.withDestructionDue(noon, 10)],
    ['the first workspace to destroy in a project', (tx) => tx.workspaces.firstInheriting('prj-1')],
    ['a workspace for a run', (tx) => tx.workspaces.findForRun('ws-1', { id: 'ws-2' })],
    [
      'a named workspace for a run',
      (tx) => tx.workspaces.findForRun('ws-1', { organizationName: 'acme', name: 'api' }),
    ],
    ['the first page of runs', (tx) => tx.runs.page('ws-1', page(1))],
    ['a deep page of runs', (tx) => tx.runs.page('ws-1', page(5_000))],
    ['the runs and states of workspaces', (tx) => tx.runs.activityOf(['ws-1', 'ws-2'])],
    ['the first runs of versions', (tx) => tx.runs.firstOfVersions(['cv-1', 'cv-2'])],
    ['a comment', (tx) => tx.runComments.find('wsc-1')],
    ['the comments on a run', (tx) => tx.runComments.ofRun('run-1')],
    ['the dates of comments on runs', (tx) => tx.runComments.datesOfRuns(['run-1', 'run-2'])],
    ['how long a log is', (tx) => tx.runLogs.size('run-1', 'plan')],
    ['a part of a log', (tx) => tx.runLogs.read('run-1', 'plan', 5_000, 100)],
    ...callers.flatMap((actor): (readonly [string, Work])[] => [
      [`a version with the standing of a ${actor.kind}`, (tx) => tx.configurationVersions.findFor(actor, 'cv-1')],
      [`what a ${actor.kind} reads of a version`, (tx) => tx.configurationVersions.findSummaryFor(actor, 'cv-1')],
      [`a run with the standing of a ${actor.kind}`, (tx) => tx.runs.findFor(actor, 'run-1')],
      [`a variable with the standing of a ${actor.kind}`, (tx) => tx.variables.findFor(actor, 'ws-1', 'var-1')],
      [`a workspace with the standing of a ${actor.kind}`, (tx) => tx.workspaces.findFor(actor, 'ws-1')],
      [`a named workspace with the standing of a ${actor.kind}`, (tx) => tx.workspaces.findByNameFor(actor, 'o', 'w')],
      [`an organization with the standing of a ${actor.kind}`, (tx) => tx.organizations.findFor(actor, 'o')],
      [`a team with the standing of a ${actor.kind}`, (tx) => tx.teams.findFor(actor, 'team-1')],
    ]),
  ];

  it.each(inOne)('find %s in one statement, through indexes alone', async (_, work) => {
    const sql = await statementsOf(work);
    expect(sql).toHaveLength(1);
    const plan = sql.flatMap(planOf);
    expect(plan.filter((step) => step.startsWith('SCAN') && step !== 'SCAN CONSTANT ROW')).toEqual([]);
    expect(plan.filter((step) => step.startsWith('SEARCH')).length).toBeGreaterThan(0);
  });

  const inMore: readonly (readonly [string, Work])[] = [
    ['list workspaces', (tx) => tx.workspaces.page('org-1', nobody, 'all', page(1))],
    ['list teams', (tx) => tx.teams.page('org-1', 'all', page(1))],
    ['list members', (tx) => tx.memberships.page('org-1', page(1))],
    ['list the organizations of a user', (tx) => tx.organizations.page(asUser(aUser()), page(1))],
    ['list the tokens of a user', (tx) => tx.tokens.pageOfUser('user-1', page(1))],
    ['add a version', (tx) => tx.configurationVersions.add(aConfigurationVersion(workspace), true)],
    ['take a sequence number of a run', (tx) => tx.runs.takeSequence('ws-1')],
    ['save a variable', (tx) => tx.variables.save(aVariable(workspace, { revision: 1 }))],
    ['save a run', (tx) => tx.runs.save(aRun(workspace, version.state, { revision: 1 }))],
    ['find the workspaces with a retention', (tx) => tx.workspaces.retaining('ws-1', 10)],
    [
      'find the workspaces that follow a retention',
      (tx) => tx.workspaces.withoutRetention('org-1', { createdAt: noon, id: 'ws-1' }, 10),
    ],
    ['find the organizations with a retention', (tx) => tx.organizations.retaining('org-1')],
    ['find the outdated states of a workspace', (tx) => tx.stateVersions.outdated('ws-1', noon, 10)],
    [
      'find the old versions of a workspace',
      (tx) => tx.configurationVersions.uploaded(noon, 10, { createdAt: noon, id: 'cv-1' }, 'ws-1'),
    ],
    ['find the runs before one', (tx) => tx.runs.before(aRun(workspace, version.state), 10)],
    ['write to a log', (tx) => tx.runLogs.append({ id: 'run-1', workspaceId: 'ws-1' }, 'plan', 0, Buffer.from('line'))],
    ['drop a log', (tx) => tx.runLogs.drop('run-1', 'plan')],
    ['walk what is stored', (tx) => tx.storedFiles.page(10, 'bundle-1')],
    ['announce a state', (tx) => tx.stateVersions.dropPending('run-1')],
    ['look for outputs sealed with another key', (tx) => tx.stateOutputs.sealedWithOtherKeys('f', 'wsout-1', 10)],
    ['drop what a plan left', (tx) => tx.runArtifacts.drop('run-1')],
    ['list deleted organizations', (tx) => tx.removals.organizations(page(1), 10)],
    ['take a workspace away', (tx) => tx.removals.removeBatch({ kind: 'workspace', id: workspace.id }, 200)],
    ['take an organization away', (tx) => tx.removals.removeBatch({ kind: 'organization', id: 'org-1' }, 200)],
    ['take a user away', (tx) => tx.removals.removeBatch({ kind: 'user', id: 'user-1' }, 200)],
    ['take a team away', (tx) => tx.removals.removeBatch({ kind: 'team', id: 'team-1' }, 200)],
  ];

  it.each(inMore)('%s without reading through a table', async (_, work) => {
    const sql = await statementsOf(work, true);
    expect(sql.length).toBeGreaterThan(0);
    const scans = sql.flatMap(planOf).filter((step) => step.startsWith('SCAN'));
    // The ids of one page.
    expect(scans.filter((step) => step !== 'SCAN page')).toEqual([]);
  });

  const pages: readonly (readonly [string, (at: number) => Work, string])[] = [
    [
      'versions',
      (at) => (tx) => tx.configurationVersions.page('ws-1', page(at)),
      'v USING INDEX configuration_versions',
    ],
    ['states', (at) => (tx) => tx.stateVersions.page('ws-1', page(at)), 'sv USING INDEX state_versions'],
    ['runs', (at) => (tx) => tx.runs.page('ws-1', page(at)), 'r USING INDEX runs'],
  ];

  it.each(pages)('reach a page of %s by a range of numbers, however deep, and sort nothing', async (_, at, index) => {
    const [[shallow], [deep]] = [await statementsOf(at(1)), await statementsOf(at(5_000))];
    expect(deep).toBe(shallow);
    expect(deep).not.toMatch(/offset|count\(/i);
    const plan = planOf(deep ?? '');
    const range = `SEARCH ${index}_sequence (workspace_id=? AND sequence>? AND sequence<?)`;
    expect(plan.filter((step) => step.startsWith(range))).toHaveLength(1);
    expect(plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  });

  it('find the current state by its sequence number alone, and sort nothing', async () => {
    const [sql = ''] = await statementsOf((tx) => tx.stateVersions.current('ws-1'));
    const plan = planOf(sql);
    expect(plan).toContain('SEARCH sv USING INDEX state_versions_sequence (workspace_id=? AND sequence=?)');
    expect(plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  });

  const throughPartialIndexes: readonly (readonly [string, Work, string])[] = [
    ['the run whose turn is next', (tx) => tx.runs.nextWaiting('ws-1'), 'SEARCH r USING INDEX runs_waiting'],
    ['a run by its lease', (tx) => tx.runs.findByLease('digest'), 'SEARCH r USING INDEX runs_lease '],
    ['leases that ran out', (tx) => tx.runs.withExpiredLease(noon, 10), 'SEARCH r USING INDEX runs_lease_expiry'],
    [
      'workspaces to destroy',
      (tx) => tx.workspaces.dueForDestruction(noon, 10),
      'SEARCH w USING INDEX workspaces_destroyed_at',
    ],
    [
      'projects with workspaces to destroy',
      (tx) => tx.projects.withDestructionDue(noon, 10),
      'SEARCH p USING INDEX projects_destroying',
    ],
    [
      'workspaces to destroy in a project',
      (tx) => tx.workspaces.dueInProject('prj-1', noon, 10),
      'SEARCH w USING INDEX workspaces_inheriting_destruction (project_id=? AND <expr><?)',
    ],
    [
      'the first workspace to destroy in a project',
      (tx) => tx.workspaces.firstInheriting('prj-1'),
      'SEARCH w USING INDEX workspaces_inheriting_destruction (project_id=?)',
    ],
    // All that is in this index waits for an agent, the oldest first.
    [
      'a run to claim',
      (tx) => tx.runs.nextClaimable({ poolId: 'apool-1', organizationId: 'org-1' }),
      'SCAN r USING INDEX runs_claimable',
    ],
    [
      'a run for a site pool',
      (tx) => tx.runs.nextClaimable({ poolId: 'apool-1', organizationId: null }),
      'SCAN r USING INDEX runs_claimable',
    ],
  ];

  it.each(throughPartialIndexes)('find %s among the few runs that may be it', async (_, work, step) => {
    const sql = await statementsOf(work);
    expect(sql).toHaveLength(1);
    const plan = sql.flatMap(planOf);
    expect(plan).toContainEqual(expect.stringContaining(step));
    expect(plan.filter((other) => other.startsWith('SCAN') && !other.startsWith(step))).toEqual([]);
    expect(plan).not.toContain('USE TEMP B-TREE FOR ORDER BY');
  });

  const all = { organizationId: 'org-1', standing: nobody, visibility: 'all' } as const;
  const attention: readonly (readonly [string, Work, string])[] = [
    ['what waits for a confirmation', (tx) => tx.attention.awaitingDecision(all, 'confirm', 10), 'runs_to_confirm'],
    ['what waits for an override', (tx) => tx.attention.awaitingDecision(all, 'override', 10), 'runs_to_override'],
    ['what waits without an agent', (tx) => tx.attention.withoutAgent(all, noon, 10), 'runs_queued'],
  ];

  it.each(attention)('find %s in the order of an index that is the organization’s', async (_, work, index) => {
    const plan = (await statementsOf(work)).flatMap(planOf);
    expect(plan).toContainEqual(expect.stringContaining(`SEARCH r USING INDEX ${index} (organization_id=?`));
    expect(plan.filter((step) => step.startsWith('SCAN') && step !== 'SCAN q')).toEqual([]);
  });

  const throughTheQueue: readonly (readonly [string, Work])[] = [
    ['list a queue', (tx) => tx.runs.queue('org-1', nobody, { throughTeams: ['team-1'] }, page(1))],
    ['find a place in a queue', (tx) => tx.runs.positionsOf('ws-1', ['run-1'])],
    ['count a queue', (tx) => tx.runs.capacityOf('org-1')],
  ];

  it.each(throughTheQueue)('%s by the part of an index that is the organization’s', async (_, work) => {
    const plan = (await statementsOf(work)).flatMap(planOf);
    expect(plan).toContainEqual(expect.stringContaining('SEARCH r USING INDEX runs_queued (organization_id=?'));
    const scans = plan.filter((step) => step.startsWith('SCAN'));
    expect(scans.filter((step) => !/^SCAN (q|\(subquery-\d+\)|CONSTANT ROW)$/.test(step))).toEqual([]);
  });

  const sealedWithOtherKeys: readonly (readonly [string, Work])[] = [
    ['variable', (tx) => tx.variables.sealedWithOtherKeys('f', 'var-1', 10)],
    ['state_version_output', (tx) => tx.stateOutputs.sealedWithOtherKeys('f', 'wsout-1', 10)],
  ];

  it.each(sealedWithOtherKeys)('find a %s sealed with another key among those alone', async (table, work) => {
    const plan = (await statementsOf(work)).flatMap(planOf);
    const sealed = plan.filter((step) => step.includes(` USING COVERING INDEX ${table}s_sealed (sealed_by`));
    expect(sealed).toHaveLength(2);
    // The rows it is not about are reached by nothing else.
    expect(plan.filter((step) => step.includes('(id>?') || step.startsWith('SCAN'))).toEqual([]);
  });

  it('walk through old uploaded versions by an index that holds no others, wherever they have got to', async () => {
    const walks: readonly Work[] = [
      (tx) => tx.configurationVersions.uploaded(noon, 100),
      (tx) => tx.configurationVersions.uploaded(noon, 100, { createdAt: noon, id: 'cv-1' }),
    ];
    for (const work of walks) {
      const [sql] = await statementsOf(work);
      const plan = planOf(sql ?? '');
      expect(plan[0]).toMatch(/^SEARCH v USING INDEX configuration_versions_uploaded \(/);
      expect(plan).not.toContain('USE TEMP B-TREE FOR ORDER BY');
      expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([]);
    }
  });

  it('reach a part of a log without looking at what comes before it', async () => {
    const [sql] = await statementsOf((tx) => tx.runLogs.read('run-1', 'plan', 5_000, 100));
    const range =
      /SEARCH run_log_chunks USING INDEX \S+ \(run_id=\? AND phase=\? AND start_byte>\? AND start_byte<\?\)/;
    expect(planOf(sql ?? '')).toContainEqual(expect.stringMatching(range));
  });

  it.each([
    ['calls', 1],
    ['quick', 20],
  ] as const)(
    'claim effects of the lane %s from organization to organization, without looking at the others',
    async (lane, limit) => {
      const sql = await statementsOf(
        (tx) => tx.effects.claim(aClaim(lane, { after: 'org-1', except: ['org-2'], limit })),
        true,
      );
      const [promotion, claim, ...others] = sql.filter((one) => /effects/.test(one));
      expect(others).toEqual([]);
      expect(planOf(promotion ?? '')).toContain('SEARCH e USING COVERING INDEX effects_waiting (waits_until<?)');
      const plan = planOf(claim ?? '');
      expect(plan).toContain('SEARCH older USING INDEX effects_of_subject (subject=?)');
      expect(plan).toContain('SEARCH n USING INDEX effects_ready (lane=? AND organization_id>?)');
      expect(plan).toContain('SEARCH e USING INDEX effects_ready (lane=? AND organization_id=?)');
      expect(plan.filter((step) => /^SCAN (e|n|older|effects)\b/.test(step))).toEqual([]);
    },
  );

  it('reach a credential by its digest', async () => {
    const [sql] = await statementsOf((tx) => tx.tokens.findCredential('digest'));
    expect(planOf(sql ?? '')).toContain('SEARCH k USING INDEX api_tokens_secret_digest (secret_digest=?)');
  });

  it('authenticate and find a version with its standing are two in all', async () => {
    const { unitOfWork } = planner.database;
    const authenticate = new Authenticate(unitOfWork, new FixedClock(), new RandomSecrets(), new TokenUses(unitOfWork));
    const asked = await statementsOf(async (tx) => {
      await expect(authenticate.execute('secret')).rejects.toThrow();
      await tx.configurationVersions.findFor(asUser(aUser()), 'cv-1');
    });
    expect(asked).toHaveLength(2);
  });
});
