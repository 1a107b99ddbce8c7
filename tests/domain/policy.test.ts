import { describe, expect, it } from '@jest/globals';
import { actorGroups, subjectsOf } from '../../scripts/actor-kinds.js';
import { runStanding } from '../../src/domain/authorization/actor.js';
import {
  type Action,
  type Actor,
  actions,
  auditorStanding,
  authorize,
  claims,
  type Grant,
  isOpenTo,
  may,
  type OrganizationPermission,
  organizationPermissions,
  type Standing,
  standingOnSite,
  teamTokenVisibility,
  workspaceVisibility,
} from '../../src/domain/index.js';
import { customProjectDefaults } from '../../src/domain/team-access/project-access-level.js';
import { nothing } from '../../src/domain/team-access/workspace-permissions.js';
import { anOrganizationToken, anOutsider, anOwner, custom, member, throughTeam, towards } from './samples.js';

/** Which caller may do what, written by hand from the documented rules and not from the table the domain reads. */
const owners = ['owner', 'owners team token'];
const organizationToken = ['organization token'];
const auditToken = ['audit token'];

const projectFixed = ['project: read', 'project: write', 'project: maintain', 'project: admin'];
const maintaining = ['project: maintain', 'project: admin'];
const applyingInProject = ['project: write', ...maintaining];
const projectCustom = [
  'project settings: update',
  'project settings: delete',
  'project teams: read',
  'project teams: manage',
  'create workspaces',
  'move workspaces',
  'move workspaces, with runs: plan',
  'delete workspaces',
];
const reading = ['read', 'plan', 'write', 'admin', 'token of a team with write access', ...projectFixed];
const customRuns = ['runs: read', 'runs: plan', 'runs: apply', ...projectCustom];
const administeringEverywhere = ['manage-workspaces', 'manage-projects'];
const readingEverywhere = [...administeringEverywhere, 'read-workspaces', 'read-projects'];
const seeingRunsEverywhere = [...readingEverywhere, 'manage-policies', 'manage-policy-overrides'];
const mayReadRuns = [...owners, ...reading, ...customRuns, ...seeingRunsEverywhere];
const writing = [
  'write',
  'admin',
  'token of a team with write access',
  ...applyingInProject,
  ...administeringEverywhere,
];
const mayQueuePlans = [...owners, ...writing, 'plan', 'runs: plan', 'runs: apply', 'move workspaces, with runs: plan'];
const mayApply = [...owners, ...writing, 'runs: apply'];
const mayLock = [...owners, ...writing, 'workspace locking'];
const mayReadVariables = [...owners, ...reading, 'variables: read', 'variables: write', ...readingEverywhere];
const mayWriteVariables = [...owners, ...writing, 'variables: write'];
const mayWriteStates = [...owners, ...writing, 'state versions: write'];
const mayReadStates = [...owners, ...reading, 'state versions: read', 'state versions: write', ...readingEverywhere];
const mayAttachTasks = [...owners, 'admin', 'run tasks', ...maintaining, ...administeringEverywhere];
const administering = [...owners, 'admin', ...maintaining, ...administeringEverywhere];
const managingProjects = [...owners, ...organizationToken, 'manage-projects'];
const managingPools = [...owners, ...organizationToken, 'manage-agent-pools'];
const managingTeams = [...managingProjects, 'project: admin', 'project teams: manage'];

const withoutTeam = ['member without a team', ...organizationToken];
/** Any grant on the workspace, also one of nothing, or `runs: read` on every workspace. */
const withAccess = [
  ...mayReadRuns,
  'nothing',
  'variables: read',
  'variables: write',
  'state versions: read-outputs',
  'state versions: read',
  'state versions: write',
  'policy mocks: read',
  'workspace locking',
  'run tasks',
  'policy overrides',
  'policy overrides, with delegate-policy-overrides',
];
const withTeam = [
  ...withAccess,
  'token of a team without access',
  'delegate-policy-overrides',
  'manage-vcs-settings',
  'manage-run-tasks',
  'manage-agent-pools',
  'manage-membership',
  'manage-teams',
  'manage-organization-access',
  'access-secret-teams',
];
const members = [...withoutTeam, ...withTeam];
const strangers = ['site administrator', 'outsider'];

