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
} from '../../../domain/supporting/policies/policy-set.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { RepositoryLinks } from '../linked-repositories/repository-links.js';
import type { ChangedPolicySet } from './create-policy-set.js';
import { type FetchedPolicies, isLinked } from './fetched-policies.js';

/** The requested change of a policy set: unnamed settings keep their value; a null repository unlinks it. */
export interface PolicySetChange extends Partial<PolicySetSettings> {
  readonly repository?: RepositorySettings | null;
}

/**
 * PATCH /policy-sets/:id: unnamed settings keep their value. Existing runs keep their snapshot of the set. Unlinking keeps
 * the current version.
 */
export class UpdatePolicySet {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySets' | 'policySetVersions' | 'policies' | 'effects' | 'audit'>,
    private readonly clock: Clock,
    private readonly links: RepositoryLinks,
    private readonly fetched: FetchedPolicies,
  ) {}

  execute(actor: Actor, id: PolicySetId, { repository: asked, ...change }: PolicySetChange): Promise<ChangedPolicySet> {
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
      const next = revised(policySet, {
        ...checkPolicySet(change),
        repository,
        ...(asked === null && { policiesPath: null }),
        updatedAt: this.clock.now(),
      });
      checkLink(next);
      if (next.policiesPath !== policySet.policiesPath) authorize(standing, linking.action);
      if (next.policyIds.length > 0 && (change.kind !== undefined || change.policies !== undefined)) {
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
