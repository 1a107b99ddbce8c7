import {
  type Actor,
  auditorStanding,
  type OrganizationId,
  type ProjectId,
  type Standing,
  type Team,
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
  return {
    actor: actor.kind,
    siteAdministrator: actor.kind === 'user' && actor.siteAdministrator,
    member: isMember(tables, actor, organizationId),
    teams: teams.map(({ id, owners, access }) => ({ teamId: id, owners, access })),
  };
}

/** The same standing with the grants on one workspace of the organization. */
export const standingOn = (tables: MemoryTables, standing: Standing, workspaceId: WorkspaceId): Standing => ({
  ...standing,
  teams: standing.teams.map(({ teamId, owners, access }): TeamStanding => {
    const grant = tables.grantOf(teamId, workspaceId);
    return { teamId, owners, access, ...(grant && { grant }) };
  }),
});

/** The same standing with what the caller's teams have in one project of the organization. */
export const standingInProject = (tables: MemoryTables, standing: Standing, projectId: ProjectId): Standing => ({
  ...standing,
  teams: standing.teams.map(({ teamId, owners, access }): TeamStanding => {
    const within = present([...tables.workspaces.keys()].map((id) => tables.workspace(id))).filter(
      (workspace) => workspace.projectId === projectId,
    );
    const inProject = within.some(({ id }) => tables.grantOf(teamId, id) !== undefined);
    return { teamId, owners, access, ...(inProject && { inProject }) };
  }),
});
