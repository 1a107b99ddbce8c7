import type { TeamId } from '../shared/id.js';
import {
  type OrganizationAccess,
  type OrganizationPermission,
  organizationPermissions,
} from './organization-permissions.js';
import { type Action, may } from './policy.js';
import type { Standing, TeamInQuestion } from './standing.js';

/** The workspaces of an organization that a list may include: all, or those on which one of these teams has a grant. */
export type WorkspaceVisibility = 'all' | { readonly throughTeams: readonly TeamId[] };

/** `standing` is the caller's on the organization. Every grant includes `runs: read`, so any grant is enough. */
export const workspaceVisibility = (standing: Standing): WorkspaceVisibility =>
  may(standing, 'workspaces/read') ? 'all' : { throughTeams: standing.teams.map(({ teamId }) => teamId) };

/** The projects of an organization that a list may include: all, or those in which these teams have access to anything. */
export type ProjectVisibility = WorkspaceVisibility;

/** `standing` is the caller's on the organization. */
export const projectVisibility = (standing: Standing): ProjectVisibility =>
  may(standing, 'projects/read') ? 'all' : { throughTeams: standing.teams.map(({ teamId }) => teamId) };

/** The teams of an organization that a list may include: all, or the visible ones and these. */
export type TeamVisibility = 'all' | { readonly visibleAnd: readonly TeamId[] };

/** A team unrelated to the caller, to check the caller's rights on any such team. */
const stranger = (secret: boolean, access: OrganizationAccess = new Set()): TeamInQuestion => ({
  teamId: '',
  owners: false,
  secret,
  membersManageToken: false,
  access,
});

const visibleFor =
  (action: Action) =>
  (standing: Standing): TeamVisibility =>
    may({ ...standing, team: stranger(true) }, action)
      ? 'all'
      : { visibleAnd: standing.teams.map(({ teamId }) => teamId) };

/** `standing` is the caller's on the organization. A caller who may see other secret teams sees every team. */
export const teamVisibility = visibleFor('teams/read');

/** Like `teamVisibility`, for the team access of a workspace; `standing` is the caller's on the workspace. */
export const teamAccessVisibility = visibleFor('team-access/read');

/** The teams whose effective access to a workspace a list may include: all, or some of those that have access. */
export const effectiveAccessVisibility = (standing: Standing): 'all' | 'with access' =>
  may({ ...standing, team: stranger(true) }, 'effective-access/read') ? 'all' : 'with access';

/** The access of teams to a project that a list may include: all, or that of own teams, and perhaps of visible ones. */
export type ProjectAccessVisibility = 'all' | { readonly own: readonly TeamId[]; readonly visible: boolean };

/** `standing` is the caller's on the project. */
export const projectAccessVisibility = (standing: Standing): ProjectAccessVisibility => {
  const sees = (team: TeamInQuestion) => may({ ...standing, team }, 'project-access/read');
  if (sees(stranger(true))) return 'all';
  return { own: standing.teams.map(({ teamId }) => teamId), visible: sees(stranger(false)) };
};

/** The teams whose tokens a list may include: all, or some of the caller's own teams and some visible ones. */
export type TeamTokenVisibility =
  | 'all'
  | {
      /** The caller's teams whose members manage the team token. */
      readonly own: readonly TeamId[];
      /** Teams other than the owners that hold none of the `lacking` permissions; undefined for none. */
      readonly delegated:
        | { readonly seen: TeamVisibility; readonly lacking: readonly OrganizationPermission[] }
        | undefined;
    };

/** `standing` is the caller's on the organization. */
export const teamTokenVisibility = (standing: Standing): TeamTokenVisibility => {
  const manages = (team: TeamInQuestion) => may({ ...standing, team }, 'team-tokens/manage');
  if (manages({ ...stranger(false), owners: true })) return 'all';
  const lacking = organizationPermissions.filter((permission) => !manages(stranger(false, new Set([permission]))));
  return {
    own: standing.teams.map(({ teamId }) => teamId),
    delegated: manages(stranger(false)) ? { seen: teamVisibility(standing), lacking } : undefined,
  };
};
