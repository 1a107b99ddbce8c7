import type { Knex } from 'knex';
import { nameOf } from './counted-lists.js';
import { lockTables } from './lock-tables.js';

const index = `index policy_sets_versioned on policy_sets
  (organization_id, (versions is not null), lower(name), id, name, kind)`;

/** Policy sets with versions, and those without, are counted in an index alone. */
export async function up(knex: Knex): Promise<void> {
  await lockTables(knex, { referredTo: ['policy_sets'] });
  await knex.raw(`create ${index}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index ${nameOf(index)}`);
}
