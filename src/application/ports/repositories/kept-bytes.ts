import type { Organization, OrganizationId, WorkspaceId } from '../../../domain/index.js';

/** The organization whose bytes are counted, by its id or by a workspace in it. */
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
 * The bytes each organization keeps: archives of versions, runs and policy set versions, states, artifacts of plans, and
 * policy code.
 * Soft-deleted data counts until it is purged. The counter changes in the same transaction as the rows.
 */
export interface KeptBytes {
  /**
   * Reads one counter. After a transaction has added or removed bytes, others that do so for the same organization wait
   * until it ends: the counter it then reads includes all changes committed before its own.
   */
  of(place: KeptBy): Promise<number>;
  /** The existing organizations that keep the most bytes, largest first. Reads a range of an index. */
  largest(limit: number): Promise<readonly OrganizationBytes[]>;
  /** Adds up every row, and returns the existing organizations whose counter differs. */
  drifts(): Promise<readonly CounterDrift[]>;
  /** Sets the counter to the sum of the rows, which it reads. */
  recount(id: OrganizationId): Promise<void>;
}
