import type { Knex } from 'knex';

/** The SQL after `create trigger NAME`. On Postgres, the trigger calls a function of the same name, which has the body. */
export interface Trigger {
  readonly sqlite?: string;
  readonly postgres?: readonly [trigger: string, body: string];
}

/** Other connections must not write to the table meanwhile: call `lockTables` first. */
export async function placeTriggers(knex: Knex, triggers: Readonly<Record<string, Trigger>>): Promise<void> {
  for (const [name, { sqlite, postgres }] of Object.entries(triggers)) {
    if (knex.client.driverName !== 'pg') {
      if (sqlite !== undefined) await knex.raw(`create trigger ${name} ${sqlite}`);
    } else if (postgres !== undefined) {
      const [trigger, body] = postgres;
      await knex.raw(`create function ${name}() returns trigger language plpgsql as $$ begin ${body} end $$`);
      await knex.raw(`create trigger ${name} ${trigger} execute function ${name}()`);
    }
  }
}

export async function removeTriggers(knex: Knex, triggers: Readonly<Record<string, Trigger>>): Promise<void> {
  for (const [name, { sqlite, postgres }] of Object.entries(triggers)) {
    if (knex.client.driverName !== 'pg') {
      if (sqlite !== undefined) await knex.raw(`drop trigger ${name}`);
    } else if (postgres !== undefined) await knex.raw(`drop function ${name}() cascade`);
  }
}
