import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import { aUser } from '../support/builders.js';

const commits = 60;
const losses = 80;
const pageSize = 4096;

/** The two files of a database at the moment a change is acknowledged. */
interface Files {
  readonly file: Buffer;
  readonly log: Buffer;
}

/** What power may leave of what was written and not yet flushed: a part of it, or noise in its place. */
const leavings: readonly ((unflushed: Buffer) => Buffer)[] = [
  (unflushed) => unflushed.subarray(0, randomInt(unflushed.length + 1)),
  (unflushed) => randomBytes(unflushed.length),
  (unflushed) => Buffer.concat([Buffer.alloc(unflushed.length >> 1), unflushed.subarray(unflushed.length >> 1)]),
];

const anyOf = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item;

/** Lost while the log was written, at its end or over what has been copied into the file. */
function whileLogged(before: Files, after: Files): Files {
  const same = after.log.findIndex((byte, at) => byte !== before.log[at]);
  const safe = same < 0 ? after.log.length : same;
  const begun = Buffer.concat([after.log.subarray(0, safe), anyOf(leavings)(after.log.subarray(safe))]);
  return { file: before.file, log: Buffer.concat([begun, before.log.subarray(begun.length)]) };
}

/** Lost while the log, flushed before, was copied into the file: each page is the old one, the new one or noise. */
function whileCopied(before: Files, after: Files): Files {
  const pages = Array.from({ length: after.file.length / pageSize }, (_, number) => {
    const [old, copied] = [before, after].map(({ file }) => file.subarray(number * pageSize, (number + 1) * pageSize));
    if (old === undefined || copied === undefined || old.equals(copied)) return copied ?? Buffer.alloc(0);
    return anyOf([old, copied, randomBytes(pageSize)]);
  });
  return { file: Buffer.concat(pages), log: after.log };
}

it('a SQLite file that loses what was not flushed has every change acknowledged before, whole, and opens', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  const file = join(directory, 'live.sqlite');
  const database = openSqlite(file);
  const first = aUser();
  const files = async (): Promise<Files> => ({ file: await readFile(file), log: await readFile(`${file}-wal`) });
  try {
    await database.migrate();
    await database.unitOfWork.run((tx) => tx.users.add(first));
    const acknowledged = [await files()];
    const users = Array.from({ length: commits }, () => [aUser(), aUser()] as const);
    for (const pair of users) {
      await database.unitOfWork.run(async (tx) => {
        for (const user of pair) await tx.users.add(user);
      });
      acknowledged.push(await files());
    }
    const at = (moment: number): Files => acknowledged[moment] as Files;
    const copying = users.flatMap((_, moment) => (at(moment).file.equals(at(moment + 1).file) ? [] : [moment]));
    expect(copying.length).toBeGreaterThan(1);

    for (let loss = 0; loss < losses; loss += 1) {
      const copied = loss % 4 === 0;
      const moment = copied ? anyOf(copying) : randomInt(commits);
      const left = (copied ? whileCopied : whileLogged)(at(moment), at(moment + 1));
      const safe = copied ? moment + 1 : moment;
      const path = join(directory, `left-${loss}.sqlite`);
      await writeFile(path, left.file);
      await writeFile(`${path}-wal`, left.log);
      const opened = new Database(path);
      expect(opened.pragma('integrity_check', { simple: true })).toBe('ok');
      const found = opened.prepare('select id from users order by rowid').pluck().all();
      opened.close();
      expect(found.length).toBeGreaterThanOrEqual(1 + 2 * safe);
      const whole = users.slice(0, (found.length - 1) / 2).flatMap((pair) => pair.map(({ id }) => id));
      expect(found).toEqual([first.id, ...whole]);
    }
  } finally {
    await database.close();
    await rm(directory, { recursive: true });
  }
});

it('SQLite copies its log into the file after a hundred pages or so, and begins it anew', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  const file = join(directory, 'live.sqlite');
  const database = openSqlite(file);
  try {
    await database.migrate();
    // Whatever migrations made of it.
    const other = new Database(file);
    other.pragma('wal_checkpoint(TRUNCATE)');
    other.close();
    const sizes: number[] = [];
    for (let commit = 0; commit < 300; commit += 1) {
      await database.unitOfWork.run((tx) => tx.users.add(aUser()));
      sizes.push((await readFile(`${file}-wal`)).length);
    }
    // The last change before it begins anew is written whole.
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(100 * pageSize);
    expect(Math.max(...sizes)).toBeLessThan(150 * pageSize);
  } finally {
    await database.close();
    await rm(directory, { recursive: true });
  }
});
