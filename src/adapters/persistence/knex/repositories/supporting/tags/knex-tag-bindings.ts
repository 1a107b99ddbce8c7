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
  WorkspaceId,
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
  readonly workspace_id: WorkspaceId;
  readonly project_id: ProjectId | null;
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

const bindingsOf = {
  workspace: ofOwner('workspace', (bindings) =>
    activeWorkspaces(bindings.join('workspaces as w', 'w.id', 'b.workspace_id')),
  ),
  project: ofOwner('project', (bindings) =>
    bindings.join('organizations as o', 'o.id', 'b.organization_id').where('o.deleted_at', null),
  ),
};

const effective = prepared((sql, { ids }: { readonly ids: readonly WorkspaceId[] }) => {
  const workspaces = () => activeWorkspaces(sql('workspaces as w')).whereIn('w.id', ids);
  const own = workspaces()
    .join('workspace_tag_bindings as b', 'b.workspace_id', 'w.id')
    .select('b.id', 'b.key', 'b.value', 'w.id as workspace_id', sql.raw('null as project_id'));
  const bound = sql('workspace_tag_bindings as own').whereRaw('own.workspace_id = w.id and own.key = b.key');
  const inherited = workspaces()
    .join('project_tag_bindings as b', 'b.project_id', 'w.project_id')
    .whereNotExists(bound.select('own.id'))
    .select('b.id', 'b.key', 'b.value', 'w.id as workspace_id', 'b.project_id');
  return own.unionAll([inherited]).orderBy(['workspace_id', 'key']);
});

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

  async effectiveOf(ids: readonly WorkspaceId[]): Promise<readonly EffectiveTagBinding[]> {
    if (ids.length === 0) return [];
    const rows = await this.db.all<EffectiveRow>(effective(this.db, { ids }));
    return rows.map(({ workspace_id: workspaceId, project_id: inheritedFrom, ...row }) => ({
      ...row,
      workspaceId,
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
