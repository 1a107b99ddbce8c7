import {
  hasPart,
  type VariableSetFilter,
  type VariableSetVisibility,
} from '../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type { VariableSetRepository } from '../../../application/ports/repositories/variable-set-repository.js';
import {
  type Actor,
  type AppliedSet,
  alreadyTaken,
  type OrganizationId,
  type ProjectId,
  type VariableSet,
  type VariableSetId,
  type WithStanding,
  type Workspace,
  type WorkspaceId,
} from '../../../domain/index.js';
import { standingIn, standingInProject } from './memory-standing.js';
import { byText, type CurrentTables, checkRevision, type MemoryTables, pageOf, present } from './memory-tables.js';

export class MemoryVariableSets implements VariableSetRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: VariableSetId): Promise<WithStanding<VariableSet> | undefined> {
    const tables = this.tables();
    const subject = livingSet(tables, id);
    if (subject === undefined) return undefined;
    const standing = standingIn(tables, actor, subject.organizationId);
    const { projectId } = subject;
    return { subject, standing: projectId === null ? standing : standingInProject(tables, standing, projectId) };
  }

  async add(set: VariableSet): Promise<void> {
    this.checkName(set);
    this.tables().variableSets.set(set.id, set);
  }

  async save(set: VariableSet): Promise<void> {
    const { variableSets } = this.tables();
    checkRevision(variableSets.get(set.id), set);
    this.checkName(set);
    variableSets.set(set.id, set);
  }

  async remove(id: VariableSetId): Promise<void> {
    removeVariableSet(this.tables(), id);
  }

  async page(
    organizationId: OrganizationId,
    { ofOrganization, ofProjects }: VariableSetVisibility,
    page: PageRequest,
    filter?: VariableSetFilter,
  ): Promise<Page<VariableSet>> {
    const visible = (set: VariableSet) => (set.projectId === null ? ofOrganization : ofProjects);
    return this.pageWhere((set) => set.organizationId === organizationId && visible(set), page, filter);
  }

  async pageOfWorkspace(id: WorkspaceId, page: PageRequest, filter?: VariableSetFilter): Promise<Page<VariableSet>> {
    const workspace = this.tables().workspace(id);
    return this.pageWhere((set) => workspace !== undefined && scopesOf(set, workspace).length > 0, page, filter);
  }

  async pageOfProject(id: ProjectId, page: PageRequest, filter?: VariableSetFilter): Promise<Page<VariableSet>> {
    const organizationId = this.tables().project(id)?.organizationId;
    const applies = (set: VariableSet) => set.global || set.projectIds.includes(id);
    return this.pageWhere((set) => set.organizationId === organizationId && applies(set), page, filter);
  }

  private pageWhere(
    matches: (set: VariableSet) => boolean,
    page: PageRequest,
    { search }: VariableSetFilter = {},
  ): Page<VariableSet> {
    const sets = livingSets(this.tables()).filter((set) => matches(set) && hasPart(set.name, search));
    return pageOf(sets.sort(byText(({ name }) => name.toLowerCase())), page);
  }

  private checkName({ id, organizationId, projectId, name }: VariableSet): void {
    const same = (other: VariableSet) =>
      other.id !== id &&
      other.organizationId === organizationId &&
      other.projectId === projectId &&
      other.name === name;
    if ([...this.tables().variableSets.values()].some(same)) throw alreadyTaken('name', 'Name');
  }
}

function livingSet(tables: MemoryTables, id: VariableSetId): VariableSet | undefined {
  const set = tables.variableSets.get(id);
  const organization = set && tables.organization(set.organizationId);
  if (set === undefined || organization === undefined) return undefined;
  const owns = (workspace: Workspace | undefined) =>
    workspace !== undefined && (set.projectId === null || workspace.projectId === set.projectId);
  return {
    ...set,
    organizationName: organization.name,
    workspaceIds: [...new Set(set.workspaceIds)].filter((one) => owns(tables.workspace(one))).sort(),
    projectIds: [...new Set(set.projectIds)].filter((one) => tables.projects.has(one)).sort(),
    variableIds: [...tables.setVariables.values()].flatMap((row) => (row.variableSetId === id ? row.id : [])).sort(),
  };
}

export const livingSets = (tables: MemoryTables): VariableSet[] =>
  present([...tables.variableSets.keys()].map((id) => livingSet(tables, id)));

/** The reasons for which the set applies to the workspace. */
export function scopesOf(set: VariableSet, workspace: Workspace): readonly AppliedSet['scope'][] {
  const mayApply =
    set.organizationId === workspace.organizationId && [null, workspace.projectId].includes(set.projectId);
  if (!mayApply) return [];
  return [
    ...(set.global ? (['global'] as const) : []),
    ...(set.projectIds.includes(workspace.projectId) ? (['project'] as const) : []),
    ...(set.workspaceIds.includes(workspace.id) ? (['workspace'] as const) : []),
  ];
}

export function removeVariableSet(tables: MemoryTables, id: VariableSetId): void {
  for (const row of tables.setVariables.values()) if (row.variableSetId === id) tables.setVariables.delete(row.id);
  tables.variableSets.delete(id);
}
