import { describe, expect, it } from '@jest/globals';
import { actingFor, entryOf, runStanding } from '../../src/domain/authorization/actor.js';
import { authorizedViewOfOwner } from '../../src/domain/authorization/policy.js';
import {
  type Actor,
  actions,
  authorize,
  authorized,
  authorizedView,
  DomainError,
  identityOf,
  isDomainError,
  later,
  may,
  notFound,
  projectAccessVisibility,
  projectVisibility,
  type Standing,
  standingOnSite,
  type TokenOwner,
  teamVisibility,
  workspaceVisibility,
} from '../../src/domain/index.js';
import { customProjectDefaults } from '../../src/domain/team-access/project-access-level.js';
import { fc, runs } from '../support/properties.js';
import {
  anOrganizationToken,
  anOutsider,
  anOwner,
  anyStanding,
  custom,
  member,
  noon,
  thrownBy,
  towards,
} from './samples.js';

const missing = { code: 'resource/not-found', message: 'resource not found', details: {} };
const holding = (...permissions: readonly ('manage-teams' | 'access-secret-teams')[]) =>
  member({ access: new Set(permissions) });

describe('authorizing', () => {
  it('lets pass exactly what the policy allows, and calls everything else not found', () => {
    fc.assert(
      fc.property(anyStanding, fc.constantFrom(...actions), (standing, action) => {
        if (may(standing, action)) authorize(standing, action);
        else expect(thrownBy(() => authorize(standing, action))).toMatchObject({ code: 'resource/not-found' });
      }),
      { numRuns: runs(2000) },
    );
  });

  it('reveals to a caller who does not see the thing only that it is missing', () => {
    expect(thrownBy(() => authorize(anOutsider, 'configuration-versions/archive'))).toMatchObject(missing);
    expect(thrownBy(() => authorize(member({}), 'configuration-versions/read'))).toMatchObject(missing);
    expect(thrownBy(() => authorize(towards(member(), { secret: true }), 'teams/update'))).toMatchObject(missing);
  });

  it('names the missing right to a caller who sees the thing', () => {
    const reader = member({ grant: { access: 'read' } });
    expect(thrownBy(() => authorize(reader, 'configuration-versions/archive'))).toMatchObject({
      code: 'resource/not-found',
      message: 'not authorized: requires runs: plan; or organization token',
    });
    expect(thrownBy(() => authorize(reader, 'configuration-versions/create'))).toMatchObject({
      message: 'not authorized: requires runs: plan',
    });
    expect(thrownBy(() => authorize(member(), 'organizations/update'))).toMatchObject({
      message: 'not authorized: requires owner',
    });
    expect(thrownBy(() => authorize(towards(member()), 'teams/update'))).toMatchObject({
      message:
        "not authorized: requires manage-teams, can see the team, team without permissions beyond the caller's; " +
        'or organization token, not the owners team',
    });
  });

  it('names no right where the area has nothing to read', () => {
    expect(thrownBy(() => authorize(member(), 'organization-tokens/manage'))).toMatchObject(missing);
    expect(thrownBy(() => authorize(towards(member()), 'team-tokens/manage'))).toMatchObject(missing);
  });

  it('never names a right to a caller who may not read', () => {
    // These areas have no `read`: who may change a set, or try one, sees it.
    const shown = (area = '') => (['policy-sets', 'policy-trials'].includes(area) ? `${area}/manage` : `${area}/read`);
    fc.assert(
      fc.property(anyStanding, (standing) => {
        for (const action of actions) {
          const read = actions.find((known) => known === shown(action.split('/')[0]));
          if (may(standing, action) || (read !== undefined && may(standing, read))) continue;
          expect(thrownBy(() => authorize(standing, action))).toMatchObject(missing);
        }
      }),
      { numRuns: runs(400) },
    );
  });

  it('sends to a sign-in who is refused by what they entered with, and sees the thing', () => {
    const refused = { code: 'actor/unauthenticated', message: expect.stringContaining('does not accept user tokens') };
    const barred = (standing: Standing): Standing => ({ ...standing, bar: 'user token' });
    const admin = barred(member({ grant: { access: 'admin' } }));
    expect(thrownBy(() => authorize(admin, 'workspaces/update'))).toMatchObject(refused);
    expect(thrownBy(() => authorize(barred(member()), 'organizations/update'))).toMatchObject(refused);
    expect(thrownBy(() => authorize(barred(anOutsider), 'organizations/read'))).toMatchObject(missing);
    expect(
      thrownBy(() => authorizedView({ subject: 1, standing: barred(anOwner) }, 'organizations/update')),
    ).toMatchObject(refused);
    expect(authorizedViewOfOwner({ subject: 1, standing: barred(anOwner) }, 'organizations/update').subject).toBe(1);
    expect(
      thrownBy(() => authorizedViewOfOwner({ subject: 1, standing: barred(member()) }, 'organizations/read')),
    ).toMatchObject(refused);
    expect(thrownBy(() => authorizedViewOfOwner(undefined, 'organizations/update'))).toMatchObject(missing);
  });
});