/** Team and organization tokens have no user, so no user can be their own. */
const people = [...strangers, ...members].filter((name) => !name.includes('token'));

const inTheTeam = { 'its own team': withTeam, 'its own team, whose token members cannot manage': withTeam };

/** `strong`: who besides owners reaches a team that holds an organization-level permission. */
const delegatedTo = (permission: string, strong: readonly string[] = []) => ({
  'a visible team': [...owners, ...organizationToken, permission],
  'a secret team': [...owners, ...organizationToken],
  'a team with `manage-workspaces`': [...owners, ...strong],
  'the owners team': owners,
  'its own team': [...owners, permission],
  'its own team, whose token members cannot manage': [...owners, permission],
});

const expected: Readonly<Record<Action, readonly string[] | Readonly<Record<string, readonly string[]>>>> = {
  'organizations/create': ['site administrator'],
  'organizations/read': members,
  'organizations/update': owners,
  'organizations/set-retention': owners,
  'organizations/delete': owners,
  'organizations/give-groups': ['site administrator'],
  'organization-tokens/manage': owners,
  'token-ttl-policies/read': members,
  'token-ttl-policies/manage': owners,
  'memberships/read': members,
  'memberships/manage': [...owners, ...organizationToken, 'manage-membership'],
  'users/manage': ['site administrator'],
  'user-tokens/manage': { itself: people, another: [] },
  'sessions/manage': { itself: people },
  'identities/manage': { itself: people },
  'workspaces/read': [...mayReadRuns, ...organizationToken],
  'projects/read': {
    'the project of the workspace': [...withAccess, ...organizationToken],
    'another project': [...owners, ...seeingRunsEverywhere, ...organizationToken],
  },
  'projects/create': managingProjects,
  'projects/update': [...managingProjects, 'project: admin', 'project settings: update', 'project settings: delete'],
  'projects/set-execution': [...owners, 'manage-projects', 'project: admin'],
  'projects/schedule-destroy': [...owners, 'manage-projects', 'project: admin'],
  'projects/delete': [...managingProjects, 'project: admin', 'project settings: delete'],
  'projects/move-workspaces': [...managingProjects, ...maintaining, 'move workspaces, with runs: plan'],
  'workspaces/create': [
    ...owners,
    ...organizationToken,
    ...administeringEverywhere,
    ...maintaining,
    'create workspaces',
  ],
  'tags/delete': [...owners, ...organizationToken, ...administeringEverywhere],
  'workspaces/update': [...administering, ...organizationToken],
  'workspaces/set-execution': administering,
  'workspaces/schedule-destroy': administering,
  'workspaces/set-retention': administering,
  'workspaces/link-repository': owners,
  'workspaces/delete': [...administering, ...organizationToken, 'delete workspaces'],
  'workspaces/force-delete': owners,
  'workspaces/lock': mayLock,
  'workspaces/force-unlock': administering,
  'variables/read': [...mayReadVariables, ...organizationToken],
  'variables/manage': [...mayWriteVariables, ...organizationToken],
  'run-tasks/manage': [...owners, 'manage-run-tasks'],
  'workspace-tasks/read': [...mayReadRuns, ...organizationToken],
  'workspace-tasks/manage': mayAttachTasks,
  'run-triggers/read': [...mayReadRuns, ...organizationToken],
  'run-triggers/manage': administering,
  'notification-configurations/manage': [...administering, ...organizationToken],
  'notification-configurations/manage-of-project': [
    ...managingProjects,
    'project: admin',
    'project settings: update',
    'project settings: delete',
  ],
  'notification-configurations/manage-of-team': delegatedTo('manage-teams', organizationToken),
  'teams/read': {
    'a visible team': members,
    'a secret team': [...owners, ...organizationToken, 'access-secret-teams'],
    'a team with `manage-workspaces`': members,
    'the owners team': members,
    ...inTheTeam,
  },
  'teams/create': [...owners, ...organizationToken, 'manage-teams'],
  'teams/update': delegatedTo('manage-teams', organizationToken),
  'teams/map-group': owners,
  'teams/delete': delegatedTo('manage-teams', organizationToken),
  'teams/set-organization-access': {
    'a visible team': [...owners, 'manage-organization-access'],
    'a secret team': owners,
    'a team with `manage-workspaces`': owners,
    'the owners team': owners,
    'its own team': [...owners, 'manage-organization-access'],
    'its own team, whose token members cannot manage': [...owners, 'manage-organization-access'],
  },
  'team-members/manage': delegatedTo('manage-membership'),
  'team-tokens/manage': { ...delegatedTo('manage-teams'), 'its own team': withTeam },
  'team-access/list': members,
  'team-access/read': {
    'a visible team': members,
    'a secret team': [...administering, ...organizationToken, 'access-secret-teams'],
    'a team with `manage-workspaces`': members,
    'the owners team': members,
    'its own team': [...withTeam, ...organizationToken],
    'its own team, whose token members cannot manage': [...withTeam, ...organizationToken],
  },
  'effective-access/read': {
    itself: mayReadRuns,
    'another user': owners,
    'a secret team with access to the workspace': administering,
    'a visible team with access to the project': administering,
    'a secret team with access to the project': [...owners, 'project: admin', 'manage-projects'],
    'a visible team without access': owners,
  },
  'effective-access/list': [...administering, ...organizationToken],
  'effective-access/list-all': [...owners, ...organizationToken],
  'project-access/read': {
    'a visible team': [...managingTeams, 'project teams: read'],
    'a secret team': managingTeams,
    'a team with `manage-workspaces`': [...managingTeams, 'project teams: read'],
    'the owners team': [...managingTeams, 'project teams: read'],
    'its own team': [...withTeam, ...organizationToken],
    'its own team, whose token members cannot manage': [...withTeam, ...organizationToken],
  },
  'project-access/manage': managingTeams,
  'team-access/manage': [...administering, ...organizationToken],
  'runs/read': [...mayReadRuns, ...organizationToken],
  'runs/queue': mayQueuePlans,
  'runs/comment': mayQueuePlans,
  'runs/apply': mayApply,
  'runs/force-cancel': administering,
  'runs/force-execute': mayApply,
  'plans/read-json-output': administering,
  'state-versions/read': [...mayReadStates, ...organizationToken],
  'state-versions/create': mayWriteStates,
  // No caller with a token: a run reads them by the URL of its job.
  'state-versions/read-shared': [],
  'state-version-outputs/read': [...mayReadStates, 'state versions: read-outputs', ...organizationToken],
  'policy-outcomes/read': [...mayReadRuns, ...organizationToken],
  'policy-outcomes/override': [
    ...owners,
    'manage-policy-overrides',
    'policy overrides, with delegate-policy-overrides',
  ],
  'variable-sets/manage': [...owners, 'manage-workspaces'],
  'variable-sets/manage-in-project': [...owners, 'manage-projects', 'project: admin'],
  'variable-sets/list-in-project': [...owners, ...administeringEverywhere, ...projectFixed],
  'variable-sets/list': [...owners, ...administeringEverywhere],
  'policy-sets/manage': [...owners, 'manage-policies'],
  'policy-sets/link-repository': owners,
  'policies/manage': [...owners, 'manage-policies'],
  'policy-trials/manage': [...owners, 'manage-policies'],
  'policy-trials/cancel': {
    'a trial that the caller asked for': [...owners, 'manage-policies'],
    'another trial': owners,
  },
  'agent-pools/list': managingPools,
  'agent-pools/create': managingPools,
  'agent-pools/read': {
    'a pool that is not in use': managingPools,
    'a pool that the workspace uses': [...managingPools, ...administering],
    'a pool that other workspaces use too': [...managingPools, ...administeringEverywhere],
    'a default pool that serves no workspace': managingPools,
  },
  'agent-pools/manage': {
    'a pool that is not in use': managingPools,
    'a pool that the workspace uses': administering,
    'a pool that other workspaces use too': [...owners, ...administeringEverywhere],
    'a default pool that serves no workspace': owners,
  },
  'site-agent-pools/manage': ['site administrator'],
  'effects/read': ['site administrator'],
  'effects/retry': ['site administrator'],
  'access-report/read': [...owners, ...auditToken],
  'audit-events/read': [...owners, ...auditToken],
  'audit-events/read-site': ['site administrator'],
  'audit-trails/read': [...organizationToken, ...auditToken],
  'configuration-versions/read': [...mayReadRuns, ...organizationToken],
  'configuration-versions/create': mayQueuePlans,
  'configuration-versions/archive': [...mayQueuePlans, ...organizationToken],
  'configuration-versions/manage-backing-data': [...administering, ...organizationToken],
};

