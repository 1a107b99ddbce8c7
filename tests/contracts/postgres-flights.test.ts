import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type KnexDatabase, openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import type { Transaction, UnitOfWork } from '../../src/application/index.js';
import type { Organization } from '../../src/domain/index.js';
import {
  anOrganization,
  aTeam,
  aTeamWorkspace,
  aToken,
  aUser,
  aWorkspace,
  ownedBy,
  unique,
} from '../support/builders.js';
import { Way } from '../support/database-way.js';
import { freshDatabase, skipPostgres } from '../support/databases.js';
import { refusal } from './on-every-backend.js';

(skipPostgres ? describe.skip : describe)('a unit of work on Postgres', () => {
  let drop: () => Promise<void>;
  let way: Way;
  let database: KnexDatabase;
  let unitOfWork: UnitOfWork;
  let organization: Organization;
  const taken = refusal('attribute/taken');

  beforeAll(async () => {
    const fresh = await freshDatabase();
    drop = fresh.drop;
    way = await Way.open(new URL(fresh.url));
    database = openPostgres(way.url, { poolSize: 1 });
    unitOfWork = database.unitOfWork;
  });

  beforeEach(async () => {
    organization = anOrganization();
    await unitOfWork.run((tx) => tx.organizations.add(organization));
    way.roundTrips = 0;
  });

  afterAll(async () => {
    await database.close();
    await way.close();
    await drop();
  });

  const order = (tx: Transaction) =>
    tx.effects.enqueue(unique('subject'), [{ kind: 'discard-bundle', bundleKey: 'bundle-1' }]);
  const ordered = () =>
    unitOfWork.read(async (tx) => (await tx.effects.due('2999-01-01T00:00:00.000Z', ['discard-bundle'], 1_000)).length);
  const find = (tx: Transaction) => tx.users.any();

  /** Gives a team the same access twice, which a unique index refuses. */
  const twice = async () => {
    const [team, workspace] = [aTeam(organization), aWorkspace(organization)];
    await unitOfWork.run(async (tx) => {
      await tx.teams.add(team);
      await tx.workspaces.add(workspace);
    });
    return async (tx: Transaction) => {
      await tx.teamAccess.add(aTeamWorkspace(team.id, workspace.id));
      await tx.teamAccess.add(aTeamWorkspace(team.id, workspace.id));
    };
  };

  it.each([
    ['does nothing', 0, async () => undefined],
    ['reads once', 2, find],
    ['reads and then adds', 2, (tx) => find(tx).then(() => order(tx))],
    // Sent with a begin that failed, it would be committed on its own.
    ['begins with a write', 2, order],
    ['asks what a write changed', 3, (tx) => tx.effects.done(1)],
    [
      'adds, reads and adds',
      3,
      (tx) =>
        order(tx)
          .then(() => find(tx))
          .then(() => order(tx)),
    ],
  ] as readonly (readonly [string, number, (tx: Transaction) => Promise<unknown>])[])(
    'that %s takes %d round trips',
    async (_, roundTrips, work) => {
      await unitOfWork.run(work);
      expect(way.roundTrips).toBe(roundTrips);
    },
  );

  it('reads what it added before', async () => {
    const found = await unitOfWork.run(async (tx) => {
      const user = aUser();
      await tx.users.add(user);
      await order(tx);
      return [(await tx.users.find(user.id))?.id === user.id, (await tx.effects.failing({ number: 1, size: 1 })).total];
    });
    expect(found).toEqual([true, 0]);
  });

  it('learns at its commit what a unique index refuses, and keeps nothing', async () => {
    const add = await twice();
    const before = await ordered();
    let worked = false;
    const work = unitOfWork.run(async (tx) => {
      await order(tx);
      await add(tx);
      worked = true;
    });
    await expect(work).rejects.toEqual(taken);
    expect([worked, await ordered()]).toEqual([true, before]);
  });

  it('learns the first failure at its next call, and never commits, even if it goes on', async () => {
    const add = await twice();
    const before = await ordered();
    const told: unknown[] = [];
    const catching = (failing: Promise<unknown>) => failing.catch((error: unknown) => told.push(error));
    const work = unitOfWork.run(async (tx) => {
      await order(tx);
      await add(tx);
      await catching(find(tx));
      await catching(find(tx));
      await catching(order(tx));
    });
    await expect(work).rejects.toEqual(taken);
    expect(told).toEqual([taken, taken, taken]);
    expect(await ordered()).toBe(before);
  });

  it.each([
    ['begins with a write', order],
    ['begins with a read', (tx) => find(tx).then(() => order(tx))],
    ['asks for both at once', (tx) => Promise.all([find(tx), order(tx), tx.effects.done(1)])],
    ['goes on after the failure', (tx) => find(tx).catch(() => order(tx).catch(() => undefined))],
  ] as readonly (readonly [string, (tx: Transaction) => Promise<unknown>])[])(
    'that %s is refused when only its begin fails, and writes nothing',
    async (_, work) => {
      const before = await ordered();
      way.failingBegin = true;
      const refused = expect(unitOfWork.run(work)).rejects.toEqual(refusal('service/unavailable'));
      await refused.finally(() => {
        way.failingBegin = false;
      });
      expect(await ordered()).toBe(before);
      await unitOfWork.run(order);
      expect(await ordered()).toBe(before + 1);
    },
  );

  it('runs what is asked at once in that order, in one flight where it only reads', async () => {
    const user = aUser();
    await unitOfWork.run((tx) => Promise.all([find(tx), find(tx), find(tx)]));
    expect(way.roundTrips).toBe(2);
    const found = await unitOfWork.run((tx) =>
      Promise.all([find(tx), tx.users.find(user.id), tx.users.add(user), tx.users.find(user.id), tx.effects.done(1)]),
    );
    expect(found.slice(0, 4)).toEqual([expect.anything(), undefined, undefined, user]);
  });

  describe('that finds whose token it is, at once with others', () => {
    const credential = (digest: string) => unitOfWork.read((tx) => tx.tokens.findCredential(digest));
    const issued = async () => {
      const user = aUser();
      const token = aToken(ownedBy('user', user));
      await unitOfWork.run(async (tx) => {
        await tx.users.add(user);
        await tx.tokens.add(token);
      });
      return token;
    };

    it('takes one round trip for all', async () => {
      const tokens = [await issued(), await issued(), await issued()];
      way.roundTrips = 0;
      const found = await Promise.all([...tokens, ...tokens].map(({ secretDigest }) => credential(secretDigest)));
      expect(found.map((one) => one?.token.id)).toEqual([...tokens, ...tokens].map(({ id }) => id));
      expect(way.roundTrips).toBe(1);
    });

    it('does not find one that was revoked before', async () => {
      const [kept, revoked] = [await issued(), await issued()];
      const both = () => Promise.all([kept, revoked].map(({ secretDigest }) => credential(secretDigest)));
      expect(await both()).toEqual([expect.anything(), expect.anything()]);
      await unitOfWork.run((tx) => tx.tokens.remove(revoked.id));
      expect(await both()).toEqual([expect.anything(), undefined]);
    });

    it('fails alone if its own digest is why the statement fails', async () => {
      const token = await issued();
      // Postgres has no text with this character.
      const impossible = expect(credential('\u0000')).rejects.toThrow('invalid byte sequence');
      expect((await credential(token.secretDigest))?.token.id).toBe(token.id);
      await impossible;
    });
  });

  it('leaves its connection as it was, whatever became of it', async () => {
    const add = await twice();
    await expect(unitOfWork.run(add)).rejects.toEqual(taken);
    await expect(unitOfWork.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(unitOfWork.run((tx) => find(tx).then(() => Promise.reject(new Error('no'))))).rejects.toThrow('no');
    const before = await ordered();
    await unitOfWork.run(order);
    expect(await ordered()).toBe(before + 1);
    expect(database.connections?.()).toEqual({ inUse: 0, idle: 1, waiting: 0 });
  });

  it('cannot go on once it is over', async () => {
    let left: Transaction | undefined;
    await unitOfWork.run(async (tx) => {
      left = tx;
    });
    const over = new Error('the transaction is over');
    await expect(find(left as Transaction)).rejects.toEqual(over);
    await expect(order(left as Transaction)).rejects.toEqual(over);
  });
});