describe('what a port found', () => {
  const seen = { subject: 'the thing', standing: anOwner };

  it('is handed on to a caller who may', () => {
    expect(authorizedView(seen, 'workspaces/read')).toBe(seen);
    expect(authorized(seen, 'workspaces/read')).toBe('the thing');
  });

  it('is missing in the same words whether it does not exist or is hidden', () => {
    const hidden = { subject: 'the thing', standing: anOutsider };
    for (const find of [authorizedView, authorized]) {
      const [absent, concealed] = [undefined, hidden].map((found) => thrownBy(() => find(found, 'workspaces/read')));
      expect(absent).toMatchObject(missing);
      expect(concealed).toMatchObject(missing);
    }
  });
});

describe('which workspaces a list may hold', () => {
  it('is all for owners, organization tokens and those who read every workspace', () => {
    for (const standing of [anOwner, anOrganizationToken]) expect(workspaceVisibility(standing)).toBe('all');
    for (const permission of ['manage-workspaces', 'read-workspaces', 'manage-policies'] as const) {
      expect(workspaceVisibility(member({ access: new Set([permission]) }))).toBe('all');
    }
  });

  it('is those of the caller’s teams for everybody else', () => {
    expect(workspaceVisibility(member({}, { access: new Set(['manage-teams']) }))).toEqual({
      throughTeams: ['team-1', 'team-2'],
    });
    expect(workspaceVisibility(anOutsider)).toEqual({ throughTeams: [] });
  });

  it('is, for projects, all for those who read every project, and those of their teams for others', () => {
    for (const standing of [anOwner, anOrganizationToken]) expect(projectVisibility(standing)).toBe('all');
    expect(projectVisibility(member({}, {}))).toEqual({ throughTeams: ['team-1', 'team-2'] });
  });
});

describe('which teams a list may hold', () => {
  it('is all for a caller who sees the secret teams of others', () => {
    for (const standing of [anOwner, anOrganizationToken, holding('access-secret-teams')]) {
      expect(teamVisibility(standing)).toBe('all');
    }
  });

  it('is the visible ones and the caller’s own for everybody else', () => {
    expect(teamVisibility(member({}, {}))).toEqual({ visibleAnd: ['team-1', 'team-2'] });
    expect(teamVisibility(holding('manage-teams'))).toEqual({ visibleAnd: ['team-1'] });
    expect(teamVisibility(member())).toEqual({ visibleAnd: [] });
  });

  it('is, for the access to a project, that of visible teams for a caller who reads only those', () => {
    expect(projectAccessVisibility(anOwner)).toBe('all');
    const project = { ...customProjectDefaults.project, teams: 'read' } as const;
    const reader = member({ projectGrant: { access: 'custom', permissions: { ...customProjectDefaults, project } } });
    expect(projectAccessVisibility(reader)).toEqual({ own: ['team-1'], visible: true });
    expect(projectAccessVisibility(member({}))).toEqual({ own: ['team-1'], visible: false });
  });

  it('does not depend on the team the standing was last about', () => {
    expect(teamVisibility(towards(member({}), { teamId: 'team-1', secret: true }))).toEqual({ visibleAnd: ['team-1'] });
  });
});

