import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import type { Transaction } from '../../src/application/index.js';
import type { User } from '../../src/domain/index.js';
import { aUser, unique } from '../support/builders.js';
import { until } from '../support/service-steps.js';

const commits = 90;
const losses = 80;
const pageSize = 4096;

/** The two files of a database at the moment a change is acknowledged. */
interface Files {
  readonly file: Buffer;
  readonly log: Buffer;
}

/** Unflushed writes after a power loss: a part of them, or noise in their place. */
const leavings: readonly ((unflushed: Buffer) => Buffer)[] = [
  (unflushed) => unflushed.subarray(0, randomInt(unflushed.length + 1)),
  (unflushed) => randomBytes(unflushed.length),
  (unflushed) => Buffer.concat([Buffer.alloc(unflushed.length >> 1), unflushed.subarray(unflushed.length >> 1)]),
];

const anyOf = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item;

/** Power lost while writing the log, at its end or over what was already copied into the file. */
function whileLogged(before: Files, after: Files): Files {
  const same = after.log.findIndex((byte, at) => byte !== before.log[at]);
  const safe = same < 0 ? after.log.length : same;
  const begun = Buffer.concat([after.log.subarray(0, safe), anyOf(leavings)(after.log.subarray(safe))]);
  return { file: before.file, log: Buffer.concat([begun, before.log.subarray(begun.length)]) };
}

/** Power lost while copying the flushed log into the file: each page is old, new or noise. */
function whileCopied(before: Files, after: Files): Files {
  const pages = Array.from({ length: after.file.length / pageSize }, (_, number) => {
    const [old, copied] = [before, after].map(({ file }) => file.subarray(number * pageSize, (number + 1) * pageSize));
    if (old === undefined || copied === undefined || old.equals(copied)) return copied ?? Buffer.alloc(0);
    return anyOf([old, copied, randomBytes(pageSize)]);
  });
  return { file: Buffer.concat(pages), log: after.log };
}

/** Long enough that the log is copied several times. */
const longUser = (): User => aUser({ email: unique('x'.repeat(pageSize)) });

/** Waits until what is committed is copied, but for a rest that no copy is worth. */
async function copied(file: string): Promise<void> {
  const other = new Database(file, { readonly: true });
  await until('the log is copied', async () => {
    const [found] = other.pragma('wal_checkpoint(noop)') as readonly [{ log: number; checkpointed: number }];
    return found.log - found.checkpointed < 1_000;
  });
  other.close();
}

const addAndFail = async (tx: Transaction): Promise<void> => {
  await tx.users.add(aUser());
  throw new Error('refused');
};

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
    // Units of work that share a commit; some run alone, others with one that is refused.
    const users = Array.from({ length: commits }, (_, commit) =>
      Array.from({ length: commit % 3 === 0 ? 2 : 2 * randomInt(2, 12) }, longUser),
    );
    for (const group of users) {
      const units = group.flatMap((_, at) => (at % 2 === 0 ? [group.slice(at, at + 2)] : []));
      await Promise.all([
        ...units.map((pair) =>
          database.unitOfWork.run(async (tx) => {
            for (const user of pair) await tx.users.add(user);
          }),
        ),
        ...(units.length > 1 ? [expect(database.unitOfWork.run(addAndFail)).rejects.toThrow('refused')] : []),
      ]);
      await copied(file);
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
      const upTo = (commit: number) => [
        first.id,
        ...users.slice(0, commit).flatMap((group) => group.map(({ id }) => id)),
      ];
      // A commit that was not acknowledged is there as a whole or not at all.
      const wholes = Array.from({ length: commits - safe + 1 }, (_, more) => upTo(safe + more));
      expect(wholes).toContainEqual(found);
    }
  } finally {
    await database.close();
    await rm(directory, { recursive: true });
  }
});

it('SQLite starts its log again under steady writes', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  const file = join(directory, 'live.sqlite');
  const database = openSqlite(file);
  const most = 16_384;
  try {
    await database.migrate();
    const sizes: number[] = [];
    for (let written = 0; written < 2.5 * most; written += 100) {
      await database.unitOfWork.run(async (tx) => {
        for (let count = 0; count < 100; count += 1) await tx.users.add(longUser());
      });
      sizes.push((await stat(`${file}-wal`)).size);
    }
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(1_000 * pageSize);
    // The last change before the log restarts is written whole.
    expect(Math.max(...sizes)).toBeLessThan(1.1 * most * pageSize);
  } finally {
    await database.close();
    await rm(directory, { recursive: true });
  }
}, 120_000);
