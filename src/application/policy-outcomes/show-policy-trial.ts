import {
  type Actor,
  authorized,
  authorizedView,
  identityOf,
  notFound,
  type PolicyTrial,
  type PolicyTrialId,
  type WithStanding,
  workspaceVisibility,
} from '../../domain/index.js';
import { canceledTrial } from '../../domain/policy-outcomes/policy-trial.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { ListedTrialPlan, TrialCount } from '../ports/repositories/policy-trial-repository.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';

export interface ShownPolicyTrial {
  readonly trial: PolicyTrial;
  /** Only of runs that the caller may read. */
  readonly counts: readonly TrialCount[];
}

async function shown(
  tx: Transaction<'policyTrials'>,
  { subject: trial, standing }: WithStanding<PolicyTrial>,
): Promise<ShownPolicyTrial> {
  return { trial, counts: await tx.policyTrials.counts(trial.id, workspaceVisibility(standing)) };
}

/** GET /policy-trials/:id. */
export class ShowPolicyTrial {
  constructor(private readonly unitOfWork: UnitOfWork<'policyTrials'>) {}

  execute(actor: Actor, id: PolicyTrialId): Promise<ShownPolicyTrial> {
    return this.unitOfWork.read(async (tx) =>
      shown(tx, authorizedView(await tx.policyTrials.findFor(actor, id), 'policy-trials/manage')),
    );
  }
}

/** GET /organizations/:name/policy-trials: newest first. */
export class ListPolicyTrials {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'policyTrials'>) {}

  execute(actor: Actor, organizationName: string, page: PageRequest): Promise<Page<PolicyTrial>> {
    return this.unitOfWork.read(async (tx) => {
      const seen = await tx.organizations.findFor(actor, organizationName);
      return tx.policyTrials.page(authorized(seen, 'policy-trials/manage').id, page);
    });
  }
}

/** GET /policy-trials/:id/results: the plans whose runs the caller may read now. */
export class ListPolicyTrialResults {
  constructor(private readonly unitOfWork: UnitOfWork<'policyTrials'>) {}

  execute(actor: Actor, id: PolicyTrialId, page: PageRequest): Promise<Page<ListedTrialPlan>> {
    return this.unitOfWork.read(async (tx) => {
      const seen = authorizedView(await tx.policyTrials.findFor(actor, id), 'policy-trials/manage');
      return tx.policyTrials.results(id, workspaceVisibility(seen.standing), page);
    });
  }
}

/** POST /policy-trials/:id/actions/cancel: by the asker and by owners. Results that it already has stay. */
export class CancelPolicyTrial {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policyTrials' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  /** Throws `policy-trial/transition-refused` once it has ended. */
  execute(actor: Actor, id: PolicyTrialId): Promise<ShownPolicyTrial> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.policyTrials.findFor(actor, id);
      const asker = identityOf(actor);
      const own = seen?.subject.requestedBy.kind === asker.kind && seen.subject.requestedBy.id === asker.id;
      const { standing, done } = changing(
        actor,
        seen && { ...seen, standing: { ...seen.standing, own } },
        'policy-trials/cancel',
      );
      const current = await tx.policyTrials.findLocked(id);
      if (current === undefined) throw notFound();
      const trial = canceledTrial(current, this.clock.now());
      await tx.policyTrials.save(trial);
      await tx.audit.add(done(id), trial);
      return shown(tx, { subject: trial, standing });
    });
  }
}
