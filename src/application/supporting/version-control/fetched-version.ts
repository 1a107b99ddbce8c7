import {
  ConfigurationVersion,
  type ConfigurationVersionState,
  type IngressAttributes,
  type LinkedRepository,
  type TokenOwner,
  type Workspace,
} from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { CommitRequest } from '../../ports/outside/commit-fetcher.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

export interface CommitToFetch {
  readonly source: string;
  readonly speculative: boolean;
  readonly autoQueueRuns: boolean;
  readonly createdBy: TokenOwner;
  readonly ref: string | null;
  /** Null for the ref's current commit at the time of the fetch. */
  readonly commitSha: string | null;
  /** The known attributes of the commit; undefined if they must be read from the repository. */
  readonly attributes: Omit<IngressAttributes, 'id'> | undefined;
}

/** Creates versions whose files are fetched afterwards. */
export class FetchedVersions {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Creates a pending version of the workspace and orders its fetch, in the caller's transaction. */
  async order(
    tx: Transaction<'configurationVersions' | 'effects'>,
    workspace: Workspace & { readonly repository: LinkedRepository },
    commit: CommitToFetch,
  ): Promise<ConfigurationVersionState> {
    const id = this.ids.next('configuration-version');
    const attributes = commit.attributes && { ...commit.attributes, id: this.ids.next('ingress-attributes') };
    const version = ConfigurationVersion.create({
      id,
      workspaceId: workspace.id,
      origin: 'version-control',
      source: commit.source,
      autoQueueRuns: commit.autoQueueRuns,
      speculative: commit.speculative,
      provisional: false,
      ingressAttributesId: attributes?.id ?? null,
      createdBy: commit.createdBy,
      createdAt: this.clock.now(),
    });
    await tx.configurationVersions.add(version, version.becomesCurrentWhenCreated);
    if (attributes !== undefined) await tx.configurationVersions.addIngressAttributes(id, attributes);
    const { cloneUrl, credential } = workspace.repository;
    const request: CommitRequest = { cloneUrl, credential, ref: commit.ref, commitSha: commit.commitSha };
    // In sequence, so that a later push whose files arrive sooner is not planned first.
    await tx.effects.enqueue(`fetch ${workspace.id}`, [{ kind: 'fetch-commit', versionId: id, request }]);
    return version.state;
  }
}
