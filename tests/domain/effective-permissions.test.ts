import { describe, expect, it } from '@jest/globals';
import {
  actions,
  effectivePermissions,
  type Grant,
  impliedBy,
  isOwner,
  may,
  organizationAccessOf,
  organizationPermissions,
  permissionsInProject,
  permissionsOf,
  permissionsWithoutEffect,
  type Standing,
  type TeamStanding,
  type WorkspacePermissions,
} from '../../src/domain/index.js';
import { nothing, reaches, strongest } from '../../src/domain/team-access/workspace-permissions.js';
import { fc, runs } from '../support/properties.js';
import {
  anOrganizationToken,
  anOutsider,
  anOwner,
  anyGrant,
  anyOrganizationAccess,
  anyPermissions,
  anyProjectGrant,
  anyStanding,
  custom,
  member,
} from './samples.js';

const access = (...permissions: readonly (typeof organizationPermissions)[number][]) => new Set(permissions);
const readingRuns: WorkspacePermissions = { ...nothing, runs: 'read' };

describe('effective permissions on a workspace', () => {
  it('are nothing without a team, for strangers and for the organization token', () => {
    for (const standing of [member(), member({}), anOutsider, anOrganizationToken]) {
      expect(effectivePermissions(standing)).toEqual(nothing);
    }
  });

  it('are those of the grant of the only team', () => {
    fc.assert(
      fc.property(anyGrant, (grant) => {
        expect(effectivePermissions(member({ grant }))).toEqual(permissionsOf(grant));
      }),
    );
  });

  it('are those of the grant on the project too', () => {
    fc.assert(
      fc.property(anyGrant, anyProjectGrant, (grant, projectGrant) => {
        const inProject = permissionsInProject(projectGrant).workspaces;
        expect(effectivePermissions(member({ projectGrant }))).toEqual(inProject);
        const both = strongest(permissionsOf(grant), inProject);
        expect(effectivePermissions(member({ grant, projectGrant }))).toEqual(both);
        expect(effectivePermissions(member({ grant }, { projectGrant }))).toEqual(both);
      }),
    );
  });

  it('are the union over all teams', () => {
    fc.assert(
      fc.property(anyGrant, anyGrant, (one, other) => {
        expect(effectivePermissions(member({ grant: one }, { grant: other }))).toEqual(
          strongest(permissionsOf(one), permissionsOf(other)),
        );
      }),
    );
  });

  it('take the highest on each scale, from whichever team it comes', () => {
    expect(
      effectivePermissions(
        member(
          { grant: custom({ runs: 'plan' }) },
          { grant: custom({ variables: 'write' }) },
          { grant: { access: 'read' } },
        ),
      ),
    ).toEqual({ ...nothing, runs: 'plan', variables: 'write', stateVersions: 'read' });
  });

  it('are those of an admin with manage-workspaces, even where the team is granted only read', () => {
    const standing = member({ access: access('manage-workspaces'), grant: { access: 'read' } });
    expect(effectivePermissions(standing)).toEqual(impliedBy.admin);
    expect(may(standing, 'configuration-versions/manage-backing-data')).toBe(true);
  });

  it('are those of an admin with manage-workspaces through one team and a read grant through another', () => {
    expect(
      effectivePermissions(member({ grant: { access: 'read' } }, { access: access('manage-workspaces') })),
    ).toEqual(impliedBy.admin);
  });

  it.each<[(typeof organizationPermissions)[number], WorkspacePermissions]>([
    ['manage-workspaces', impliedBy.admin],
    ['read-workspaces', impliedBy.read],
    ['manage-policies', readingRuns],
    ['manage-policy-overrides', readingRuns],
    ['manage-vcs-settings', nothing],
    ['manage-agent-pools', nothing],
    ['manage-membership', nothing],
    ['manage-teams', nothing],
    ['manage-organization-access', nothing],
    ['access-secret-teams', nothing],
    ['manage-run-tasks', nothing],
    ['delegate-policy-overrides', nothing],
    ...permissionsWithoutEffect.map((permission): [typeof permission, WorkspacePermissions] => [permission, nothing]),
  ])('through %s alone are as promised', (permission, expected) => {
    expect(effectivePermissions(member({ access: access(permission) }))).toEqual(expected);
  });

  it('are added to by an organization-level permission, never lowered', () => {
    fc.assert(
      fc.property(anyGrant, anyOrganizationAccess, (grant, held) => {
        expect(reaches(effectivePermissions(member({ access: held, grant })), permissionsOf(grant))).toBe(true);
      }),
    );
  });

  it('are everything for an owner', () => {
    expect(effectivePermissions(anOwner)).toEqual(impliedBy.admin);
  });
});

