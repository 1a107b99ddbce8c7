import type { Knex } from 'knex';
import type {
  VariableSetFilter,
  VariableSetVisibility,
} from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type { VariableSetRepository } from '../../../../../../application/ports/repositories/variable-set-repository.js';
import {
  type Actor,
  type Attachments,
  alreadyTaken,
  type OrganizationId,
  type ProjectId,
  type VariableSet,
  type VariableSetId,
  type WithStanding,
  type WorkspaceId,
} from '../../../../../../domain/index.js';
import { idsByName, idsIn, ofOrganization, ofPage, withPart } from '../../../engine/lists.js';
import { inserted } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, pageOf, type Statements, throwIfStale, throwIfTaken } from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';
import { setScopes, setsFor } from '../policies/applied-sets.js';

const setRows = rowsOf<VariableSet>((row, as) => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: as.joined(row.organization_name),
  projectId: row.project_id,
  name: row.name,
  description: row.description,
  global: as.flag(row.global),
  priority: as.flag(row.priority),
  workspaceIds: as.joined(row.workspace_ids, idsIn),
  projectIds: as.joined(row.project_ids, idsIn),
  variableIds: as.joined(row.variable_ids, idsIn),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  revision: row.revision,
}));

const changeable = setRows.except('id', 'organizationId', 'projectId', 'createdAt');

const workspaceIds = `(select string_agg(lw.id, ' ') from variable_set_workspaces as l
  join workspaces as lw on lw.id = l.workspace_id
  where l.variable_set_id = s.id and lw.deleted_at is null and (s.project_id is null or lw.project_id = s.project_id))`;

const idsOf = (column: string, table: string) =>
  `(select string_agg(l.${column}, ' ') from ${table} as l where l.variable_set_id = s.id)`;

// Postgres reports the index's name, SQLite that of an index on an expression too.
const nameTaken = { variable_sets_name: () => alreadyTaken('name', 'Name') };

/** Variable sets `s` of living organizations `o`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  sql('variable_sets as s').join('organizations as o', 'o.id', 's.organization_id').whereNull('o.deleted_at');

const select = (sql: Knex, sets: Knex.QueryBuilder): Knex.QueryBuilder =>
  sets.select(...columnsOf('s', setRows.columns), {
    organization_name: 'o.name',
    workspace_ids: sql.raw(workspaceIds),
    project_ids: sql.raw(idsOf('project_id', 'variable_set_projects')),
    variable_ids: sql.raw(idsOf('id', 'variable_set_variables')),
  });

const findWithStanding = seeing(
  'project',
  (sql, { id }: { readonly id: VariableSetId }) =>
    select(sql, living(sql).where('s.id', id)).leftJoin('projects as p', 'p.id', 's.project_id'),
  setRows.read,
);

/** The rows linked to a set by its id: their table, and the column with the id of the other. */
const links = {
  workspaceIds: { table: 'variable_set_workspaces', column: 'workspace_id', other: 'workspaces' },
  projectIds: { table: 'variable_set_projects', column: 'project_id', other: 'projects' },
} as const;

const linked: readonly (keyof Attachments)[] = ['workspaceIds', 'projectIds'];

/** The tables of rows that belong to variable sets. */
export const ofVariableSets = ['variable_set_variables', 'variable_set_workspaces', 'variable_set_projects'];

export class KnexVariableSets implements VariableSetRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: VariableSetId): Promise<WithStanding<VariableSet> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  async add(set: VariableSet): Promise<void> {
    await throwIfTaken(this.db.run(inserted(this.db, 'variable_sets', setRows.write(set))), nameTaken);
    for (const list of linked) await this.attach(set.id, list, set[list]);
  }

  async save(set: VariableSet): Promise<void> {
    const { id, revision } = set;
    const row = this.db.sql('variable_sets').where({ id, revision: revision - 1 });
    const update = this.db.run(row.update(changeable.write(set)));
    await throwIfTaken(throwIfStale({ table: 'variable_sets', id }, update), nameTaken);
    for (const list of linked) {
      const { table, column } = links[list];
      await this.db.run(this.db.sql(table).where('variable_set_id', id).whereNotIn(column, set[list]).delete());
      await this.attach(id, list, set[list]);
    }
  }

  async remove(id: VariableSetId): Promise<void> {
    const { sql } = this.db;
    for (const table of ofVariableSets) await this.db.run(sql(table).where('variable_set_id', id).delete());
    // If two remove it at once, the second decides again and finds nothing.
    await throwIfStale({ table: 'variable_sets', id }, this.db.run(sql('variable_sets').where({ id }).delete()));
  }

  page(
    organizationId: OrganizationId,
    { ofOrganization: ofAll, ofProjects }: VariableSetVisibility,
    page: PageRequest,
    filter?: VariableSetFilter,
  ): Promise<Page<VariableSet>> {
    const listed = ofOrganization(this.db.sql, 'variable_sets', organizationId);
    if (!ofAll) listed.whereNotNull('l.project_id');
    if (!ofProjects) listed.whereNull('l.project_id');
    return this.pageFrom(listed, page, filter);
  }

  pageOfWorkspace(id: WorkspaceId, page: PageRequest, filter?: VariableSetFilter): Promise<Page<VariableSet>> {
    const { sql } = this.db;
    const [first, ...others] = setScopes.map((scope) => setsFor(sql, id, scope).select('s.id'));
    return this.pageFrom(sql('variable_sets as l').whereIn('l.id', first?.union(others) ?? []), page, filter);
  }

  pageOfProject(id: ProjectId, page: PageRequest, filter?: VariableSetFilter): Promise<Page<VariableSet>> {
    const { sql } = this.db;
    const global = sql('projects as p')
      .join('variable_sets as s', 's.organization_id', 'p.organization_id')
      .where('p.id', id)
      .whereRaw('s.global = TRUE')
      .select('s.id');
    const attached = sql('variable_set_projects').where('project_id', id).select('variable_set_id as id');
    return this.pageFrom(sql('variable_sets as l').whereIn('l.id', global.union(attached)), page, filter);
  }

  private pageFrom(
    listed: Knex.QueryBuilder,
    page: PageRequest,
    { search }: VariableSetFilter = {},
  ): Promise<Page<VariableSet>> {
    const { sql } = this.db;
    const present = (part: Knex.QueryBuilder) =>
      select(sql, ofPage(living(sql), idsByName(part), 's'))
        .orderByRaw('lower(s.name)')
        .orderBy('s.id');
    return pageOf(this.db, withPart(listed, 'l.name', search), present, setRows.read, page);
  }

  private async attach(id: VariableSetId, list: keyof Attachments, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { sql } = this.db;
    const { table, column, other } = links[list];
    // Selected, because SQLite takes no more than 500 listed rows; it needs the `where` to tell `on conflict` from a join.
    const rows = sql(other).whereIn('id', ids).select(sql.raw('?', id), 'id');
    const insert = `insert into ${table} (variable_set_id, ${column})`;
    await this.db.run(sql.raw(`${insert} select * from ? as attached where true on conflict do nothing`, [rows]));
  }
}
