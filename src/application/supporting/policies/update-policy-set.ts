import {
  type Actor,
  authorize,
  type PolicySet,
  type PolicySetId,
  type PolicySetSettings,
  type RepositorySettings,
} from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import {
  changesLink,
  checkKinds,
  checkLink,
  checkNames,
  checkNotVersioned,
  checkPolicySet,
  checkTagSelectors,
} from '../../../domain/supporting/policies/policy-set.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { RepositoryLinks } from '../linked-repositories/repository-links.js';
import { withPolicies } from './attachable-policies.js';
import type { ChangedPolicySet, PolicySetLists } from './create-policy-set.js';
import { type FetchedPolicies, isLinked } from './fetched-policies.js';
import { scopeOf } from './policy-set-scope.js';

/**
 * The requested change of a policy set: unnamed settings and lists keep their value, named lists are replaced; a null
 * repository unlinks it.
 */
export interface PolicySetChange extends Partial<PolicySetSettings & PolicySetLists> {
  readonly repository?: RepositorySettings | null;
}

/**
 * PATCH /policy-sets/:id: unnamed settings keep their value. Existing runs keep their snapshot of the set. Unlinking keeps
 * the current version.
 */
export class UpdatePolicySet {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'workspaces' | 'projects' | 'policySets' | 'policySetVersions' | 'policies' | 'effects' | 'audit'
    >,
    private readonly clock: Clock,
    private readonly links: RepositoryLinks,
    private readonly fetched: FetchedPolicies,
  ) {}

  execute(
    actor: Actor,
    id: PolicySetId,
    { repository: asked, policyIds, tagSelectors, ...change }: PolicySetChange,
  ): Promise<ChangedPolicySet> {
    return this.unitOfWork.run(async (tx) => {
      const {
        subject: policySet,
        standing,
        done,
      } = changing(actor, await tx.policySets.findFor(actor, id), 'policy-sets/manage');
      const linking = { actor, standing, action: 'policy-sets/link-repository' } as const;
      const { repository, webhookKey } = this.links.change(linking, policySet.repository, asked);
      if (change.policies !== undefined) checkNotVersioned(policySet, { attribute: 'policies' });
      if (change.kind !== undefined && change.kind !== policySet.kind)
        checkNotVersioned(policySet, { attribute: 'kind' });
      if (policyIds !== undefined && policyIds.length > 0) checkNotVersioned(policySet, { relationship: 'policies' });
      const changed = revised(policySet, {
        ...checkPolicySet(change),
        ...(await scopeOf(tx, policySet.organizationId, change)),
        ...(tagSelectors && { tagSelectors: checkTagSelectors(tagSelectors, { attribute: 'tagSelectors' }) }),
        repository,
        ...(asked === null && { policiesPath: null }),
        updatedAt: this.clock.now(),
      });
      const next =
        policyIds === undefined
          ? changed
          : {
              ...changed,
              policyIds: await withPolicies(tx, { ...changed, policyIds: [] }, policyIds, { relationship: 'policies' }),
            };
      checkLink(next);
      if (next.policiesPath !== policySet.policiesPath) authorize(standing, linking.action);
      if (
        policyIds === undefined &&
        next.policyIds.length > 0 &&
        (change.kind !== undefined || change.policies !== undefined)
      ) {
        const attached = await tx.policies.allOf(next.organizationId, next.policyIds);
        checkKinds(next, attached, { attribute: 'kind' });
        checkNames(next, attached, { attribute: 'policies' });
      }
      await tx.policySets.save(next);
      await tx.audit.add(done(id), next);
      const fetches = changesLink(next, policySet) || (asked !== undefined && (await hasFailed(tx, next)));
      if (!fetches || !isLinked(next)) return next;
      const { set } = await this.fetched.order(tx, next, { source: 'git', commit: null });
      return { ...set, ...(webhookKey && { webhookKey }) };
    });
  }
}

/** Whether the newest version of the set is `errored`: linking the same repository again retries. */
async function hasFailed(tx: Transaction<'policySetVersions'>, { versions }: PolicySet): Promise<boolean> {
  const newest = versions && (await tx.policySetVersions.find(versions.newest.id));
  return newest?.status === 'errored';
}
