import { entryOf } from '../../../domain/authorization/actor.js';
import { barOf } from '../../../domain/authorization/entry.js';
import {
  type Actor,
  auditorStanding,
  type OrganizationId,
  type ProjectId,
  type Standing,
  type Team,
  type TeamId,
  type TeamStanding,
  type WorkspaceId,
} from '../../../domain/index.js';
import { type MemoryTables, present } from './memory-tables.js';

type Member = Exclude<Actor, { readonly kind: 'auditor' }>;

const isSuspended = (tables: MemoryTables, actor: Actor): boolean =>
  actor.kind === 'user' && tables.user(actor.userId)?.suspended === true;

function teamsOfActor(tables: MemoryTables, actor: Member, organizationId: OrganizationId): readonly Team[] {
  if (isSuspended(tables, actor)) return [];
  switch (actor.kind) {
    case 'user':
      return tables.teamsOf(organizationId).filter(({ id }) => tables.isInTeam(id, actor.userId));
    case 'team':
      return present([tables.team(actor.teamId)]).filter((team) => team.organizationId === organizationId);
    case 'organization':
      return [];
  }
}

function isMember(tables: MemoryTables, actor: Member, organizationId: OrganizationId): boolean {
  switch (actor.kind) {
    case 'user':
      return !isSuspended(tables, actor) && tables.isMember(organizationId, actor.userId);
    case 'team':
      return tables.team(actor.teamId)?.organizationId === organizationId;
    case 'organization':
      return actor.organizationId === organizationId;
  }
}

/** The standing of the caller in an organization. */
export function standingIn(tables: MemoryTables, actor: Actor, organizationId: OrganizationId): Standing {
  if (actor.kind === 'auditor') return auditorStanding(actor.organizationId === organizationId);
  const teams = teamsOfActor(tables, actor, organizationId);
  const member = isMember(tables, actor, organizationId);
  const rules = tables.organization(organizationId)?.settings;
  const bar = member && rules && actor.kind === 'user' ? barOf(entryOf(actor), rules) : undefined;
  return {
    actor: actor.kind,
    siteAdministrator: actor.kind === 'user' && actor.siteAdministrator,
    member,
    teams: teams.map(({ id, owners, access }) => ({ teamId: id, owners, access })),
    ...(bar && { bar }),
  };
}

/** The same standing with the grants on one workspace of the organization, and on its project. */
export const standingOn = (tables: MemoryTables, standing: Standing, workspaceId: WorkspaceId): Standing => ({
  ...standing,
  teams: standing.teams.map(({ teamId, owners, access }): TeamStanding => {
    const grant = tables.grantOf(teamId, workspaceId);
    const projectGrant = tables.grantOnProjectOf(teamId, workspaceId);
    return { teamId, owners, access, ...(grant && { grant }), ...(projectGrant && { projectGrant }) };
  }),
});

/** The same standing with the grants on one project of the organization. */
export const standingOnProject = (tables: MemoryTables, standing: Standing, projectId: ProjectId): Standing => ({
  ...standing,
  teams: standing.teams.map(({ teamId, owners, access }): TeamStanding => {
    const projectGrant = tables.projectGrantOf(teamId, projectId);
    return { teamId, owners, access, ...(projectGrant && { projectGrant }) };
  }),
});

/** Whether the team has a grant on a workspace of the project. */
export const hasAccessIn = (tables: MemoryTables, teamId: TeamId, projectId: ProjectId): boolean =>
  present([...tables.workspaces.keys()].map((id) => tables.workspace(id))).some(
    (workspace) => workspace.projectId === projectId && tables.grantOf(teamId, workspace.id) !== undefined,
  );

/** Also with which teams have access to a workspace of the project. */
export const standingInProject = (tables: MemoryTables, standing: Standing, projectId: ProjectId): Standing => {
  const { teams, ...rest } = standingOnProject(tables, standing, projectId);
  const withWorkspaces = (team: TeamStanding) =>
    hasAccessIn(tables, team.teamId, projectId) ? { ...team, inProject: true } : team;
  return { ...rest, teams: teams.map(withWorkspaces) };
};
