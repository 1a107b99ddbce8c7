import type { Knex } from 'knex';
import { caseless, type WorkspaceFilter } from '../../../../../../application/ports/repositories/filters.js';
import { newestSearched, type Page, type PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type { OrganizationId, Workspace, WorkspaceVisibility } from '../../../../../../domain/index.js';
import {
  newestFirst,
  ofOrganization,
  ofPage,
  type Part,
  pageOfFound,
  partOf,
  sorted,
  withPart,
} from '../../../engine/lists.js';
import { countOf, likeLiteral, type Statements, spelledOut } from '../../../engine/statements.js';
import type { Conditions } from './condition.js';
import { byCurrentRun } from './current-run.js';
import { anyOf, conditionsOf } from './workspace-conditions.js';
import { workspaceRows } from './workspace-rows.js';

type Sort = NonNullable<WorkspaceFilter['sort']>;

const byNames: Sort = { key: 'name', descending: false };

/** Up to this number are sorted at once; more are found by going through a list in its order. */
const few = 500;

/** Which of the columns and tables that migrations fill are complete. */
export interface Kept {
  readonly currentRuns: boolean;
  /** There is a row of them for each workspace. */
  readonly everyCurrentRun: boolean;
  readonly latestChanges: boolean;
}

interface Shown {
  /** Living workspaces `w` of living organizations `o`. */
  readonly living: () => Knex.QueryBuilder;
  /** Selects what their rows are read from. */
  readonly present: (workspaces: Knex.QueryBuilder) => Knex.QueryBuilder;
}

/**
 * Lists of the workspaces of one organization. A filter names sets, such as the workspaces of a tag, which are counted without
 * their rows. A page is sorted from them if they are few; otherwise it is found by going through all in the order of the list.
 */
export class WorkspaceLists {
  constructor(
    private readonly db: Statements,
    private readonly organizationId: OrganizationId,
    private readonly kept: Kept,
    private readonly shown: Shown,
  ) {}

  async page(visibility: WorkspaceVisibility, filter: WorkspaceFilter, page: PageRequest): Promise<Page<Workspace>> {
    const conditions = await conditionsOf(this.db, this.organizationId, visibility, filter, this.kept.currentRuns);
    if ((filter.search ?? filter.wildcard) !== undefined) return this.pageOfNamed(conditions, filter, page);
    const candidates = this.candidates(conditions, filter);
    const total = await this.countOf(conditions, filter);
    if ((page.number - 1) * page.size >= total) return { ...page, total, items: [] };
    if (conditions.demanded.length > 0 && total <= few) {
      return { ...page, total, items: await this.sortedPart(candidates.select('s.id'), filter, page) };
    }
    const { key } = filter.sort ?? byNames;
    if (key !== 'current-run.created-at') return this.pageInOrder(conditions, filter, total, page);
    const items = await (this.kept.everyCurrentRun
      ? this.partByCurrentRun(conditions, filter, page)
      : this.sortedPart(this.through(conditions, filter).select('l.id'), filter, page));
    return { ...page, total, items };
  }

  private async countOf(conditions: Conditions, filter: WorkspaceFilter): Promise<number> {
    const { demanded, excluded } = conditions;
    const count = (these: Conditions) => countOf(this.db, this.candidates(these, filter));
    if (demanded.length > 0 || excluded.length === 0) return count(conditions);
    // To look all workspaces up among the excluded ones costs more than counting both.
    const without = count({ demanded: [anyOf(this.db.sql, excluded)], excluded: [] });
    return (await count({ demanded, excluded: [] })) - (await without);
  }

  /** All of the project or of the organization, as `l`. */
  private every({ projectId }: WorkspaceFilter): Knex.QueryBuilder {
    const listed = ofOrganization(this.db.sql, 'workspaces', this.organizationId).where('l.deleted_at', null);
    return projectId === undefined ? listed : listed.where('l.project_id', projectId);
  }

  /** Keeps the rows whose id is of a workspace that exists, in the project of the filter if it names one. */
  private demandLiving(rows: Knex.QueryBuilder, id: string, filter: WorkspaceFilter): void {
    const { sql } = this.db;
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
  private candidates({ demanded, excluded }: Conditions, filter: WorkspaceFilter): Knex.QueryBuilder {
    const { sql } = this.db;
    const [first, ...others] = demanded;
    const found = sql.from((first?.ids() ?? this.every(filter).select('l.id', 'l.name')).as('s'));
    if (first !== undefined) this.demandLiving(found, 's.id', filter);
    for (const condition of others) condition.demand(found, 's.id');
    for (const condition of excluded) found.whereNotIn('s.id', condition.ids());
    return found;
  }

  /** The same, as `l`, for an order of which only the beginning is read. */
  private through(conditions: Conditions, filter: WorkspaceFilter): Knex.QueryBuilder {
    return meeting(this.every(filter), 'l.id', conditions);
  }

  private async pageOfNamed(
    conditions: Conditions,
    filter: WorkspaceFilter,
    page: PageRequest,
  ): Promise<Page<Workspace>> {
    const { sql } = this.db;
    const candidates = () => this.candidates(conditions, filter);
    const another = () => candidates().select('s.id').limit(1, spelledOut).offset(newestSearched, spelledOut);
    const areFew = conditions.demanded.length > 0 && (await this.db.first(another())) === undefined;
    const newest = () =>
      areFew
        ? candidates().join('workspaces as l', 'l.id', 's.id').select('l.id', 'l.name')
        : newestFirst(this.through(conditions, filter).select('l.id', 'l.name'), 'l');
    const found = (among: Knex.QueryBuilder) => {
      const matching = named(sql.from(among.as('n')), 'n', filter);
      if ((filter.sort ?? byNames).key === 'name') return this.inOrder(matching, 'n', filter.sort).select('n.id');
      return this.inOrder(matching.join('workspaces as l', 'l.id', 'n.id'), 'l', filter.sort).select('l.id');
    };
    const rows = (ids: readonly string[]) =>
      this.select(sql('workspaces as p').whereIn('p.id', ids).select('p.id'), filter);
    return pageOfFound(this.db, newest, found, rows, workspaceRows.read, page);
  }

  /** Sorts all that have these ids. */
  private sortedPart(
    ids: Knex.QueryBuilder,
    filter: WorkspaceFilter,
    page: PageRequest,
  ): Promise<readonly Workspace[]> {
    const rows = this.db.sql.from(ids.as('p')).join('workspaces as l', 'l.id', 'p.id');
    return this.shownOf(limited(this.inOrder(rows, 'l', filter.sort).select('l.id'), page), filter);
  }

  private pageInOrder(
    conditions: Conditions,
    filter: WorkspaceFilter,
    total: number,
    page: PageRequest,
  ): Promise<Page<Workspace>> {
    const { key, descending } = filter.sort ?? byNames;
    const rows = (part: Part) => {
      const ids = part((way) => {
        const sort = { key, descending: descending !== (way === 'desc') };
        return this.inOrder(this.through(conditions, filter), 'l', sort).select('l.id');
      });
      return this.select(ids, filter);
    };
    return partOf(this.db, total, rows, workspaceRows.read, page);
  }

  /** In two ranges of an index, because those without a run come last in both directions. */
  private async partByCurrentRun(
    conditions: Conditions,
    filter: WorkspaceFilter,
    { number, size }: PageRequest,
  ): Promise<readonly Workspace[]> {
    const { sql } = this.db;
    const way = filter.sort?.descending ? 'desc' : 'asc';
    const current = () => {
      const rows = sql('current_runs as c').where('c.organization_id', this.organizationId);
      this.demandLiving(rows, 'c.workspace_id', filter);
      return meeting(rows, 'c.workspace_id', conditions);
    };
    const part = (rows: Knex.QueryBuilder, from: number, most: number) => {
      const inOrder = rows.orderBy('c.created_at', way).orderBy('c.workspace_id', way);
      return this.shownOf(inOrder.limit(most, spelledOut).offset(from).select('c.workspace_id as id'), filter);
    };
    const withRun = () => current().where('c.created_at', '>=', '');
    const offset = (number - 1) * size;
    const first = await part(withRun(), offset, size);
    if (first.length === size) return first;
    const before = first.length > 0 ? offset + first.length : await countOf(this.db, withRun());
    const rest = current().whereNull('c.created_at');
    return [...first, ...(await part(rest, offset + first.length - before, size - first.length))];
  }

  /** Sorts workspaces. `alias` has their columns. */
  private inOrder(rows: Knex.QueryBuilder, alias: string, { key, descending } = byNames): Knex.QueryBuilder {
    const { sql } = this.db;
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

  private select(ids: Knex.QueryBuilder, { sort }: WorkspaceFilter): Knex.QueryBuilder {
    return this.inOrder(this.shown.present(ofPage(this.shown.living(), ids, 'w')), 'w', sort);
  }

  private async shownOf(ids: Knex.QueryBuilder, filter: WorkspaceFilter): Promise<readonly Workspace[]> {
    return (await this.db.all<object>(this.select(ids, filter))).map(workspaceRows.read);
  }
}

const limited = (rows: Knex.QueryBuilder, { number, size }: PageRequest): Knex.QueryBuilder =>
  rows.limit(size, spelledOut).offset((number - 1) * size);

function meeting(rows: Knex.QueryBuilder, id: string, { demanded, excluded }: Conditions): Knex.QueryBuilder {
  for (const condition of demanded) condition.demand(rows, id);
  for (const condition of excluded) rows.whereNot((no) => condition.demand(no, id));
  return rows;
}

/** Keeps those with such names. */
function named(rows: Knex.QueryBuilder, alias: string, { search, wildcard }: WorkspaceFilter): Knex.QueryBuilder {
  withPart(rows, `${alias}.name`, search);
  if (wildcard === undefined) return rows;
  const pattern = caseless(wildcard).split('*').map(likeLiteral).join('%');
  return rows.whereRaw(`lower(${alias}.name) like ? escape '!'`, [pattern]);
}
