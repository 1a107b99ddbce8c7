import type { Knex } from 'knex';
import { sealPrefixOf } from '../../../../../../application/ports/outside/secret-box.js';
import type { VariableRepository } from '../../../../../../application/ports/repositories/variable-repository.js';
import {
  type Actor,
  type AppliedSet,
  type SourcedVariable,
  type StoredVariable,
  type Variable,
  type VariableId,
  type VariableTotals,
  variableTaken,
  type WithStanding,
  type WorkspaceId,
} from '../../../../../../domain/index.js';
import { inserted, prepared } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import {
  columnsOf,
  idsSealedWithOtherKeys,
  type Statements,
  throwIfStale,
  throwIfTaken,
} from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';
import { setScopes, setsFor } from '../policies/applied-sets.js';
import { activeWorkspaces } from '../workspaces/knex-workspaces.js';

/** The columns that variables of workspaces and of variable sets share. */
export const storedVariableRows = rowsOf<StoredVariable>((row, as) => ({
  id: row.id,
  key: row.key,
  description: row.description,
  category: row.category,
  hcl: as.flag(row.hcl),
  sensitive: as.flag(row.sensitive),
  sealedValue: row.sealed_value,
  size: row.size,
  createdAt: row.created_at,
  revision: row.revision,
}));

const variableRows = rowsOf<Variable>((row, as) => ({
  ...storedVariableRows.literal(row, as),
  workspaceId: row.workspace_id,
}));

const changeable = variableRows.except('id', 'workspaceId', 'createdAt');

export const sealedBy = ({ sealedValue }: StoredVariable) => ({ sealed_by: sealPrefixOf(sealedValue) });

const taken = { 'variables.key': variableTaken, variables_of_workspace: variableTaken };

/** The variables `v` of living workspaces `w`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  activeWorkspaces(sql('variables as v').join('workspaces as w', 'w.id', 'v.workspace_id'));

const select = (variables: Knex.QueryBuilder): Knex.QueryBuilder =>
  variables.select(...columnsOf('v', variableRows.columns));

const findWithStanding = seeing(
  'workspace',
  (sql, { workspaceId, id }: { readonly workspaceId: WorkspaceId; readonly id: VariableId }) =>
    select(living(sql).where({ 'v.id': id, 'v.workspace_id': workspaceId })),
  variableRows.read,
);

const ofWorkspace = prepared((sql, { id }: { readonly id: WorkspaceId }) =>
  select(living(sql).where('v.workspace_id', id)).orderBy(['v.key', 'v.category']),
);

interface AppliedRow {
  readonly set_id: AppliedSet['id'] | null;
  readonly set_name: string;
  readonly set_priority: boolean | number;
  readonly set_project_id: string | null;
  readonly set_scope: AppliedSet['scope'];
}

/** Each part by an index of its own: with an `or` between them, all sets of the organization would be read. */
const applying = prepared((sql, { id }: { readonly id: WorkspaceId }) => {
  const from = (rows: Knex.QueryBuilder, set: Readonly<Record<keyof AppliedRow, string>>) =>
    rows.select(
      ...columnsOf('v', storedVariableRows.columns),
      ...Object.entries(set).map(([name, column]) => sql.raw(`${column} as ${name}`)),
    );
  const ofSets = (sets: Knex.QueryBuilder, scope: AppliedSet['scope']) =>
    from(sets.join('variable_set_variables as v', 'v.variable_set_id', 's.id'), {
      set_id: 's.id',
      set_name: 's.name',
      set_priority: 's.priority',
      set_project_id: 's.project_id',
      set_scope: `'${scope}'`,
    });
  const own = from(living(sql).where('v.workspace_id', id), {
    set_id: 'null',
    set_name: 'null',
    set_priority: 'null',
    set_project_id: 'null',
    set_scope: 'null',
  });
  return own.unionAll(setScopes.map((scope) => ofSets(setsFor(sql, id, scope), scope)));
});

const sourced = (row: AppliedRow): SourcedVariable<StoredVariable> => ({
  variable: storedVariableRows.read(row),
  set:
    row.set_id === null
      ? null
      : {
          id: row.set_id,
          name: row.set_name,
          priority: Boolean(row.set_priority),
          owner: row.set_project_id === null ? 'organization' : 'project',
          scope: row.set_scope,
        },
});

const totals = prepared((sql, { id }: { readonly id: WorkspaceId }) =>
  sql('variables').where('workspace_id', id).count({ count: '*' }).sum({ bytes: 'size' }),
);

export class KnexVariables implements VariableRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, workspaceId: WorkspaceId, id: VariableId): Promise<WithStanding<Variable> | undefined> {
    return findWithStanding(this.db, actor, { workspaceId, id });
  }

  async ofWorkspace(id: WorkspaceId): Promise<readonly Variable[]> {
    return (await this.db.all<object>(ofWorkspace(this.db, { id }))).map(variableRows.read);
  }

  async applyingTo(id: WorkspaceId): Promise<readonly SourcedVariable<StoredVariable>[]> {
    return (await this.db.all<AppliedRow>(applying(this.db, { id }))).map(sourced);
  }

  async totalsOf(id: WorkspaceId): Promise<VariableTotals> {
    const row = await this.db.first<{ count: number | string; bytes: number | string | null }>(totals(this.db, { id }));
    return { count: Number(row?.count), bytes: Number(row?.bytes) };
  }

  async sealedWithOtherKeys(fingerprint: string, after: VariableId, limit: number): Promise<readonly Variable[]> {
    const { sql } = this.db;
    const otherwise = living(sql).whereIn('v.id', idsSealedWithOtherKeys(sql, 'variables', fingerprint, after));
    return (await this.db.all<object>(select(otherwise).orderBy('v.id').limit(limit))).map(variableRows.read);
  }

  add(variable: Variable): Promise<void> {
    const row = { ...variableRows.write(variable), ...sealedBy(variable) };
    return throwIfTaken(this.db.run(inserted(this.db, 'variables', row)), taken);
  }

  save(variable: Variable): Promise<void> {
    const { id, revision } = variable;
    const update = this.db
      .sql('variables')
      .where({ id, revision: revision - 1 })
      .update({ ...changeable.write(variable), ...sealedBy(variable) });
    return throwIfTaken(throwIfStale({ table: 'variables', id }, this.db.run(update)), taken);
  }

  async remove(id: VariableId): Promise<boolean> {
    return (await this.db.run(this.db.sql('variables').where({ id }).delete())) > 0;
  }
}
