import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TeamVisibility } from '../../src/domain/index.js';
import {
  aMembership,
  anOrganization,
  aTeam,
  aToken,
  aUser,
  aWorkspace,
  giveGrant,
  ownedBy,
} from '../support/builders.js';
import { QueryPlanner, type Work } from '../support/query-planner.js';

describe('statements about long lists on SQLite', () => {
  const organization = anOrganization();
  const workspace = aWorkspace(organization);
  const team = aTeam(organization);
  const user = aUser();
  let planner: QueryPlanner;

  beforeAll(async () => {
    planner = await QueryPlanner.open(async (tx) => {
      await tx.organizations.add(organization);
      await tx.workspaces.add(workspace);
      await tx.users.add(user);
      await tx.memberships.add(aMembership(organization, user));
      await tx.teams.add(team);
      await tx.tokens.add(aToken(ownedBy('team', team)));
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
    (key: 'expired-at' | 'team-name', search?: string): Work =>
    (tx) =>
      tx.tokens.pageOfTeams(
        { organizationId: organization.id, visibility: 'all', search, sort: { key, descending: false } },
        page,
      );

  const lists: readonly (readonly [string, string, Work])[] = [
    ['teams', 'teams_listed', (tx) => tx.teams.page(organization.id, 'all', page)],
    ['teams that may be seen', 'teams_visible', (tx) => tx.teams.page(organization.id, seen, page)],
    ['workspaces', 'workspaces_listed', (tx) => tx.workspaces.page(organization.id, nobody, 'all', page)],
    ['members', 'organization_memberships_listed', (tx) => tx.memberships.page(organization.id, page)],
    ['accesses to a workspace', 'team_workspaces_listed', accesses('all')],
    ['accesses of teams that may be seen', 'team_workspaces_visible', accesses(seen)],
    ['team tokens', 'api_tokens_by_expiry', teamTokens('expired-at')],
    ['team tokens by name', 'api_tokens_by_name', teamTokens('team-name')],
  ];

  it.each(lists)('find a page of %s in the order of %s, and count nothing', async (_, index, work) => {
    const sql = await planner.statementsOf(work);
    expect(sql.filter((one) => one.startsWith('select count('))).toEqual([]);
    const [plan = [], ...others] = sql
      .map((one) => planner.planOf(one))
      .filter((steps) => steps.some((step) => step.includes(`COVERING INDEX ${index} (`)));
    expect(others).toEqual([]);
    // Only what is on the page is sorted, once its rows were found by their ids.
    const sorts = plan.findIndex((step) => step.includes('TEMP B-TREE'));
    if (sorts >= 0) expect(plan.indexOf('SCAN page')).toBeLessThan(sorts);
    expect(plan.filter((step) => step.startsWith('SCAN') && step !== 'SCAN page')).toEqual([]);
    expect(plan.length).toBeGreaterThan(0);
  });

  it('search team tokens in an index alone', async () => {
    const [count = ''] = await planner.statementsOf(teamTokens('expired-at', 'a'));
    expect(planner.planOf(count)).toEqual([expect.stringMatching(/^SEARCH k USING COVERING INDEX api_tokens_by/)]);
  });
});
