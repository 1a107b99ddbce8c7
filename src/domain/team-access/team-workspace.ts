import type { Scale, WorkspacePermissions } from '../authorization/workspace-permissions.js';
import { DomainError } from '../shared/domain-error.js';
import type { TeamId, TeamWorkspaceId, WorkspaceId } from '../shared/id.js';
import { type AccessLevel, customDefaults, type Grant } from './access-level.js';

/** One team's rights on one workspace. */
export interface TeamWorkspace {
  readonly id: TeamWorkspaceId;
  readonly teamId: TeamId;
  readonly workspaceId: WorkspaceId;
  readonly grant: Grant;
  readonly revision: number;
}

/** The detailed permissions a request names. */
export type RequestedPermissions = Partial<WorkspacePermissions>;

/** What a permission is called on the wire. */
const scaleAttributes = {
  runs: 'runs',
  variables: 'variables',
  stateVersions: 'state-versions',
  policyMocks: 'policy-mocks',
  workspaceLocking: 'workspace-locking',
  runTasks: 'run-tasks',
} as const satisfies Record<Scale, string>;

const labelled = (attribute: string): string =>
  attribute.charAt(0).toUpperCase() + attribute.slice(1).replaceAll('-', ' ');

/**
 * The only door to a grant. A custom one starts from `base`. Throws `team-access/permissions-are-custom-only` when
 * detailed permissions are asked for with a fixed level, even those that it implies.
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

/** What is not named stays, where it was custom before; from a fixed level to custom it gets the default. */
export const changedGrant = (current: Grant, access: AccessLevel | undefined, requested: RequestedPermissions): Grant =>
  grantOf(access ?? current.access, requested, current.access === 'custom' ? current.permissions : customDefaults);
