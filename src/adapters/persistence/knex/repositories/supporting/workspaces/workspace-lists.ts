import type { Knex } from 'knex';
import { caseless, type WorkspaceFilter } from '../../../../../../application/ports/repositories/filters.js';
import { newestSearched, type Page, type PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type { OrganizationId, Workspace, WorkspaceVisibility } from '../../../../../../domain/index.js';
import { newestFirst, type Part, pageOfFound, partOf, withPart } from '../../../engine/lists.js';
import { countOf, likeLiteral, type Statements, spelledOut, totalOf } from '../../../engine/statements.js';
import type { Conditions } from './condition.js';
import { isPlain, type PlainStatements } from './plain-workspace-lists.js';
import { anyOf, conditionsOf } from './workspace-conditions.js';
import { byNames, type Kept, meeting, type Shown, WorkspaceQueries } from './workspace-queries.js';
import { workspaceRows } from './workspace-rows.js';

/** Up to this number are sorted at once; more are found by going through a list in its order. */
const few = 500;

/**
 * Lists of the workspaces of one organization. A filter names sets, such as the workspaces of a tag, which are counted without
 * their rows. A page is sorted from them if they are few; otherwise it is found by going through all in the order of the list.
 */
export class WorkspaceLists {
  private readonly queries: WorkspaceQueries;

  constructor(
    private readonly db: Statements,
    private readonly organizationId: OrganizationId,
    private readonly kept: Kept,
    shown: Shown,
    private readonly plain: PlainStatements,
  ) {
    this.queries = new WorkspaceQueries(db.sql, organizationId, kept, shown);
  }

  async page(visibility: WorkspaceVisibility, filter: WorkspaceFilter, page: PageRequest): Promise<Page<Workspace>> {
    const conditions = await conditionsOf(this.db, this.organizationId, visibility, filter, this.kept.currentRuns);
    if (isPlain(filter, page)) return this.plainPage(conditions, visibility, filter, page);
    if ((filter.search ?? filter.wildcard) !== undefined) return this.pageOfNamed(conditions, filter, page);
    const candidates = this.queries.candidates(conditions, filter);
    const total = await this.countOf(conditions, filter);
    if ((page.number - 1) * page.size >= total) return { ...page, total, items: [] };
    if (conditions.demanded.length > 0 && total <= few) {
      return { ...page, total, items: await this.sortedPart(candidates.select('s.id'), filter, page) };
    }
    const { key } = filter.sort ?? byNames;
    if (key !== 'current-run.created-at') return this.pageInOrder(conditions, filter, total, page);
    const items = await (this.kept.everyCurrentRun
      ? this.partByCurrentRun(conditions, filter, page)
      : this.sortedPart(this.queries.through(conditions, filter).select('l.id'), filter, page));
    return { ...page, total, items };
  }

  /** Does what is done for any list, with statements that are built once. */
  private async plainPage(
    conditions: Conditions,
    visibility: WorkspaceVisibility,
    filter: WorkspaceFilter,
    page: PageRequest,
  ): Promise<Page<Workspace>> {
    const { db, plain } = this;
    const teamIds = visibility === 'all' ? undefined : visibility.throughTeams;
    const soFar = db.present.soFar();
    const values = { organizationId: this.organizationId, projectId: filter.projectId, teamIds, soFar };
    const total = await totalOf(db, plain.count(db, values));
    const offset = (page.number - 1) * page.size;
    if (offset >= total) return { ...page, total, items: [] };
    const areFew = teamIds !== undefined && total <= few;
    const isNearEnd = offset > Math.max(0, total - offset - page.size);
    if (!areFew && isNearEnd) return this.pageInOrder(conditions, filter, total, page);
    const part = { ...values, limit: page.size, offset };
    const rows = await db.all<object>(areFew ? plain.sorted(db, part) : plain.inOrder(db, part));
    return { ...page, total, items: rows.map(workspaceRows.read) };
  }

  private async countOf(conditions: Conditions, filter: WorkspaceFilter): Promise<number> {
    const { demanded, excluded } = conditions;
    const count = (these: Conditions) => countOf(this.db, this.queries.candidates(these, filter));
    if (demanded.length > 0 || excluded.length === 0) return count(conditions);
    // To look all workspaces up among the excluded ones costs more than counting both.
    const without = count({ demanded: [anyOf(this.db.sql, excluded)], excluded: [] });
    return (await count({ demanded, excluded: [] })) - (await without);
  }

  private async pageOfNamed(
    conditions: Conditions,
    filter: WorkspaceFilter,
    page: PageRequest,
  ): Promise<Page<Workspace>> {
    const { sql } = this.db;
    const candidates = () => this.queries.candidates(conditions, filter);
    const another = () => candidates().select('s.id').limit(1, spelledOut).offset(newestSearched, spelledOut);
    const areFew = conditions.demanded.length > 0 && (await this.db.first(another())) === undefined;
    const newest = () =>
      areFew
        ? candidates().join('workspaces as l', 'l.id', 's.id').select('l.id', 'l.name')
        : newestFirst(this.queries.through(conditions, filter).select('l.id', 'l.name'), 'l');
    const found = (among: Knex.QueryBuilder) => {
      const matching = named(sql.from(among.as('n')), 'n', filter);
      if ((filter.sort ?? byNames).key === 'name')
        return this.queries.inOrder(matching, 'n', filter.sort).select('n.id');
      return this.queries.inOrder(matching.join('workspaces as l', 'l.id', 'n.id'), 'l', filter.sort).select('l.id');
    };
    const rows = (ids: readonly string[]) =>
      this.queries.select(sql('workspaces as p').whereIn('p.id', ids).select('p.id'), filter);
    return pageOfFound(this.db, newest, found, rows, workspaceRows.read, page);
  }

  /** Sorts all that have these ids. */
  private sortedPart(
    ids: Knex.QueryBuilder,
    filter: WorkspaceFilter,
    page: PageRequest,
  ): Promise<readonly Workspace[]> {
    return this.shownOf(limited(this.queries.sortedAmong(ids, filter), page), filter);
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
        return this.queries.inOrder(this.queries.through(conditions, filter), 'l', sort).select('l.id');
      });
      return this.queries.select(ids, filter);
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
      this.queries.demandActive(rows, 'c.workspace_id', filter);
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

  private async shownOf(ids: Knex.QueryBuilder, filter: WorkspaceFilter): Promise<readonly Workspace[]> {
    return (await this.db.all<object>(this.queries.select(ids, filter))).map(workspaceRows.read);
  }
}

const limited = (rows: Knex.QueryBuilder, { number, size }: PageRequest): Knex.QueryBuilder =>
  rows.limit(size, spelledOut).offset((number - 1) * size);

/** Keeps those with such names. */
function named(rows: Knex.QueryBuilder, alias: string, { search, wildcard }: WorkspaceFilter): Knex.QueryBuilder {
  withPart(rows, `${alias}.name`, search);
  if (wildcard === undefined) return rows;
  const pattern = caseless(wildcard).split('*').map(likeLiteral).join('%');
  return rows.whereRaw(`lower(${alias}.name) like ? escape '!'`, [pattern]);
}
