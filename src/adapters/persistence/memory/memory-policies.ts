import { createHash } from 'node:crypto';
import { hasPart } from '../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type { PolicyQuery, PolicyRepository } from '../../../application/ports/repositories/policy-repository.js';
import {
  type Actor,
  alreadyTaken,
  type ManagedPolicy,
  type OrganizationId,
  type PolicyId,
  type WithStanding,
} from '../../../domain/index.js';
import { standingIn } from './memory-standing.js';
import {
  byText,
  type CurrentTables,
  checkRevision,
  compare,
  inOrder,
  type MemoryTables,
  pageOf,
  present,
} from './memory-tables.js';

export const policyCodeKey = (organizationId: OrganizationId, sha256: string): string => `${organizationId} ${sha256}`;

const living = (tables: MemoryTables, id: PolicyId): ManagedPolicy | undefined => {
  const policy = tables.policies.get(id);
  const organization = policy && tables.organization(policy.organizationId);
  if (policy === undefined || organization === undefined) return undefined;
  const sets = [...tables.policySets.values()].filter(({ policyIds }) => policyIds.includes(id));
  const policySetIds = sets.map((set) => set.id).sort(compare);
  return { ...policy, organizationName: organization.name, policySetIds };
};

/** Those of these that live, by name. */
export const policiesWith = (tables: MemoryTables, ids: Iterable<PolicyId>): readonly ManagedPolicy[] =>
  present([...new Set(ids)].map((id) => living(tables, id))).sort(byText(({ name }) => name.toLowerCase()));

export class MemoryPolicies implements PolicyRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: PolicyId): Promise<WithStanding<ManagedPolicy> | undefined> {
    const subject = living(this.tables(), id);
    return subject && { subject, standing: standingIn(this.tables(), actor, subject.organizationId) };
  }

  async allOf(organizationId: OrganizationId, ids: readonly PolicyId[]): Promise<readonly ManagedPolicy[]> {
    return policiesWith(this.tables(), ids).filter((policy) => policy.organizationId === organizationId);
  }

  async add(policy: ManagedPolicy): Promise<void> {
    const { policies } = this.tables();
    const { organizationId, name } = policy;
    const taken = [...policies.values()].some((row) => row.organizationId === organizationId && row.name === name);
    if (taken) throw alreadyTaken('name', 'Name');
    policies.set(policy.id, policy);
  }

  async save(policy: ManagedPolicy): Promise<void> {
    const { policies } = this.tables();
    checkRevision(policies.get(policy.id), policy);
    policies.set(policy.id, policy);
  }

  async remove(id: PolicyId): Promise<void> {
    this.tables().policies.delete(id);
  }

  async page({ organizationId, kind, search, sort }: PolicyQuery, page: PageRequest): Promise<Page<ManagedPolicy>> {
    const tables = this.tables();
    const matches = (policy: ManagedPolicy) =>
      policy.organizationId === organizationId &&
      (kind === undefined || policy.kind === kind) &&
      hasPart(policy.name, search);
    const matching = policiesWith(tables, tables.policies.keys()).filter(matches);
    return pageOf(
      inOrder(matching, ({ createdAt }) => createdAt, sort),
      page,
    );
  }

  async keepCode(organizationId: OrganizationId, code: string): Promise<string> {
    const sha256 = createHash('sha256').update(code).digest('hex');
    this.tables().policyCodes.set(policyCodeKey(organizationId, sha256), code);
    return sha256;
  }

  async findCode(organizationId: OrganizationId, sha256: string): Promise<string | undefined> {
    return this.tables().policyCodes.get(policyCodeKey(organizationId, sha256));
  }
}
