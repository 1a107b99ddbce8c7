import { type Actor, authorized, type Organization } from '../../../domain/index.js';
import { changedLifetimes, type LimitedToken } from '../../../domain/shared/token-lifetimes.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name/token-ttl-policies: the organization, which has a longest lifetime for each kind of token. */
export class ListTokenLifetimes {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations'>) {}

  async execute(actor: Actor, name: string): Promise<Organization> {
    return authorized(
      await this.unitOfWork.read((tx) => tx.organizations.findFor(actor, name)),
      'token-ttl-policies/read',
    );
  }
}

/** PATCH /organizations/:name/token-ttl-policies. Existing tokens stay valid. */
export class ChangeTokenLifetimes {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  /** In milliseconds. Unnamed kinds keep theirs. Throws `attribute/invalid` for a limit that would have no effect. */
  execute(actor: Actor, name: string, change: Partial<Record<LimitedToken, number>>): Promise<Organization> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.organizations.findFor(actor, name);
      const { subject: organization, done } = changing(actor, seen, 'token-ttl-policies/manage');
      const tokenLifetimes = changedLifetimes(organization.settings, change, this.clock.now());
      const next = { ...organization, settings: { ...organization.settings, tokenLifetimes } };
      await tx.organizations.save(next);
      await tx.audit.add(done(next.id), { organizationId: next.id });
      return next;
    });
  }
}
