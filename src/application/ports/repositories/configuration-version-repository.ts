import type {
  Actor,
  ConfigurationVersion,
  ConfigurationVersionId,
  ConfigurationVersionSettings,
  ConfigurationVersionState,
  IngressAttributes,
  Instant,
  WithStanding,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** The properties of a version that readers see: without the location of its files, its creator and its sequence. */
export type ConfigurationVersionSummary = ConfigurationVersionSettings &
  Pick<ConfigurationVersionState, 'id' | 'status' | 'source' | 'failure' | 'statusTimestamps' | 'ingressAttributesId'>;

/** A forge's report about a workspace's repository. */
export interface CommitReport {
  readonly workspaceId: WorkspaceId;
  /** The forge's id of the report; null if it has none. */
  readonly delivery: string | null;
  /** The URL of the linked repository. */
  readonly cloneUrl: string;
  readonly branch: string;
  readonly commitSha: string;
  /** A pull request's commit does not belong to the branch itself. */
  readonly isPullRequest: boolean;
}

/** The position of a version among all, by age. */
export type VersionPlace = Pick<ConfigurationVersionState, 'createdAt' | 'id'>;

/** Versions of a deleted workspace or organization are missing. */
export interface ConfigurationVersionRepository {
  find(id: ConfigurationVersionId): Promise<ConfigurationVersion | undefined>;
  /** With the caller's standing on its workspace. */
  findFor(actor: Actor, id: ConfigurationVersionId): Promise<WithStanding<ConfigurationVersion> | undefined>;
  /**
   * Adds the newest version of its workspace, which becomes the current one if asked to. Throws `resource/not-found` if
   * the workspace is deleted.
   */
  add(version: ConfigurationVersion, becomesCurrent?: boolean): Promise<void>;
  /** Throws `shared/stale-revision` if the stored revision has changed since `version` was read. */
  save(version: ConfigurationVersion): Promise<void>;
  /** Records the commit a version comes from, once. */
  addIngressAttributes(id: ConfigurationVersionId, attributes: IngressAttributes): Promise<void>;
  /**
   * Whether the report already created a version that is not errored: through the same delivery, or one for the same
   * repository, branch and commit. Must be called with the workspace's row locked.
   */
  isKnown(report: CommitReport): Promise<boolean>;
  /** Records the version that a delivery created; a later version replaces an earlier one. */
  addDelivery(workspaceId: WorkspaceId, delivery: string, id: ConfigurationVersionId): Promise<void>;
}

export interface ConfigurationVersionQueries {
  /**
   * Uploaded versions created before `before`, oldest first, after `after`: those of the workspace, or without one those of
   * all workspaces without a retention, their own or the organization's. The cost does not depend on their number or position.
   */
  uploaded(
    before: Instant,
    limit: number,
    after?: VersionPlace,
    workspaceId?: WorkspaceId,
  ): Promise<readonly ConfigurationVersion[]>;
  /** With the reader's standing on its workspace. */
  findSummaryFor(
    actor: Actor,
    id: ConfigurationVersionId,
  ): Promise<WithStanding<ConfigurationVersionSummary> | undefined>;
  /** The existing ones of these ids, in no particular order. */
  among(ids: readonly ConfigurationVersionId[]): Promise<readonly ConfigurationVersionSummary[]>;
  /** Newest first. The cost does not depend on the number of versions or the page. */
  page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<ConfigurationVersionSummary>>;
  /** By version id; a version without a commit has no entry. */
  ingressAttributes(
    ids: readonly ConfigurationVersionId[],
  ): Promise<ReadonlyMap<ConfigurationVersionId, IngressAttributes>>;
}
