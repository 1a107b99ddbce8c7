import { describe, expect, it } from '@jest/globals';
import { checkCovered } from '../../src/domain/authorization/covered-grant.js';
import { movedTo } from '../../src/domain/authorization/standing.js';
import {
  impliedBy,
  impliedInProject,
  may,
  type PermissionsInProject,
  type ProjectAccessLevel,
  type ProjectGrant,
  type ProjectPermissions,
  permissionsInProject,
  projectAccessLevels,
  type RequestedInProject,
  type Standing,
  TeamProject,
  type Unnamed,
} from '../../src/domain/index.js';
import {
  customProjectDefaults,
  fixedProjectLevels,
  projectScaleNames,
} from '../../src/domain/team-access/project-access-level.js';
import { aTeamProject, unbounded } from '../support/builders.js';
import { fc } from '../support/properties.js';
import { anOrganizationToken, anOwner, anyProjectGrant, aTeam, member, theOwnersTeam, thrownBy } from './samples.js';

const none = { project: {}, workspaces: {} };
const team = aTeam();
const project = { id: 'prj-1', organizationId: team.organizationId };

const newProjectGrant = (access: ProjectAccessLevel, permissions: RequestedInProject): ProjectGrant =>
  TeamProject.grant('tprj-1', team, project, { access, permissions }, unbounded).state.grant;

const changedProjectGrant = (
  grant: ProjectGrant,
  access: ProjectAccessLevel | undefined,
  permissions: RequestedInProject,
  unnamed: Unnamed,
): ProjectGrant =>
  aTeamProject(team.id, project.id, { grant }).change({ access, permissions, unnamed }, unbounded).state.grant;

const custom = (
  project: Partial<ProjectPermissions>,
  workspaces: Partial<PermissionsInProject['workspaces']> = {},
): ProjectGrant => ({
  access: 'custom',
  permissions: {
    project: { ...customProjectDefaults.project, ...project },
    workspaces: { ...customProjectDefaults.workspaces, ...workspaces },
  },
});

describe('the access levels of a project', () => {
  it('are the five that clients know', () => {
    expect(projectAccessLevels).toEqual(['read', 'write', 'maintain', 'admin', 'custom']);
    expect(fixedProjectLevels).toEqual(Object.keys(impliedInProject));
  });

  it('imply the permissions that clients expect', () => {
    const read = { settings: 'read', teams: 'none', variableSets: 'read', create: false, move: false, delete: false };
    const maintain = { ...read, create: true, move: true, delete: true };
    expect(impliedInProject).toEqual({
      read: { project: read, workspaces: impliedBy.read },
      write: { project: read, workspaces: impliedBy.write },
      maintain: { project: maintain, workspaces: impliedBy.admin },
      admin: {
        project: { ...maintain, settings: 'delete', teams: 'manage', variableSets: 'write' },
        workspaces: impliedBy.admin,
      },
    });
    const least = { ...read, variableSets: 'none' };
    expect(customProjectDefaults).toMatchObject({ project: least, workspaces: { runs: 'read', variables: 'none' } });
  });
});

describe('a grant on a project', () => {
  it.each(fixedProjectLevels)('of %s is that level and nothing more', (access) => {
    expect(newProjectGrant(access, none)).toEqual({ access });
  });

  it('of custom allows what is asked for, and the default of what is not', () => {
    expect(newProjectGrant('custom', none)).toEqual(custom({}));
    const requested = { project: { teams: 'read' }, workspaces: { variables: 'write' } } as const;
    expect(newProjectGrant('custom', requested)).toEqual(custom({ teams: 'read' }, { variables: 'write' }));
  });

  it.each([
    ['Project access', 'projectAccess', { project: { settings: 'read' }, workspaces: {} }],
    ['Workspace access', 'workspaceAccess', { project: {}, workspaces: { runs: 'read' } }],
  ] as const)('of a fixed level refuses %s, even where the level implies it', (label, attribute, requested) => {
    for (const access of fixedProjectLevels) {
      expect(thrownBy(() => newProjectGrant(access, requested))).toMatchObject({
        code: 'team-access/permissions-are-custom-only',
        message: `${label} is read-only when access level is '${access}'; use the 'custom' access level to set this attribute.`,
        details: { attribute },
      });
    }
  });

  it('keeps what a change does not name', () => {
    const current = custom({ create: true }, { runs: 'apply' });
    const requested = { project: { move: true }, workspaces: {} };
    const changed = custom({ create: true, move: true }, { runs: 'apply' });
    expect(changedProjectGrant(current, undefined, requested, 'default')).toEqual(changed);
    expect(changedProjectGrant(current, 'custom', requested, 'default')).toEqual(changed);
    expect(changedProjectGrant(current, 'read', none, 'default')).toEqual({ access: 'read' });
    expect(changedProjectGrant({ access: 'admin' }, undefined, none, 'default')).toEqual({ access: 'admin' });
  });

  it('that becomes custom starts from the default, or from what its level implied', () => {
    const requested = { project: {}, workspaces: { runTasks: false } };
    expect(changedProjectGrant({ access: 'maintain' }, 'custom', requested, 'default')).toEqual(
      custom({}, { runTasks: false }),
    );
    const { project, workspaces } = impliedInProject.maintain;
    expect(changedProjectGrant({ access: 'maintain' }, 'custom', requested, 'as-implied')).toEqual({
      access: 'custom',
      permissions: { project, workspaces: { ...workspaces, runTasks: false } },
    });
  });
});

