import type {
  Bundle,
  DefinedPolicies,
  Instant,
  PolicyKind,
  PolicySet,
  PolicySetVersion,
} from '../../../domain/index.js';
import type { NewAuditEvent } from '../../../domain/supporting/audit/audit-event.js';
import { policiesIn } from '../../../domain/supporting/policies/policy-files.js';
import { withArchive } from '../../../domain/supporting/policies/policy-set-version.js';
import type { ByteQuota } from '../../files/byte-quota.js';
import { followedBy } from '../../files/uploads.js';
import type { PolicyInspection } from '../../ports/outside/bundle-inspector.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** A version and its set. */
export interface VersionOfSet {
  readonly version: PolicySetVersion;
  readonly set: PolicySet;
}

/** The inspection, which also throws `bundle/malformed` for an archive from which the policies of a set cannot be read. */
export const checkedPolicies = (inspection: PolicyInspection, kind: PolicyKind): PolicyInspection => ({
  ...inspection,
  bytes: followedBy(inspection.bytes, () => policiesIn(kind, inspection.files())),
});

/**
 * Attaches an archive to a version and, unless a newer one is current, replaces the policies of its set. Throws
 * `policy-set-version/upload-refused` unless the version waits for its archive, and `organization/over-quota`.
 */
export async function keepPolicies(
  tx: Transaction<'policySets' | 'policySetVersions' | 'keptBytes' | 'audit'>,
  quota: ByteQuota,
  { version, set }: VersionOfSet,
  bundle: Bundle,
  defined: DefinedPolicies,
  done: NewAuditEvent,
  now: Instant,
): Promise<void> {
  const former = set.versions?.current ?? null;
  const next = withArchive(version, set, bundle, defined, now);
  await tx.policySetVersions.save(next.version);
  if (next.becomesCurrent) {
    await tx.policySets.save(next.set);
    if (former !== null) await tx.policySetVersions.supersede(former.id, now);
  }
  await tx.audit.add(done, set);
  await quota.refuseExcess(tx, set, bundle.bytes);
}
