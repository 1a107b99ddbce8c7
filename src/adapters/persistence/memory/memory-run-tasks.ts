import { sealPrefix } from '../../../application/ports/outside/secret-box.js';
import { hasPart } from '../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type {
  RunTaskRepository,
  WorkspaceTaskRepository,
} from '../../../application/ports/repositories/run-task-repository.js';
import {
  type Actor,
  type ApplyingTask,
  alreadyTaken,
  type OrganizationId,
  type RunTask,
  type RunTaskId,
  type WithStanding,
  type WorkspaceId,
  type WorkspaceTask,
  type WorkspaceTaskId,
} from '../../../domain/index.js';
import { standingIn, standingOn } from './memory-standing.js';
import { byText, type CurrentTables, checkRevision, compare, pageOf, present } from './memory-tables.js';

export class MemoryRunTasks implements RunTaskRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: RunTaskId): Promise<WithStanding<RunTask> | undefined> {
    const subject = await this.find(id);
    return subject && { subject, standing: standingIn(this.tables(), actor, subject.organizationId) };
  }

  async find(id: RunTaskId): Promise<RunTask | undefined> {
    const tables = this.tables();
    const task = tables.runTasks.get(id);
    const organization = task && tables.organization(task.organizationId);
    if (task === undefined || organization === undefined) return undefined;
    const attached = [...tables.workspaceTasks.values()].filter(({ taskId }) => taskId === id);
    const workspaceTaskIds = attached.map((one) => one.id).sort(compare);
    return { ...task, organizationName: organization.name, workspaceTaskIds };
  }

  async page(organizationId: OrganizationId, page: PageRequest, search?: string): Promise<Page<RunTask>> {
    const all = (await this.all()).filter((task) => task.organizationId === organizationId);
    const matching = all.filter(({ name }) => hasPart(name, search));
    return pageOf(matching.sort(byText(({ name }) => name.toLowerCase())), page);
  }

  async add(task: RunTask): Promise<void> {
    this.checkName(task);
    this.tables().runTasks.set(task.id, task);
  }

  async save(task: RunTask): Promise<void> {
    checkRevision(this.tables().runTasks.get(task.id), task);
    this.checkName(task);
    this.tables().runTasks.set(task.id, task);
  }

  async remove(id: RunTaskId): Promise<void> {
    const { runTasks, workspaceTasks } = this.tables();
    for (const task of workspaceTasks.values()) if (task.taskId === id) workspaceTasks.delete(task.id);
    runTasks.delete(id);
  }

  async sealedOtherwise(fingerprint: string, after: RunTaskId, limit: number): Promise<readonly RunTask[]> {
    const otherwise = ({ id, sealedHmacKey: key }: RunTask) =>
      id > after && key !== null && !key.startsWith(sealPrefix(fingerprint));
    return (await this.all())
      .filter(otherwise)
      .sort(byText(({ id }) => id))
      .slice(0, limit);
  }

  private async all(): Promise<RunTask[]> {
    return present(await Promise.all([...this.tables().runTasks.keys()].map((id) => this.find(id))));
  }

  private checkName({ id, organizationId, name }: RunTask): void {
    const same = (other: RunTask) => other.id !== id && other.organizationId === organizationId && other.name === name;
    if ([...this.tables().runTasks.values()].some(same)) throw alreadyTaken('name', 'Name');
  }
}

export class MemoryWorkspaceTasks implements WorkspaceTaskRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(
    actor: Actor,
    workspaceId: WorkspaceId,
    id: WorkspaceTaskId,
  ): Promise<WithStanding<WorkspaceTask> | undefined> {
    const tables = this.tables();
    const [subject, workspace] = [tables.workspaceTasks.get(id), tables.workspace(workspaceId)];
    if (subject?.workspaceId !== workspaceId || workspace === undefined) return undefined;
    return { subject, standing: standingOn(tables, standingIn(tables, actor, workspace.organizationId), workspaceId) };
  }

  async page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<WorkspaceTask>> {
    return pageOf(this.of(workspaceId), page);
  }

  async count(workspaceId: WorkspaceId): Promise<number> {
    return this.of(workspaceId).length;
  }

  async has(id: WorkspaceTaskId): Promise<boolean> {
    const task = this.tables().workspaceTasks.get(id);
    return task !== undefined && this.tables().workspace(task.workspaceId) !== undefined;
  }

  async applyingTo(workspaceId: WorkspaceId): Promise<readonly ApplyingTask[]> {
    return this.of(workspaceId).flatMap(({ id, taskId, enforcementLevel, stages }) => {
      const task = this.tables().runTasks.get(taskId);
      if (!task?.enabled) return [];
      return { id, enforcementLevel, stages, task: { id: task.id, name: task.name, url: task.url } };
    });
  }

  async add(task: WorkspaceTask): Promise<void> {
    const attached = this.of(task.workspaceId).some(({ taskId }) => taskId === task.taskId);
    if (attached) throw alreadyTaken('task', 'Task');
    this.tables().workspaceTasks.set(task.id, task);
  }

  async save(task: WorkspaceTask): Promise<void> {
    const { workspaceTasks } = this.tables();
    checkRevision(workspaceTasks.get(task.id), task);
    workspaceTasks.set(task.id, task);
  }

  async remove(id: WorkspaceTaskId): Promise<void> {
    this.tables().workspaceTasks.delete(id);
  }

  private of(id: WorkspaceId): WorkspaceTask[] {
    if (this.tables().workspace(id) === undefined) return [];
    return [...this.tables().workspaceTasks.values()]
      .filter(({ workspaceId }) => workspaceId === id)
      .sort(byText(({ createdAt }) => createdAt));
  }
}
