import type { Knex } from 'knex';

/** A demand of a filter on workspaces, in two forms. Neither asks whether they are deleted. */
export interface Condition {
  /** Those that meet it, each once, as `id`: for counting, and for finding a few. */
  ids(): Knex.QueryBuilder;
  /** Adds it to a query that has the workspace's id in this column: for going through a list in its order. */
  demand(rows: Knex.QueryBuilder, id: string): void;
}

/** All of `demanded`, and none of `excluded`. */
export interface Conditions {
  readonly demanded: readonly Condition[];
  readonly excluded: readonly Condition[];
}

/**
 * Demands that the query finds a row. As a value and not as `exists`: Postgres, which plans for any value, would begin with
 * these rows, however many they are, where a page goes through a list in its order.
 */
export const demandRow = (rows: Knex.QueryBuilder, found: Knex.QueryBuilder): Knex.QueryBuilder =>
  rows.whereRaw('(?) is not null', [found.limit(1, { skipBinding: true })]);
