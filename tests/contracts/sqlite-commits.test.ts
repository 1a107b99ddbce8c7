import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { type KnexDatabase, openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import type { Transaction, UnitOfWork } from '../../src/application/index.js';
import { anOrganization, aTeam, aToken, aUser, keepToken, noon, ownedBy, unique } from '../support/builders.js';
import { makeMigrated } from '../support/databases.js';
import { until } from '../support/service-steps.js';
import { refusal } from './on-every-backend.js';

type Act = (tx: Transaction) => Promise<unknown>;

describe('units of work on SQLite', () => {
  let directory: string;
  let file: string;
  let database: KnexDatabase;
  let unitOfWork: UnitOfWork;

  const open = (longest?: number) => {
    database = openSqlite(file, { longest });
    unitOfWork = database.unitOfWork;
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    file = join(directory, 'test.sqlite');
    await makeMigrated(file);
    open();
  });

  afterEach(async () => {
    await database.close();
    await rm(directory, { recursive: true });
  });

  const together = (...acts: readonly Act[]) => Promise.allSettled(acts.map((act) => unitOfWork.run(act)));
  const adds =
    (user = aUser()): Act =>
    (tx) =>
      tx.users.add(user);

  /** Counts through another connection, which sees only committed rows. */
  const users = (): number => {
    const reader = new Database(file, { readonly: true });
    const count = reader.prepare('select count(*) from users').pluck().get() as number;
    reader.close();
    return count;
  };

  /** The number of commits in the log: each ends with a page that states the size of the file. */
  const commits = async (): Promise<number> => {
    const log = await readFile(`${file}-wal`).catch(() => Buffer.alloc(0));
    let count = 0;
    for (let at = 32; at + 24 <= log.length; at += 24 + 4096) if (log.readUInt32BE(at + 4) > 0) count += 1;
    return count;
  };

  it('that are ready at once share a commit, up to a number', async () => {
    const before = await commits();
    await together(...Array.from({ length: 150 }, () => adds()));
    expect(users()).toBe(150);
    expect((await commits()) - before).toBe(3);
    await unitOfWork.run(adds());
    expect((await commits()) - before).toBe(4);
  });

  it('are copied from the log into the file after their commits, and leave no log behind', async () => {
    const size = async () => (await stat(file)).size;
    const before = await size();
    await unitOfWork.run(async (tx) => {
      for (let count = 0; count < 1_500; count += 1) await tx.users.add(aUser({ email: unique('x'.repeat(4_096)) }));
    });
    expect(await size()).toBe(before);
    await until('the log is copied', async () => (await size()) > before + 1_500 * 4_096);
    await database.close();
    await expect(stat(`${file}-wal`)).rejects.toThrow('ENOENT');
    open();
  });

  it('wait for others that come in the next turns of the event loop', async () => {
    const before = await commits();
    const works: Promise<unknown>[] = [];
    for (let count = 0; count < 5; count += 1) {
      const next = turn();
      works.push(unitOfWork.run(adds()));
      await next;
    }
    await Promise.all(works);
    expect((await commits()) - before).toBe(1);
  });

  it('see what those before them in the group did, and leave nothing when they are refused', async () => {
    const user = aUser();
    const organization = anOrganization();
    const seen: unknown[] = [];
    const [first, second, third] = await together(
      async (tx) => {
        await tx.users.add(user);
        await tx.organizations.add(organization);
      },
      async (tx) => {
        seen.push(await tx.users.find(user.id));
        await tx.users.add(aUser());
        throw new Error('no');
      },
      async (tx) => {
        seen.push(await tx.users.find(user.id));
        await tx.organizations.add({ ...anOrganization(), name: organization.name });
      },
    );
    expect(seen).toEqual([user, user]);
    expect(first).toMatchObject({ status: 'fulfilled' });
    expect(second).toEqual({ status: 'rejected', reason: new Error('no') });
    expect(third).toEqual({ status: 'rejected', reason: refusal('attribute/taken') });
    expect(users()).toBe(1);
  });

  it('are answered after the commit that they share, whatever they are answered', async () => {
    const seen: number[] = [];
    const told = (work: Promise<unknown>) => work.catch(() => undefined).then(() => seen.push(users()));
    await Promise.all([
      told(unitOfWork.run(() => Promise.reject(new Error('no')))),
      told(unitOfWork.run(adds())),
      told(unitOfWork.run(adds())),
    ]);
    expect(seen).toEqual([2, 2, 2]);
  });

  it('issue one token of a team after the other in a group, and none once the team is removed in it', async () => {
    const organization = anOrganization();
    const team = aTeam(organization);
    const owner = ownedBy('team', team);
    const [first, second, third] = [aToken(owner), aToken(owner), aToken(owner)];
    const [, , , refused] = await together(
      async (tx) => {
        await tx.organizations.add(organization);
        await tx.teams.add(team);
        await keepToken(tx, first);
      },
      (tx) => keepToken(tx, second),
      (tx) => tx.teams.remove(team.id, noon),
      (tx) => keepToken(tx, third),
    );
    expect(refused).toEqual({ status: 'rejected', reason: refusal('shared/stale-revision') });
    const reader = new Database(file, { readonly: true });
    expect(reader.prepare('select id from api_tokens').pluck().all()).toEqual([second.id]);
    reader.close();
  });

  it('that wait for something outside do not delay others, and are committed on their own', async () => {
    let goOn: () => void = () => undefined;
    const outside = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let begun = 0;
    const waiting = unitOfWork.run(async (tx) => {
      begun += 1;
      await tx.users.add(aUser());
      await outside;
      await tx.users.add(aUser());
    });
    await Promise.all([adds(), adds(), adds()].map((act) => unitOfWork.run(act)));
    expect(users()).toBe(3);
    while (begun < 2) await turn();
    goOn();
    await waiting;
    expect([begun, users()]).toEqual([2, 5]);
  });

  it('that wait outside for too long are refused, leave nothing and let others go on', async () => {
    await database.close();
    open(50);
    const forEver: Act = async (tx) => {
      await tx.users.add(aUser());
      await new Promise<never>(() => undefined);
    };
    const [stuck, stuckToo, done] = await together(forEver, forEver, adds());
    expect([stuck, stuckToo]).toEqual(
      [1, 2].map(() => ({ status: 'rejected', reason: refusal('service/unavailable') })),
    );
    expect(done).toMatchObject({ status: 'fulfilled' });
    expect(users()).toBe(1);
  });

  it('cannot go on once they were set aside', async () => {
    let goOn: () => void = () => undefined;
    const outside = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const tried: unknown[] = [];
    const waiting = unitOfWork.run(async (tx) => {
      await outside;
      await tx.users.add(aUser()).catch((error: unknown) => {
        tried.push(error);
        throw error;
      });
    });
    await unitOfWork.run(adds());
    goOn();
    await waiting;
    expect(tried).toEqual([new Error('the transaction is over')]);
    expect(users()).toBe(2);
  });

  it('are all refused when SQLite ends their transaction', async () => {
    await database.close();
    const limited = new Database(file);
    limited.exec(
      `create trigger ending before insert on users when new.email = 'end' begin select raise(rollback, 'ended'); end`,
    );
    limited.close();
    open();
    const answers = await together(
      adds(),
      () => Promise.reject(new Error('no')),
      async (tx) => {
        // Even when the error is caught.
        await tx.users.add(aUser({ email: 'end' })).catch(() => undefined);
      },
      adds(),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'rejected'));
    expect(users()).toBe(0);
    await unitOfWork.run(adds());
    expect(users()).toBe(1);
  });

  it('run in the asynchronous context of their callers', async () => {
    const context = new AsyncLocalStorage<number>();
    const seen: unknown[] = [];
    const note = async (tx: Transaction) => {
      await tx.users.any();
      seen.push(context.getStore());
    };
    await Promise.all([1, 2, 3].map((caller) => context.run(caller, () => unitOfWork.run(note))));
    expect(seen).toEqual([1, 2, 3]);
  });

  it('are finished before the database is closed', async () => {
    const working = together(adds(), adds());
    await database.close();
    expect((await working).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    open();
    expect(users()).toBe(2);
  });
});
