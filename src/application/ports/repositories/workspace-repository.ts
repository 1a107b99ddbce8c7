import type {
  Actor,
  ConfigurationVersionId,
  OrganizationId,
  Seen,
  Standing,
  WebhookId,
  Workspace,
  WorkspaceId,
  WorkspaceVisibility,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

export interface WorkspaceRepository {
  find(id: WorkspaceId): Promise<Workspace | undefined>;
  findFor(actor: Actor, id: WorkspaceId): Promise<Seen<Workspace> | undefined>;
  /** The same where only the caller's standing is asked for. */
  findIdFor(actor: Actor, id: WorkspaceId): Promise<Seen<WorkspaceId> | undefined>;
  findByNameFor(actor: Actor, organizationName: string, name: string): Promise<Seen<Workspace> | undefined>;
  /** The workspace whose repository reports to this webhook. One indexed statement. */
  findByWebhook(id: WebhookId): Promise<Workspace | undefined>;
  /** Those after `after` by id whose webhook's key is not sealed with this one. */
  sealedOtherwise(fingerprint: string, after: WorkspaceId, limit: number): Promise<readonly Workspace[]>;
  /** Throws `attribute/taken` when a living workspace of the organization has the name. */
  add(workspace: Workspace): Promise<void>;
  /**
   * Keeps settings, repository and lock. Throws `shared/stale-revision` when the stored revision moved on, `attribute/taken` when
   * the name is another's.
   */
  save(workspace: Workspace): Promise<void>;
  /** Hides it, and frees its name. */
  remove(id: WorkspaceId, now: string): Promise<void>;
  /** The next sequence number of its versions; with `becomesCurrent` the version is its current one from here on. */
  takeSequence(id: WorkspaceId, versionId: ConfigurationVersionId, becomesCurrent: boolean): Promise<number>;
  /** Makes a version the current one, unless the current one is newer by its sequence. */
  promote(id: WorkspaceId, versionId: ConfigurationVersionId): Promise<void>;
  /**
   * Whoever else takes the workspace's turn waits until this transaction ends. Taken before what it guards is read, so
   * that of two runs that begin or end at once, or two deliveries of one push, none misses the other.
   */
  takeTurn(id: WorkspaceId): Promise<void>;
  /** Those of the ids that name living workspaces of the organization within `visibility`, in order of id. */
  visibleAmong(
    organizationId: OrganizationId,
    ids: readonly WorkspaceId[],
    visibility: WorkspaceVisibility,
  ): Promise<readonly WorkspaceId[]>;
  /** By name. `standing` is the caller's on the organization; each item gets it with the grants on that workspace. */
  page(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Promise<Page<Seen<Workspace>>>;
}
