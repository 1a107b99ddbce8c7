import type { Knex } from 'knex';
import { sealPrefixOf } from '../../../../application/ports/outside/secret-box.js';
import type { VariableRepository } from '../../../../application/ports/repositories/variable-repository.js';
import {
  type Actor,
  type Variable,
  type VariableId,
  type VariableTotals,
  variableTaken,
  type WithStanding,
  type WorkspaceId,
} from '../../../../domain/index.js';
import { prepared } from '../engine/prepared.js';
import { rowsOf } from '../engine/rows.js';
import { columnsOf, idsSealedOtherwise, type Statements, unlessStale, unlessTaken } from '../engine/statements.js';
import { livingWorkspaces } from './knex-workspaces.js';
import { seeing } from './standing.js';

const variableRows = rowsOf<Variable>((row, as) => ({
  id: row.id,
  workspaceId: row.workspace_id,
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

const changeable = variableRows.except('id', 'workspaceId', 'createdAt');

const sealedBy = ({ sealedValue }: Variable) => ({ sealed_by: sealPrefixOf(sealedValue) });

const taken = { 'variables.key': variableTaken, variables_of_workspace: variableTaken };

/** The variables `v` of living workspaces `w`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  livingWorkspaces(sql('variables as v').join('workspaces as w', 'w.id', 'v.workspace_id'));

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

  async totalsOf(id: WorkspaceId): Promise<VariableTotals> {
    const row = await this.db.first<{ count: number | string; bytes: number | string | null }>(totals(this.db, { id }));
    return { count: Number(row?.count), bytes: Number(row?.bytes) };
  }

  async sealedOtherwise(fingerprint: string, after: VariableId, limit: number): Promise<readonly Variable[]> {
    const { sql } = this.db;
    const otherwise = living(sql).whereIn('v.id', idsSealedOtherwise(sql, 'variables', fingerprint, after));
    return (await this.db.all<object>(select(otherwise).orderBy('v.id').limit(limit))).map(variableRows.read);
  }

  add(variable: Variable): Promise<void> {
    const row = { ...variableRows.write(variable), ...sealedBy(variable) };
    return unlessTaken(this.db.run(this.db.sql('variables').insert(row)), taken);
  }

  save(variable: Variable): Promise<void> {
    const { id, revision } = variable;
    const update = this.db
      .sql('variables')
      .where({ id, revision: revision - 1 })
      .update({ ...changeable.write(variable), ...sealedBy(variable) });
    return unlessTaken(unlessStale({ table: 'variables', id }, this.db.run(update)), taken);
  }

  async remove(id: VariableId): Promise<boolean> {
    return (await this.db.run(this.db.sql('variables').where({ id }).delete())) > 0;
  }
}
