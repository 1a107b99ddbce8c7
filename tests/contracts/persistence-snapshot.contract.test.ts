import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { TakeSnapshot } from '../../src/application/background/take-snapshot.js';
import type { Backlog, Effect } from '../../src/application/index.js';
import type { RunStatus } from '../../src/domain/index.js';
import { backends } from '../support/backends.js';
import { afterNoon, noon, ownedBy } from '../support/builders.js';
import { aClaim } from '../support/claims.js';
import { postgresUrl } from '../support/databases.js';
import { QueryPlanner } from '../support/query-planner.js';
import { type Ground, onFreshGround } from './on-every-backend.js';

const discard = (bundleKey: string): Effect => ({ kind: 'discard-bundle', bundleKey });
const purge = (versionId: string): Effect => ({ kind: 'purge-backing-data', versionId });
const day = 24 * 3600;

const sorted = (backlog: readonly Backlog[]) =>
  backlog.map(({ kind, state, count }) => `${kind} ${state} ${count}`).sort();

describe.each(backends.filter(({ skip }) => !skip))('what is counted of a whole database, on $name', (backend) => {
  it('is nothing where there is nothing', async () => {
    await onFreshGround(backend, async (on) => {
      expect(await on.read((tx) => tx.effects.backlog(noon, 10))).toEqual([]);
      expect(await on.read((tx) => tx.runs.countWaiting(10))).toEqual(new Map());
      expect(await on.read((tx) => tx.tokens.countExpiring(noon, noon, 10))).toEqual({ expired: 0, expiring: 0 });
    });
  });

  it('counts effects by kind and progress, the oldest only', async () => {
    await onFreshGround(backend, async (on) => {
      await on.run(async (tx) => {
        for (const subject of ['a', 'b', 'c', 'd']) await tx.effects.enqueue(subject, [discard(subject)]);
        await tx.effects.enqueue('e', [purge('cv-1')], afterNoon(60));
        await tx.effects.enqueue('f', [purge('cv-2')], afterNoon(-60));
      });
      const [first, second] = await on.run((tx) =>
        tx.effects.claim(aClaim('discards', { limit: 2, until: afterNoon(30) })),
      );
      await on.run((tx) => tx.effects.failed(second?.id ?? 0, 'no', afterNoon(5)));
      const backlog = await on.read((tx) => tx.effects.backlog(noon, 10));
      expect(sorted(backlog)).toEqual([
        'discard-bundle due 2',
        'discard-bundle failing 1',
        'discard-bundle in-hand 1',
        'purge-backing-data due 1',
        'purge-backing-data later 1',
      ]);
      expect(backlog.find(({ state }) => state === 'in-hand')?.oldest).toBe(first?.id);
      expect(sorted(await on.read((tx) => tx.effects.backlog(afterNoon(60), 2)))).toEqual([
        'discard-bundle due 1',
        'discard-bundle failing 1',
      ]);
    });
  });

  it('counts waiting runs, by status', async () => {
    await onFreshGround(backend, async (on) => {
      const workspace = await on.workspace(await on.organization());
      const version = await on.version(workspace);
      const statuses: RunStatus[] = ['applied', 'plan_queued', 'pending', 'pending', 'pending', 'errored'];
      for (const [place, status] of statuses.entries()) {
        await on.seedRun({
          id: `run-${place}`,
          workspaceId: workspace.id,
          configurationVersionId: version.state.id,
          status,
        });
      }
      expect(await on.read((tx) => tx.runs.countWaiting(10))).toEqual(
        new Map([
          ['pending', 3],
          ['plan_queued', 1],
        ]),
      );
      expect((await on.read((tx) => tx.runs.countWaiting(2))).get('pending')).toBe(2);
    });
  });

  it('counts tokens of living teams that have expired, and those that soon will', async () => {
    await onFreshGround(backend, async (on) => {
      const give = async (ground: Ground, days: number | null) => {
        const organization = await ground.organization();
        const team = await ground.team(organization);
        await ground.token(ownedBy('team', team), { expiresAt: days === null ? null : afterNoon(days * day) });
        return team;
      };
      for (const days of [null, -1, 0, 1, 6, 8]) await give(on, days);
      const gone = await give(on, 2);
      await on.run((tx) => tx.teams.remove(gone.id, noon));
      const organization = await on.organization();
      await on.token(ownedBy('organization', organization), { expiresAt: afterNoon(day) });
      const count = (max: number) => on.read((tx) => tx.tokens.countExpiring(noon, afterNoon(7 * day), max));
      expect(await count(10)).toEqual({ expired: 2, expiring: 2 });
      const { expired, expiring } = await count(3);
      expect(expired + expiring).toBe(3);
    });
  });
});

const planner = await QueryPlanner.open(async () => undefined);

describe('taking snapshot on SQLite', () => {
  afterAll(() => planner.close());

  it('takes six statements, of which each reads a range of an index, or all of one that holds only what is counted', async () => {
    const { unitOfWork } = planner.database;
    const sql = await planner.statementsOf((tx) =>
      new TakeSnapshot({ ...unitOfWork, read: (work) => work(tx) }, new FixedClock()).execute(),
    );
    expect(sql).toHaveLength(6);
    const steps = sql.flatMap((statement) => planner.planOf(statement));
    expect(steps.filter((step) => /^(SCAN|SEARCH) [ekor]\b/.test(step))).toEqual([
      // In the order of ids, up to the counting limit.
      'SCAN e',
      'SCAN r USING INDEX runs_waiting',
      'SCAN r USING INDEX runs_claimable',
      expect.stringMatching(/^SCAN o USING COVERING INDEX /),
      'SEARCH k USING COVERING INDEX api_tokens_by_expiry (listed_in=? AND <expr>=? AND expires_at<?)',
      // Their results, one after the other.
      'SCAN e',
      'SEARCH o USING COVERING INDEX organizations_deleted (deleted_at>?)',
      'SEARCH k USING INDEX kept_bytes_largest (bytes>?)',
      'SEARCH o USING INDEX sqlite_autoindex_organizations_1 (id=?)',
    ]);
  });
});

(postgresUrl === '' ? describe.skip : describe)('connections to Postgres', () => {
  it('are in use, idle or waited for', async () => {
    const database = openPostgres(postgresUrl, { poolSize: 2 });
    try {
      let release: () => void = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const all = Array.from({ length: 3 }, () => database.unitOfWork.run(() => held));
      const busy = { inUse: 2, idle: 0, waiting: 1 };
      while (database.connections?.().inUse !== busy.inUse) await pause(10);
      expect(database.connections?.()).toEqual(busy);
      release();
      await Promise.all(all);
      while (database.connections?.().idle !== 2) await pause(10);
      expect(database.connections?.()).toEqual({ inUse: 0, idle: 2, waiting: 0 });
    } finally {
      await database.close();
    }
  });
});
