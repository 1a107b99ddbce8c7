import { describe, expect, it } from '@jest/globals';
import {
  type OrganizationAccess,
  type OrganizationPermission,
  teamInQuestion,
  visibilities,
} from '../../src/domain/index.js';
import {
  changedAccess,
  changeTeam,
  checkAccessChange,
  checkMembersRemain,
  checkRemovable,
  defaultTeamSettings,
} from '../../src/domain/supporting/teams/team.js';
import { fc, runs } from '../support/properties.js';
import {
  anOrganizationToken,
  anOutsider,
  anOwner,
  anyOrganizationAccess,
  aTeam,
  member,
  theOwnersTeam,
  thrownBy,
} from './samples.js';

const access = (...permissions: readonly OrganizationPermission[]): OrganizationAccess => new Set(permissions);
const ownersProtected = (message: string) => ({ code: 'owners-team/protected', message });

describe('changing a team', () => {
  it('applies what is named, keeps the rest and raises the revision', () => {
    const team = aTeam();
    expect(changeTeam(team, { name: 'network', visibility: 'secret' })).toEqual({
      ...team,
      name: 'network',
      visibility: 'secret',
      revision: 5,
    });
    expect(changeTeam(team, { access: access('manage-policies'), membersManageToken: false })).toEqual({
      ...team,
      access: access('manage-policies'),
      membersManageToken: false,
      revision: 5,
    });
    expect(team).toEqual(aTeam());
  });

  it('refuses a name that is not well formed', () => {
    expect(thrownBy(() => changeTeam(aTeam(), { name: 'two\nlines' }))).toMatchObject({
      code: 'attribute/invalid',
      details: { attribute: 'name' },
    });
  });

  it.each(['owners', 'Owners', 'OWNERS'])('refuses the name %s, which is the owners team’s', (name) => {
    expect(thrownBy(() => changeTeam(aTeam(), { name }))).toMatchObject({
      code: 'attribute/taken',
      message: 'Name has already been taken',
      details: { attribute: 'name' },
    });
  });

  it('lets a name contain that of the owners team', () => {
    expect(changeTeam(aTeam(), { name: 'co-owners' }).name).toBe('co-owners');
  });
});

describe('the owners team', () => {
  it('cannot be renamed', () => {
    for (const name of ['admins', 'Owners']) {
      expect(thrownBy(() => changeTeam(theOwnersTeam, { name }))).toMatchObject(
        ownersProtected('the owners team cannot be renamed'),
      );
    }
  });

  it('may be given its own name again, and another visibility', () => {
    expect(changeTeam(theOwnersTeam, { name: 'owners', visibility: 'secret' })).toMatchObject({
      name: 'owners',
      visibility: 'secret',
      revision: 5,
    });
  });

  it('cannot be given organization-level permissions, not even none', () => {
    for (const given of [access('manage-teams'), access()]) {
      expect(thrownBy(() => changeTeam(theOwnersTeam, { access: given }))).toMatchObject(
        ownersProtected('the owners team already has every permission'),
      );
    }
  });

  it('cannot be deleted, unlike any other', () => {
    expect(thrownBy(() => checkRemovable(theOwnersTeam))).toMatchObject(
      ownersProtected('the owners team cannot be deleted'),
    );
    expect(() => checkRemovable(aTeam())).not.toThrow();
  });

  it('cannot be left empty, unlike any other', () => {
    expect(thrownBy(() => checkMembersRemain(theOwnersTeam, 0))).toMatchObject(
      ownersProtected('the owners team of acme must have at least one active member'),
    );
    expect(() => checkMembersRemain(theOwnersTeam, 1)).not.toThrow();
    expect(() => checkMembersRemain(aTeam(), 0)).not.toThrow();
  });
});

describe('organization-level permissions asked for by name', () => {
  const held = access('manage-teams', 'read-workspaces');

  it('are given when true, taken when false, and otherwise stay as they are', () => {
    expect(changedAccess(held, { 'manage-policies': true, 'manage-teams': false })).toEqual(
      access('read-workspaces', 'manage-policies'),
    );
    expect(changedAccess(held, { 'manage-policies': undefined, 'manage-teams': undefined })).toEqual(held);
    expect(changedAccess(held, {})).toEqual(held);
  });

  it('may be given twice and taken twice', () => {
    expect(changedAccess(held, { 'manage-teams': true, 'manage-policies': false })).toEqual(held);
  });

  it('leave what the team held before untouched', () => {
    changedAccess(held, { 'manage-teams': false });
    expect(held).toEqual(access('manage-teams', 'read-workspaces'));
  });
});

describe('changing the organization-level permissions of a team', () => {
  const refused = { code: 'resource/not-found', message: 'resource not found' };

  it('is free for an owner', () => {
    expect(() => checkAccessChange(anOwner, access('manage-policies'), access('manage-workspaces'))).not.toThrow();
  });

  it('counts what the caller holds over all teams', () => {
    const caller = member({ access: access('manage-organization-access') }, { access: access('manage-policies') });
    expect(() => checkAccessChange(caller, access(), access('manage-policies'))).not.toThrow();
  });

  it('is refused to a caller who holds nothing', () => {
    for (const caller of [anOutsider, anOrganizationToken, member()]) {
      expect(thrownBy(() => checkAccessChange(caller, access(), access('manage-teams')))).toMatchObject(refused);
    }
  });

  it('passes exactly when every permission given or taken is held', () => {
    fc.assert(
      fc.property(anyOrganizationAccess, anyOrganizationAccess, anyOrganizationAccess, (held, from, to) => {
        const change = () => checkAccessChange(member({ access: held }), from, to);
        const given = [...to].filter((permission) => !from.has(permission));
        const taken = [...from].filter((permission) => !to.has(permission));
        if ([...given, ...taken].every((permission) => held.has(permission))) expect(change).not.toThrow();
        else expect(change).toThrow('resource not found');
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('a team', () => {
  it('is secret, without organization-level permissions, and by default lets members manage its token', () => {
    expect(defaultTeamSettings).toEqual({
      visibility: 'secret',
      membersManageToken: true,
      access: access(),
      ssoTeamId: null,
    });
    expect(visibilities).toEqual(['secret', 'organization']);
  });

  it('is put to the policy as what it is', () => {
    expect(
      teamInQuestion(aTeam({ visibility: 'secret', membersManageToken: false, access: access('manage-teams') })),
    ).toEqual({
      teamId: 'team-1',
      owners: false,
      secret: true,
      membersManageToken: false,
      access: access('manage-teams'),
    });
    expect(teamInQuestion(theOwnersTeam)).toEqual({
      teamId: 'team-owners',
      owners: true,
      secret: false,
      membersManageToken: true,
      access: access(),
    });
  });
});
