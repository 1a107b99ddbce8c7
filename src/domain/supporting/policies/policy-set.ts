import { type AtFault, DomainError, invalidAttribute } from '../../shared/domain-error.js';
import type {
  Instant,
  OrganizationId,
  PolicyId,
  PolicySetId,
  PolicySetVersionId,
  ProjectId,
  WorkspaceId,
} from '../../shared/id.js';
import type { LinkedRepository } from '../../shared/linked-repository.js';
import { checkName } from '../../shared/name.js';
import { checkKeyValues, type KeyValue } from '../tags/tag-binding.js';
import { type ManagedPolicy, outcomeLevel, type Policy, type PolicyKind, type PolicySettings } from './policy.js';

export interface PolicySetSettings {
  readonly name: string;
  readonly description: string | null;
  readonly kind: PolicyKind;
  /** Whether it applies to every workspace of its organization. */
  readonly global: boolean;
  /** Whether a holder of `manage-policy-overrides` may override a failure. */
  readonly overridable: boolean;
  /** The policies defined inside the set, or in its current version; managed policies are attached by id. */
  readonly policies: readonly Policy[];
  /**
   * The version of the engine that the policies are written for: below 1, OPA evaluates them as Rego v0. Null accepts both
   * versions of Rego.
   */
  readonly policyToolVersion: string | null;
  /** As clients send it. It has no effect: agents evaluate all policies. */
  readonly agentEnabled: boolean;
  /** Globs of the paths whose change in the repository creates a version, instead of all paths below `policiesPath`. */
  readonly updatePatterns: readonly string[];
  /** The directory of the repository that contains the set; null for its root, and always null without a repository. */
  readonly policiesPath: string | null;
}

/** The newest and the current version of a set. */
export interface PolicySetVersions {
  readonly newest: VersionInSet;
  /** The newest that is ready. Its archive is what agents evaluate. */
  readonly current:
    | (VersionInSet & {
        readonly sha256: string;
        readonly bytes: number;
        readonly hardMandatory: boolean;
      })
    | null;
}

interface VersionInSet {
  readonly id: PolicySetVersionId;
  readonly sequence: number;
}

/** The places to which a set applies. Exclusions take precedence over attachments and over `global`. */
export interface PolicySetScope {
  /** The attached workspaces; a global set also applies to all others. */
  readonly workspaceIds: readonly WorkspaceId[];
  /** The workspaces to which it never applies, attached or not. */
  readonly excludedWorkspaceIds: readonly WorkspaceId[];
  /** The attached projects: it applies to the workspaces that are in one of them when a run is created. */
  readonly projectIds: readonly ProjectId[];
  /** The projects to whose workspaces it never applies, attached or not. */
  readonly excludedProjectIds: readonly ProjectId[];
}

/**
 * A tag whose workspaces a set applies to, or never applies to. Tags are compared with the effective bindings of a
 * workspace, by key and value. An empty value stands for a key without a value.
 */
export interface TagSelector extends KeyValue {
  readonly excludes: boolean;
}

