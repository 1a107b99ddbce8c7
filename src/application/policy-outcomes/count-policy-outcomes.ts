import { type Actor, authorizedView, DomainError, later, workspaceVisibility } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Day, OutcomeCount, OutcomeCountsQuery } from '../ports/repositories/outcome-counts.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** Days that are counted, with the present one. */
export const maxOutcomeDays = 90;

const usualDays = 30;

/** The first of a number of days that end with the one of an instant. */
export const firstOfDays = (days: number, now: string): Day => later(now, -(days - 1) * 86_400).slice(0, 10);

export interface PolicyOutcomesQuery extends Pick<OutcomeCountsQuery, 'group' | 'speculative'> {
  readonly organizationName: string;
  /** The first day; by default 29 days ago. */
  readonly from: Day | undefined;
}

export interface OutcomeCountsPage extends Page<OutcomeCount> {
  readonly from: Day;
  readonly until: Day;
}

const problems = ({ failed, overridden, errored }: OutcomeCount): number => failed + overridden + errored;

const nameOf = ({ day, workspaceName, policySet, policy }: OutcomeCount): string =>
  [day, workspaceName, policySet, policy].join('\n').toLowerCase();

const byName = (one: OutcomeCount, other: OutcomeCount): number => (nameOf(one) < nameOf(other) ? -1 : 1);

/** Days in their order; all else by how often it failed, was overridden or errored, most often first. */
const inOrder = (one: OutcomeCount, other: OutcomeCount): number =>
  (one.day === null ? problems(other) - problems(one) : 0) || byName(one, other);

/** GET /organizations/:name/policy-outcome-counts: of the workspaces that the caller may read. */
export class CountPolicyOutcomes {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'outcomeCounts'>,
    private readonly clock: Clock,
  ) {}

  /** Throws `attribute/invalid` for a day that is not among the last 90, and `policy-outcomes/uncounted`. */
  execute(
    actor: Actor,
    { organizationName, from, ...query }: PolicyOutcomesQuery,
    { number, size }: PageRequest,
  ): Promise<OutcomeCountsPage> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(
        await tx.organizations.findFor(actor, organizationName),
        'organizations/read',
      );
      const now = this.clock.now();
      const until = firstOfDays(1, now);
      const earliest = firstOfDays(maxOutcomeDays, now);
      const first = from ?? firstOfDays(usualDays, now);
      if (first < earliest || first > until) {
        throw new DomainError('attribute/invalid', `filter[from] must be a day from ${earliest} to ${until}`, {
          parameter: 'filter[from]',
        });
      }
      const visibility = workspaceVisibility(standing);
      const all = await tx.outcomeCounts.counts({ ...query, organizationId: subject.id, visibility, from: first });
      const items = all.toSorted(inOrder).slice((number - 1) * size, number * size);
      return { number, size, total: all.length, items, from: first, until };
    });
  }
}
