import { notFound, type PolicySetVersionId, type RequestTrace } from '../../../domain/index.js';
import { policiesIn } from '../../../domain/supporting/policies/policy-files.js';
import { checkTakes, checkUploads, failed } from '../../../domain/supporting/policies/policy-set-version.js';
import { findForCreator, stillMay } from '../../authorization/creator-standing.js';
import type { ByteQuota } from '../../files/byte-quota.js';
import { isSame, refusalOf, type UploadedFile, type Uploads } from '../../files/uploads.js';
import type { BundleInspector, PolicyInspection } from '../../ports/outside/bundle-inspector.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { checkedPolicies, keepPolicies, type VersionOfSet } from './keep-policies.js';

type Needed = 'policySets' | 'policySetVersions' | 'keptBytes' | 'audit';

/** PUT /v1/policies/:objectId. An accepted archive replaces the policies of its set. */
export class UploadPolicySetVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<Needed>,
    private readonly clock: Clock,
    private readonly uploads: Uploads,
    private readonly inspector: BundleInspector,
    private readonly quota: ByteQuota,
  ) {}

  /**
   * Throws `resource/not-found` for an invalid object id and once the version's creator has lost the right to manage the
   * set, `policy-set-version/upload-refused` if the version accepts no bytes, `bundle/malformed` (a pending version is then
   * `errored`), `bundle/over-limit`, `organization/over-quota` and, if the upload took too long, `bundle/interrupted`. An
   * error from reading `body` is passed on, and nothing is stored.
   */
  execute(objectId: string, body: AsyncIterable<Uint8Array>, request?: RequestTrace): Promise<void> {
    return this.uploads.receive(this.unitOfWork, [this.archive], { objectId, body, request });
  }

  private readonly archive: UploadedFile<Needed, VersionOfSet, PolicyInspection> = {
    purpose: 'policy-upload',
    action: 'policy-sets/upload',
    kind: 'policy-set-versions',
    noun: 'policy set version',
    find,
    begin: async (tx, { version, set }, body) => {
      const within = await this.quota.room(tx, set);
      const refusal = refusalOf(() => checkTakes(version));
      if (refusal !== undefined) return { refusal, isHeld: () => isSame(this.inspector, version.bundle, body) };
      return { inspect: () => checkedPolicies(this.inspector.inspectPolicies(within(body)), set.kind) };
    },
    take: async (tx, found, { bundle, inspection, done }) => {
      if (found.version.bundle?.sha256 === bundle.sha256) return false;
      const defined = policiesIn(found.set.kind, inspection.files());
      await keepPolicies(tx, this.quota, found, bundle, defined, done, this.clock.now());
      return true;
    },
    errored: {
      action: 'policy-sets/fail',
      mark: async (tx, { version, set }, errorMessage, done) => {
        const errored = failed(version, { error: 'bad-archive', errorMessage }, this.clock.now());
        if (errored === undefined) return;
        await tx.policySetVersions.save(errored);
        await tx.audit.add(done, set);
      },
    },
  };
}

/**
 * The version and its set, while its creator may still manage the set. The URL is invalid without that right. Throws
 * `policy-set-version/upload-refused` for a set whose versions are fetched.
 */
async function find(
  tx: Transaction<'policySets' | 'policySetVersions'>,
  id: PolicySetVersionId,
): Promise<VersionOfSet> {
  const version = await tx.policySetVersions.find(id);
  const setId = version?.policySetId;
  if (version === undefined || setId === undefined || setId === null) throw notFound();
  const seen = await findForCreator(version.createdBy, (actor) => tx.policySets.findFor(actor, setId));
  if (!stillMay(seen, 'policy-sets/manage')) throw notFound();
  checkUploads(seen.subject);
  return { version, set: seen.subject };
}
