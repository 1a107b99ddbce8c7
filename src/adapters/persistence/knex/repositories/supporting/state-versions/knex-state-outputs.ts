import type { Knex } from 'knex';
import { sealPrefixOf } from '../../../../../../application/ports/outside/secret-box.js';
import { fitting, type Slice, type SliceSize } from '../../../../../../application/ports/repositories/page.js';
import type { StateOutputRepository } from '../../../../../../application/ports/repositories/state-version-repository.js';
import type {
  Actor,
  StateOutput,
  StateVersionId,
  StateVersionOutputId,
  WithStanding,
} from '../../../../../../domain/index.js';
import { prepared } from '../../../engine/prepared.js';
import { columnsOf, idsSealedWithOtherKeys, type Statements } from '../../../engine/statements.js';
import { seeing } from '../../authorization/standing.js';
import { activeVersions, isFinalized, outputRows } from './knex-state-versions.js';

/** Outputs `so` of finalized state versions `sv` of living workspaces `w`, once all are read. */
const activeOutputs = (sql: Knex): Knex.QueryBuilder =>
  activeVersions(sql)
    .whereRaw(isFinalized)
    .whereRaw('sv.outputs_read = TRUE')
    .join('state_version_outputs as so', 'so.state_version_id', 'sv.id');

const findOutputWithStanding = seeing(
  'workspace',
  (sql, { id }: { readonly id: StateVersionOutputId }) =>
    activeOutputs(sql)
      .where('so.id', id)
      .select(...columnsOf('so', outputRows.columns)),
  outputRows.read,
);

const listedOutputs = prepared((sql, { id }: { readonly id: StateVersionId }) =>
  activeOutputs(sql).where('sv.id', id).select('so.id', 'so.name').orderBy('so.name'),
);

export class KnexStateOutputs implements StateOutputRepository {
  constructor(private readonly db: Statements) {}

  findFor(actor: Actor, id: StateVersionOutputId): Promise<WithStanding<StateOutput> | undefined> {
    return findOutputWithStanding(this.db, actor, { id });
  }

  listed(id: StateVersionId): Promise<readonly Pick<StateOutput, 'id' | 'name'>[]> {
    return this.db.all(listedOutputs(this.db, { id }));
  }

  async slice(id: StateVersionId, after: string | undefined, max: SliceSize): Promise<Slice<StateOutput>> {
    const outputs = () => {
      const all = activeOutputs(this.db.sql).where('sv.id', id);
      return after === undefined ? all : all.where('so.name', '>', after);
    };
    const sizes = outputs().select('so.name', 'so.size').orderBy('so.name');
    const listed = await this.db.all<{ readonly name: string; readonly size: number }>(sizes.limit(max.rows + 1));
    const taken = fitting(listed, max);
    const end = taken.at(-1)?.name;
    if (end === undefined) return { items: [], last: undefined };
    const rows = await this.db.all<object>(inOrder(outputs().where('so.name', '<=', end)));
    const last = taken.length < listed.length ? { name: end, tie: id } : undefined;
    return { items: rows.map(outputRows.read), last };
  }

  async sealedWithOtherKeys(
    fingerprint: string,
    after: StateVersionOutputId,
    limit: number,
  ): Promise<readonly Pick<StateOutput, 'id' | 'value'>[]> {
    const { sql } = this.db;
    return this.db.all(
      sql('state_version_outputs')
        .whereIn('id', idsSealedWithOtherKeys(sql, 'state_version_outputs', fingerprint, after))
        .select('id', 'value')
        .orderBy('id')
        .limit(limit),
    );
  }

  async reseal(id: StateVersionOutputId, sealed: string): Promise<void> {
    const resealed = { value: sealed, sealed_by: sealPrefixOf(sealed) };
    await this.db.run(this.db.sql('state_version_outputs').where({ id }).update(resealed));
  }
}

const inOrder = (outputs: Knex.QueryBuilder): Knex.QueryBuilder =>
  outputs.select(...columnsOf('so', outputRows.columns)).orderBy('so.name');
