import type { Organization, OrganizationId, WorkspaceId } from '../../../domain/index.js';

/** Whose bytes: an organization's, or those of the organization that a workspace is in. */
export type KeptBy = { readonly organizationId: OrganizationId } | { readonly workspaceId: WorkspaceId };

export interface OrganizationBytes extends Pick<Organization, 'id' | 'name'> {
  readonly bytes: number;
}

/** A counter that differs from the rows. */
export interface CounterDrift extends OrganizationBytes {
  /** The sum of the rows. */
  readonly counted: number;
}

/**
 * How many bytes each organization keeps: archives of versions and runs, states, what agents leave of plans, and policy
 * code. What is soft-deleted counts until it is purged. The counter changes with the rows, in the same transaction.
 */
export interface KeptBytes {
  /**
   * Reads one counter. After a transaction has added or removed bytes, others that do so for the same organization wait
   * until it ends: the counter that it then reads includes all that is or will be committed before it.
   */
  of(place: KeptBy): Promise<number>;
  /** The living organizations that keep the most, largest first. Reads a range of an index. */
  largest(limit: number): Promise<readonly OrganizationBytes[]>;
  /** Adds up every row, and returns the living organizations whose counter differs. */
  drifts(): Promise<readonly CounterDrift[]>;
  /** Sets the counter to the sum of the rows, which it reads. */
  recount(id: OrganizationId): Promise<void>;
}
