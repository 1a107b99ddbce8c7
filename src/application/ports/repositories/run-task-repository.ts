import type {
  Actor,
  ApplyingTask,
  OrganizationId,
  RunTask,
  RunTaskId,
  WithStanding,
  WorkspaceId,
  WorkspaceTask,
  WorkspaceTaskId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** The run tasks of organizations. Those of a deleted organization are missing. */
export interface RunTaskRepository {
  /** The standing is the caller's on the organization. */
  findFor(actor: Actor, id: RunTaskId): Promise<WithStanding<RunTask> | undefined>;
  find(id: RunTaskId): Promise<RunTask | undefined>;
  /** Ordered by name. `search` is a part of the name, case-insensitive. */
  page(organizationId: OrganizationId, page: PageRequest, search?: string): Promise<Page<RunTask>>;
  /** Throws `attribute/taken` if another task of the organization has the name. */
  add(task: RunTask): Promise<void>;
  /** Throws `shared/stale-revision`, or `attribute/taken` if another task has the name. */
  save(task: RunTask): Promise<void>;
  /** Also removes it from its workspaces. Throws `shared/stale-revision` if it is gone. */
  remove(id: RunTaskId): Promise<void>;
  /** Tasks after an id, by id, whose key is not sealed with this key. */
  sealedWithOtherKeys(fingerprint: string, after: RunTaskId, limit: number): Promise<readonly RunTask[]>;
}

/** The run tasks of workspaces. Those of a deleted workspace are missing. */
export interface WorkspaceTaskRepository {
  /** With the caller's standing on the workspace. */
  findFor(
    actor: Actor,
    workspaceId: WorkspaceId,
    id: WorkspaceTaskId,
  ): Promise<WithStanding<WorkspaceTask> | undefined>;
  /** In the order in which they were attached. */
  page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<WorkspaceTask>>;
  /** The attachments of these run tasks. One statement for all of them. */
  ofTasks(ids: readonly RunTaskId[]): Promise<readonly WorkspaceTask[]>;
  count(workspaceId: WorkspaceId): Promise<number>;
  /** Whether it still exists. */
  has(id: WorkspaceTaskId): Promise<boolean>;
  /** The tasks that runs of the workspace call, in the order in which they were attached: those that are enabled. */
  applyingTo(workspaceId: WorkspaceId): Promise<readonly ApplyingTask[]>;
  /** Throws `attribute/taken` if the task is attached to the workspace already. */
  add(task: WorkspaceTask): Promise<void>;
  /** Throws `shared/stale-revision`. */
  save(task: WorkspaceTask): Promise<void>;
  remove(id: WorkspaceTaskId): Promise<void>;
}
