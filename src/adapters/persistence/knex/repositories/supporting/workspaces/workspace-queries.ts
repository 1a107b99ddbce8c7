import type { Knex } from 'knex';
import type { WorkspaceFilter } from '../../../../../../application/ports/repositories/filters.js';
import type { OrganizationId } from '../../../../../../domain/index.js';
import { ofOrganization, ofPage, sorted } from '../../../engine/lists.js';
import type { Conditions } from './condition.js';
import { byCurrentRun } from './current-run.js';

type Sort = NonNullable<WorkspaceFilter['sort']>;

export const byNames: Sort = { key: 'name', descending: false };

/** Which of the columns and tables that migrations fill are complete. */
export interface Kept {
  readonly currentRuns: boolean;
  /** There is a row of them for each workspace. */
  readonly everyCurrentRun: boolean;
  readonly latestChanges: boolean;
}

export interface Shown {
  /** Workspaces `w` of organizations `o`, without those that were removed. */
  readonly active: (sql: Knex) => Knex.QueryBuilder;
  /** Selects what their rows are read from. */
  readonly present: (sql: Knex, workspaces: Knex.QueryBuilder) => Knex.QueryBuilder;
}

/** Builds the statements of lists of the workspaces of one organization. */
export class WorkspaceQueries {
  constructor(
    private readonly sql: Knex,
    private readonly organizationId: OrganizationId,
    private readonly kept: Kept,
    private readonly shown: Shown,
  ) {}

  /** All of the project or of the organization, as `l`. */
  every({ projectId }: WorkspaceFilter): Knex.QueryBuilder {
    const listed = ofOrganization(this.sql, 'workspaces', this.organizationId).where('l.deleted_at', null);
    return projectId === undefined ? listed : listed.where('l.project_id', projectId);
  }

  /** Keeps the rows whose id is of a workspace that exists, in the project of the filter if it names one. */
  demandActive(rows: Knex.QueryBuilder, id: string, filter: WorkspaceFilter): void {
    const { sql } = this;
    if (filter.projectId !== undefined) {
      rows.whereExists(this.every(filter).whereRaw('l.id = ??', [id]).select('l.id'));
      return;
    }
    // Mostly none are being removed. Looking each workspace up instead would read its row.
    const removed = sql('workspaces').where('organization_id', this.organizationId).whereNotNull('deleted_at');
    const organization = sql('organizations').where({ id: this.organizationId, deleted_at: null });
    rows.whereNotIn(id, removed.select('id')).whereExists(organization.select('id'));
  }

  /** Those that meet the conditions, as `s`: the first of the sets, of which the others are demanded. */
  candidates({ demanded, excluded }: Conditions, filter: WorkspaceFilter): Knex.QueryBuilder {
    const { sql } = this;
    const [first, ...others] = demanded;
    const found = sql.from((first?.ids() ?? this.every(filter).select('l.id', 'l.name')).as('s'));
    if (first !== undefined) this.demandActive(found, 's.id', filter);
    for (const condition of others) condition.demand(found, 's.id');
    for (const condition of excluded) found.whereNotIn('s.id', condition.ids());
    return found;
  }

  /** The same, as `l`, for an order of which only the beginning is read. */
  through(conditions: Conditions, filter: WorkspaceFilter): Knex.QueryBuilder {
    return meeting(this.every(filter), 'l.id', conditions);
  }

  /** Sorts all that have these ids. */
  sortedAmong(ids: Knex.QueryBuilder, filter: WorkspaceFilter): Knex.QueryBuilder {
    const rows = this.sql.from(ids.as('p')).join('workspaces as l', 'l.id', 'p.id');
    return this.inOrder(rows, 'l', filter.sort).select('l.id');
  }

  /** Sorts workspaces. `alias` has their columns. */
  inOrder(rows: Knex.QueryBuilder, alias: string, { key, descending } = byNames): Knex.QueryBuilder {
    const { sql } = this;
    const way = descending ? 'desc' : 'asc';
    if (key === 'name') return sorted(rows, alias, `lower(${alias}.name)`, descending);
    if (key === 'latest-change-at') {
      const lastState = sql('state_versions as s')
        .whereRaw(`s.workspace_id = ${alias}.id and s.sequence = ${alias}.last_state_sequence`)
        .select('s.created_at');
      const at = this.kept.latestChanges ? sql.ref(`${alias}.last_state_at`) : sql.raw('(?)', [lastState]);
      return rows.orderByRaw(`coalesce(?, ${alias}.created_at) ${way}`, [at]).orderBy(`${alias}.id`, way);
    }
    return byCurrentRun(sql, rows, alias, way, this.kept.currentRuns).orderBy(`${alias}.id`, way);
  }

  select(ids: Knex.QueryBuilder, { sort }: WorkspaceFilter): Knex.QueryBuilder {
    return this.inOrder(this.shown.present(this.sql, ofPage(this.shown.active(this.sql), ids, 'w')), 'w', sort);
  }
}

export function meeting(rows: Knex.QueryBuilder, id: string, { demanded, excluded }: Conditions): Knex.QueryBuilder {
  for (const condition of demanded) condition.demand(rows, id);
  for (const condition of excluded) rows.whereNot((no) => condition.demand(no, id));
  return rows;
}
