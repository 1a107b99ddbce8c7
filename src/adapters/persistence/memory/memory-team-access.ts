import type { Page, PageRequest } from '../../../application/ports/page.js';
import type {
  TeamAccessFilter,
  TeamWorkspaceRepository,
  TeamWorkspaceView,
} from '../../../application/ports/team-workspace-repository.js';
import {
  type Actor,
  alreadyTaken,
  asQuestion,
  type Seen,
  type TeamWorkspace,
  type TeamWorkspaceId,
} from '../../../domain/index.js';
import { standingIn, standingOn } from './memory-standing.js';
import { type CurrentTables, checkRevision, pageOf, present } from './memory-tables.js';

export class MemoryTeamAccess implements TeamWorkspaceRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: TeamWorkspaceId): Promise<Seen<TeamWorkspaceView> | undefined> {
    const tables = this.tables();
    const row = tables.teamWorkspaces.get(id);
    const subject = row && this.view(row);
    const team = row && tables.team(row.teamId);
    if (subject === undefined || team === undefined) return undefined;
    const standing = standingOn(tables, standingIn(tables, actor, team.organizationId), subject.workspaceId);
    return { subject, standing: { ...standing, team: asQuestion(team) } };
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

  async page(filter: TeamAccessFilter, page: PageRequest | undefined): Promise<Page<TeamWorkspaceView>> {
    const tables = this.tables();
    const { workspaceId, teamId, visibility } = filter;
    const visible = (row: TeamWorkspace) =>
      visibility === 'all' ||
      tables.team(row.teamId)?.visibility === 'organization' ||
      visibility.visibleAnd.includes(row.teamId);
    const organizationId = tables.workspace(workspaceId)?.organizationId ?? '';
    const order = tables.teamsOf(organizationId).map(({ id }) => id);
    const rows = [...tables.teamWorkspaces.values()]
      .filter((row) => row.workspaceId === workspaceId && (teamId === undefined || row.teamId === teamId))
      .filter(visible)
      .sort((a, b) => order.indexOf(a.teamId) - order.indexOf(b.teamId));
    const views = present(rows.map((row) => this.view(row)));
    return pageOf(views, page ?? { number: 1, size: Math.max(1, views.length) });
  }

  /** Undefined when its team or its workspace is gone. */
  private view(row: TeamWorkspace): TeamWorkspaceView | undefined {
    const workspace = this.tables().workspace(row.workspaceId);
    if (workspace === undefined || this.tables().team(row.teamId) === undefined) return undefined;
    return { ...row, organizationName: workspace.organizationName, workspaceName: workspace.name };
  }
}
