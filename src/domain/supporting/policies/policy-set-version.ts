import type { Bundle } from '../../shared/bundle.js';
import { DomainError } from '../../shared/domain-error.js';
import type { Instant, OrganizationId, PolicySetId, PolicySetVersionId } from '../../shared/id.js';
import type { IngressAttributes } from '../../shared/ingress-attributes.js';
import { entered, Lifecycle, type LifecycleRow } from '../../shared/lifecycle-engine.js';
import { revised } from '../../shared/revision.js';
import type { TokenOwner } from '../../shared/token-owner.js';
import type { DefinedPolicies } from './policy-files.js';
import type { PolicySet } from './policy-set.js';

export const policySetVersionStatuses = ['pending', 'ready', 'errored'] as const;

export type PolicySetVersionStatus = (typeof policySetVersionStatuses)[number];

/** The commit that a version was fetched from. */
export type PolicyCommit = Pick<
  IngressAttributes,
  'branch' | 'cloneUrl' | 'commitMessage' | 'commitSha' | 'commitUrl' | 'identifier'
>;

/** The part of a commit's attributes that versions of policy sets keep. */
export const policyCommit = (attributes: PolicyCommit): PolicyCommit => {
  const { branch, cloneUrl, commitMessage, commitSha, commitUrl, identifier } = attributes;
  return { branch, cloneUrl, commitMessage, commitSha, commitUrl, identifier };
};

/** The policies and code of a set at a point in time, uploaded or fetched as one archive. */
export interface PolicySetVersion {
  readonly id: PolicySetVersionId;
  readonly organizationId: OrganizationId;
  /** Null once the set is deleted: runs that were created before may still need the archive. */
  readonly policySetId: PolicySetId | null;
  /** Counts the versions of the set from 1. */
  readonly sequence: number;
  /** `uploadSource`, or the kind of the forge that it is fetched from. */
  readonly source: string;
  /** As the forge reported it, until the files are fetched; null for an upload, and if nothing was reported. */
  readonly commit: PolicyCommit | null;
  readonly status: PolicySetVersionStatus;
  /** Null unless the status is `errored`. */
  readonly failure: { readonly error: string; readonly errorMessage: string } | null;
  /** Null until the upload or the fetch, and once no run needs it any more. */
  readonly bundle: Bundle | null;
  /** Null if unknown. */
  readonly createdBy: TokenOwner | null;
  readonly statusTimestamps: Readonly<Record<string, Instant>>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** When a newer version became current, or the set was deleted. */
  readonly supersededAt: Instant | null;
  readonly revision: number;
}

const row = {
  guards: [],
  effects: [],
  refusedAs: 'policy-set-version/upload-refused',
  done: 'uploaded',
  instead: 'upload to a new policy set version',
} as const;

/** The complete lifecycle of a version. */
export const policySetVersionMoves: readonly LifecycleRow<PolicySetVersionStatus, 'take' | 'fail'>[] = [
  { ...row, trigger: 'take', from: ['pending'], to: 'ready' },
  { ...row, trigger: 'fail', from: ['pending'], to: 'errored' },
];

const life = new Lifecycle('policy set version', policySetVersionMoves, {});

type Draft = Pick<PolicySetVersion, 'id' | 'organizationId' | 'source' | 'commit' | 'createdBy' | 'createdAt'> & {
  readonly policySetId: PolicySetId;
};

/** The next version of a set, and the set with it. */
export function newVersion(set: PolicySet, draft: Draft): { version: PolicySetVersion; set: PolicySet } {
  const sequence = (set.versions?.newest.sequence ?? 0) + 1;
  const { createdAt } = draft;
  return {
    version: {
      ...draft,
      sequence,
      status: 'pending',
      failure: null,
      bundle: null,
      statusTimestamps: { 'pending-at': createdAt },
      updatedAt: createdAt,
      supersededAt: null,
      revision: 0,
    },
    set: revised(set, {
      versions: { current: set.versions?.current ?? null, newest: { id: draft.id, sequence } },
      updatedAt: createdAt,
    }),
  };
}

/** The source of versions that clients upload. */
export const uploadSource = 'tfe-api';

/** Whether a client may still upload the archive. */
export const awaitsUpload = ({ source, status }: Pick<PolicySetVersion, 'source' | 'status'>): boolean =>
  source === uploadSource && life.startsFrom(status, 'take');

/** Throws `policy-set-version/upload-refused` unless the version waits for its archive. */
export const checkTakes = (version: PolicySetVersion): void => {
  life.fire('take', version);
};

/** Throws `policy-set-version/upload-refused` for a set whose versions are fetched. */
export function checkUploads({ repository }: Pick<PolicySet, 'repository'>): void {
  if (repository === null) return;
  const sentence = 'the versions of the policy set come from its repository: push to it, or unlink it (vcs-repo: null)';
  throw new DomainError('policy-set-version/upload-refused', sentence);
}

/**
 * The version with its archive, and the set, whose current version it becomes unless a newer one already is. Throws
 * `policy-set-version/upload-refused`.
 */
export function withArchive(
  version: PolicySetVersion,
  set: PolicySet,
  bundle: Bundle,
  { policies, hardMandatory }: DefinedPolicies,
  now: Instant,
): { version: PolicySetVersion; set: PolicySet; becomesCurrent: boolean } {
  const { id, sequence } = version;
  const move = entered(version, life.fire('take', version), now);
  const becomesCurrent = set.versions === null || sequence > (set.versions.current?.sequence ?? 0);
  const supersededAt = becomesCurrent ? null : now;
  const ready = { ...revised(version), ...move, bundle, supersededAt, updatedAt: now } as PolicySetVersion;
  if (!becomesCurrent) return { version: ready, set, becomesCurrent };
  const current = { id, sequence, sha256: bundle.sha256, bytes: bundle.bytes, hardMandatory };
  const versions = { newest: set.versions?.newest ?? { id, sequence }, current };
  return {
    version: ready,
    set: revised(set, { policies, versions, updatedAt: now }),
    becomesCurrent,
  };
}

/** The version after an attempt that gave no usable archive; undefined unless it waits for one. */
export function failed(
  version: PolicySetVersion,
  failure: NonNullable<PolicySetVersion['failure']>,
  now: Instant,
): PolicySetVersion | undefined {
  if (!life.startsFrom(version.status, 'fail')) return undefined;
  const move = entered(version, life.fire('fail', version), now);
  return { ...revised(version), ...move, failure, updatedAt: now } as PolicySetVersion;
}