const actors = actorGroups.flatMap((group) => group.actors);
const namesOf = (allowed: (standing: Standing) => boolean): readonly string[] =>
  actors.filter(({ standing }) => allowed(standing)).map(({ name }) => name);
const inOrder = (names: readonly string[]): readonly string[] =>
  actors.map(({ name }) => name).filter((name) => names.includes(name));

describe('the kinds of caller', () => {
  it('are all judged below, each under a name of its own', () => {
    const names = actors.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect([...new Set([...strangers, ...members, ...auditToken])].sort()).toEqual([...names].sort());
  });

  it('keep every right in a further team, which gives none', () => {
    const further = throughTeam({ teamId: 'a-further-team' });
    const lost = actors.flatMap(({ name, standing }) => {
      const joined = { ...standing, teams: [...standing.teams, further] };
      return actions.filter((action) => may(standing, action) && !may(joined, action)).map((action) => [name, action]);
    });
    expect(lost).toEqual([]);
  });
});

describe.each(actions)('%s', (action) => {
  const promised = expected[action];
  const subjects = subjectsOf(action);

  if (subjects.length === 0) {
    it('is allowed to the specified callers only', () => {
      expect(namesOf((standing) => may(standing, action))).toEqual(inOrder(promised as readonly string[]));
    });
  } else {
    const bySubject = promised as Readonly<Record<string, readonly string[]>>;

    it('is judged about every kind of subject', () => {
      expect(Object.keys(bySubject).sort()).toEqual(subjects.map(({ name }) => name).sort());
    });

    it.each(subjects)('about $name is allowed to the specified callers only', ({ name, of }) => {
      expect(namesOf((standing) => may(of(standing), action))).toEqual(inOrder(bySubject[name] ?? []));
    });
  }
});