describe('organization-level permissions', () => {
  it('have the names clients know', () => {
    expect(organizationPermissions).toEqual([
      'manage-workspaces',
      'read-workspaces',
      'manage-policies',
      'manage-policy-overrides',
      'delegate-policy-overrides',
      'manage-vcs-settings',
      'manage-agent-pools',
      'manage-membership',
      'manage-teams',
      'manage-organization-access',
      'access-secret-teams',
      'manage-run-tasks',
      'manage-projects',
      'read-projects',
      'manage-modules',
      'manage-providers',
      'manage-public-modules',
      'manage-public-providers',
    ]);
  });

  it.each(permissionsWithoutEffect)('grant nothing if they have no effect: %s', (permission) => {
    const without = actions.filter((action) => may(member({}), action));
    expect(actions.filter((action) => may(member({ access: access(permission) }), action))).toEqual(without);
  });

  it('are the union over all teams', () => {
    const standing = member({ access: access('manage-teams') }, { access: access('read-workspaces', 'manage-teams') });
    expect(organizationAccessOf(standing)).toEqual(access('manage-teams', 'read-workspaces'));
  });

  it('are all held by an owner, and by other callers not for being in the organization', () => {
    expect(organizationAccessOf(anOwner)).toEqual(access(...organizationPermissions));
    expect(organizationAccessOf(member({}))).toEqual(access());
    expect(organizationAccessOf(anOrganizationToken)).toEqual(access());
  });

  it('make no owner, however many', () => {
    expect(isOwner(member({ access: access(...organizationPermissions) }))).toBe(false);
    expect(isOwner(member({}, { owners: true }))).toBe(true);
  });
});

describe('giving more', () => {
  const allowed = (standing: Standing) => actions.filter((action) => may(standing, action));

  const raised: fc.Arbitrary<readonly [Grant, Grant]> = fc.oneof(
    fc.tuple(anyPermissions, anyPermissions).map(([low, more]) => [custom(low), custom(strongest(low, more))] as const),
    fc
      .tuple(fc.nat(3), fc.nat(3))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
      .map(([low, high]) => {
        const levels = ['read', 'plan', 'write', 'admin'] as const;
        return [{ access: levels[low] ?? 'read' }, { access: levels[high] ?? 'admin' }] as const;
      }),
    anyPermissions.map((low) => [custom(low), { access: 'admin' }] as const),
  );

  const withTeam = (standing: Standing, ...teams: readonly Partial<TeamStanding>[]) => ({
    ...standing,
    teams: [...standing.teams, ...member(...teams).teams],
  });

  it('by raising a grant never removes an allowed action', () => {
    fc.assert(
      fc.property(anyStanding, raised, (standing, [lower, higher]) => {
        expect(allowed(withTeam(standing, { grant: higher }))).toEqual(
          expect.arrayContaining(allowed(withTeam(standing, { grant: lower }))),
        );
      }),
      { numRuns: runs(500) },
    );
  });

  it('by granting a workspace to a team that had none never removes an allowed action', () => {
    fc.assert(
      fc.property(anyStanding, anyGrant, (standing, grant) => {
        expect(allowed(withTeam(standing, { grant }))).toEqual(expect.arrayContaining(allowed(withTeam(standing, {}))));
      }),
      { numRuns: runs(500) },
    );
  });

  it('by granting a project to a team that had none never removes an allowed action', () => {
    fc.assert(
      fc.property(anyStanding, anyProjectGrant, (standing, projectGrant) => {
        const more = allowed(withTeam(standing, { projectGrant }));
        expect(more).toEqual(expect.arrayContaining(allowed(withTeam(standing, {}))));
      }),
      { numRuns: runs(500) },
    );
  });

  it('by adding an organization-level permission never removes an allowed action', () => {
    fc.assert(
      fc.property(anyStanding, anyOrganizationAccess, anyOrganizationAccess, (standing, held, more) => {
        const before = allowed(withTeam(standing, { access: held }));
        const after = allowed(withTeam(standing, { access: new Set([...held, ...more]) }));
        expect(after).toEqual(expect.arrayContaining(before));
      }),
      { numRuns: runs(500) },
    );
  });

  it('by taking a caller into one more team, or into the owners, never removes an allowed action', () => {
    fc.assert(
      fc.property(anyStanding, fc.boolean(), (standing, owners) => {
        expect(allowed(withTeam(standing, { owners }))).toEqual(expect.arrayContaining(allowed(standing)));
      }),
      { numRuns: runs(500) },
    );
  });
});
