import type { Page, PageRequest, Place, Slice } from '../../../application/ports/repositories/page.js';
import type {
  AccessHolder,
  HolderView,
  TeamAccessFilter,
  TeamWorkspaceRepository,
  TeamWorkspaceView,
} from '../../../application/ports/repositories/team-workspace-repository.js';
import { actingFor } from '../../../domain/authorization/actor.js';
import {
  type Actor,
  alreadyTaken,
  asQuestion,
  type TeamWorkspace,
  type TeamWorkspaceId,
  teamNameKey,
  type WithStanding,
  type Workspace,
  type WorkspaceId,
} from '../../../domain/index.js';
import { standingIn, standingOn } from './memory-standing.js';
import { type CurrentTables, checkRevision, compare, pageOf, present } from './memory-tables.js';

export class MemoryTeamAccess implements TeamWorkspaceRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: TeamWorkspaceId): Promise<WithStanding<TeamWorkspaceView> | undefined> {
    const tables = this.tables();
    const row = tables.teamWorkspaces.get(id);
    const subject = row && this.view(row);
    const team = row && tables.team(row.teamId);
    if (subject === undefined || team === undefined) return undefined;
    const standing = standingOn(tables, standingIn(tables, actor, team.organizationId), subject.workspaceId);
    return { subject, standing: { ...standing, team: asQuestion(team) } };
  }

  async holder(holder: AccessHolder, workspaceId: WorkspaceId): Promise<WithStanding<HolderView> | undefined> {
    const tables = this.tables();
    const workspace = tables.workspace(workspaceId);
    const name = workspace && this.nameOf(holder, workspace);
    if (workspace === undefined || name === undefined) return undefined;
    const inOrganization = standingIn(tables, actingFor(holder), workspace.organizationId);
    const standing = standingOn(tables, inOrganization, workspaceId);
    const teams = present(standing.teams.map(({ teamId }) => tables.team(teamId)));
    const inQuestion = teams.map((team) => [team.id, { ...asQuestion(team), name: team.name }] as const);
    return { subject: { name, projectId: workspace.projectId, teams: new Map(inQuestion) }, standing };
  }

  private nameOf({ kind, id }: AccessHolder, { organizationId }: Workspace): string | undefined {
    const tables = this.tables();
    if (kind === 'team') return tables.teamsOf(organizationId).find((team) => team.id === id)?.name;
    return tables.membershipOf(organizationId, id)?.invitedEmail === null ? tables.user(id)?.username : undefined;
  }

  async add({ id, teamId, workspaceId, grant, revision }: TeamWorkspace): Promise<void> {
    const tables = this.tables();
    if (tables.grantOf(teamId, workspaceId) !== undefined) throw alreadyTaken('team', 'Team');
    tables.teamWorkspaces.set(id, { id, teamId, workspaceId, grant, revision });
  }

  async save({ id, teamId, workspaceId, grant, revision }: TeamWorkspace): Promise<void> {
    const tables = this.tables();
    checkRevision(tables.teamWorkspaces.get(id), { id, revision });
    tables.teamWorkspaces.set(id, { id, teamId, workspaceId, grant, revision });
  }

  async remove(id: TeamWorkspaceId): Promise<boolean> {
    return this.tables().teamWorkspaces.delete(id);
  }

  async page(filter: TeamAccessFilter, page: PageRequest): Promise<Page<TeamWorkspaceView>> {
    const { items, ...rest } = pageOf(this.listed(filter), page);
    return { ...rest, items: items.map(({ view }) => view) };
  }

  async slice(filter: TeamAccessFilter, after: Place | undefined, limit: number): Promise<Slice<TeamWorkspaceView>> {
    const rows = this.listed(filter).filter(
      ({ name, tie }) => after === undefined || (compare(name, after.name) || compare(tie, after.tie)) > 0,
    );
    const end = rows.length > limit ? rows[limit - 1] : undefined;
    const items = rows.slice(0, limit).map(({ view }) => view);
    return { items, last: end && { name: end.name, tie: end.tie } };
  }

  /** By team name. */
  private listed({ workspaceId, teamId, visibility }: TeamAccessFilter) {
    const tables = this.tables();
    const rows = [...tables.teamWorkspaces.values()].map((row) => {
      const [view, team] = [this.view(row), tables.team(row.teamId)];
      if (view === undefined || team === undefined || row.workspaceId !== workspaceId) return undefined;
      const visible =
        visibility === 'all' || team.visibility === 'organization' || visibility.visibleAnd.includes(team.id);
      if (!visible || (teamId !== undefined && team.id !== teamId)) return undefined;
      return { name: teamNameKey(team.name), tie: team.id, view };
    });
    return present(rows).sort((a, b) => compare(a.name, b.name) || compare(a.tie, b.tie));
  }

  /** Undefined when its team or its workspace is gone. */
  private view(row: TeamWorkspace): TeamWorkspaceView | undefined {
    const workspace = this.tables().workspace(row.workspaceId);
    if (workspace === undefined || this.tables().team(row.teamId) === undefined) return undefined;
    return { ...row, organizationName: workspace.organizationName, workspaceName: workspace.name };
  }
}