const holding = (...permissions: readonly OrganizationPermission[]): Standing =>
  member({ access: new Set(permissions) });

describe('a claim named after an organization-level permission', () => {
  const named = [
    'manage-workspaces',
    'manage-projects',
    'manage-vcs-settings',
    'manage-policies',
    'manage-policy-overrides',
    'manage-agent-pools',
    'manage-membership',
    'manage-teams',
    'manage-organization-access',
  ] as const;

  it.each(named)('%s is true of its holders and of owners alone', (claim) => {
    expect(namesOf(claims[claim])).toEqual(inOrder([...owners, claim]));
  });
});

/** The actions of people on their own tokens, sessions and identities. */
const aboutOneself: ReadonlySet<Action> = new Set(['user-tokens/manage', 'sessions/manage', 'identities/manage']);

describe('an audit token', () => {
  const auditor: Actor = { kind: 'auditor', tokenId: 'at-1', organizationId: 'org-1' };

  it('reads the audit trail and the access report of its organization, and may do nothing else', () => {
    const everything = { secret: true, owners: false, membersManageToken: true };
    const allowed = actions.filter((action) => may(towards(auditorStanding(true), everything), action));
    expect(allowed).toEqual(['access-report/read', 'audit-events/read', 'audit-trails/read']);
    expect([null, ...actions].filter((action) => isOpenTo(auditor, action))).toEqual(allowed);
  });

  it('is nothing in another organization, or on the site', () => {
    for (const standing of [auditorStanding(false), standingOnSite(auditor), standingOnSite(auditor, true)]) {
      const allowed = actions.filter((action) => !aboutOneself.has(action) && may(towards(standing), action));
      expect(allowed).toEqual([]);
    }
  });

  it('has lists hold nothing', () => {
    const standing = auditorStanding(true);
    expect(workspaceVisibility(standing)).toEqual({ throughTeams: [] });
    expect(teamTokenVisibility(standing)).toEqual({ own: [], delegated: undefined });
    expect(claims.member(standing)).toBe(false);
  });
});

