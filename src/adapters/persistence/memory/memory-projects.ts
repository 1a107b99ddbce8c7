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
  type WithStanding,
} from '../../../domain/index.js';
import { standingIn, standingInProject } from './memory-standing.js';
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
    for (const set of tables.variableSets.values()) if (set.projectId === id) removeVariableSet(tables, set.id);
    tables.projects.delete(id);
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
    const visible = this.of(organizationId)
      .filter(({ name }) => hasPart(name, search) && (names === undefined || names.includes(name)))
      .map((project) => this.seen(project, standing))
      .filter((seen) => visibility === 'all' || this.isVisible(seen));
    const order = inOrder(
      visible.map(({ subject }) => subject),
      ({ name }) => name,
      sort,
    );
    return pageOf(
      order.map((subject) => this.seen(subject, standing)),
      page,
    );
  }

  private isVisible({ standing }: WithStanding<Project>): boolean {
    return standing.teams.some(({ inProject }) => inProject === true);
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
