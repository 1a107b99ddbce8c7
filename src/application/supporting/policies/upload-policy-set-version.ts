import {
  type Bundle,
  type DefinedPolicies,
  DomainError,
  isDomainError,
  isRefusal,
  notFound,
  type PolicySetVersion,
  type PolicySetVersionId,
  type RequestTrace,
} from '../../../domain/index.js';
import { doneFromOutside } from '../../../domain/supporting/audit/audit-event.js';
import { policiesIn } from '../../../domain/supporting/policies/policy-files.js';
import { checkTakes, checkUploads, failed } from '../../../domain/supporting/policies/policy-set-version.js';
import { seenByCreator, stillMay } from '../../authorization/seen-by-creator.js';
import { storeBytes } from '../../files/bundle-attempt.js';
import type { ByteQuota } from '../../files/byte-quota.js';
import type { BundleInspector } from '../../ports/outside/bundle-inspector.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { checkedPolicies, keepPolicies, type VersionOfSet } from './keep-policies.js';

/** Details of the upload request. */
export interface PolicyUploadFrom {
  readonly request?: RequestTrace | undefined;
  /** Called with the version's id once the object id has been verified. */
  readonly opened?: (id: PolicySetVersionId) => void;
}

/**
 * PUT /v1/policies/:objectId. The bytes are checked and stored while they arrive, without an open transaction; a short
 * transaction then attaches them to the version, and replaces the policies of its set.
 */
export class UploadPolicySetVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'policySetVersions' | 'keptBytes' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly urls: CapabilityUrls,
    private readonly inspector: BundleInspector,
    private readonly store: BundleStore,
    private readonly quota: ByteQuota,
  ) {}

  /**
   * Throws `resource/not-found` for an invalid object id and once the version's creator has lost the right to manage the
   * set, `policy-set-version/upload-refused` if the version accepts no bytes, `bundle/malformed` (a pending version is then
   * `errored`), `bundle/over-limit`, `organization/over-quota` and, if the upload took too long, `bundle/interrupted`. An
   * error from reading `body` is passed on, and nothing is stored.
   */
  async execute(
    objectId: string,
    body: AsyncIterable<Uint8Array>,
    { request, opened }: PolicyUploadFrom = {},
  ): Promise<void> {
    const id = this.urls.open('policy-upload', objectId, this.clock.now());
    if (id === undefined) throw notFound();
    opened?.(id);
    const { seen, within } = await this.unitOfWork.read(async (tx) => {
      const known = await find(tx, id);
      return { seen: known, within: await this.quota.room(tx, known.set) };
    });
    try {
      if (seen.version.status === 'pending') await this.receive(seen, within(body), request);
      else await this.acceptOnlyTheSame(seen.version, body);
    } catch (error) {
      // A creator who lost the right during the upload must not learn anything about the version.
      if (isRefusal(error)) await this.unitOfWork.read((tx) => find(tx, id));
      throw error;
    }
  }

  private async receive(
    { version: { id }, set: { kind } }: VersionOfSet,
    body: AsyncIterable<Uint8Array>,
    request: RequestTrace | undefined,
  ): Promise<void> {
    const key = this.ids.next('bundle');
    const inspection = this.inspector.inspectPolicies(body);
    const on = { unitOfWork: this.unitOfWork, clock: this.clock, store: this.store };
    try {
      await storeBytes(on, key, checkedPolicies(inspection, kind), (tx) =>
        this.take(tx, id, { key, ...inspection.facts() }, policiesIn(kind, inspection.files()), request),
      );
    } catch (error) {
      if (!isDomainError(error) || error.code !== 'bundle/malformed') throw error;
      const told = `${error.message}; upload a correct archive to a new policy set version`;
      const refusal = new DomainError(error.code, told, error.details, error.cause);
      await this.markErrored(id, refusal, request);
      throw refusal;
    }
  }

  /** Whether the version accepted the bundle; false if it already holds the same bytes. */
  private async take(
    tx: Transaction<'policySets' | 'policySetVersions' | 'keptBytes' | 'audit'>,
    id: PolicySetVersionId,
    bundle: Bundle,
    defined: DefinedPolicies,
    request: RequestTrace | undefined,
  ): Promise<boolean> {
    const { version, set } = await find(tx, id);
    if (version.bundle?.sha256 === bundle.sha256) return false;
    const done = doneFromOutside('upload-url', 'policy-sets/upload', id, request);
    await keepPolicies(tx, this.quota, { version, set }, bundle, defined, done, this.clock.now());
    return true;
  }

  private markErrored(
    id: PolicySetVersionId,
    { message }: DomainError,
    request: RequestTrace | undefined,
  ): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { version, set } = await find(tx, id);
      const errored = failed(version, { error: 'bad-archive', errorMessage: message }, this.clock.now());
      if (errored === undefined) return;
      await tx.policySetVersions.save(errored);
      await tx.audit.add(doneFromOutside('upload-url', 'policy-sets/fail', id, request), set);
    });
  }

  /** A version that accepts no more uploads still succeeds for the bytes it holds: clients retry. */
  private async acceptOnlyTheSame(version: PolicySetVersion, body: AsyncIterable<Uint8Array>): Promise<void> {
    const { bundle } = version;
    if (bundle === null || (await this.inspector.digest(body)).sha256 !== bundle.sha256) checkTakes(version);
    await this.unitOfWork.read((tx) => find(tx, version.id));
  }
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
  const seen = await seenByCreator(version.createdBy, (actor) => tx.policySets.findFor(actor, setId));
  if (!stillMay(seen, 'policy-sets/manage')) throw notFound();
  checkUploads(seen.subject);
  return { version, set: seen.subject };
}