describe('an organization token', () => {
  const neverAllowed: readonly Action[] = [
    'configuration-versions/create',
    'runs/queue',
    'runs/comment',
    'runs/apply',
    'runs/force-cancel',
    'runs/force-execute',
    'policy-outcomes/override',
    'policy-sets/manage',
    'variable-sets/manage',
    'variable-sets/manage-in-project',
    'variable-sets/list',
    'variable-sets/list-in-project',
    'projects/set-execution',
    'projects/schedule-destroy',
    'workspaces/set-execution',
    'workspaces/schedule-destroy',
    'workspaces/set-retention',
    'workspaces/link-repository',
    'workspaces/lock',
    'workspaces/force-unlock',
    'organizations/update',
    'organizations/set-retention',
    'organizations/delete',
    'organization-tokens/manage',
    'teams/set-organization-access',
  ];

  it.each(neverAllowed)('never does %s', (action) => {
    expect(may(towards(anOrganizationToken), action)).toBe(false);
  });

  it('is nothing in another organization', () => {
    const elsewhere = towards({ ...anOrganizationToken, member: false });
    expect(actions.filter((action) => may(elsewhere, action))).toEqual([]);
  });

  it('sees and manages secret teams, but does not reach the owners', () => {
    expect(may(towards(anOrganizationToken, { secret: true }), 'teams/read')).toBe(true);
    expect(may(towards(anOrganizationToken, { secret: true }), 'team-tokens/manage')).toBe(true);
    for (const action of ['teams/update', 'teams/delete', 'team-members/manage', 'team-tokens/manage'] as const) {
      expect(may(towards(anOrganizationToken, { owners: true }), action)).toBe(false);
    }
  });

  it('changes and deletes teams that hold an organization-level permission, and does not act or join people through them', () => {
    for (const permission of organizationPermissions) {
      const strong = towards(anOrganizationToken, { access: new Set([permission]) });
      for (const action of ['teams/update', 'teams/delete'] as const) expect(may(strong, action)).toBe(true);
      for (const action of ['team-tokens/manage', 'team-members/manage'] as const) {
        expect(may(strong, action)).toBe(false);
      }
    }
  });
});

describe('a site administrator', () => {
  it('sees an organization only as its member', () => {
    const administrator = { ...anOutsider, siteAdministrator: true };
    expect(actions.filter((action) => may(towards(administrator), action))).toEqual([
      'organizations/create',
      'organizations/give-groups',
      'users/manage',
      'site-agent-pools/manage',
      'effects/read',
      'effects/retry',
      'audit-events/read-site',
    ]);
    expect(may({ ...administrator, member: true }, 'organizations/read')).toBe(true);
  });

  it('has no right over the tokens of others', () => {
    expect(may({ ...anOutsider, siteAdministrator: true, own: false }, 'user-tokens/manage')).toBe(false);
  });
});

describe('administering a workspace', () => {
  const everyPermission = custom({
    runs: 'apply',
    variables: 'write',
    stateVersions: 'write',
    policyMocks: 'read',
    workspaceLocking: true,
    runTasks: true,
    policyOverrides: true,
  });

  it('takes the admin level: every custom permission together is not enough', () => {
    const standing = member({ grant: everyPermission });
    expect(may(standing, 'runs/apply')).toBe(true);
    expect(may(standing, 'workspaces/lock')).toBe(true);
    for (const action of [
      'workspaces/update',
      'workspaces/delete',
      'workspaces/force-unlock',
      'configuration-versions/manage-backing-data',
    ] as const) {
      expect(may(standing, action)).toBe(false);
    }
  });

  it('may come through any one of several teams', () => {
    expect(may(member({ grant: { access: 'read' } }, { grant: { access: 'admin' } }), 'workspaces/update')).toBe(true);
  });

  it('does not let create workspaces', () => {
    expect(may(member({ grant: { access: 'admin' } }), 'workspaces/create')).toBe(false);
  });
});

describe('variable sets of a project', () => {
  const inProject = (variableSets: 'read' | 'write', variables: 'none' | 'read' | 'write'): Standing =>
    member({
      projectGrant: {
        access: 'custom',
        permissions: {
          project: { ...customProjectDefaults.project, variableSets },
          workspaces: { ...nothing, variables },
        },
      },
    });

  it.each([
    ['variable-sets/manage-in-project', 'write', 'write', true],
    ['variable-sets/manage-in-project', 'write', 'read', false],
    ['variable-sets/manage-in-project', 'read', 'write', false],
    ['variable-sets/list-in-project', 'read', 'read', true],
    ['variable-sets/list-in-project', 'write', 'none', false],
  ] as const)('%s with %s on the sets and %s on variables: %s', (action, sets, variables, allowed) => {
    expect(may(inProject(sets, variables), action)).toBe(allowed);
  });
});