describe('an actor', () => {
  const user: Actor = { kind: 'user', tokenId: 'at-1', userId: 'user-1', siteAdministrator: true };
  const team: Actor = { kind: 'team', tokenId: 'at-2', teamId: 'team-1', organizationId: 'org-1' };
  const organization: Actor = { kind: 'organization', tokenId: 'at-3', organizationId: 'org-1' };

  it('is recorded as what its token stands for', () => {
    expect([user, team, organization].map(identityOf)).toEqual([
      { kind: 'user', id: 'user-1' },
      { kind: 'team', id: 'team-1' },
      { kind: 'organization', id: 'org-1' },
    ]);
  });

  it('that stands for the creator of something is never a site administrator, and comes with no token', () => {
    const creators = [user, team, organization].map(identityOf) as readonly TokenOwner[];
    expect(creators.map(actingFor)).toEqual([
      { kind: 'user', userId: 'user-1', siteAdministrator: false, tokenId: '' },
      { kind: 'team', teamId: 'team-1', organizationId: '', tokenId: '' },
      null,
    ]);
  });

  it('that is a run reads the states that are shared with it, and does nothing else', () => {
    const allowed = (shared: boolean) => actions.filter((action) => may(runStanding(shared), action));
    expect(allowed(true)).toEqual(['state-versions/read-shared']);
    expect(allowed(false)).toEqual([]);
  });

  it('enters with a token, or with a session of some age that was unused for some time', () => {
    const person = { kind: 'user', tokenId: 'at-1', userId: 'user-1', siteAdministrator: false } as const;
    const signedInWith = { kind: 'identity' } as const;
    const session = { signedInWith, at: later(noon, 30), createdAt: noon, lastUsedAt: later(noon, 20), longestIdle: 5 };
    expect(entryOf(person)).toEqual({ withToken: true, idle: 0, age: 0 });
    expect(entryOf({ ...person, session })).toEqual({ withToken: false, idle: 10, age: 30 });
    expect(entryOf({ ...person, session: { ...session, longestIdle: 12 } })).toMatchObject({ idle: 12 });
    expect(entryOf({ ...person, session: { ...session, lastUsedAt: null } })).toMatchObject({ idle: 30 });
    for (const other of [{ kind: 'link' }, { kind: 'token', id: 'at-1', expiresAt: null }] as const) {
      expect(entryOf({ ...person, session: { ...session, signedInWith: other } })).toEqual({
        withToken: true,
        idle: 10,
        age: 30,
      });
    }
    // No organization bars a site administrator, or a creator in whose name the service acts without a token.
    expect(entryOf({ ...person, siteAdministrator: true })).toBeUndefined();
    expect(entryOf({ ...person, tokenId: '' })).toBeUndefined();
  });

  it('may do on the site what a site administrator may, and what is its own', () => {
    const allowed = (actor: Actor, own?: boolean) =>
      actions.filter((action) => may(standingOnSite(actor, own), action));
    expect(allowed(user)).toEqual([
      'organizations/create',
      'organizations/give-groups',
      'users/manage',
      'site-agent-pools/manage',
      'effects/read',
      'effects/retry',
      'audit-events/read-site',
    ]);
    expect(allowed({ ...user, siteAdministrator: false })).toEqual([]);
    expect(allowed({ ...user, siteAdministrator: false }, true)).toEqual([
      'user-tokens/manage',
      'sessions/manage',
      'identities/manage',
    ]);
    expect(allowed(team)).toEqual([]);
    expect(allowed(organization)).toEqual([]);
  });
});

describe('a refusal', () => {
  it('is known by its name and code, also when it comes from another copy of the package', () => {
    const foreign = Object.assign(new Error('resource not found'), { name: 'DomainError', code: 'resource/not-found' });
    expect(isDomainError(new DomainError('runs/in-progress', 'a run is in progress'))).toBe(true);
    expect(isDomainError(notFound())).toBe(true);
    expect(isDomainError(foreign)).toBe(true);
  });

  it('is nothing else', () => {
    for (const other of [
      new Error('boom'),
      Object.assign(new Error('x'), { code: 'ENOENT' }),
      { name: 'DomainError' },
      null,
    ]) {
      expect(isDomainError(other)).toBe(false);
    }
    expect(isDomainError(Object.assign(new Error('x'), { name: 'DomainError' }))).toBe(false);
    expect(isDomainError({ name: 'DomainError', code: 'resource/not-found' })).toBe(false);
  });
});

describe('a custom grant without runs', () => {
  it('shows neither the workspace nor its configuration versions', () => {
    const standing = member({ grant: custom({ variables: 'write', stateVersions: 'write', workspaceLocking: true }) });
    expect(may(standing, 'workspaces/read')).toBe(false);
    expect(may(standing, 'configuration-versions/read')).toBe(false);
  });
});
