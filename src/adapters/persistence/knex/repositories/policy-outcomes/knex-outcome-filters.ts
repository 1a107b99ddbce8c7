import type { Knex } from 'knex';
import type { OutcomeFilter } from '../../../../../domain/index.js';

/**
 * Restricts a query that has outcomes of policy sets as `q` to those that `selects` returns. The database writes the
 * results of their policies into them as words (`failed:mandatory `, `errored: `), and `error: ` when an outcome itself
 * failed.
 */
export function onlySelected(sets: Knex.QueryBuilder, { status, enforcementLevel }: OutcomeFilter): void {
  const says = (word: string) => sets.where('q.verdicts', 'like', `%${word}%`);
  const never = (word: string) => sets.whereNot('q.verdicts', 'like', `%${word}%`);
  if (status === 'errored') says('error');
  else never('error');
  if (status === 'failed') says('failed:');
  if (status === 'passed') never('failed:');
  if (enforcementLevel === null) return;
  says(`${status}:${enforcementLevel} `);
  // The strictest level is the outcome's own.
  if (enforcementLevel === 'advisory') never(`${status}:mandatory `);
}