describe('the effective access of a secret team with access to the project', () => {
  it('takes administering the workspace and managing the teams of the project: locking it is not enough', () => {
    const managing = { project: { ...customProjectDefaults.project, teams: 'manage' }, workspaces: nothing } as const;
    const projectGrant = { access: 'custom', permissions: managing } as const;
    const about = { secret: true, grantOn: 'project' } as const;
    const readable = (grant: Grant) => may(towards(member({ projectGrant, grant }), about), 'effective-access/read');
    expect(readable({ access: 'admin' })).toBe(true);
    expect(readable(custom({ workspaceLocking: true }))).toBe(false);
  });
});

describe('a state of another workspace', () => {
  it('is read by the runs of those workspaces that it is shared with', () => {
    expect(may(runStanding(true), 'state-versions/read-shared')).toBe(true);
    expect(may(runStanding(false), 'state-versions/read-shared')).toBe(false);
  });
});

describe('linking a repository', () => {
  it('takes administering the workspace and managing version control, over all teams', () => {
    const vcs = { access: new Set(['manage-vcs-settings'] as const) };
    const admin = { grant: { access: 'admin' } } as const;
    for (const teams of [[{ ...vcs, ...admin }], [vcs, admin]]) {
      expect(may(member(...teams), 'workspaces/link-repository')).toBe(true);
    }
    expect(may(holding('manage-workspaces', 'manage-vcs-settings'), 'workspaces/link-repository')).toBe(true);
    expect(may(member(vcs, { grant: { access: 'write' } }), 'workspaces/link-repository')).toBe(false);
    expect(may(member(admin), 'workspaces/link-repository')).toBe(false);
  });

  it('to a policy set takes managing policies and version control, over all teams', () => {
    const both = ['manage-policies', 'manage-vcs-settings'] as const;
    expect(may(holding(...both), 'policy-sets/link-repository')).toBe(true);
    const teams = both.map((permission) => ({ access: new Set([permission]) }));
    expect(may(member(...teams), 'policy-sets/link-repository')).toBe(true);
    for (const permission of both) expect(may(holding(permission), 'policy-sets/link-repository')).toBe(false);
  });

  it('is refused in words to a caller who manages policies, and otherwise as if the set did not exist', () => {
    const linking = (standing: Standing) => () => authorize(standing, 'policy-sets/link-repository');
    expect(linking(holding('manage-policies'))).toThrow(
      'not authorized: requires manage-policies, manage-vcs-settings',
    );
    expect(linking(holding('manage-vcs-settings'))).toThrow('resource not found');
  });
});

describe('managing teams', () => {
  const reach = ['teams/update', 'teams/delete', 'team-tokens/manage'] as const;

  it.each(reach)('%s does not reach a team that may do what the caller may not', (action) => {
    const strongerTeam = { access: new Set(['read-workspaces', 'manage-policies'] as const) };
    expect(may(towards(holding('manage-teams'), strongerTeam), action)).toBe(false);
    expect(may(towards(holding('manage-teams', 'read-workspaces'), strongerTeam), action)).toBe(false);
    expect(may(towards(holding('manage-teams', 'read-workspaces', 'manage-policies'), strongerTeam), action)).toBe(
      true,
    );
  });

  it.each(reach)('%s does not reach the owners team, whatever the caller holds', (action) => {
    const nearlyOwner = member({
      access: new Set<OrganizationPermission>([
        'manage-workspaces',
        'read-workspaces',
        'manage-policies',
        'manage-policy-overrides',
        'manage-vcs-settings',
        'manage-agent-pools',
        'manage-membership',
        'manage-teams',
        'manage-organization-access',
        'access-secret-teams',
      ]),
    });
    expect(may(towards(nearlyOwner, { owners: true }), action)).toBe(false);
    expect(may(towards(anOwner, { owners: true }), action)).toBe(true);
  });

  it.each(reach)('%s does not reach a secret team that the caller does not see', (action) => {
    expect(may(towards(holding('manage-teams'), { secret: true }), action)).toBe(false);
    expect(may(towards(holding('manage-teams', 'access-secret-teams'), { secret: true }), action)).toBe(true);
    expect(may(towards(anOwner, { secret: true }), action)).toBe(true);
  });

  it('counts what the caller holds over all teams', () => {
    const standing = member({ access: new Set(['manage-teams']) }, { access: new Set(['read-workspaces']) });
    expect(may(towards(standing, { access: new Set(['read-workspaces']) }), 'teams/update')).toBe(true);
  });

  it('is nothing where no team is in question', () => {
    for (const standing of [anOwner, anOrganizationToken, holding('manage-teams')]) {
      for (const action of [...reach, 'teams/read', 'team-members/manage', 'teams/set-organization-access'] as const) {
        expect(may(standing, action)).toBe(false);
      }
    }
  });
});

