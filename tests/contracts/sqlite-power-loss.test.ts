import { randomBytes, randomInt } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import { aUser } from '../support/builders.js';

const commits = 30;
const losses = 40;

/** What power may leave of what was written and not yet flushed: a part of it, or noise in its place. */
const leavings: readonly ((unflushed: Buffer) => Buffer)[] = [
  (unflushed) => unflushed.subarray(0, randomInt(unflushed.length + 1)),
  (unflushed) => randomBytes(unflushed.length),
  (unflushed) => Buffer.concat([Buffer.alloc(unflushed.length >> 1), unflushed.subarray(unflushed.length >> 1)]),
];

it('a SQLite file that loses what was not flushed has every change acknowledged before, whole, and opens', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  const file = join(directory, 'live.sqlite');
  const database = openSqlite(file);
  const first = aUser();
  try {
    await database.migrate();
    await database.unitOfWork.run((tx) => tx.users.add(first));
    /** How long the log was when each change was acknowledged. */
    const flushed = [(await stat(`${file}-wal`)).size];
    const users = Array.from({ length: commits }, () => [aUser(), aUser()] as const);
    for (const pair of users) {
      await database.unitOfWork.run(async (tx) => {
        for (const user of pair) await tx.users.add(user);
      });
      flushed.push((await stat(`${file}-wal`)).size);
    }
    const log = await readFile(`${file}-wal`);

    for (let loss = 0; loss < losses; loss += 1) {
      const acknowledged = randomInt(commits + 1);
      const [safe, leave] = [flushed[acknowledged] ?? 0, leavings[loss % leavings.length]];
      const left = join(directory, `left-${loss}.sqlite`);
      await copyFile(file, left);
      await writeFile(
        `${left}-wal`,
        Buffer.concat([log.subarray(0, safe), leave?.(log.subarray(safe)) ?? Buffer.alloc(0)]),
      );
      const opened = new Database(left);
      expect(opened.pragma('integrity_check', { simple: true })).toBe('ok');
      const found = opened.prepare('select id from users order by rowid').pluck().all();
      opened.close();
      expect(found.length).toBeGreaterThanOrEqual(1 + 2 * acknowledged);
      const whole = users.slice(0, (found.length - 1) / 2).flatMap((pair) => pair.map(({ id }) => id));
      expect(found).toEqual([first.id, ...whole]);
    }
  } finally {
    await database.close();
    await rm(directory, { recursive: true });
  }
});
