import type {
  Actor,
  ConfigurationVersion,
  ConfigurationVersionId,
  ConfigurationVersionState,
  IngressAttributes,
  Instant,
  Seen,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** What a reader sees of a version: neither where its files are, nor who made it, nor its place among the others. */
export type ConfigurationVersionSummary = Pick<
  ConfigurationVersionState,
  | 'id'
  | 'status'
  | 'source'
  | 'autoQueueRuns'
  | 'speculative'
  | 'provisional'
  | 'failure'
  | 'statusTimestamps'
  | 'ingressAttributesId'
>;

export const summaryOf = (version: ConfigurationVersionState): ConfigurationVersionSummary => ({
  id: version.id,
  status: version.status,
  source: version.source,
  autoQueueRuns: version.autoQueueRuns,
  speculative: version.speculative,
  provisional: version.provisional,
  failure: version.failure,
  statusTimestamps: version.statusTimestamps,
  ingressAttributesId: version.ingressAttributesId,
});

/** What a forge reported of a workspace's repository. */
export interface CommitReport {
  readonly workspaceId: WorkspaceId;
  /** The forge's own name of the report; null when it gave none. */
  readonly delivery: string | null;
  /** The linked repository's. */
  readonly cloneUrl: string;
  readonly branch: string;
  readonly commitSha: string;
  /** A pull request's commit is not the branch's own. */
  readonly isPullRequest: boolean;
}

/** Where a version stands among all, by its age. */
export type VersionPlace = Pick<ConfigurationVersionState, 'createdAt' | 'id'>;

/** What hangs on a deleted workspace or organization is missing. */
export interface ConfigurationVersionRepository {
  find(id: ConfigurationVersionId): Promise<ConfigurationVersion | undefined>;
  /** With the caller's standing on its workspace. */
  findFor(actor: Actor, id: ConfigurationVersionId): Promise<Seen<ConfigurationVersion> | undefined>;
  add(version: ConfigurationVersion): Promise<void>;
  /** Throws `shared/stale-revision` when the stored revision moved on since `version` was read. */
  save(version: ConfigurationVersion): Promise<void>;
  /** Records the commit a version comes from, once. */
  addIngressAttributes(id: ConfigurationVersionId, attributes: IngressAttributes): Promise<void>;
  /**
   * Whether the forge's report made a version already that is not errored: the same delivery did, or one of the same
   * repository, branch and commit. Asked after the workspace's turn is taken.
   */
  isKnown(report: CommitReport): Promise<boolean>;
  /** Remembers the delivery with the version it made; of several, the last. */
  addDelivery(workspaceId: WorkspaceId, delivery: string, id: ConfigurationVersionId): Promise<void>;
}

export interface ConfigurationVersionQueries {
  /**
   * Uploaded versions of all workspaces that were created before `before`, the oldest first, from beyond `after` on.
   * Costs the same however many there are and however far the walk has got.
   */
  uploaded(before: Instant, limit: number, after?: VersionPlace): Promise<readonly ConfigurationVersion[]>;
  /** With the reader's standing on its workspace. */
  findSummaryFor(actor: Actor, id: ConfigurationVersionId): Promise<Seen<ConfigurationVersionSummary> | undefined>;
  /** Newest first. Costs the same however many there are and however deep the page lies. */
  page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<ConfigurationVersionSummary>>;
  /** By version id; versions without a commit have no entry. */
  ingressAttributes(
    ids: readonly ConfigurationVersionId[],
  ): Promise<ReadonlyMap<ConfigurationVersionId, IngressAttributes>>;
}