describe('managing the members of teams', () => {
  it('does not let a caller gain through a team what the caller lacks', () => {
    const stronger = { access: new Set(['manage-workspaces'] as const) };
    expect(may(towards(holding('manage-membership'), stronger), 'team-members/manage')).toBe(false);
    expect(may(towards(holding('manage-membership', 'manage-workspaces'), stronger), 'team-members/manage')).toBe(true);
  });

  it('is apart from managing the teams', () => {
    expect(may(towards(holding('manage-membership')), 'teams/update')).toBe(false);
    expect(may(towards(holding('manage-teams')), 'team-members/manage')).toBe(false);
  });

  it('does not allow making a member an owner', () => {
    expect(may(towards(holding('manage-membership'), { owners: true }), 'team-members/manage')).toBe(false);
    expect(may(towards(anOwner, { owners: true }), 'team-members/manage')).toBe(true);
  });
});

describe('setting the organization access of a team', () => {
  it('needs the right to do so, sight of the team, and reach', () => {
    const action = 'teams/set-organization-access';
    expect(may(towards(holding('manage-organization-access')), action)).toBe(true);
    expect(may(towards(holding('manage-teams')), action)).toBe(false);
    expect(may(towards(holding('manage-organization-access'), { secret: true }), action)).toBe(false);
    expect(may(towards(holding('manage-organization-access'), { owners: true }), action)).toBe(false);
    expect(may(towards(holding('manage-organization-access'), { access: new Set(['manage-teams']) }), action)).toBe(
      false,
    );
  });
});

describe('the token of a team', () => {
  const mine = { teamId: 'team-1', secret: true };

  it('is managed by members of the team while the team lets them', () => {
    expect(may(towards(member({}), { ...mine, membersManageToken: true }), 'team-tokens/manage')).toBe(true);
    expect(may(towards(member({}), { ...mine, membersManageToken: false }), 'team-tokens/manage')).toBe(false);
  });

  it('is not managed by members of other teams, however much that team lets its own', () => {
    expect(may(towards(member({}, {}), { membersManageToken: true }), 'team-tokens/manage')).toBe(false);
  });

  it('is managed through any of several teams', () => {
    expect(may(towards(member({}, {}), { ...mine, teamId: 'team-2' }), 'team-tokens/manage')).toBe(true);
  });

  it('is not read or changed by way of the rest: seeing a team is not managing its token', () => {
    expect(may(towards(member(), { secret: false }), 'teams/read')).toBe(true);
    expect(may(towards(member(), { secret: false }), 'team-tokens/manage')).toBe(false);
  });
});

describe('a secret team', () => {
  const secret = { secret: true };

  it('is seen by its members, owners, holders of access-secret-teams and the organization token', () => {
    expect(may(towards(member({}), { ...secret, teamId: 'team-1' }), 'teams/read')).toBe(true);
    expect(may(towards(anOwner, secret), 'teams/read')).toBe(true);
    expect(may(towards(holding('access-secret-teams'), secret), 'teams/read')).toBe(true);
    expect(may(towards(anOrganizationToken, secret), 'teams/read')).toBe(true);
  });

  it('is hidden from everybody else', () => {
    expect(may(towards(member({}), secret), 'teams/read')).toBe(false);
    expect(may(towards(anOutsider, secret), 'teams/read')).toBe(false);
    expect(may(towards(holding('manage-teams', 'manage-membership', 'manage-workspaces'), secret), 'teams/read')).toBe(
      false,
    );
    expect(may(towards(member({ grant: { access: 'admin' } }), secret), 'teams/read')).toBe(false);
  });
});
