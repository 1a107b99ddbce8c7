import { describe, expect, it } from '@jest/globals';
import {
  type AccessPart,
  actions,
  claims,
  effectiveAccess,
  type GivenClaim,
  may,
  type Standing,
  type TeamInQuestion,
  type TeamStanding,
  teamsNeededFor,
  teamVisibility,
  visibleRights,
  type WorkspaceAction,
  workspaceActions,
} from '../../src/domain/index.js';
import { fc, runs } from '../support/properties.js';
import { anOutsider, anOwner, anyStanding, custom, member, noon } from './samples.js';

const rightOf = (standing: Standing, action: WorkspaceAction) =>
  effectiveAccess(standing).find(({ right }) => right === action);

/** Nothing of the standing but these parts of one team. */
const only = (standing: Standing, { teamId }: GivenClaim, parts: readonly AccessPart[]): Standing => {
  const has = (kind: AccessPart['kind']) => parts.some((part) => part.kind === kind);
  const permissions = parts.flatMap((part) => (part.kind === 'organization-permission' ? [part.permission] : []));
  const bare = { ...standing, member: has('membership'), siteAdministrator: false, own: false };
  const teams = standing.teams.filter((team) => team.teamId === teamId);
  const alone = teams.map(
    ({ grant, projectGrant }): TeamStanding => ({
      teamId: teamId ?? '',
      owners: has('owners-team'),
      access: new Set(permissions),
      ...(has('team-access') && grant && { grant }),
      ...(has('project-access') && projectGrant && { projectGrant }),
    }),
  );
  return { ...bare, teams: alone };
};

/** Callers each of whose teams is there once. */
const anyHolder = anyStanding.filter(({ teams }) => new Set(teams.map(({ teamId }) => teamId)).size === teams.length);

const always = (check: (standing: Standing) => void) =>
  fc.assert(fc.property(anyHolder, check), { numRuns: runs(1000) });

describe('the rights on a workspace', () => {
  it('are those of the policy about a workspace and what belongs to it', () => {
    const elsewhere = actions.filter((action) => !workspaceActions.some((right) => right === action));
    expect(elsewhere.filter((action) => /^(workspaces|team-access|state-versions)\//.test(action))).toEqual([
      'workspaces/create',
      'team-access/read',
      'state-versions/read-shared',
    ]);
    const areas = new Set(elsewhere.map((action) => action.split('/')[0]));
    for (const area of ['variables', 'runs', 'plans', 'policy-outcomes', 'configuration-versions']) {
      expect(areas).not.toContain(area);
    }
  });
});

