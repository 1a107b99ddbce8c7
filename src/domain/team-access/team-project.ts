import { DomainError } from '../shared/domain-error.js';
import type { ProjectId, TeamId, TeamProjectId } from '../shared/id.js';
import {
  customProjectDefaults,
  type PermissionsInProject,
  type ProjectAccessLevel,
  type ProjectGrant,
  type ProjectPermissions,
  type ProjectScale,
  permissionsInProject,
} from './project-access-level.js';
import type { Unnamed } from './team-workspace.js';
import type { WorkspacePermissions } from './workspace-permissions.js';

/** One team's rights on one project and its workspaces. */
export interface TeamProject {
  readonly id: TeamProjectId;
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly grant: ProjectGrant;
  readonly revision: number;
}

/** The individual permissions a request names. */
export interface RequestedInProject {
  readonly project: Partial<ProjectPermissions>;
  readonly workspaces: Partial<WorkspacePermissions>;
}

const labels = { projectAccess: 'Project access', workspaceAccess: 'Workspace access' } as const;

/** Clients send the other scales as access to workspaces. */
const ofProjectItself: ReadonlySet<string> = new Set<ProjectScale>(['settings', 'teams', 'variableSets']);

function grantOf(access: ProjectAccessLevel, requested: RequestedInProject, base: PermissionsInProject): ProjectGrant {
  if (access === 'custom') {
    const project = { ...base.project, ...requested.project };
    return { access, permissions: { project, workspaces: { ...base.workspaces, ...requested.workspaces } } };
  }
  const attribute = Object.keys(requested.project).some((scale) => ofProjectItself.has(scale))
    ? 'projectAccess'
    : 'workspaceAccess';
  if (Object.keys({ ...requested.project, ...requested.workspaces }).length > 0) {
    throw new DomainError(
      'team-access/permissions-are-custom-only',
      `${labels[attribute]} is read-only when access level is '${access}'; use the 'custom' access level to set this attribute.`,
      { attribute },
    );
  }
  return { access };
}

/**
 * Throws `team-access/permissions-are-custom-only` if individual permissions are requested with a fixed level, even those
 * it implies.
 */
export const newProjectGrant = (access: ProjectAccessLevel, requested: RequestedInProject): ProjectGrant =>
  grantOf(access, requested, customProjectDefaults);

/** As `changedGrant` does for workspaces. */
export const changedProjectGrant = (
  current: ProjectGrant,
  access: ProjectAccessLevel | undefined,
  requested: RequestedInProject,
  unnamed: Unnamed,
): ProjectGrant => {
  const base =
    current.access === 'custom' || unnamed === 'as-implied' ? permissionsInProject(current) : customProjectDefaults;
  return grantOf(access ?? current.access, requested, base);
};
