import { DomainError, type PolicySet, type PolicySetVersionId } from '../../domain/index.js';
import { doneBySystem } from '../../domain/supporting/audit/audit-event.js';
import { changesLink, policiesDirectory } from '../../domain/supporting/policies/policy-set.js';
import { failed, policyCommit } from '../../domain/supporting/policies/policy-set-version.js';
import { findForCreator, stillMay } from '../authorization/creator-standing.js';
import type { ByteQuota } from '../files/byte-quota.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { Clock } from '../ports/outside/clock.js';
import type { CommitRequest } from '../ports/outside/commit-fetcher.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { keepPolicies, type VersionOfSet } from '../supporting/policies/keep-policies.js';
import type { CommitFiles, FetchedPolicyFiles } from '../supporting/version-control/commit-files.js';
import { type Begun, fetchedFiles } from './begun.js';

/** Fetches the files of policy set versions: the current commit of the branch, below the path that the set names. */
export class PolicyFetches {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'policySetVersions' | 'keptBytes'>,
    private readonly clock: Clock,
    private readonly store: BundleStore,
    private readonly files: CommitFiles,
    private readonly quota: ByteQuota,
  ) {}

  async begin(id: PolicySetVersionId): Promise<Begun> {
    const waiting = await this.unitOfWork.read((tx) => waitingFor(tx, id));
    if (waiting === undefined) return {};
    const { set } = waiting;
    return fetchedFiles(
      { clock: this.clock, store: this.store },
      async () => {
        const { request, within } = await this.unitOfWork.read(async (tx) => {
          const request = await requestOf(tx, set);
          await this.quota.refuseMore(tx, set);
          return { request, within: await this.quota.room(tx, set) };
        });
        return { request, ...(await this.files.fetchPolicies(request, set.kind, within)) };
      },
      async (tx, fetched) => {
        const now = await waitingFor(tx, id);
        if (now === undefined) return false;
        // A change of the link has ordered another version, and an unlinked set keeps its policies.
        if (changesLink(now.set, set)) {
          await this.fail(tx, id, 'the link to the repository was changed while the files were fetched');
          return false;
        }
        await this.take(tx, now, fetched);
        return true;
      },
      (tx, { message }) => this.fail(tx, id, message),
    );
  }

  private async take(
    tx: Transaction,
    { version, set }: VersionOfSet,
    { request, bundle, commit, defined }: FetchedPolicyFiles & { readonly request: CommitRequest },
  ): Promise<void> {
    const reported = version.commit?.commitSha === commit.sha ? version.commit : null;
    const fetched = { ...version, commit: reported ?? policyCommit(this.files.attributesOf(request, commit)) };
    const done = doneBySystem('policy-sets/fetch', version.id);
    await keepPolicies(tx, this.quota, { version: fetched, set }, bundle, defined, done, this.clock.now());
  }

  async fail(tx: Transaction, id: PolicySetVersionId, errorMessage: string): Promise<void> {
    const found = await waitingFor(tx, id);
    const errored = found && failed(found.version, { error: 'fetch-failed', errorMessage }, this.clock.now());
    if (errored === undefined) return;
    await tx.policySetVersions.save(errored);
    await tx.audit.add(doneBySystem('policy-sets/fail', id), errored);
  }
}

/** The version and its set, unless the version no longer waits for its files or the set is deleted. */
async function waitingFor(
  tx: Transaction<'policySets' | 'policySetVersions'>,
  id: PolicySetVersionId,
): Promise<VersionOfSet | undefined> {
  const version = await tx.policySetVersions.find(id);
  if (version?.status !== 'pending' || version.policySetId === null) return undefined;
  const set = await tx.policySets.find(version.policySetId);
  return set && { version, set };
}

/** Throws `repository/fetch-failed` for an unlinked set, and once the creator of the link has lost the right to manage it. */
async function requestOf(tx: Transaction<'policySets'>, set: PolicySet): Promise<CommitRequest> {
  const refused = (sentence: string) => new DomainError('repository/fetch-failed', sentence);
  const { id, repository } = set;
  if (repository === null) throw refused('the policy set was unlinked from its repository');
  const { cloneUrl, credential, branch, linkedBy } = repository;
  const seen = await findForCreator(linkedBy, (actor) => tx.policySets.findFor(actor, id));
  if (!stillMay(seen, 'policy-sets/manage')) {
    throw refused('the user or team that linked the repository may no longer manage the policy set; link it again');
  }
  return {
    cloneUrl,
    credential,
    ref: branch === null ? null : `refs/heads/${branch}`,
    commitSha: null,
    directory: policiesDirectory(set),
  };
}
