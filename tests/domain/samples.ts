import {
  type Bundle,
  ConfigurationVersion,
  type ConfigurationVersionState,
  type Grant,
  organizationPermissions,
  type PermissionsInProject,
  type ProjectGrant,
  projectScales,
  Run,
  type RunFactsGathered,
  type RunState,
  runStatusesUnderLease,
  type Standing,
  scales,
  statuses,
  type Team,
  type TeamInQuestion,
  type TeamStanding,
  type WorkspacePermissions,
} from '../../src/domain/index.js';
import { fixedProjectLevels } from '../../src/domain/team-access/project-access-level.js';
import { nothing } from '../../src/domain/team-access/workspace-permissions.js';
import { someRunOptions } from '../support/builders.js';
import { fc } from '../support/properties.js';

export const noon = '2026-03-01T12:00:00.000Z';
export const later = '2026-03-01T12:05:00.000Z';
export const muchLater = '2026-03-08T12:05:00.000Z';

export const aBundle: Bundle = { key: 'bundle-1', bytes: 1024, sha256: 'a'.repeat(64) };
export const anotherBundle: Bundle = { key: 'bundle-2', bytes: 2048, sha256: 'b'.repeat(64) };

export const atRest = { isCurrent: false, runsInProgress: false, usedByRun: false };

const asCreated = {
  id: 'cv-1',
  workspaceId: 'ws-1',
  origin: 'api' as const,
  source: 'tfe-api',
  ingressAttributesId: null,
  createdBy: null,
  createdAt: noon,
};

export const aNewVersion = (given: Partial<Parameters<typeof ConfigurationVersion.create>[0]> = {}) =>
  ConfigurationVersion.create({ ...asCreated, ...given });

export const holdsBytes = (status: ConfigurationVersionState['status']): boolean =>
  status === 'uploaded' || status === 'backing_data_soft_deleted';

/** As a repository would bring it back, with a bundle where its status has one. */
export const aVersion = (given: Partial<ConfigurationVersionState> = {}): ConfigurationVersion =>
  ConfigurationVersion.restore({
    ...aNewVersion().state,
    bundle: holdsBytes(given.status ?? 'pending') ? aBundle : null,
    revision: 3,
    ...given,
  });

export const aLease = { poolId: 'apool-1', agent: 'agent-1', digest: 'a'.repeat(64), expiresAt: later };

const asQueued = {
  id: 'run-1',
  workspaceId: 'ws-1',
  configurationVersionId: 'cv-1',
  sequence: 1,
  source: 'tfe-api' as const,
  options: someRunOptions({ message: 'Queued manually' }),
  planOnly: false,
  savePlan: false,
  autoApply: false,
  createdBy: { kind: 'user' as const, id: 'user-1' },
  createdAt: noon,
};

type NewRun = Partial<Parameters<typeof Run.create>[0]>;

export const aNewRun = ({
  options,
  ...given
}: Omit<NewRun, 'options'> & { options?: Partial<RunState['options']> } = {}) =>
  Run.create({ ...asQueued, ...given, options: { ...asQueued.options, ...options } });

/** As a repository would bring it back, under a lease where its status has one. */
export const aRun = (given: Partial<RunState> = {}): Run =>
  Run.restore({
    ...aNewRun().state,
    lease: runStatusesUnderLease.includes(given.status ?? 'pending') ? aLease : null,
    revision: 3,
    ...given,
  });

/** It waits for others, and no policy applies. */
export const waiting: RunFactsGathered = {
  workspaceAvailable: false,
  workspaceHeld: false,
  filesMissing: false,
  creatorMayApply: false,
  cancelOverdue: false,
  prePlan: 'none',
  policyCheck: 'none',
  preApply: 'none',
  evaluationsOpen: true,
};

export const custom = (permissions: Partial<WorkspacePermissions>): Grant => ({
  access: 'custom',
  permissions: { ...nothing, ...permissions },
});

export const throughTeam = (given: Partial<TeamStanding> = {}): TeamStanding => ({
  teamId: 'team-1',
  owners: false,
  access: new Set(),
  ...given,
});

export const member = (...teams: readonly Partial<TeamStanding>[]): Standing => ({
  actor: 'user',
  siteAdministrator: false,
  member: true,
  teams: teams.map((given, index) => throughTeam({ teamId: `team-${index + 1}`, ...given })),
});

export const anOwner = member({ owners: true });
export const anOrganizationToken: Standing = { ...member(), actor: 'organization' };
export const anOutsider: Standing = { ...member(), member: false };

export const towards = (standing: Standing, given: Partial<TeamInQuestion> = {}): Standing => ({
  ...standing,
  team: {
    teamId: 'team-in-question',
    owners: false,
    secret: false,
    membersManageToken: true,
    access: new Set(),
    ...given,
  },
});

