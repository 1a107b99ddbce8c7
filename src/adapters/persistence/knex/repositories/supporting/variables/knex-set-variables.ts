import type { Knex } from 'knex';
import type { SetVariableRepository } from '../../../../../../application/ports/repositories/variable-set-repository.js';
import {
  type OrganizationId,
  type SetVariable,
  type VariableId,
  type VariableSetId,
  type VariableTotals,
  variableTaken,
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
import { sealedBy, storedVariableRows } from './knex-variables.js';

const variableRows = rowsOf<SetVariable>((row, as) => ({
  ...storedVariableRows.literal(row, as),
  variableSetId: row.variable_set_id,
}));

const changeable = variableRows.except('id', 'variableSetId', 'createdAt');

const taken = { 'variable_set_variables.key': variableTaken, variables_of_set: variableTaken };

/** The variables `v` of the sets `s` of living organizations `o`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  sql('variable_set_variables as v')
    .join('variable_sets as s', 's.id', 'v.variable_set_id')
    .join('organizations as o', 'o.id', 's.organization_id')
    .whereNull('o.deleted_at');

const select = (variables: Knex.QueryBuilder): Knex.QueryBuilder =>
  variables.select(...columnsOf('v', variableRows.columns));

const one = prepared((sql, { setId, id }: { readonly setId: VariableSetId; readonly id: VariableId }) =>
  select(living(sql).where({ 'v.id': id, 'v.variable_set_id': setId })),
);

const ofSets = prepared((sql, { ids }: { readonly ids: readonly VariableSetId[] }) =>
  select(living(sql).whereIn('v.variable_set_id', ids)).orderBy(['v.key', 'v.category', 'v.id']),
);

const totals = prepared((sql, { id }: { readonly id: OrganizationId }) =>
  sql('variable_sets as s')
    .join('variable_set_variables as v', 'v.variable_set_id', 's.id')
    .where('s.organization_id', id)
    .count({ count: '*' })
    .sum({ bytes: 'v.size' }),
);

export class KnexSetVariables implements SetVariableRepository {
  constructor(private readonly db: Statements) {}

  async find(setId: VariableSetId, id: VariableId): Promise<SetVariable | undefined> {
    const row = await this.db.first<object>(one(this.db, { setId, id }));
    return row && variableRows.read(row);
  }

  async ofSets(ids: readonly VariableSetId[]): Promise<readonly SetVariable[]> {
    if (ids.length === 0) return [];
    return (await this.db.all<object>(ofSets(this.db, { ids }))).map(variableRows.read);
  }

  async totalsOf(id: OrganizationId): Promise<VariableTotals> {
    const row = await this.db.first<{ count: number | string; bytes: number | string | null }>(totals(this.db, { id }));
    return { count: Number(row?.count), bytes: Number(row?.bytes) };
  }

  async sealedWithOtherKeys(fingerprint: string, after: VariableId, limit: number): Promise<readonly SetVariable[]> {
    const { sql } = this.db;
    const ids = idsSealedWithOtherKeys(sql, 'variable_set_variables', fingerprint, after);
    const otherwise = living(sql).whereIn('v.id', ids);
    return (await this.db.all<object>(select(otherwise).orderBy('v.id').limit(limit))).map(variableRows.read);
  }

  add(variable: SetVariable): Promise<void> {
    const row = { ...variableRows.write(variable), ...sealedBy(variable) };
    return throwIfTaken(this.db.run(inserted(this.db, 'variable_set_variables', row)), taken);
  }

  save(variable: SetVariable): Promise<void> {
    const { id, revision } = variable;
    const update = this.db
      .sql('variable_set_variables')
      .where({ id, revision: revision - 1 })
      .update({ ...changeable.write(variable), ...sealedBy(variable) });
    return throwIfTaken(throwIfStale({ table: 'variable_set_variables', id }, this.db.run(update)), taken);
  }

  async remove(id: VariableId): Promise<boolean> {
    return (await this.db.run(this.db.sql('variable_set_variables').where({ id }).delete())) > 0;
  }
}
