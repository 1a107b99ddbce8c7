import type {
  Actor,
  AgentPoolId,
  ConfigurationVersionId,
  Instant,
  OrganizationId,
  ProjectId,
  Standing,
  WebhookId,
  WithStanding,
  Workspace,
  WorkspaceId,
  WorkspaceVisibility,
} from '../../../domain/index.js';
import type { WorkspaceFilter } from './filters.js';
import type { Page, PageRequest } from './page.js';

/** First removes, then adds. */
export interface StateConsumersChange {
  /** Some workspaces, or those that a caller can see. */
  readonly removed: readonly WorkspaceId[] | WorkspaceVisibility;
  readonly added: readonly WorkspaceId[];
}

/** As a run names another workspace. */
export type WorkspaceOfRun =
  | { readonly id: WorkspaceId }
  | { readonly organizationName: string; readonly name: string };

export interface WorkspaceRepository {
  find(id: WorkspaceId): Promise<Workspace | undefined>;
  findFor(actor: Actor, id: WorkspaceId): Promise<WithStanding<Workspace> | undefined>;
  /** Like `findFor`, for callers that only need the standing. */
  findIdFor(actor: Actor, id: WorkspaceId): Promise<WithStanding<WorkspaceId> | undefined>;
  findByNameFor(actor: Actor, organizationName: string, name: string): Promise<WithStanding<Workspace> | undefined>;
  /** The workspace whose repository uses this webhook. One indexed statement. */
  findByWebhook(id: WebhookId): Promise<Workspace | undefined>;
  /** Workspaces after the id `after` whose webhook key is not sealed with this key. */
  sealedWithOtherKeys(fingerprint: string, after: WorkspaceId, limit: number): Promise<readonly Workspace[]>;
  /** Workspaces after the id `after` whose own retention removes files, ordered by id. */
  retaining(after: WorkspaceId, limit: number): Promise<readonly Workspace[]>;
  /** Workspaces of the organization without a retention of their own, after this one, by time of creation. */
  withoutRetention(
    organizationId: OrganizationId,
    after: Pick<Workspace, 'createdAt' | 'id'> | null,
    limit: number,
  ): Promise<readonly Workspace[]>;
  /** Throws `attribute/taken` if an existing workspace of the organization has the name. */
  add(workspace: Workspace): Promise<void>;
  /**
   * Saves settings, repository and lock. Throws `shared/stale-revision` if the stored revision has changed,
   * `attribute/taken` if another workspace has the name.
   */
  save(workspace: Workspace): Promise<void>;
  /** Moves workspaces to a project of their organization, as a change of each. */
  moveTo(projectId: ProjectId, ids: readonly WorkspaceId[], now: string): Promise<void>;
  /** Hides the workspace and frees its name. */
  remove(id: WorkspaceId, now: string): Promise<void>;
  /** Makes a version the current one, unless the current one is newer. */
  promote(id: WorkspaceId, versionId: ConfigurationVersionId): Promise<void>;
  /**
   * Locks the workspace against other transactions that lock its row, from the next read until this one ends. Must be
   * taken before the data it guards is read, so that concurrent run changes, or two deliveries of one push, see each
   * other.
   */
  lockRow(id: WorkspaceId): Promise<void>;
  /** The given ids of existing workspaces of the organization within `visibility`, ordered by id. */
  visibleAmong(
    organizationId: OrganizationId,
    ids: readonly WorkspaceId[],
    visibility: WorkspaceVisibility,
  ): Promise<readonly WorkspaceId[]>;
  /** The existing ones of these ids, in no particular order. */
  among(ids: readonly WorkspaceId[]): Promise<readonly Workspace[]>;
  /** Those of these ids that belong to the organization and are within `visibility`, as `page` shows them, by name. */
  visibleWithStanding(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    ids: readonly WorkspaceId[],
  ): Promise<readonly WithStanding<Workspace>[]>;
  /** Like `visibleWithStanding`, the workspaces that use one of the agent pools, as `executionOf` says. */
  using(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    poolIds: readonly AgentPoolId[],
  ): Promise<readonly WithStanding<Workspace>[]>;
  /** Ordered by name, unless the filter says otherwise. `standing` is the caller's on the organization; each item gets it with the grants on that workspace. */
  page(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
    filter?: WorkspaceFilter,
  ): Promise<Page<WithStanding<Workspace>>>;
  /** The workspaces that share this one's state, otherwise as `page`. */
  stateConsumers(
    id: WorkspaceId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Promise<Page<WithStanding<Workspace>>>;
  /** Workspaces whose scheduled destruction is due at `now`, the earliest first. One indexed statement. */
  dueForDestruction(now: Instant, limit: number): Promise<readonly WorkspaceId[]>;
  /**
   * Workspaces that inherit the schedule of their project, whose time has not come for their current state, and whose
   * duration began by `beganBy`: with their current state, or when they began to inherit. The earliest first. One
   * indexed statement.
   */
  dueInProject(projectId: ProjectId, beganBy: Instant, limit: number): Promise<readonly WorkspaceId[]>;
  /** When the duration of the first of these began; null for none. */
  firstInheriting(projectId: ProjectId): Promise<Instant | null>;
  /**
   * A workspace of the organization of `readerId`, with the standing of a run of that workspace: whether it shares its
   * state with it, as one of its consumers or with the whole organization. One statement.
   */
  findForRun(readerId: WorkspaceId, sought: WorkspaceOfRun): Promise<WithStanding<Workspace> | undefined>;
  /** Adding one that is there, and removing one that is not, changes nothing. */
  changeStateConsumers(id: WorkspaceId, change: StateConsumersChange): Promise<void>;
}
