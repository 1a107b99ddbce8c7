import { hasPart, type ProjectFilter } from '../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type { ProjectRepository } from '../../../application/ports/repositories/project-repository.js';
import {
  type Actor,
  alreadyTaken,
  type OrganizationId,
  type Project,
  type ProjectId,
  type ProjectVisibility,
  type Standing,
  type TeamId,
  type WithStanding,
} from '../../../domain/index.js';
import { hasAccessIn, standingIn, standingInProject, standingOnProject } from './memory-standing.js';
import { byText, type CurrentTables, checkRevision, inOrder, pageOf, present } from './memory-tables.js';
import { removeVariableSet } from './memory-variable-sets.js';

export class MemoryProjects implements ProjectRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: ProjectId): Promise<WithStanding<Project> | undefined> {
    const subject = this.tables().project(id);
    return subject && this.seen(subject, standingIn(this.tables(), actor, subject.organizationId));
  }

  async among(ids: readonly ProjectId[]): Promise<readonly Project[]> {
    return present(ids.map((id) => this.tables().project(id)));
  }

  async add(project: Project): Promise<void> {
    this.checkName(project);
    this.tables().projects.set(project.id, project);
  }

  async save(project: Project): Promise<void> {
    checkRevision(this.tables().project(project.id), project);
    this.checkName(project);
    this.tables().projects.set(project.id, project);
  }

  async remove(id: ProjectId): Promise<void> {
    const tables = this.tables();
    const { projects, teamProjects } = tables;
    for (const set of tables.variableSets.values()) if (set.projectId === id) removeVariableSet(tables, set.id);
    for (const access of teamProjects.values()) if (access.projectId === id) teamProjects.delete(access.id);
    projects.delete(id);
  }

  async hasWorkspaces(id: ProjectId): Promise<boolean> {
    const tables = this.tables();
    return [...tables.workspaces.values()].some((row) => row.projectId === id && tables.workspace(row.id));
  }

  async page(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: ProjectVisibility,
    page: PageRequest,
    { search, names, sort }: ProjectFilter = {},
  ): Promise<Page<WithStanding<Project>>> {
    const matches = (project: Project) =>
      hasPart(project.name, search) &&
      (names === undefined || names.includes(project.name)) &&
      (visibility === 'all' || visibility.throughTeams.some((id) => this.isWithin(id, project)));
    const visible = inOrder(this.of(organizationId).filter(matches), ({ name }) => name, sort);
    const found = pageOf(visible, page);
    const on = (project: Project) => standingOnProject(this.tables(), standing, project.id);
    return { ...found, items: found.items.map((subject) => ({ subject, standing: on(subject) })) };
  }

  private isWithin(teamId: TeamId, { id }: Project): boolean {
    const tables = this.tables();
    return tables.projectGrantOf(teamId, id) !== undefined || hasAccessIn(tables, teamId, id);
  }

  private seen(subject: Project, standing: Standing): WithStanding<Project> {
    return { subject, standing: standingInProject(this.tables(), standing, subject.id) };
  }

  /** By name. */
  private of(organizationId: OrganizationId): readonly Project[] {
    const tables = this.tables();
    const rows = [...tables.projects.values()].filter((row) => row.organizationId === organizationId);
    return present(rows.map(({ id }) => tables.project(id))).sort(byText(({ name }) => name.toLowerCase()));
  }

  private checkName({ id, organizationId, name }: Project): void {
    const taken = this.of(organizationId).some((other) => other.name === name && other.id !== id);
    if (taken) throw alreadyTaken('name', 'Name');
  }
}
