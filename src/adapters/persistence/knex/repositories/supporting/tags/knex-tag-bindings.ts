import type { Knex } from 'knex';
import type { TagBindingRepository } from '../../../../../../application/ports/repositories/tag-repository.js';
import type {
  EffectiveTagBinding,
  Instant,
  OrganizationId,
  ProjectId,
  TagBinding,
  TagBindingId,
  TagBindingOwner,
} from '../../../../../../domain/index.js';
import { prepared } from '../../../engine/prepared.js';
import type { Statements } from '../../../engine/statements.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';

interface BindingRow {
  readonly id: TagBindingId;
  readonly organization_id: OrganizationId;
  readonly key: string;
  readonly value: string;
  readonly created_at: Instant;
}

interface EffectiveRow extends Pick<BindingRow, 'id' | 'key' | 'value'> {
  readonly applies_to: TagBindingOwner['id'];
  readonly inherited_from: ProjectId | null;
}

/** Each kind of owner has a table of its own. */
const places = {
  workspace: { table: 'workspace_tag_bindings', column: 'workspace_id' },
  project: { table: 'project_tag_bindings', column: 'project_id' },
} as const;

const ofOwner = (kind: TagBindingOwner['kind'], living: (bindings: Knex.QueryBuilder) => Knex.QueryBuilder) =>
  prepared((sql, { id }: { readonly id: string }) =>
    living(sql(`${places[kind].table} as b`).where(`b.${places[kind].column}`, id))
      .select('b.id', 'b.organization_id', 'b.key', 'b.value', 'b.created_at')
      .orderBy('b.key'),
  );

const ofActiveOrganizations = (bindings: Knex.QueryBuilder): Knex.QueryBuilder =>
  bindings.join('organizations as o', 'o.id', 'b.organization_id').where('o.deleted_at', null);

const bindingsOf = {
  workspace: ofOwner('workspace', (bindings) =>
    activeWorkspaces(bindings.join('workspaces as w', 'w.id', 'b.workspace_id')),
  ),
  project: ofOwner('project', ofActiveOrganizations),
};

interface Owners extends Readonly<Record<string, unknown>> {
  readonly ids: readonly TagBindingOwner['id'][];
}

const effectiveOfWorkspaces = prepared((sql, { ids }: Owners) => {
  const workspaces = () => activeWorkspaces(sql('workspaces as w')).whereIn('w.id', ids);
  const own = workspaces()
    .join('workspace_tag_bindings as b', 'b.workspace_id', 'w.id')
    .select('b.id', 'b.key', 'b.value', 'w.id as applies_to', sql.raw('null as inherited_from'));
  const bound = sql('workspace_tag_bindings as own').whereRaw('own.workspace_id = w.id and own.key = b.key');
  const inherited = workspaces()
    .join('project_tag_bindings as b', 'b.project_id', 'w.project_id')
    .whereNotExists(bound.select('own.id'))
    .select('b.id', 'b.key', 'b.value', 'w.id as applies_to', 'b.project_id as inherited_from');
  return own.unionAll([inherited]).orderBy(['applies_to', 'key']);
});

const effectiveOfProjects = prepared((sql, { ids }: Owners) =>
  ofActiveOrganizations(sql('project_tag_bindings as b'))
    .whereIn('b.project_id', ids)
    .select('b.id', 'b.key', 'b.value', 'b.project_id as applies_to', sql.raw('null as inherited_from'))
    .orderBy(['b.project_id', 'b.key']),
);

const effectiveOf = { workspace: effectiveOfWorkspaces, project: effectiveOfProjects };

export class KnexTagBindings implements TagBindingRepository {
  constructor(private readonly db: Statements) {}

  async of(owner: TagBindingOwner): Promise<readonly TagBinding[]> {
    const rows = await this.db.all<BindingRow>(bindingsOf[owner.kind](this.db, { id: owner.id }));
    return rows.map(({ organization_id: organizationId, created_at: createdAt, ...row }) => ({
      ...row,
      organizationId,
      owner,
      createdAt,
    }));
  }

  async effectiveOf(
    kind: TagBindingOwner['kind'],
    ids: readonly TagBindingOwner['id'][],
  ): Promise<readonly EffectiveTagBinding[]> {
    if (ids.length === 0) return [];
    const rows = await this.db.all<EffectiveRow>(effectiveOf[kind](this.db, { ids }));
    return rows.map(({ applies_to: appliesTo, inherited_from: inheritedFrom, ...row }) => ({
      ...row,
      appliesTo,
      inheritedFrom,
    }));
  }

  async bind(owner: TagBindingOwner, bindings: readonly TagBinding[]): Promise<void> {
    if (bindings.length === 0) return;
    const { table, column } = places[owner.kind];
    const rows = bindings.map(({ id, organizationId, key, value, createdAt }) => ({
      id,
      organization_id: organizationId,
      [column]: owner.id,
      key,
      value,
      created_at: createdAt,
    }));
    await this.db.run(this.db.sql(table).insert(rows).onConflict([column, 'key']).merge(['value']));
  }

  async unbindAll({ kind, id }: TagBindingOwner): Promise<void> {
    const { table, column } = places[kind];
    await this.db.run(this.db.sql(table).where(column, id).delete());
  }
}