describe('effective access', () => {
  it('holds exactly what the policy allows', () => {
    always((standing) => {
      const held = effectiveAccess(standing).filter((right) => right.held);
      expect(held.map(({ right }) => right)).toEqual(workspaceActions.filter((action) => may(standing, action)));
    });
  });

  it('has, for each right that is held, a way for every claim of an alternative, and for no right that is not', () => {
    always((standing) => {
      for (const { held, requires, claims: given } of effectiveAccess(standing)) {
        const named = (alternative: readonly string[]) =>
          alternative.every((claim) => given.some((one) => one.claim === claim));
        expect(requires.some(named)).toBe(held);
      }
    });
  });

  it('names parts of the standing that are enough for their claim, with nothing else, and all of them needed', () => {
    always((standing) => {
      for (const given of effectiveAccess(standing).flatMap((right) => right.claims)) {
        const { claim, through } = given;
        expect(claims[claim](only(standing, given, through))).toBe(true);
        for (const part of through) {
          const fewer = through.filter((other) => other !== part);
          expect(claims[claim](only(standing, given, fewer))).toBe(false);
        }
      }
    });
  });

  it('misses no part that is enough alone', () => {
    always((standing) => {
      for (const { requires, claims: given } of effectiveAccess(standing)) {
        for (const { teamId, grant } of standing.teams) {
          if (grant === undefined) continue;
          const way: GivenClaim = { claim: 'owner', teamId, through: [{ kind: 'team-access', level: grant.access }] };
          const enough = requires.flat().filter((claim) => claims[claim](only(standing, way, way.through)));
          expect(given).toEqual(expect.arrayContaining(enough.map((claim) => ({ ...way, claim }))));
        }
      }
    });
  });

  it('names each team and what of it gives the right', () => {
    const teams = [
      { grant: { access: 'plan' }, projectGrant: { access: 'write' } },
      { access: new Set(['manage-workspaces'] as const) },
      { owners: true },
    ] as const;
    expect(rightOf(member(...teams), 'runs/apply')).toEqual({
      right: 'runs/apply',
      held: true,
      requires: [['runs: apply']],
      claims: [
        { claim: 'runs: apply', teamId: 'team-1', through: [{ kind: 'project-access', level: 'write' }] },
        {
          claim: 'runs: apply',
          teamId: 'team-2',
          through: [{ kind: 'organization-permission', permission: 'manage-workspaces' }],
        },
        { claim: 'runs: apply', teamId: 'team-3', through: [{ kind: 'owners-team' }] },
      ],
    });
    expect(rightOf(member(), 'team-access/list')).toMatchObject({
      held: true,
      claims: [{ claim: 'member', teamId: null, through: [{ kind: 'membership' }] }],
    });
  });

  it('shows which claim each team gives to a right that takes two of them', () => {
    const admin = { grant: { access: 'admin' } } as const;
    const connecting = { access: new Set(['manage-vcs-settings'] as const) };
    const linking = (...teams: readonly Partial<TeamStanding>[]) =>
      rightOf(member(...teams), 'workspaces/link-repository');
    const adminWay = { claim: 'workspace admin', teamId: 'team-1', through: [{ kind: 'team-access', level: 'admin' }] };
    expect(linking(admin, connecting)).toEqual({
      right: 'workspaces/link-repository',
      held: true,
      requires: [['workspace admin', 'manage-vcs-settings']],
      claims: [
        adminWay,
        {
          claim: 'manage-vcs-settings',
          teamId: 'team-2',
          through: [{ kind: 'organization-permission', permission: 'manage-vcs-settings' }],
        },
      ],
    });
    expect(linking(admin)).toMatchObject({ held: false, claims: [adminWay] });
  });

  it('shows both parts of a team that are needed for a claim', () => {
    const delegated = { access: new Set(['delegate-policy-overrides'] as const) };
    const grant = custom({ policyOverrides: true });
    const parts = [
      { kind: 'team-access', level: 'custom' },
      { kind: 'organization-permission', permission: 'delegate-policy-overrides' },
    ];
    const reading = { ...delegated, projectGrant: { access: 'read' } as const };
    expect(rightOf(member({ ...reading, grant }), 'policy-outcomes/override')).toMatchObject({
      held: true,
      claims: [{ teamId: 'team-1', through: parts }],
    });
    expect(rightOf(member(delegated, { grant }), 'policy-outcomes/override')).toMatchObject({
      held: false,
      claims: [],
    });
  });

  it('ends with the access that gives it, and what is not held has no end', () => {
    const grant = { access: 'write', ends: { at: noon, fallback: { access: 'read' } } } as const;
    expect(rightOf(member({ grant }), 'runs/apply')).toMatchObject({ held: true, until: noon });
    expect(rightOf(member({ grant }), 'runs/read')).not.toHaveProperty('until');
    expect(rightOf(member({ grant }), 'workspaces/update')).not.toHaveProperty('until');
  });

  it('is nothing for a site administrator who is not a member', () => {
    const rights = effectiveAccess({ ...anOutsider, siteAdministrator: true });
    expect(rights.filter(({ held, claims }) => held || claims.length > 0)).toEqual([]);
  });
});

