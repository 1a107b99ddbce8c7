import type {
  Actor,
  RunTriggerId,
  RunTriggerType,
  WithStanding,
  WorkspaceId,
  WorkspaceRunTrigger,
  WorkspaceVisibility,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** Run triggers on one side of a workspace. */
export interface RunTriggerQuery {
  readonly workspaceId: WorkspaceId;
  readonly type: RunTriggerType;
  /** Applies to the workspace on the other side. */
  readonly visibility: WorkspaceVisibility;
}

/** The run triggers between workspaces. Those of a deleted workspace are missing, whichever side it is on. */
export interface RunTriggerRepository {
  /** With the caller's standing on the workspace whose runs it queues. */
  findFor(actor: Actor, id: RunTriggerId): Promise<WithStanding<WorkspaceRunTrigger> | undefined>;
  find(id: RunTriggerId): Promise<WorkspaceRunTrigger | undefined>;
  /** In the order in which they were created. */
  page(query: RunTriggerQuery, page: PageRequest): Promise<Page<WorkspaceRunTrigger>>;
  /** The number of workspaces whose runs trigger runs of this one. */
  countSources(workspaceId: WorkspaceId): Promise<number>;
  /** Whether an applied run of the workspace triggers any. One indexed statement. */
  hasTargets(sourceId: WorkspaceId): Promise<boolean>;
  /** The triggers of this source after the id `after`, ordered by id. */
  after(sourceId: WorkspaceId, after: RunTriggerId, limit: number): Promise<readonly RunTriggerId[]>;
  /** Throws `attribute/taken` if the two workspaces are connected already. */
  add(trigger: WorkspaceRunTrigger): Promise<void>;
  /** Throws `shared/stale-revision` if it is gone. */
  remove(id: RunTriggerId): Promise<void>;
}
