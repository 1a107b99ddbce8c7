import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Place, TeamTokenSort } from '../../src/application/index.js';
import type { TeamVisibility } from '../../src/domain/index.js';
import {
  aMembership,
  anOrganization,
  aTagBinding,
  aTeam,
  aToken,
  aUser,
  aWorkspace,
  giveGrant,
  noon,
  ownedBy,
} from '../support/builders.js';
import { aManagedPolicy, anAgentPool, anAgentToken, aPolicySet } from '../support/policy-builders.js';
import { QueryPlanner, type Work } from '../support/query-planner.js';

describe('statements about long lists on SQLite', () => {
  const organization = anOrganization();
  const workspace = aWorkspace(organization);
  const team = aTeam(organization);
  const user = aUser();
  const pool = anAgentPool(organization);
  let planner: QueryPlanner;

  beforeAll(async () => {
    planner = await QueryPlanner.open(async (tx) => {
      await tx.organizations.add(organization);
      await tx.workspaces.add(workspace);
      await tx.tags.give(organization.id, [workspace.id], [{ id: 'tag-network', name: 'network' }], noon);
      const binding = aTagBinding(workspace);
      await tx.tagBindings.bind(binding.owner, [binding]);
      await tx.users.add(user);
      await tx.memberships.add(aMembership(organization, user));
      await tx.teams.add(team);
      await tx.tokens.add(aToken(ownedBy('team', team)));
      await tx.tokens.add(aToken(ownedBy('user', user)));
      await tx.policySets.add(aPolicySet(organization));
      await tx.policies.add(aManagedPolicy(organization));
      await tx.agentPools.add(pool);
      await tx.agentTokens.add(anAgentToken(pool));
      await giveGrant(tx, team.id, workspace.id, { access: 'read' });
    });
  });

  afterAll(() => planner.close());

  const page = { number: 1, size: 20 };
  const seen = { visibleAnd: [team.id] };
  const nobody = { actor: 'user', siteAdministrator: false, member: false, teams: [] } as const;
  const accesses =
    (visibility: TeamVisibility): Work =>
    (tx) =>
      tx.teamAccess.page({ workspaceId: workspace.id, teamId: undefined, visibility }, page);
  const teamTokens =
    (key: TeamTokenSort['key'], search?: string): Work =>
    (tx) =>
      tx.tokens.pageOfTeams(
        { organizationId: organization.id, visibility: 'all', search, sort: { key, descending: false } },
        page,
      );

  const every = { organizationId: organization.id, search: undefined } as const;

  const lists: readonly (readonly [string, string, Work])[] = [
    ['teams', 'teams_listed', (tx) => tx.teams.page(organization.id, 'all', page)],
    ['teams that may be seen', 'teams_visible', (tx) => tx.teams.page(organization.id, seen, page)],
    ['workspaces', 'workspaces_listed', (tx) => tx.workspaces.page(organization.id, nobody, 'all', page)],
    [
      'workspaces by their latest change',
      'workspaces_by_change',
      (tx) =>
        tx.workspaces.page(organization.id, nobody, 'all', page, {
          sort: { key: 'latest-change-at', descending: true },
        }),
    ],
    [
      'workspaces by their current run',
      'current_runs_by_time',
      (tx) =>
        tx.workspaces.page(organization.id, nobody, 'all', page, {
          sort: { key: 'current-run.created-at', descending: true },
        }),
    ],
    ['members', 'organization_memberships_listed', (tx) => tx.memberships.page(organization.id, page)],
    ['accesses to a workspace', 'team_workspaces_listed', accesses('all')],
    ['accesses of teams that may be seen', 'team_workspaces_listed', accesses(seen)],
    ['team tokens', 'api_tokens_by_expiry', teamTokens('expired-at')],
    ['team tokens by name', 'api_tokens_by_name', teamTokens('team-name')],
    ['team tokens by last use', 'api_tokens_by_use', teamTokens('last-used-at')],
    [
      'teams with a text in their name',
      'teams_listed',
      (tx) => tx.teams.page(organization.id, 'all', page, { search: 'a', names: ['a', 'b'] }),
    ],
    ['projects', 'projects_listed', (tx) => tx.projects.page(organization.id, nobody, 'all', page)],
    [
      'workspaces of a project',
      'workspaces_of_project',
      (tx) => tx.workspaces.page(organization.id, nobody, 'all', page, { projectId: workspace.projectId }),
    ],
    [
      'invited members',
      'organization_memberships_by_status',
      (tx) => tx.memberships.page(organization.id, page, { status: 'invited' }),
    ],
    [
      'team tokens that expire',
      'api_tokens_by_expiry',
      (tx) =>
        tx.tokens.pageOfTeams(
          {
            organizationId: organization.id,
            visibility: 'all',
            search: undefined,
            expiry: [{ after: 'a', until: 'b' }],
            sort: { key: 'expired-at', descending: false },
          },
          page,
        ),
    ],
    [
      'policy sets of a kind',
      'policy_sets_of_kind',
      (tx) => tx.policySets.page(organization.id, page, { search: 'a', kind: 'opa' }),
    ],
    [
      'policy sets with versions',
      'policy_sets_versioned',
      (tx) => tx.policySets.page(organization.id, page, { search: 'a', versioned: true }),
    ],
    [
      'policy sets of a kind without versions',
      'policy_sets_versioned',
      (tx) => tx.policySets.page(organization.id, page, { kind: 'opa', versioned: false }),
    ],
    [
      'policies by age',
      'policies_by_age',
      (tx) => tx.policies.page({ ...every, kind: undefined, sort: { key: 'created-at', descending: true } }, page),
    ],
    [
      'agent pools by age',
      'agent_pools_by_age',
      (tx) => tx.agentPools.page(organization.id, page, { sort: { key: 'created-at', descending: true } }),
    ],
    ['policy sets', 'policy_sets_listed', (tx) => tx.policySets.page(organization.id, page)],
    ['policies', 'policies_listed', (tx) => tx.policies.page({ ...every, kind: undefined }, page)],
    ['policies of a kind', 'policies_of_kind', (tx) => tx.policies.page({ ...every, kind: 'opa' }, page)],
    ['agent pools', 'agent_pools_listed', (tx) => tx.agentPools.page(organization.id, page)],
    ['tokens of agents', 'agent_tokens_of_pool', (tx) => tx.agentTokens.page(pool.id, page)],
    ['tokens of a user', 'api_tokens_of_user', (tx) => tx.tokens.pageOfUser(user.id, page)],
  ];

  it.each(lists)('count and find a page of %s in the order of %s', async (_, index, work) => {
    const sql = await planner.statementsOf(work);
    for (const count of sql.filter((one) => one.startsWith('select count('))) {
      expect(planner.planOf(count)).toContainEqual(expect.stringMatching(/^SEARCH . USING COVERING INDEX/));
    }
    const plans = sql.map((one) => planner.planOf(one));
    const found = plans.filter((steps) => steps.some((step) => step.includes(`INDEX ${index} (`)));
    expect(found.length).toBeGreaterThan(0);
    for (const plan of found) {
      // Only what is on the page is sorted, once its rows were found by their ids.
      const sorts = plan.findIndex((step) => step.includes('TEMP B-TREE'));
      if (sorts >= 0) expect(plan.slice(0, sorts)).toContain('SCAN page');
      expect(plan.filter((step) => step.startsWith('SCAN') && step !== 'SCAN page')).toEqual([]);
    }
  });

  it.each([
    ['all', 'all'],
    ['what may be seen', seen],
  ] as const)('find the slices of a whole list of accesses in order, of %s', async (_, visibility) => {
    const filter = { workspaceId: workspace.id, teamId: undefined, visibility };
    const plansOf = async (after: Place | undefined) =>
      (await planner.statementsOf((tx) => tx.teamAccess.slice(filter, after, 2))).map((sql) => planner.planOf(sql));
    const [first = [], ...others] = await plansOf(undefined);
    expect(others).toEqual([]);
    const [later = []] = await plansOf({ name: 'a', tie: 'team-a' });
    const index = 'SEARCH l USING COVERING INDEX team_workspaces_listed';
    expect(first).toContain(`${index} (workspace_id=? AND listed_name>?)`);
    expect(later).toContain(`${index} (workspace_id=? AND (listed_name,team_id)>(?,?))`);
    for (const plan of [first, later]) {
      expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual(['SCAN page']);
      expect(plan.slice(0, plan.indexOf('SCAN page')).join()).not.toContain('TEMP B-TREE');
    }
  });

  it.each([
    [
      'workspaces',
      'l USING COVERING INDEX workspaces_by_age',
      (tx) => tx.workspaces.page(organization.id, nobody, 'all', page, { search: 'a', wildcard: 'a*' }),
    ],
    [
      'members',
      'l USING COVERING INDEX organization_memberships_by_age',
      (tx) => tx.memberships.page(organization.id, page, { search: 'a' }),
    ],
    [
      'runs',
      'r USING COVERING INDEX runs_of_organization',
      (tx) => tx.runs.pageOfOrganization(organization.id, nobody, 'all', page, { search: 'a' }),
    ],
    [
      'runs of agent pools',
      'r USING COVERING INDEX runs_of_organization',
      (tx) => tx.runs.pageOfOrganization(organization.id, nobody, 'all', page, { agentPoolNames: ['a'] }),
    ],
  ] as readonly (readonly [string, string, Work])[])(
    'find the newest %s, to search them, in an index alone',
    async (_, index, work) => {
      const searches = (await planner.statementsOf(work)).filter((sql) => / like |agent_pools/.test(sql));
      expect(searches).toHaveLength(1);
      expect(searches[0]).toContain('limit 10000');
      expect(planner.planOf(searches[0] ?? '').join()).toContain(`SEARCH ${index} (`);
    },
  );

  it.each([
    ['a tag', 'wt USING COVERING INDEX workspace_tags_of_tag', { tags: ['network'] }],
    ['a key', 'b USING COVERING INDEX workspace_tag_bindings_value', { bindings: [{ key: 'stage' }] }],
    ['a status', 'cr USING COVERING INDEX current_runs_by_status', { currentRun: ['planning'] }],
  ] as const)('count the workspaces with %s in its index alone', async (_, index, filter) => {
    const sql = await planner.statementsOf((tx) => tx.workspaces.page(organization.id, nobody, 'all', page, filter));
    const counts = sql.filter((one) => one.startsWith('select count('));
    expect(counts).toHaveLength(1);
    const plan = planner.planOf(counts[0] ?? '');
    expect(plan.join()).toContain(`SEARCH ${index} (`);
    expect(plan.join()).not.toMatch(/workspaces USING INDEX|TEMP B-TREE/);
  });

  const someRuns = { statuses: ['applied'], operations: ['destroy'], sources: ['tfe-api'], since: 'a' } as const;

  it.each([
    ['a workspace', 'runs_of_workspace', (tx) => tx.runs.page(workspace.id, page, someRuns)],
    [
      'an organization',
      'runs_of_organization',
      (tx) => tx.runs.pageOfOrganization(organization.id, nobody, 'all', page, someRuns),
    ],
  ] as readonly (readonly [string, string, Work])[])(
    'choose the filtered runs of %s in an index alone',
    async (_, index, work) => {
      const [first = ''] = await planner.statementsOf(work);
      expect(planner.planOf(first).join()).toContain(`SEARCH r USING COVERING INDEX ${index} (`);
    },
  );

  it('find the rows of an access report in order, each slice as a range of one index', async () => {
    const plansOf = async (work: Work) => (await planner.statementsOf(work)).map((sql) => planner.planOf(sql));
    const [people = [], teams = []] = await plansOf((tx) =>
      tx.accessHolders.peopleAfter(organization.id, { name: 'a', tie: 'ou-a' }, 2),
    );
    const byName = 'INDEX organization_memberships_listed (organization_id=? AND (listed_name,id)>(?,?))';
    expect(people.join()).toContain(byName);
    expect(teams.join()).toContain('INDEX team_members_of_user (user_id=? AND organization_id=?)');
    const [workspaces = []] = await plansOf((tx) => tx.accessHolders.workspaceGrants(team.id, noon, 'ws-a', 2));
    expect(workspaces.join()).toContain('INDEX team_workspaces_workspace_id (team_id=? AND workspace_id>?)');
    const [projects = []] = await plansOf((tx) => tx.accessHolders.projectGrants(team.id, noon, 'prj-a', 2));
    expect(projects.join()).toContain('INDEX team_projects_project_id (team_id=? AND project_id>?)');
    for (const plan of [people, workspaces, projects]) expect(plan.join()).not.toMatch(/TEMP B-TREE|SCAN/);
  });

  it('count and find a page of users in order', async () => {
    const [count = '', rows = ''] = await planner.statementsOf((tx) => tx.users.page(page));
    expect(planner.planOf(count)).toEqual(['SCAN users USING COVERING INDEX users_listed']);
    expect(planner.planOf(rows)).toEqual(['SCAN users USING INDEX users_listed']);
  });

  it('sort team tokens by who made them in an index alone', async () => {
    const [, sorted = ''] = await planner.statementsOf(teamTokens('created-by'));
    expect(planner.planOf(sorted)).toContain('SEARCH k USING COVERING INDEX api_tokens_by_use (listed_in=?)');
  });

  it.each([
    [undefined, 'policies_listed'],
    ['opa', 'policies_of_kind'],
  ] as const)('search policies of the kind %s in the index %s alone', async (kind, index) => {
    const [count = '', rows = ''] = await planner.statementsOf((tx) =>
      tx.policies.page({ ...every, kind, search: 'POL' }, page),
    );
    expect(planner.planOf(count).join()).toContain(`SEARCH l USING COVERING INDEX ${index} (`);
    expect(planner.planOf(rows).join()).toContain(`SEARCH l USING COVERING INDEX ${index} (`);
  });

  it('search team tokens in an index alone', async () => {
    const [count = ''] = await planner.statementsOf(teamTokens('expired-at', 'a'));
    expect(planner.planOf(count)).toEqual([
      expect.stringMatching(/^SEARCH organizations .*\(id=\?\)$/),
      expect.stringMatching(/^SEARCH k USING COVERING INDEX api_tokens_by/),
    ]);
  });
});
