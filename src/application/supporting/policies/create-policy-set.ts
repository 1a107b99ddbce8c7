import type {
  Actor,
  PolicyId,
  PolicySet,
  PolicySetScope,
  PolicySetSettings,
  RepositorySettings,
  TagSelector,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { checkLink, checkPolicySet, checkTagSelectors } from '../../../domain/supporting/policies/policy-set.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { RepositoryLinks } from '../linked-repositories/repository-links.js';
import { withPolicies } from './attachable-policies.js';
import { type FetchedPolicies, isLinked } from './fetched-policies.js';
import { scopeOf } from './policy-set-scope.js';

/** The settings of a policy set; a null repository is none. */
export interface NewPolicySet extends PolicySetSettings {
  readonly repository?: RepositorySettings | null;
}

/** The lists of a policy set. */
export interface PolicySetLists extends PolicySetScope {
  readonly tagSelectors: readonly TagSelector[];
  readonly policyIds: readonly PolicyId[];
}

/** A changed policy set, with values that are shown only once. */
export interface ChangedPolicySet extends PolicySet {
  /** The key of a newly created webhook. */
  readonly webhookKey?: string;
}

/** POST /organizations/:name/policy-sets. It does not apply to existing runs. */
export class CreatePolicySet {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      | 'organizations'
      | 'workspaces'
      | 'projects'
      | 'policySets'
      | 'policySetVersions'
      | 'policies'
      | 'effects'
      | 'audit'
    >,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly links: RepositoryLinks,
    private readonly fetched: FetchedPolicies,
  ) {}

  execute(
    actor: Actor,
    organizationName: string,
    { repository: asked, ...settings }: NewPolicySet,
    { policyIds = [], tagSelectors = [], ...scope }: Partial<PolicySetLists> = {},
  ): Promise<ChangedPolicySet> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: organization,
        standing,
        done,
      } = changing(actor, await tx.organizations.findFor(actor, organizationName), 'policy-sets/manage');
      const linking = { actor, standing, action: 'policy-sets/link-repository' } as const;
      const { repository, webhookKey } = this.links.change(linking, null, asked);
      const now = this.clock.now();
      const empty: PolicySet = {
        ...checkPolicySet(settings),
        id: this.ids.next('policy-set'),
        organizationId: organization.id,
        organizationName: organization.name,
        workspaceIds: [],
        excludedWorkspaceIds: [],
        projectIds: [],
        excludedProjectIds: [],
        ...(await scopeOf(tx, organization.id, scope)),
        tagSelectors: checkTagSelectors(tagSelectors, { attribute: 'tagSelectors' }),
        policyIds: [],
        repository,
        versions: null,
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      const attached = await withPolicies(tx, empty, policyIds, { relationship: 'policies' });
      const policySet: PolicySet = { ...empty, policyIds: attached };
      checkLink(policySet);
      await tx.policySets.add(policySet);
      await tx.audit.add(done(policySet.id), policySet);
      if (!isLinked(policySet)) return policySet;
      const { set } = await this.fetched.order(tx, policySet, { source: 'git', commit: null });
      return { ...set, ...(webhookKey && { webhookKey }) };
    });
  }
}
