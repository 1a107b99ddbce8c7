import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type {
  TeamProjectRepository,
  TeamProjectView,
} from '../../../application/ports/repositories/team-project-repository.js';
import {
  type Actor,
  alreadyTaken,
  asQuestion,
  type ProjectAccessVisibility,
  type ProjectId,
  type TeamProject,
  type TeamProjectId,
  teamNameKey,
  type WithStanding,
} from '../../../domain/index.js';
import { standingIn, standingInProject } from './memory-standing.js';
import { type CurrentTables, checkRevision, compare, pageOf, present } from './memory-tables.js';

export class MemoryProjectAccess implements TeamProjectRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: TeamProjectId): Promise<WithStanding<TeamProjectView> | undefined> {
    const tables = this.tables();
    const row = tables.teamProjects.get(id);
    const subject = row && this.view(row);
    const team = row && tables.team(row.teamId);
    if (subject === undefined || team === undefined) return undefined;
    const standing = standingInProject(tables, standingIn(tables, actor, team.organizationId), subject.projectId);
    return { subject, standing: { ...standing, team: asQuestion(team) } };
  }

  async add({ id, teamId, projectId, grant, revision }: TeamProject): Promise<void> {
    const tables = this.tables();
    if (tables.projectGrantOf(teamId, projectId) !== undefined) throw alreadyTaken('team', 'Team');
    tables.teamProjects.set(id, { id, teamId, projectId, grant, revision });
  }

  async save({ id, teamId, projectId, grant, revision }: TeamProject): Promise<void> {
    const tables = this.tables();
    checkRevision(tables.teamProjects.get(id), { id, revision });
    tables.teamProjects.set(id, { id, teamId, projectId, grant, revision });
  }

  async remove({ id, revision }: TeamProject): Promise<void> {
    const tables = this.tables();
    checkRevision(tables.teamProjects.get(id), { id, revision: revision + 1 });
    tables.teamProjects.delete(id);
  }

  async page(
    projectId: ProjectId,
    visibility: ProjectAccessVisibility,
    page: PageRequest,
  ): Promise<Page<TeamProjectView>> {
    const tables = this.tables();
    const rows = [...tables.teamProjects.values()].map((row) => {
      const [view, team] = [this.view(row), tables.team(row.teamId)];
      if (view === undefined || team === undefined || row.projectId !== projectId) return undefined;
      const visible =
        visibility === 'all' ||
        visibility.own.includes(team.id) ||
        (visibility.visible && team.visibility === 'organization');
      return visible ? { name: teamNameKey(team.name), tie: team.id, view } : undefined;
    });
    const sorted = present(rows).sort((a, b) => compare(a.name, b.name) || compare(a.tie, b.tie));
    return pageOf(
      sorted.map(({ view }) => view),
      page,
    );
  }

  /** Undefined when its team or its project is gone. */
  private view(row: TeamProject): TeamProjectView | undefined {
    const project = this.tables().project(row.projectId);
    if (project === undefined || this.tables().team(row.teamId) === undefined) return undefined;
    return { ...row, organizationId: project.organizationId };
  }
}
