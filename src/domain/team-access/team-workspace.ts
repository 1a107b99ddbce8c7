import { DomainError } from '../shared/domain-error.js';
import type { TeamId, TeamWorkspaceId, WorkspaceId } from '../shared/id.js';
import { type AccessLevel, customDefaults, type Grant, permissionsOf } from './access-level.js';
import type { Scale, WorkspacePermissions } from './workspace-permissions.js';

/** One team's rights on one workspace. */
export interface TeamWorkspace {
  readonly id: TeamWorkspaceId;
  readonly teamId: TeamId;
  readonly workspaceId: WorkspaceId;
  readonly grant: Grant;
  readonly revision: number;
}

/** The individual permissions a request names. */
export type RequestedPermissions = Partial<WorkspacePermissions>;

/** The wire name of each permission. */
const scaleAttributes = {
  runs: 'runs',
  variables: 'variables',
  stateVersions: 'state-versions',
  policyMocks: 'policy-mocks',
  workspaceLocking: 'workspace-locking',
  runTasks: 'run-tasks',
  policyOverrides: 'policy-overrides',
} as const satisfies Record<Scale, string>;

const labelled = (attribute: string): string =>
  attribute.charAt(0).toUpperCase() + attribute.slice(1).replaceAll('-', ' ');

/**
 * The only constructor of a grant. A custom grant starts from `base`. Throws `team-access/permissions-are-custom-only`
 * if individual permissions are requested with a fixed level, even those it implies.
 */
function grantOf(access: AccessLevel, requested: RequestedPermissions, base: WorkspacePermissions): Grant {
  if (access === 'custom') return { access, permissions: { ...base, ...requested } };
  const [scale] = Object.keys(requested) as Scale[];
  if (scale !== undefined) {
    const attribute = scaleAttributes[scale];
    throw new DomainError(
      'team-access/permissions-are-custom-only',
      `${labelled(attribute)} is read-only when access level is '${access}'; use the 'custom' access level to set this attribute.`,
      { attribute },
    );
  }
  return { access };
}

export const newGrant = (access: AccessLevel, requested: RequestedPermissions): Grant =>
  grantOf(access, requested, customDefaults);

/** The permissions of a grant that becomes custom, where the request does not name them. */
export type Unnamed = 'default' | 'as-implied';

/**
 * Unnamed permissions keep their custom value. After a change from a fixed level they get the default, or what the level
 * implied.
 */
export const changedGrant = (
  current: Grant,
  access: AccessLevel | undefined,
  requested: RequestedPermissions,
  unnamed: Unnamed,
): Grant => {
  const base = current.access === 'custom' || unnamed === 'as-implied' ? permissionsOf(current) : customDefaults;
  return grantOf(access ?? current.access, requested, base);
};
