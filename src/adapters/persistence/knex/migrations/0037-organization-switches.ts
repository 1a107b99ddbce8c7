import type { Knex } from 'knex';
import { columnsFor } from './columns.js';
import { lockTables } from './lock-tables.js';

/** Values that promised a restriction without having one become the harmless ones. */
const harmless = {
  collaboratorAuthPolicy: 'password',
  enforceHyok: false,
  assessmentsEnforced: false,
  maxTtlEnabled: false,
};

/** The tokens and sessions that an organization accepts: standing reads these columns with each request. */
export async function up(knex: Knex): Promise<void> {
  const column = columnsFor(knex);
  await lockTables(knex, { changed: ['organizations', 'sessions'] });
  await knex.schema.alterTable('organizations', (table) => {
    column(table).flag('user_tokens_enabled').defaultTo(true);
    table.integer('session_timeout');
    table.integer('session_remember');
  });
  // In seconds.
  await knex.schema.alterTable('sessions', (table) => {
    column(table).integer('longest_idle').defaultTo(0);
  });
  const rows: readonly { id: string; settings: string }[] = await knex('organizations')
    .whereNot('settings', '{}')
    .select('id', 'settings');
  for (const { id, settings } of rows) {
    const { userTokensEnabled: _, sessionTimeout, sessionRemember, ...others } = JSON.parse(settings);
    await knex('organizations')
      .where({ id })
      .update({
        settings: JSON.stringify({ ...others, ...harmless }),
        session_timeout: sessionTimeout ?? null,
        session_remember: sessionRemember ?? null,
      });
  }
}

export async function down(knex: Knex): Promise<void> {
  const rows: readonly { id: string; settings: string; session_timeout: number; session_remember: number }[] =
    await knex('organizations').select('id', 'settings', 'session_timeout', 'session_remember');
  for (const { id, settings, session_timeout: sessionTimeout, session_remember: sessionRemember } of rows) {
    const { tokenLifetimes: _, ...others } = JSON.parse(settings);
    await knex('organizations')
      .where({ id })
      .update({ settings: JSON.stringify({ ...others, sessionTimeout, sessionRemember }) });
  }
  await knex.raw('alter table sessions drop column longest_idle');
  for (const name of ['user_tokens_enabled', 'session_timeout', 'session_remember']) {
    await knex.raw(`alter table organizations drop column ${name}`);
  }
}
