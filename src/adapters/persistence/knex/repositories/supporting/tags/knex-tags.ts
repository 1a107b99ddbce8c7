import type { Knex } from 'knex';
import type { TagFilter } from '../../../../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type {
  CountedTag,
  GivenTag,
  TagRepository,
} from '../../../../../../application/ports/repositories/tag-repository.js';
import type {
  Actor,
  Instant,
  OrganizationId,
  Tag,
  TagId,
  WithStanding,
  WorkspaceId,
  WorkspaceVisibility,
} from '../../../../../../domain/index.js';
import { withPart } from '../../../engine/lists.js';
import { rowsOf } from '../../../engine/rows.js';
import { columnsOf, pageOf, type Statements } from '../../../engine/statements.js';
import { workspacesThrough } from '../../authorization/grant-rows.js';
import { seeing } from '../../authorization/standing.js';

const tagRows = rowsOf<Tag>((row, as) => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: as.joined(row.organization_name),
  name: row.name,
  createdAt: row.created_at,
}));

const select = (tags: Knex.QueryBuilder): Knex.QueryBuilder =>
  tags.select(...columnsOf('t', tagRows.columns), { organization_name: 'o.name' });

/** The tags `t` of living organizations `o`. */
const known = (sql: Knex): Knex.QueryBuilder =>
  sql('tags as t').join('organizations as o', 'o.id', 't.organization_id').where('o.deleted_at', null);

const findWithStanding = seeing(
  'organization',
  (sql, { id }: { readonly id: TagId }) => select(known(sql).where('t.id', id)),
  tagRows.read,
);

/** The uses `u` of the tag `t` by living workspaces within the visibility. */
function uses(db: Statements, visibility: WorkspaceVisibility): Knex.QueryBuilder {
  const found = db
    .sql('workspace_tags as u')
    .join('workspaces as uw', 'uw.id', 'u.workspace_id')
    .whereRaw('u.tag_id = t.id')
    .where('uw.deleted_at', null);
  if (visibility === 'all') return found;
  return found.whereIn('u.workspace_id', workspacesThrough(db, visibility.throughTeams));
}

export class KnexTags implements TagRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: TagId): Promise<WithStanding<Tag> | undefined> {
    return findWithStanding(this.db, actor, { id });
  }

  async among(
    organizationId: OrganizationId,
    visibility: WorkspaceVisibility,
    ids: readonly TagId[],
  ): Promise<readonly Tag[]> {
    const found = select(this.within(organizationId, visibility).whereIn('t.id', ids)).orderBy('t.name');
    return (await this.db.all<object>(found)).map(tagRows.read);
  }

  page(
    organizationId: OrganizationId,
    visibility: WorkspaceVisibility,
    page: PageRequest,
    { search, workspaceId, exceptWorkspaceId }: TagFilter = {},
  ): Promise<Page<CountedTag>> {
    const listed = withPart(this.within(organizationId, visibility), 't.name', search);
    const usedBy = (id: WorkspaceId) => uses(this.db, visibility).where('u.workspace_id', id).select('u.tag_id');
    if (workspaceId !== undefined) listed.whereExists(usedBy(workspaceId));
    if (exceptWorkspaceId !== undefined) listed.whereNotExists(usedBy(exceptWorkspaceId));
    const present = (part: Knex.QueryBuilder) =>
      select(part)
        .select({ workspaces: uses(this.db, visibility).count() })
        .orderBy('t.name');
    const read = (row: object): CountedTag => ({
      ...tagRows.read(row),
      workspaces: Number((row as { readonly workspaces: number | string }).workspaces),
    });
    return pageOf(this.db, listed, present, read, page);
  }

  async give(
    organizationId: OrganizationId,
    workspaceIds: readonly WorkspaceId[],
    tags: readonly GivenTag[],
    now: Instant,
  ): Promise<void> {
    if (tags.length === 0 || workspaceIds.length === 0) return;
    const { sql } = this.db;
    const rows = tags.map(({ id, name }) => ({ id, organization_id: organizationId, name, created_at: now }));
    // By name, so that of two transactions neither waits for the other.
    rows.sort((a, b) => (a.name < b.name ? -1 : 1));
    await this.db.run(sql('tags').insert(rows).onConflict(['organization_id', 'name']).ignore());
    const given = sql('tags as t')
      .crossJoin(sql.raw('workspaces as w'))
      .where({ 't.organization_id': organizationId, 'w.organization_id': organizationId })
      .whereIn(
        't.name',
        tags.map(({ name }) => name),
      )
      .whereIn('w.id', workspaceIds)
      .select('w.id', 't.id as tag_id');
    // Selected, and with a `where`, for the reasons that KnexPolicySets gives.
    const insert = 'insert into workspace_tags (workspace_id, tag_id)';
    await this.db.run(sql.raw(`${insert} select * from ? as given where true on conflict do nothing`, [given]));
  }

  async takeFrom(workspaceId: WorkspaceId, names: 'all' | readonly string[]): Promise<void> {
    const { sql } = this.db;
    const taken = sql('workspace_tags').where('workspace_id', workspaceId);
    const named = sql('tags as t').whereRaw('t.id = workspace_tags.tag_id').select('t.id');
    if (names !== 'all') taken.whereExists(named.whereIn('t.name', names));
    await this.db.run(taken.delete());
  }

  async takeFromAll(ids: readonly TagId[]): Promise<void> {
    await this.db.run(this.db.sql('workspace_tags').whereIn('tag_id', ids).delete());
  }

  private within(organizationId: OrganizationId, visibility: WorkspaceVisibility): Knex.QueryBuilder {
    const { sql } = this.db;
    return known(sql)
      .where('t.organization_id', organizationId)
      .whereExists(uses(this.db, visibility).select('u.tag_id'));
  }
}
