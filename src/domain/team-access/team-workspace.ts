import type { TeamId, TeamWorkspaceId, WorkspaceId } from '../shared/id.js';
import { revised } from '../shared/revision.js';
import { type AccessLevel, customDefaults, type Grant, includesGrant, permissionsOf } from './access-level.js';
import { checkOutlived, type EndBounds, type RequestedEnd, withEnd } from './ending.js';
import { checkGrantable, customOnly, type GrantedPlace, type GrantedTeam, type Unnamed } from './granting.js';
import type { Timed } from './timed-grant.js';
import type { WorkspacePermissions } from './workspace-permissions.js';

export interface TeamWorkspaceState {
  readonly id: TeamWorkspaceId;
  readonly teamId: TeamId;
  readonly workspaceId: WorkspaceId;
  readonly grant: Timed<Grant>;
  readonly revision: number;
}

/** The individual permissions a request names. */
export type RequestedPermissions = Partial<WorkspacePermissions>;

export interface RequestedGrant extends RequestedEnd {
  readonly access: AccessLevel;
  readonly permissions: RequestedPermissions;
}

/** An unnamed level keeps its value. */
export interface GrantChange extends RequestedEnd {
  readonly access: AccessLevel | undefined;
  readonly permissions: RequestedPermissions;
  readonly unnamed: Unnamed;
}

/** One team's rights on one workspace. Immutable. */
export class TeamWorkspace {
  private constructor(readonly state: TeamWorkspaceState) {
    Object.freeze(state);
  }

  /**
   * Throws `resource/not-found`, `owners-team/protected`, `team-access/permissions-are-custom-only` and, for the end,
   * `attribute/invalid`.
   */
  static grant(
    id: TeamWorkspaceId,
    team: GrantedTeam,
    workspace: GrantedPlace,
    { access, permissions, ...end }: RequestedGrant,
    bounds: EndBounds<Grant>,
  ): TeamWorkspace {
    checkGrantable(team, workspace);
    const grant = withEnd(grantOf(access, permissions, customDefaults), undefined, end, bounds.now);
    checkOutlived(undefined, grant, bounds, includesGrant);
    return new TeamWorkspace({ id, teamId: team.id, workspaceId: workspace.id, grant, revision: 0 });
  }

  /** For repositories only: trusts the stored state. */
  static restore(state: TeamWorkspaceState): TeamWorkspace {
    return new TeamWorkspace({ ...state });
  }

  /**
   * Unnamed permissions keep their custom value. After a change from a fixed level they get the default, or what the level
   * implied. Throws `team-access/permissions-are-custom-only` and, for the end, `attribute/invalid`.
   */
  change({ access, permissions, unnamed, ...end }: GrantChange, bounds: EndBounds<Grant>): TeamWorkspace {
    const { grant: current } = this.state;
    const base = current.access === 'custom' || unnamed === 'as-implied' ? permissionsOf(current) : customDefaults;
    const grant = withEnd(grantOf(access ?? current.access, permissions, base), current, end, bounds.now);
    checkOutlived(current, grant, bounds, includesGrant);
    return new TeamWorkspace(revised(this.state, { grant }));
  }

  /** With the grant that is in force from the end on; undefined if there is none. */
  expire(): TeamWorkspace | undefined {
    const left = this.state.grant.ends?.fallback;
    return left ? new TeamWorkspace(revised(this.state, { grant: left })) : undefined;
  }
}

/** A custom grant starts from `base`. */
function grantOf(access: AccessLevel, requested: RequestedPermissions, base: WorkspacePermissions): Grant {
  if (access === 'custom') return { access, permissions: { ...base, ...requested } };
  const [named] = Object.keys(requested);
  if (named !== undefined) throw customOnly(named, access);
  return { access };
}
