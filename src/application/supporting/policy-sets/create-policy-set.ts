import {
  type Actor,
  authorized,
  type PolicyId,
  type PolicySet,
  type PolicySetSettings,
  type WorkspaceId,
} from '../../../domain/index.js';
import { checkPolicySet } from '../../../domain/policy-outcomes/policy-set.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { withPolicies } from './attachable-policies.js';
import { attachable } from './attachable-workspaces.js';

/** POST /organizations/:name/policy-sets. It does not apply to existing runs. */
export class CreatePolicySet {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'policySets' | 'policies' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(
    actor: Actor,
    organizationName: string,
    settings: PolicySetSettings,
    workspaceIds: readonly WorkspaceId[],
    policyIds: readonly PolicyId[] = [],
    excludedWorkspaceIds: readonly WorkspaceId[] = [],
  ): Promise<PolicySet> {
    return this.unitOfWork.run(async (tx) => {
      const organization = authorized(await tx.organizations.findFor(actor, organizationName), 'policy-sets/manage');
      const now = this.clock.now();
      const empty: PolicySet = {
        ...checkPolicySet(settings),
        id: this.ids.next('policy-set'),
        organizationId: organization.id,
        organizationName: organization.name,
        workspaceIds: await attachable(tx, organization.id, workspaceIds, { relationship: 'workspaces' }),
        excludedWorkspaceIds: await attachable(tx, organization.id, excludedWorkspaceIds, {
          relationship: 'workspaceExclusions',
        }),
        policyIds: [],
        versions: null,
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      const attached = await withPolicies(tx, empty, policyIds, { relationship: 'policies' });
      const policySet: PolicySet = { ...empty, policyIds: attached };
      await tx.policySets.add(policySet);
      await tx.audit.add(doneBy(actor, 'policy-sets/manage', policySet.id), policySet);
      return policySet;
    });
  }
}