export const aTeam = (given: Partial<Team> = {}): Team => ({
  id: 'team-1',
  organizationId: 'org-1',
  organizationName: 'acme',
  name: 'platform',
  visibility: 'organization',
  membersManageToken: true,
  access: new Set(),
  ssoTeamId: null,
  owners: false,
  usersCount: 2,
  createdAt: noon,
  revision: 4,
  ...given,
});

export const theOwnersTeam = aTeam({ id: 'team-owners', name: 'owners', owners: true });

/** The error `check` threw, for asserting on its code, sentence and details at once. */
export function thrownBy(check: () => unknown): unknown {
  try {
    check();
  } catch (error) {
    return error;
  }
  throw new Error('expected a refusal');
}

export const anyFacts = fc.record({
  isCurrent: fc.boolean(),
  runsInProgress: fc.boolean(),
  usedByRun: fc.boolean(),
  outdated: fc.boolean(),
});

export const anyVersion: fc.Arbitrary<ConfigurationVersion> = fc
  .record({
    status: fc.constantFrom(...statuses),
    origin: fc.constantFrom('api' as const, 'version-control' as const),
    speculative: fc.boolean(),
    provisional: fc.boolean(),
    autoQueueRuns: fc.boolean(),
    revision: fc.nat(),
    failure: fc.constantFrom(null, { error: 'bad-archive', errorMessage: 'not a gzip stream' }),
    statusTimestamps: fc.constantFrom({}, { 'uploaded-at': noon }, { 'errored-at': noon, 'fetching-at': noon }),
    purgeAt: fc.constantFrom(null, noon, later, muchLater),
    createdBy: fc.constantFrom(null, { kind: 'user' as const, id: 'user-1' }),
  })
  .map(aVersion);

export const anyPermissions: fc.Arbitrary<WorkspacePermissions> = fc.record({
  runs: fc.constantFrom(...scales.runs),
  variables: fc.constantFrom(...scales.variables),
  stateVersions: fc.constantFrom(...scales.stateVersions),
  policyMocks: fc.constantFrom(...scales.policyMocks),
  workspaceLocking: fc.constantFrom(...scales.workspaceLocking),
  runTasks: fc.constantFrom(...scales.runTasks),
  policyOverrides: fc.constantFrom(...scales.policyOverrides),
});

export const anyGrant: fc.Arbitrary<Grant> = fc.oneof(
  fc.record({ access: fc.constantFrom('read' as const, 'plan' as const, 'write' as const, 'admin' as const) }),
  fc.record({ access: fc.constant('custom' as const), permissions: anyPermissions }),
);

export const anyPermissionsInProject: fc.Arbitrary<PermissionsInProject> = fc.record({
  project: fc.record({
    settings: fc.constantFrom(...projectScales.settings),
    teams: fc.constantFrom(...projectScales.teams),
    variableSets: fc.constantFrom(...projectScales.variableSets),
    create: fc.boolean(),
    move: fc.boolean(),
    delete: fc.boolean(),
  }),
  workspaces: anyPermissions,
});

export const anyProjectGrant: fc.Arbitrary<ProjectGrant> = fc.oneof(
  fc.record({ access: fc.constantFrom(...fixedProjectLevels) }),
  fc.record({ access: fc.constant('custom' as const), permissions: anyPermissionsInProject }),
);

export const anyOrganizationAccess = fc
  .subarray([...organizationPermissions])
  .map((permissions): TeamStanding['access'] => new Set(permissions));

const anyTeamId = fc.constantFrom('team-1', 'team-2', 'team-in-question');

export const anyTeamStanding: fc.Arbitrary<TeamStanding> = fc
  .record({
    teamId: anyTeamId,
    owners: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    access: anyOrganizationAccess,
    grant: fc.option(anyGrant),
    projectGrant: fc.option(anyProjectGrant),
  })
  .map(({ grant, projectGrant, ...team }) => ({
    ...team,
    ...(grant && { grant }),
    ...(projectGrant && { projectGrant }),
  }));

/** Callers that can exist, asking about some team. */
export const anyStanding: fc.Arbitrary<Standing> = fc
  .record({
    actor: fc.constantFrom('user' as const, 'team' as const, 'organization' as const),
    siteAdministrator: fc.boolean(),
    member: fc.boolean(),
    own: fc.boolean(),
    teams: fc.array(anyTeamStanding, { maxLength: 3 }),
    team: fc.record({
      teamId: anyTeamId,
      owners: fc.boolean(),
      secret: fc.boolean(),
      membersManageToken: fc.boolean(),
      access: anyOrganizationAccess,
    }),
  })
  .map((standing) => (standing.member && standing.actor !== 'organization' ? standing : { ...standing, teams: [] }));
