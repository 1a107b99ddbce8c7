import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type KnexDatabase, openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import type { ConfigurationVersion, Team } from '../../src/domain/index.js';
import { aConfigurationVersion, anOrganization, asOrganization, aTeam, aWorkspace } from '../support/builders.js';
import { freshDatabase, skipPostgres } from '../support/databases.js';

(skipPostgres ? describe.skip : describe)('reads on Postgres that are asked for at once', () => {
  const organization = anOrganization();
  const caller = asOrganization(organization);
  const request = new AsyncLocalStorage<string>();
  const reported: (string | undefined)[] = [];
  let drop: () => Promise<void>;
  let database: KnexDatabase;
  let version: ConfigurationVersion;
  let team: Team;
  let other: pg.Client;

  beforeAll(async () => {
    const fresh = await freshDatabase();
    drop = fresh.drop;
    database = openPostgres(fresh.url, { poolSize: 4, onStatement: () => reported.push(request.getStore()) });
    const workspace = aWorkspace(organization);
    team = aTeam(organization);
    version = aConfigurationVersion(workspace);
    await database.unitOfWork.run(async (tx) => {
      await tx.organizations.add(organization);
      await tx.workspaces.add(workspace);
      await tx.teams.add(team);
      await tx.configurationVersions.add(version);
    });
    other = new pg.Client({ connectionString: fresh.url });
    await other.connect();
  });

  afterAll(async () => {
    await other.end();
    await database.close();
    await drop();
  });

  const readVersion = async () =>
    (await database.unitOfWork.read((tx) => tx.configurationVersions.findFor(caller, version.state.id)))?.subject.state
      .id;
  const readTeam = async () => (await database.unitOfWork.read((tx) => tx.teams.findFor(caller, team.id)))?.subject.id;
  const several = <Found>(count: number, read: () => Promise<Found>) =>
    Promise.all(Array.from({ length: count }, read));

  async function whileVersionsAreLocked(work: () => Promise<void>): Promise<void> {
    await other.query('begin; lock table configuration_versions');
    try {
      await work();
    } finally {
      await other.query('commit');
    }
  }

  it('share connections, and each finds what it asked for', async () => {
    let answered = false;
    const reads = Array.from({ length: 6 }, () => [readVersion(), readTeam()]).flat();
    const found = Promise.all(reads).finally(() => {
      answered = true;
    });
    const inUse = new Set<number | undefined>();
    while (!answered) {
      inUse.add(database.connections?.().inUse);
      await setImmediate();
    }
    expect(await found).toEqual(Array.from({ length: 6 }, () => [version.state.id, team.id]).flat());
    // One for what is asked for first, and one for the rest.
    expect([...inUse]).not.toContain(3);
  });

  it('belong to the request that asks', async () => {
    reported.length = 0;
    await Promise.all(['first', 'second'].map((name) => request.run(name, readTeam)));
    expect(reported).toEqual(['first', 'second']);
  });

  it('are answered although one of them waits for a lock', async () => {
    let waiting: Promise<unknown> | undefined;
    await whileVersionsAreLocked(async () => {
      waiting = readVersion();
      expect(await several(3, readTeam)).toEqual([team.id, team.id, team.id]);
    });
    expect(await waiting).toBe(version.state.id);
  });

  it('leave connections to others, however many wait for a lock', async () => {
    let waiting: Promise<unknown> | undefined;
    await whileVersionsAreLocked(async () => {
      waiting = several(200, readVersion);
      for (let turn = 0; turn < 5; turn += 1) expect(await readTeam()).toBe(team.id);
      const { inUse, waiting: awaiting = 0 } = database.connections?.() ?? {};
      expect(inUse).toBe(2);
      expect(awaiting).toBeGreaterThan(100);
    });
    expect(new Set((await waiting) as string[])).toEqual(new Set([version.state.id]));
  });
});