describe('what a caller is shown of it', () => {
  const secret: TeamInQuestion = {
    teamId: 'team-9',
    owners: false,
    secret: true,
    membersManageToken: true,
    access: new Set(),
  };
  const held = member({
    teamId: 'team-9',
    access: new Set(['manage-workspaces']),
    grant: { access: 'write' },
    projectGrant: { access: 'admin' },
  });
  const kindsShown = (asker: Standing, team: TeamInQuestion) => {
    const rights = visibleRights(asker, new Map([[team.teamId, team]]), effectiveAccess(held));
    expect(rights.map((right) => right.held)).toEqual(effectiveAccess(held).map((right) => right.held));
    return [
      ...new Set(rights.flatMap(({ claims }) => claims.flatMap(({ through }) => through.map(({ kind }) => kind)))),
    ].sort();
  };
  const all = ['membership', 'organization-permission', 'project-access', 'team-access'];

  it('is of a secret team, for an admin of the workspace, its access to the workspace', () => {
    const admin = member({ grant: { access: 'admin' } });
    expect(kindsShown(admin, secret)).toEqual(['membership', 'team-access']);
    expect(kindsShown(admin, { ...secret, secret: false })).toEqual([
      'membership',
      'organization-permission',
      'team-access',
    ]);
  });

  it('leaves out a way of which the caller may read only one part', () => {
    const overriding = {
      teamId: 'team-9',
      access: new Set(['delegate-policy-overrides'] as const),
      grant: custom({ runs: 'read', policyOverrides: true }),
    };
    const rights = effectiveAccess(member(overriding));
    const override = (asker: Standing) =>
      visibleRights(asker, new Map([['team-9', secret]]), rights).find(
        ({ right }) => right === 'policy-outcomes/override',
      );
    expect(override(anOwner)).toMatchObject({ held: true, claims: [{ teamId: 'team-9' }] });
    expect(override(member({ grant: { access: 'admin' } }))).toMatchObject({ held: true, claims: [] });
  });

  it('is, for an admin of the project, also its access to the project', () => {
    const admin = member({ projectGrant: { access: 'admin' } });
    expect(kindsShown(admin, secret)).toEqual(['membership', 'project-access', 'team-access']);
  });

  it('is everything for owners, and for its members', () => {
    expect(kindsShown(anOwner, secret)).toEqual(all);
    expect(kindsShown(member({ teamId: 'team-9' }), secret)).toEqual(all);
  });

  it('is every team of another user: only owners may ask', () => {
    fc.assert(
      fc.property(anyStanding, (standing) => {
        const { team: _, ...asker } = { ...standing, own: false };
        fc.pre(may(asker, 'effective-access/read'));
        expect(teamVisibility(asker)).toBe('all');
      }),
      { numRuns: runs(1000) },
    );
    expect(may({ ...member({ grant: { access: 'admin' } }), own: false }, 'effective-access/read')).toBe(false);
  });
});

describe('the teams needed for a right', () => {
  const admin = { grant: { access: 'admin' } } as const;
  const managing = { access: new Set(['manage-policies'] as const) };
  const connecting = { access: new Set(['manage-vcs-settings'] as const) };

  it('are those that give it alone, by the alternatives that a team can give', () => {
    expect(teamsNeededFor(member(admin, {}, admin), 'workspaces/delete')).toEqual([[['team-1', 'team-3']]]);
    expect(teamsNeededFor(member({}), 'workspaces/delete')).toEqual([]);
  });

  it('are one for each claim of a right that takes two', () => {
    const needed = (...teams: readonly Partial<TeamStanding>[]) =>
      teamsNeededFor(member(...teams), 'policy-sets/link-repository');
    expect(needed(managing, connecting)).toEqual([[['team-1'], ['team-2']]]);
    expect(needed(managing)).toEqual([]);
  });

  it('are none where every member holds it', () => {
    expect(teamsNeededFor(member(admin), 'organizations/read')).toEqual([[]]);
  });
});
