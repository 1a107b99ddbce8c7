import { authorizedViewOfOwner } from '../../../domain/authorization/policy.js';
import {
  type Actor,
  DomainError,
  type ExecutionDefaults,
  type Organization,
  type OrganizationSettings,
  type TokenOwner,
  type WithStanding,
} from '../../../domain/index.js';
import { changedDefaults } from '../../../domain/shared/execution.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { organization } from '../../../domain/supporting/organizations/organization.js';
import { checkEnforceable } from '../../../domain/supporting/organizations/organization-settings.js';
import { namedPool, otherCreators } from '../../authorization/named-pool.js';
import type { IdentityProvider } from '../../ports/outside/identity-provider.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';

const defaultPool = { relationship: 'defaultAgentPool' };

/** Unnamed settings keep their value. */
export interface OrganizationChange {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly defaults?: Partial<ExecutionDefaults>;
  readonly settings?: Partial<OrganizationSettings>;
}

export interface ChangedOrganization extends Organization {
  /** The owners of tokens of the newly named default pool, except for the caller. */
  readonly poolTokenCreators?: readonly TokenOwner[];
}

/** PATCH /organizations/:name, also for an owner whose token or session the organization refuses. */
export class UpdateOrganization {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'agentPools' | 'agentTokens' | 'rowLocks' | 'audit'>,
    private readonly identityProvider: Pick<IdentityProvider, 'configured'>,
  ) {}

  execute(actor: Actor, name: string, change: OrganizationChange): Promise<WithStanding<ChangedOrganization>> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.organizations.findFor(actor, name);
      const { subject: current, standing, done } = changing(actor, seen, 'organizations/update', authorizedViewOfOwner);
      checkEnforceable(change.settings ?? {}, this.identityProvider.configured);
      const defaults = changedDefaults(current.defaults, change.defaults ?? {});
      const next = organization({
        ...current,
        name: change.name ?? current.name,
        email: change.email ?? current.email,
        defaults,
        settings: { ...current.settings, ...change.settings },
      });
      const named = change.defaults && (await this.keepDefaults(tx, actor, next, current.defaults));
      await tx.organizations.save(next);
      await tx.audit.add(done(next.id), { organizationId: next.id });
      return { subject: { ...next, ...(named && { poolTokenCreators: named }) }, standing };
    });
  }

  /** Returns the other token owners of the pool if it was not the default before. */
  private async keepDefaults(
    tx: Transaction<'organizations' | 'agentPools' | 'agentTokens' | 'rowLocks'>,
    actor: Actor,
    { id, defaults }: Organization,
    before: ExecutionDefaults,
  ): Promise<readonly TokenOwner[] | undefined> {
    const { agentPoolId } = defaults;
    const pool = agentPoolId === null ? null : await namedPool(tx, id, agentPoolId, defaultPool);
    const named = pool?.id === before.agentPoolId ? null : pool;
    if (named?.organizationScoped === false) {
      const sentence = 'Default agent pool must be organization-scoped';
      throw new DomainError('attribute/invalid', sentence, defaultPool);
    }
    await tx.organizations.setDefaults(id, defaults);
    return named === null ? undefined : otherCreators(tx, actor, named.id);
  }
}
