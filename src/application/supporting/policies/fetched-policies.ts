import type { LinkedRepository, PolicyCommit, PolicySet, PolicySetVersionId } from '../../../domain/index.js';
import { newVersion } from '../../../domain/supporting/policies/policy-set-version.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** The reason for a fetch. */
export interface PoliciesToFetch {
  /** The forge that reported a push; `git` without a report. */
  readonly source: string;
  /** The reported commit. The branch's current one is fetched, whichever it is then. */
  readonly commit: PolicyCommit | null;
}

export type LinkedPolicySet = PolicySet & { readonly repository: LinkedRepository };

export const isLinked = (set: PolicySet): set is LinkedPolicySet => set.repository !== null;

/** Creates versions of policy sets whose files are fetched afterwards. */
export class FetchedPolicies {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Creates a pending version of the set and orders its fetch, in the caller's transaction. Returns the changed set. */
  async order(
    tx: Transaction<'policySets' | 'policySetVersions' | 'effects'>,
    set: LinkedPolicySet,
    { source, commit }: PoliciesToFetch,
  ): Promise<{ readonly id: PolicySetVersionId; readonly set: PolicySet }> {
    const id = this.ids.next('policy-set-version');
    const { organizationId, repository } = set;
    const draft = { id, organizationId, policySetId: set.id, source, commit, createdBy: repository.linkedBy };
    const made = newVersion(set, { ...draft, createdAt: this.clock.now() });
    await tx.policySetVersions.add(made.version);
    // Before the effect: transactions that order one for the same set wait for each other here.
    await tx.policySets.save(made.set);
    await tx.effects.enqueue(`fetch ${set.id}`, [{ kind: 'fetch-policies', versionId: id }]);
    return { id, set: made.set };
  }
}
