import { describe, expect, it } from '@jest/globals';
import {
  type Action,
  effectiveAccessVisibility,
  may,
  organizationPermissions,
  type Standing,
  type TeamInQuestion,
  type TeamVisibility,
  teamAccessVisibility,
  teamTokenVisibility,
  teamVisibility,
  workspaceVisibility,
} from '../../src/domain/index.js';
import { fc, runs } from '../support/properties.js';
import { anyGrant, anyStanding, throughTeam } from './samples.js';

const anyQuestion = anyStanding.chain((standing) =>
  fc.record({ standing: fc.constant(standing), team: fc.constant(standing.team as TeamInQuestion) }),
);

const seenThrough = (visible: TeamVisibility, team: TeamInQuestion): boolean =>
  visible === 'all' || !team.secret || visible.visibleAnd.includes(team.teamId);

const tokenListed = (standing: Standing, team: TeamInQuestion): boolean => {
  const visible = teamTokenVisibility(standing);
  if (visible === 'all') return true;
  const { own, delegated } = visible;
  return (
    (team.membersManageToken && own.includes(team.teamId)) ||
    (delegated !== undefined &&
      !team.owners &&
      seenThrough(delegated.seen, team) &&
      delegated.lacking.every((permission) => !team.access.has(permission)))
  );
};

const agrees = (action: Action, listed: (standing: Standing, team: TeamInQuestion) => boolean) =>
  fc.assert(
    fc.property(anyQuestion, ({ standing, team }) => {
      // Only members and tokens of the organization get to its lists at all.
      fc.pre(standing.member);
      expect(listed(standing, team)).toBe(may(standing, action));
    }),
    { numRuns: runs(3000) },
  );

describe('a list holds exactly what the caller could ask for one by one', () => {
  it('of teams', () => {
    agrees('teams/read', (standing, team) => seenThrough(teamVisibility(standing), team));
  });

  it('of the team access of a workspace', () => {
    agrees('team-access/read', (standing, team) => seenThrough(teamAccessVisibility(standing), team));
  });

  it('of effective access, for owners of all teams, and for others of some that have access', () => {
    fc.assert(
      fc.property(anyQuestion, ({ standing: { own: _, ...standing }, team }) => {
        const hasAccess = team.owners || team.access.size > 0 || team.grantOn !== undefined;
        const listed = may(standing, 'effective-access/read');
        if (effectiveAccessVisibility(standing) === 'all') expect(listed).toBe(true);
        else if (listed) expect(hasAccess).toBe(true);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('of team tokens', () => {
    agrees('team-tokens/manage', tokenListed);
  });

  it('of workspaces, where a grant shows the runs as every grant that can be given does', () => {
    const showsRuns = anyGrant.filter((grant) => grant.access !== 'custom' || grant.permissions.runs !== 'none');
    fc.assert(
      fc.property(anyStanding, fc.option(showsRuns), (standing, grant) => {
        const teams = standing.teams.map(({ grant: _, ...team }) => team);
        const inOrganization = { ...standing, teams };
        const onWorkspace = {
          ...standing,
          teams: grant === null ? teams : teams.map((team, index) => (index === 0 ? { ...team, grant } : team)),
        };
        const granted = grant === null ? [] : teams.slice(0, 1).map(({ teamId }) => teamId);
        const visible = workspaceVisibility(inOrganization);
        const listed = visible === 'all' || granted.some((teamId) => visible.throughTeams.includes(teamId));
        expect(listed).toBe(may(onWorkspace, 'workspaces/read'));
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('the list of team tokens', () => {
  const caller: Standing = { actor: 'user', siteAdministrator: false, member: true, teams: [] };

  it('is all for owners alone', () => {
    expect(teamTokenVisibility({ ...caller, teams: [throughTeam({ owners: true })] })).toBe('all');
  });

  it('is that of the caller’s own teams for a plain member', () => {
    expect(teamTokenVisibility({ ...caller, teams: [throughTeam()] })).toEqual({
      own: ['team-1'],
      delegated: undefined,
    });
  });

  it('leaves out the owners and teams with an organization-level permission for the organization token', () => {
    expect(teamTokenVisibility({ ...caller, actor: 'organization' })).toEqual({
      own: [],
      delegated: { seen: 'all', lacking: organizationPermissions },
    });
  });

  it('leaves out, for a holder of manage-teams, the teams that may do what the caller may not', () => {
    const access = new Set(['manage-teams', 'read-workspaces'] as const);
    expect(teamTokenVisibility({ ...caller, teams: [throughTeam({ access })] })).toEqual({
      own: ['team-1'],
      delegated: {
        seen: { visibleAnd: ['team-1'] },
        lacking: organizationPermissions.filter((permission) => !(access as ReadonlySet<string>).has(permission)),
      },
    });
  });
});
