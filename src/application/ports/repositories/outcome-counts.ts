import type { OrganizationId, OutcomeSums, WorkspaceId, WorkspaceVisibility } from '../../../domain/index.js';

export const outcomeGroups = ['policy', 'policy-set', 'workspace', 'day'] as const;

export type OutcomeGroup = (typeof outcomeGroups)[number];

/** A day in UTC: `2030-01-31`. */
export type Day = string;

export interface OutcomeCountsQuery {
  readonly organizationId: OrganizationId;
  readonly visibility: WorkspaceVisibility;
  readonly group: OutcomeGroup;
  /** The first day. Counts of former days may be forgotten. */
  readonly from: Day;
  /** Whether the runs that cannot be applied count too. */
  readonly speculative: boolean;
}

/** The outcomes of policies in one group. Names outside the group are null. */
export interface OutcomeCount extends OutcomeSums {
  readonly policySet: string | null;
  /** Null also for sets that errored before any policy was evaluated, which count as one outcome. */
  readonly policy: string | null;
  readonly workspaceId: WorkspaceId | null;
  readonly workspaceName: string | null;
  readonly day: Day | null;
}

/**
 * Counts of the outcomes of policies, by the day on which the run was created. A run counts once its policies are evaluated, while its
 * workspace exists. The sums are always those of the outcomes, whatever `advance` has added up so far.
 */
export interface OutcomeCounts {
  /** In no order. Throws `policy-outcomes/uncounted` while too many runs of these days are not added up. */
  counts(query: OutcomeCountsQuery): Promise<readonly OutcomeCount[]>;
  /**
   * Adds up at most `limit` runs that ended or were overridden, newest first, and subtracts deleted workspaces. Runs of days
   * before `oldest` are left out. Returns how many there were; 0 also while another transaction does this.
   */
  advance(oldest: Day, limit: number): Promise<number>;
  /** Forgets at most `limit` sums of days before `oldest`. Returns their number. */
  forget(oldest: Day, limit: number): Promise<number>;
}
