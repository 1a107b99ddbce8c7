import type { TeamId, TeamWorkspaceId, WorkspaceId } from '../shared/id.js';
import { revised } from '../shared/revision.js';
import { type AccessLevel, customDefaults, type Grant, permissionsOf } from './access-level.js';
import { checkGrantable, customOnly, type GrantedPlace, type GrantedTeam, type Unnamed } from './granting.js';
import type { WorkspacePermissions } from './workspace-permissions.js';

export interface TeamWorkspaceState {
  readonly id: TeamWorkspaceId;
  readonly teamId: TeamId;
  readonly workspaceId: WorkspaceId;
  readonly grant: Grant;
  readonly revision: number;
}

/** The individual permissions a request names. */
export type RequestedPermissions = Partial<WorkspacePermissions>;

export interface RequestedGrant {
  readonly access: AccessLevel;
  readonly permissions: RequestedPermissions;
}

/** An unnamed level keeps its value. */
export interface GrantChange {
  readonly access: AccessLevel | undefined;
  readonly permissions: RequestedPermissions;
  readonly unnamed: Unnamed;
}

/** One team's rights on one workspace. Immutable. */
export class TeamWorkspace {
  private constructor(readonly state: TeamWorkspaceState) {
    Object.freeze(state);
  }

  /** Throws `resource/not-found`, `owners-team/protected` and `team-access/permissions-are-custom-only`. */
  static grant(
    id: TeamWorkspaceId,
    team: GrantedTeam,
    workspace: GrantedPlace,
    { access, permissions }: RequestedGrant,
  ): TeamWorkspace {
    checkGrantable(team, workspace);
    const grant = grantOf(access, permissions, customDefaults);
    return new TeamWorkspace({ id, teamId: team.id, workspaceId: workspace.id, grant, revision: 0 });
  }

  /** For repositories only: trusts the stored state. */
  static restore(state: TeamWorkspaceState): TeamWorkspace {
    return new TeamWorkspace({ ...state });
  }

  /**
   * Unnamed permissions keep their custom value. After a change from a fixed level they get the default, or what the level
   * implied. Throws `team-access/permissions-are-custom-only`.
   */
  change({ access, permissions, unnamed }: GrantChange): TeamWorkspace {
    const { grant: current } = this.state;
    const base = current.access === 'custom' || unnamed === 'as-implied' ? permissionsOf(current) : customDefaults;
    return new TeamWorkspace(revised(this.state, { grant: grantOf(access ?? current.access, permissions, base) }));
  }
}

/** A custom grant starts from `base`. */
function grantOf(access: AccessLevel, requested: RequestedPermissions, base: WorkspacePermissions): Grant {
  if (access === 'custom') return { access, permissions: { ...base, ...requested } };
  const [named] = Object.keys(requested);
  if (named !== undefined) throw customOnly(named, access);
  return { access };
}
