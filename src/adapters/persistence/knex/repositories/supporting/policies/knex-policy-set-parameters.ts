import type { Knex } from 'knex';
import { sealPrefixOf } from '../../../../../../application/ports/outside/secret-box.js';
import type { PolicySetParameterRepository } from '../../../../../../application/ports/repositories/policy-repository.js';
import {
  type Actor,
  type PolicySetId,
  type PolicySetParameter,
  type PolicySetParameterId,
  parameterTaken,
  type WithStanding,
} from '../../../../../../domain/index.js';
import { inserted } from '../../../engine/prepared.js';
import { rowsOf } from '../../../engine/rows.js';
import {
  columnsOf,
  idsSealedWithOtherKeys,
  type Statements,
  throwIfStale,
  throwIfTaken,
} from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';

const parameterRows = rowsOf<PolicySetParameter>((row, as) => ({
  id: row.id,
  policySetId: row.policy_set_id,
  key: row.key,
  sensitive: as.flag(row.sensitive),
  sealedValue: row.sealed_value,
  createdAt: row.created_at,
  revision: row.revision,
}));

const changeable = parameterRows.except('id', 'policySetId', 'createdAt');

const sealedBy = ({ sealedValue }: PolicySetParameter) => ({ sealed_by: sealPrefixOf(sealedValue) });

const taken = { 'policy_set_parameters.key': parameterTaken, policy_set_parameters_of_set: parameterTaken };

/** Parameters `m` of sets `p` of living organizations `o`. */
const living = (sql: Knex): Knex.QueryBuilder =>
  sql('policy_set_parameters as m')
    .join('policy_sets as p', 'p.id', 'm.policy_set_id')
    .join('organizations as o', 'o.id', 'p.organization_id')
    .whereNull('o.deleted_at');

const select = (parameters: Knex.QueryBuilder): Knex.QueryBuilder =>
  parameters.select(...columnsOf('m', parameterRows.columns));

const findWithStanding = seeing(
  'organization',
  (sql, { policySetId, id }: { readonly policySetId: PolicySetId; readonly id: PolicySetParameterId }) =>
    select(living(sql).where({ 'm.id': id, 'm.policy_set_id': policySetId })),
  parameterRows.read,
);

export class KnexPolicySetParameters implements PolicySetParameterRepository {
  constructor(private readonly db: Statements) {}

  findFor(
    actor: Actor,
    policySetId: PolicySetId,
    id: PolicySetParameterId,
  ): Promise<WithStanding<PolicySetParameter> | undefined> {
    return findWithStanding(this.db, actor, { policySetId, id });
  }

  async ofSets(ids: readonly PolicySetId[]): Promise<readonly PolicySetParameter[]> {
    if (ids.length === 0) return [];
    const these = select(living(this.db.sql).whereIn('m.policy_set_id', ids)).orderBy(['m.key', 'm.id']);
    return (await this.db.all<object>(these)).map(parameterRows.read);
  }

  add(parameter: PolicySetParameter): Promise<void> {
    const row = { ...parameterRows.write(parameter), ...sealedBy(parameter) };
    return throwIfTaken(this.db.run(inserted(this.db, 'policy_set_parameters', row)), taken);
  }

  save(parameter: PolicySetParameter): Promise<void> {
    const { id, revision } = parameter;
    const update = this.db
      .sql('policy_set_parameters')
      .where({ id, revision: revision - 1 })
      .update({ ...changeable.write(parameter), ...sealedBy(parameter) });
    return throwIfTaken(throwIfStale({ table: 'policy_set_parameters', id }, this.db.run(update)), taken);
  }

  async remove(id: PolicySetParameterId): Promise<boolean> {
    return (await this.db.run(this.db.sql('policy_set_parameters').where({ id }).delete())) > 0;
  }

  async sealedWithOtherKeys(
    fingerprint: string,
    after: PolicySetParameterId,
    limit: number,
  ): Promise<readonly PolicySetParameter[]> {
    const { sql } = this.db;
    const ids = idsSealedWithOtherKeys(sql, 'policy_set_parameters', fingerprint, after);
    const otherwise = select(living(sql).whereIn('m.id', ids)).orderBy('m.id').limit(limit);
    return (await this.db.all<object>(otherwise)).map(parameterRows.read);
  }
}
