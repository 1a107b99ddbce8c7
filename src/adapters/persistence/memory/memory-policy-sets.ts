import { hasPart, type PolicySetFilter } from '../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type { PolicySetRepository } from '../../../application/ports/repositories/policy-repository.js';
import {
  type Actor,
  type ApplyingPolicySet,
  alreadyTaken,
  type OrganizationId,
  type PolicySet,
  type PolicySetId,
  type WithStanding,
  type WorkspaceId,
} from '../../../domain/index.js';
import { policiesWith } from './memory-policies.js';
import { standingIn } from './memory-standing.js';
import { byText, type CurrentTables, checkRevision, pageOf, present } from './memory-tables.js';

export class MemoryPolicySets implements PolicySetRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: PolicySetId): Promise<WithStanding<PolicySet> | undefined> {
    const subject = this.living(id);
    return subject && { subject, standing: standingIn(this.tables(), actor, subject.organizationId) };
  }

  async add(policySet: PolicySet): Promise<void> {
    this.checkName(policySet);
    this.tables().policySets.set(policySet.id, policySet);
  }

  async save(policySet: PolicySet): Promise<void> {
    const { policySets } = this.tables();
    checkRevision(policySets.get(policySet.id), policySet);
    this.checkName(policySet);
    policySets.set(policySet.id, policySet);
  }

  async remove(id: PolicySetId): Promise<void> {
    const { policySets, policySetParameters } = this.tables();
    for (const one of policySetParameters.values()) if (one.policySetId === id) policySetParameters.delete(one.id);
    policySets.delete(id);
  }

  async page(
    organizationId: OrganizationId,
    page: PageRequest,
    { search, kind, versioned }: PolicySetFilter = {},
  ): Promise<Page<PolicySet>> {
    const matches = (set: PolicySet) =>
      hasPart(set.name, search) &&
      (kind === undefined || set.kind === kind) &&
      (versioned === undefined || (set.versions !== null) === versioned);
    return pageOf(this.ofOrganization(organizationId).filter(matches), page);
  }

  async applyingTo(workspaceId: WorkspaceId): Promise<readonly ApplyingPolicySet[]> {
    const workspace = this.tables().workspace(workspaceId);
    if (workspace === undefined) return [];
    const applies = ({ global, workspaceIds, excludedWorkspaceIds }: PolicySet) =>
      (global || workspaceIds.includes(workspaceId)) && !excludedWorkspaceIds.includes(workspaceId);
    const sets = this.ofOrganization(workspace.organizationId).filter(applies);
    return sets.map((set) => ({ ...set, attached: policiesWith(this.tables(), set.policyIds) }));
  }

  /** By name. */
  private ofOrganization(organizationId: OrganizationId): readonly PolicySet[] {
    const rows = [...this.tables().policySets.values()].filter((row) => row.organizationId === organizationId);
    return present(rows.map(({ id }) => this.living(id))).sort(byText(({ name }) => name.toLowerCase()));
  }

  private living(id: PolicySetId): PolicySet | undefined {
    const tables = this.tables();
    const policySet = tables.policySets.get(id);
    const organization = policySet && tables.organization(policySet.organizationId);
    if (policySet === undefined || organization === undefined) return undefined;
    const living = (ids: readonly WorkspaceId[]) =>
      [...new Set(ids)].filter((one) => tables.workspace(one) !== undefined).sort();
    const workspaceIds = living(policySet.workspaceIds);
    const excludedWorkspaceIds = living(policySet.excludedWorkspaceIds);
    const policyIds = [...new Set(policySet.policyIds)].filter((id) => tables.policies.has(id)).sort();
    return { ...policySet, organizationName: organization.name, workspaceIds, excludedWorkspaceIds, policyIds };
  }

  private checkName({ id, organizationId, name }: PolicySet): void {
    const others = [...this.tables().policySets.values()].filter((row) => row.organizationId === organizationId);
    if (others.some((other) => other.name === name && other.id !== id)) throw alreadyTaken('name', 'Name');
  }
}