/** The policies that apply to the runs of some workspaces. */
export interface PolicySet extends PolicySetSettings, PolicySetScope {
  readonly id: PolicySetId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** Ordered by key and value. Workspaces with one of these tags when a run is created belong to the scope. */
  readonly tagSelectors: readonly TagSelector[];
  /** The attached policies. */
  readonly policyIds: readonly PolicyId[];
  /** The repository that the versions are fetched from; null if clients upload them. */
  readonly repository: LinkedRepository | null;
  /** Null for a set of attached policies. A set with versions never becomes one of these again. */
  readonly versions: PolicySetVersions | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

const wellFormedVersion = /^(?=.{1,64}$)(latest|\d+(\.\d+){0,2}([-+][0-9A-Za-z.+-]+)?)$/;

/** Throws `attribute/invalid` for a malformed name, version or path, and for two policies with the same name. */
export function checkPolicySet<Settings extends Partial<PolicySetSettings>>(settings: Settings): Settings {
  if (settings.name !== undefined) checkName(settings.name);
  const { policyToolVersion } = settings;
  if (typeof policyToolVersion === 'string' && !wellFormedVersion.test(policyToolVersion)) {
    throw invalidAttribute('policyToolVersion', 'Policy tool version must be a version, such as 1.10.0, or latest');
  }
  const { policiesPath } = settings;
  if (
    typeof policiesPath === 'string' &&
    (policiesPath.split('/').includes('..') || /[\p{Cc}\\]/u.test(policiesPath))
  ) {
    throw invalidAttribute('policiesPath', 'Policies path must be a path below the root of the repository');
  }
  const names = (settings.policies ?? []).map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalidAttribute('policies', 'Policies must have different names');
  return settings;
}

export const maxTagSelectors = 100;

const nameOfSelector = ({ key, value, excludes }: TagSelector): string => `${key} ${value} ${excludes}`;

export const inOrder = (selectors: readonly TagSelector[]): readonly TagSelector[] =>
  selectors.toSorted((one, other) => (nameOfSelector(one) < nameOfSelector(other) ? -1 : 1));

export const isAmong = (selectors: readonly TagSelector[], one: TagSelector): boolean =>
  selectors.some((other) => nameOfSelector(other) === nameOfSelector(one));

/**
 * The selectors in order, each once. Throws `attribute/invalid`, at `where`, for a malformed key or value, and for too
 * many.
 */
export function checkTagSelectors(given: readonly TagSelector[], where: AtFault): readonly TagSelector[] {
  checkKeyValues(given, where);
  const selectors = [...new Map(given.map((one) => [nameOfSelector(one), one])).values()];
  if (selectors.length > maxTagSelectors) {
    throw new DomainError('attribute/invalid', `A policy set can have at most ${maxTagSelectors} tag selectors`, where);
  }
  return inOrder(selectors);
}

/** Throws `attribute/invalid`, at `where`, for a set whose policies come from its versions. */
export function checkNotVersioned(
  { versions, repository }: Pick<PolicySet, 'versions' | 'repository'>,
  where: AtFault,
): void {
  if (versions === null) return;
  const remedy = repository === null ? 'Upload a new version' : 'Push to its repository';
  const sentence = `The policies of a versioned policy set come from its current version. ${remedy}`;
  throw new DomainError('attribute/invalid', sentence, where);
}

/** Throws `attribute/invalid`, at `where`, for a set that has policies which no version defines. */
export function checkCanHaveVersions({ policies, policyIds, versions }: PolicySet, where?: AtFault): void {
  if (versions !== null || (policies.length === 0 && policyIds.length === 0)) return;
  const sentence = 'The policy set has policies of its own. Detach them, or create another set for versions';
  throw new DomainError('attribute/invalid', sentence, where);
}

/** Throws `attribute/invalid` for a repository of a set with policies of its own, and for a path without a repository. */
export function checkLink(policySet: PolicySet): void {
  if (policySet.repository !== null) checkCanHaveVersions(policySet, { attribute: 'vcsRepo' });
  else if (policySet.policiesPath !== null) {
    throw invalidAttribute('policiesPath', 'Policies path must be set together with a vcs-repo');
  }
}

/** The directory relative to the root of the repository; empty for the root itself. */
export const policiesDirectory = ({ policiesPath }: Pick<PolicySet, 'policiesPath'>): string =>
  (policiesPath ?? '')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');

/** Whether the next version of the set may have other files than the last, although nothing was pushed. */
export const changesLink = (one: PolicySet, other: PolicySet): boolean =>
  one.policiesPath !== other.policiesPath ||
  one.repository?.cloneUrl !== other.repository?.cloneUrl ||
  one.repository?.branch !== other.repository?.branch ||
  one.repository?.credential !== other.repository?.credential;

/** The maximum an agent's report can cover. */
export const maxPoliciesOfSet = 1000;

/** Throws `attribute/invalid`, at `where`, for a policy whose kind differs from the set's. */
export function checkKinds(
  { kind }: Pick<PolicySet, 'kind'>,
  attached: readonly ManagedPolicy[],
  where: AtFault,
): void {
  if (attached.every((policy) => policy.kind === kind)) return;
  throw new DomainError('attribute/invalid', 'A policy set and its policies must be of the same kind', where);
}

/**
 * Throws `attribute/invalid`, at `where`, for two policies with the same name and for more policies than an agent can
 * report.
 */
export function checkNames(
  { policies }: Pick<PolicySet, 'policies'>,
  attached: readonly ManagedPolicy[],
  where: AtFault,
): void {
  const names = [...policies, ...attached].map(({ name }) => name);
  if (new Set(names).size < names.length) {
    throw new DomainError('attribute/invalid', 'Policies must have different names', where);
  }
  if (names.length > maxPoliciesOfSet) {
    throw new DomainError('attribute/invalid', `A policy set can have at most ${maxPoliciesOfSet} policies`, where);
  }
}

/** The members of a set that its evaluations copy or depend on. */
export interface ApplyingPolicySet
  extends Pick<
    PolicySet,
    'id' | 'name' | 'description' | 'kind' | 'overridable' | 'policies' | 'policyToolVersion' | 'versions'
  > {
  /** By name. */
  readonly attached: readonly ManagedPolicy[];
}

/** A snapshot of a policy, taken when a run was created. */
export interface AppliedPolicy extends Policy {
  /** The SHA-256 of its code, in hexadecimal; null if the service does not store the code. */
  readonly code: string | null;
}

/** A snapshot of a set, taken when a run was created: later changes do not affect waiting runs. */
export interface AppliedPolicySet
  extends Pick<PolicySet, 'id' | 'name' | 'description' | 'overridable' | 'policyToolVersion'> {
  readonly policies: readonly AppliedPolicy[];
  /** The archive with the code of all policies; null for a set without versions. */
  readonly archive: AppliedArchive | null;
}

/** The archive of a policy set version. */
export interface AppliedArchive {
  readonly versionId: PolicySetVersionId;
  readonly sha256: string;
  readonly bytes: number;
}

const appliedArchive = ({ versions }: Pick<PolicySet, 'versions'>): AppliedArchive | null => {
  if (versions === null || versions.current === null) return null;
  const { id, sha256, bytes } = versions.current;
  return { versionId: id, sha256, bytes };
};

const appliedPolicy = (
  { name, description, query, enforcementLevel }: Omit<PolicySettings, 'kind'>,
  code: AppliedPolicy['code'],
): AppliedPolicy => ({ name, description, query, enforcementLevel: outcomeLevel(enforcementLevel), code });

/** The policies defined in the set come first, in their order, followed by the attached ones. */
export const asApplied = (set: ApplyingPolicySet): AppliedPolicySet => ({
  id: set.id,
  name: set.name,
  description: set.description,
  // No failure of a hard-mandatory policy can be overridden.
  overridable:
    set.overridable &&
    set.versions?.current?.hardMandatory !== true &&
    set.attached.every(({ enforcementLevel }) => enforcementLevel !== 'hard-mandatory'),
  policyToolVersion: set.policyToolVersion,
  policies: [
    ...set.policies.map((policy) => appliedPolicy(policy, null)),
    ...set.attached.map((policy) => appliedPolicy(policy, policy.code)),
  ],
  archive: appliedArchive(set),
});

export const invalidReport = (sentence: string, member: string): DomainError =>
  new DomainError('agent-report/invalid', sentence, { member });
