import type { Bundle, DefinedPolicies, IngressAttributes, PolicyKind, RunId } from '../../../domain/index.js';
import { policiesIn } from '../../../domain/supporting/policies/policy-files.js';
import type { WithinRoom } from '../../files/byte-quota.js';
import type { BundleInspector, Inspection } from '../../ports/outside/bundle-inspector.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { CommitFetcher, CommitRequest, FetchedCommit } from '../../ports/outside/commit-fetcher.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';
import { checkedPolicies } from '../policies/keep-policies.js';

/** A commit's files, stored but not settled. */
export interface FetchedFiles {
  readonly bundle: Bundle;
  readonly commit: FetchedCommit;
}

/** The files of a policy set version, stored but not settled. */
export interface FetchedPolicyFiles extends FetchedFiles {
  readonly defined: DefinedPolicies;
}

/** Fetches the files of commits into the store, checked like every upload. */
export class CommitFiles {
  constructor(
    private readonly ids: IdGenerator,
    private readonly fetcher: CommitFetcher,
    private readonly inspector: BundleInspector,
    private readonly store: BundleStore,
  ) {}

  /** Throws `repository/fetch-failed`, `bundle/malformed` or `bundle/over-limit`, and what `within` throws. */
  fetch(request: CommitRequest, within: WithinRoom): Promise<FetchedFiles> {
    return this.fetched(request, (archive) => this.inspector.inspect(within(archive)));
  }

  /** Throws what `fetch` does, and `bundle/malformed` for files from which the policies of a set cannot be read. */
  async fetchPolicies(request: CommitRequest, kind: PolicyKind, within: WithinRoom): Promise<FetchedPolicyFiles> {
    const { inspection, ...fetched } = await this.fetched(request, (archive) =>
      checkedPolicies(this.inspector.inspectPolicies(within(archive)), kind),
    );
    return { ...fetched, defined: policiesIn(kind, inspection.files()) };
  }

  private fetched<Checked extends Inspection>(
    request: CommitRequest,
    inspect: (archive: AsyncIterable<Uint8Array>) => Checked,
  ): Promise<FetchedFiles & { readonly inspection: Checked }> {
    const key = this.ids.next('bundle');
    return this.fetcher.fetch(request, async (commit, archive) => {
      const inspection = inspect(archive);
      await this.store.write(key, inspection.bytes);
      return { bundle: { key, ...inspection.facts() }, commit, inspection };
    });
  }

  /** The attributes that the repository provides for a commit without a report. */
  attributesOf({ cloneUrl, ref }: CommitRequest, commit: FetchedCommit): Omit<IngressAttributes, 'id'> {
    const branch = ref?.replace(/^refs\/heads\//, '') ?? commit.defaultBranch ?? '';
    return {
      branch,
      cloneUrl,
      commitMessage: commit.message,
      commitSha: commit.sha,
      commitUrl: null,
      compareUrl: null,
      identifier: new URL(cloneUrl).pathname.replace(/^\//, '').replace(/\.git$/, ''),
      isPullRequest: false,
      onDefaultBranch: branch === commit.defaultBranch,
      pullRequestNumber: null,
      pullRequestUrl: null,
      pullRequestTitle: null,
      pullRequestBody: null,
      tag: null,
      senderUsername: null,
      senderAvatarUrl: null,
      senderHtmlUrl: null,
    };
  }

  /** The commit a run's version was fetched from; undefined if the run no longer waits for its files. */
  async requestOfRun(
    tx: Transaction<'workspaces' | 'configurationVersions' | 'runs'>,
    id: RunId,
  ): Promise<CommitRequest | undefined> {
    const run = await tx.runs.find(id);
    if (run?.state.status !== 'fetching') return undefined;
    const { configurationVersionId: versionId, workspaceId } = run.state;
    const version = await tx.configurationVersions.find(versionId);
    const commit = (await tx.configurationVersions.ingressAttributes([versionId])).get(versionId);
    const repository = (await tx.workspaces.find(workspaceId))?.repository;
    if (version === undefined || commit === undefined) throw new Error(`the commit of ${id} is unknown`);
    return {
      cloneUrl: commit.cloneUrl,
      // The credential belongs to the linked repository, and must not be sent to another.
      credential: repository?.cloneUrl === commit.cloneUrl ? repository.credential : null,
      ref: refOf(commit, version.state.source),
      commitSha: commit.commitSha,
    };
  }
}

/** The ref the commit was fetched from; null if the remote's default is not a branch. */
function refOf({ branch, isPullRequest, pullRequestNumber }: IngressAttributes, source: string): string | null {
  const pulls = source === 'gitlab' ? 'refs/merge-requests' : 'refs/pull';
  if (isPullRequest) return `${pulls}/${pullRequestNumber}/head`;
  return branch === '' ? null : `refs/heads/${branch}`;
}