describe('the access of a team to a project', () => {
  it('is granted once, and changed revision by revision', () => {
    const granted = TeamProject.grant('tprj-1', team, project, { access: 'read', permissions: none }, unbounded);
    const { state } = granted;
    expect(state).toEqual({
      id: 'tprj-1',
      teamId: team.id,
      projectId: 'prj-1',
      grant: { access: 'read' },
      revision: 0,
    });
    const changed = granted.change({ access: 'write', permissions: none, unnamed: 'default' }, unbounded);
    expect(changed.state).toEqual({ ...state, grant: { access: 'write' }, revision: 1 });
    expect(() => Object.assign(changed.state, { revision: 0 })).toThrow(TypeError);
  });

  it('is refused to owners, and to a team of another organization', () => {
    const grantTo = (to: typeof team, organizationId: string) => () =>
      TeamProject.grant(
        'tprj-1',
        to,
        { id: 'prj-1', organizationId },
        { access: 'read', permissions: none },
        unbounded,
      );
    const owners = grantTo(theOwnersTeam, theOwnersTeam.organizationId);
    expect(thrownBy(owners)).toMatchObject({ code: 'owners-team/protected' });
    expect(thrownBy(grantTo(team, 'org-other'))).toMatchObject({ code: 'resource/not-found' });
  });
});

describe('giving access to a project', () => {
  const refused = { code: 'resource/not-found', message: expect.stringContaining('requires every permission') };
  const gives = (standing: Standing, grant: ProjectGrant): boolean => {
    try {
      checkCovered(standing, grant);
      return true;
    } catch (error) {
      expect(error).toMatchObject(refused);
      return false;
    }
  };

  it('is for those who have each of its permissions, on the project and on its workspaces', () => {
    const had = custom({ settings: 'update', teams: 'none' }, { runs: 'apply', variables: 'none' });
    const giver = member({ projectGrant: had });
    expect(gives(giver, had)).toBe(true);
    expect(gives(giver, custom({ settings: 'update', teams: 'manage' }, { runs: 'apply' }))).toBe(false);
    expect(gives(giver, custom({ settings: 'delete', teams: 'none' }, { runs: 'apply' }))).toBe(false);
    expect(gives(giver, custom({ settings: 'update', teams: 'none' }, { runs: 'apply', variables: 'write' }))).toBe(
      false,
    );
  });

  it('of any kind is for owners, manage-projects, administrators of the project and the organization token', () => {
    const mighty = [
      anOwner,
      anOrganizationToken,
      member({ access: new Set(['manage-projects']) }),
      member({ projectGrant: { access: 'admin' } }),
    ];
    fc.assert(
      fc.property(anyProjectGrant, (grant) => {
        // No level includes overrides: those are given on workspaces.
        const { project, workspaces } = permissionsInProject(grant);
        const given = grant.access === 'custom' ? custom(project, { ...workspaces, policyOverrides: false }) : grant;
        for (const standing of mighty) expect(gives(standing, given)).toBe(true);
      }),
    );
  });

  it('is limited to what the caller has in the project', () => {
    const held = custom({ teams: 'manage', create: true }, { variables: 'read' });
    const standing = member({ projectGrant: held });
    expect(may(standing, 'project-access/manage')).toBe(true);
    expect(gives(standing, held)).toBe(true);
    expect(gives(standing, custom({}))).toBe(true);
    for (const more of [
      custom({ settings: 'update' }),
      custom({ variableSets: 'read' }),
      custom({ move: true }),
      custom({}, { variables: 'write' }),
      custom({}, { runs: 'plan' }),
    ]) {
      expect(gives(standing, more)).toBe(false);
    }
    for (const access of fixedProjectLevels) expect(gives(standing, { access })).toBe(false);
    const everything = { access: 'custom', permissions: impliedInProject.admin } as const;
    expect(gives(member({ projectGrant: everything }), everything)).toBe(true);
    expect(gives(member({ projectGrant: everything }), { access: 'maintain' })).toBe(false);
    expect(gives(member({ projectGrant: everything }), { access: 'admin' })).toBe(false);
    expect(gives(member({ projectGrant: everything }), { access: 'write' })).toBe(true);
  });
});

describe('a standing on a workspace that was moved', () => {
  it('has the grants on the new project, and those on the workspace', () => {
    const before = member({ grant: { access: 'admin' }, projectGrant: { access: 'read' } }, {});
    const target = member({ projectGrant: { access: 'write' } }, { projectGrant: { access: 'maintain' } });
    expect(movedTo(target, before).teams).toEqual([
      { ...before.teams[0], projectGrant: { access: 'write' } },
      { ...before.teams[1], projectGrant: { access: 'maintain' } },
    ]);
    expect(movedTo(member({}, {}), before).teams[0]).not.toHaveProperty('projectGrant');
  });
});

describe('the scales of a project', () => {
  it('run from the lowest level to the highest', () => {
    expect(projectScaleNames).toEqual(['settings', 'teams', 'variableSets', 'create', 'move', 'delete']);
  });
});
