import type { ProjectId, TeamId, TeamProjectId } from '../shared/id.js';
import { revised } from '../shared/revision.js';
import { checkOutlived, type EndBounds, type RequestedEnd, withEnd } from './ending.js';
import { checkGrantable, customOnly, type GrantedPlace, type GrantedTeam, type Unnamed } from './granting.js';
import {
  customProjectDefaults,
  includesProjectGrant,
  type PermissionsInProject,
  type ProjectAccessLevel,
  type ProjectGrant,
  type ProjectPermissions,
  type ProjectScale,
  permissionsInProject,
} from './project-access-level.js';
import type { Timed } from './timed-grant.js';
import type { WorkspacePermissions } from './workspace-permissions.js';

export interface TeamProjectState {
  readonly id: TeamProjectId;
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly grant: Timed<ProjectGrant>;
  readonly revision: number;
}

/** The individual permissions a request names. */
export interface RequestedInProject {
  readonly project: Partial<ProjectPermissions>;
  readonly workspaces: Partial<WorkspacePermissions>;
}

export interface RequestedProjectGrant extends RequestedEnd {
  readonly access: ProjectAccessLevel;
  readonly permissions: RequestedInProject;
}

/** An unnamed level keeps its value. */
export interface ProjectGrantChange extends RequestedEnd {
  readonly access: ProjectAccessLevel | undefined;
  readonly permissions: RequestedInProject;
  readonly unnamed: Unnamed;
}

/** One team's rights on one project and its workspaces. Immutable. */
export class TeamProject {
  private constructor(readonly state: TeamProjectState) {
    Object.freeze(state);
  }

  /** Throws as that of a `TeamWorkspace`. */
  static grant(
    id: TeamProjectId,
    team: GrantedTeam,
    project: GrantedPlace,
    { access, permissions, ...end }: RequestedProjectGrant,
    bounds: EndBounds<ProjectGrant>,
  ): TeamProject {
    checkGrantable(team, project);
    const grant = withEnd(grantOf(access, permissions, customProjectDefaults), undefined, end, bounds.now);
    checkOutlived(undefined, grant, bounds, includesProjectGrant);
    return new TeamProject({ id, teamId: team.id, projectId: project.id, grant, revision: 0 });
  }

  /** For repositories only: trusts the stored state. */
  static restore(state: TeamProjectState): TeamProject {
    return new TeamProject({ ...state });
  }

  /** As the change of a `TeamWorkspace`. */
  change({ access, permissions, unnamed, ...end }: ProjectGrantChange, bounds: EndBounds<ProjectGrant>): TeamProject {
    const { grant: current } = this.state;
    const base =
      current.access === 'custom' || unnamed === 'as-implied' ? permissionsInProject(current) : customProjectDefaults;
    const grant = withEnd(grantOf(access ?? current.access, permissions, base), current, end, bounds.now);
    checkOutlived(current, grant, bounds, includesProjectGrant);
    return new TeamProject(revised(this.state, { grant }));
  }

  /** As that of a `TeamWorkspace`. */
  expire(): TeamProject | undefined {
    const left = this.state.grant.ends?.fallback;
    return left ? new TeamProject(revised(this.state, { grant: left })) : undefined;
  }
}

/** The scales of the project itself; the others are about its workspaces. */
const ofProjectItself: readonly ProjectScale[] = ['settings', 'teams', 'variableSets'];

function grantOf(access: ProjectAccessLevel, requested: RequestedInProject, base: PermissionsInProject): ProjectGrant {
  const { project, workspaces } = requested;
  if (access === 'custom') {
    const permissions = {
      project: { ...base.project, ...project },
      workspaces: { ...base.workspaces, ...workspaces },
    };
    return { access, permissions };
  }
  if (ofProjectItself.some((scale) => scale in project)) throw customOnly('projectAccess', access);
  if (Object.keys({ ...project, ...workspaces }).length > 0) throw customOnly('workspaceAccess', access);
  return { access };
}
