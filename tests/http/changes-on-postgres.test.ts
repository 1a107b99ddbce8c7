import { afterAll, describe, expect, it } from '@jest/globals';
import { defaultTimeouts } from '../../src/adapters/http/server/timeouts.js';
import { type KnexDatabase, openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import type { ChangeListener } from '../../src/application/index.js';
import { newName, prefix, startApi } from '../support/api.js';
import { ChangeStream } from '../support/change-stream.js';
import { freshDatabase, skipPostgres } from '../support/databases.js';
import { until } from '../support/service-steps.js';

(skipPostgres ? describe.skip : describe)('two instances on one Postgres', () => {
  const closing: (() => Promise<unknown>)[] = [];

  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** Resolves once the instance receives notifications. */
  const instance = async (url: string) => {
    const database: KnexDatabase = openPostgres(url, { poolSize: 2 });
    closing.push(() => database.close());
    let listens = false;
    const hearChanges = (hear: ChangeListener) =>
      database.onChange({
        ordered: () => {},
        changed: (changes) => {
          listens ||= changes === undefined;
          hear(changes);
        },
      });
    const stream = { heartbeat: 600_000, longest: 600_000, betweenEvents: 0, betweenLists: 0 };
    const { unitOfWork } = database;
    const api = await startApi({ prefix, unitOfWork, hearChanges, timeouts: { ...defaultTimeouts, stream } });
    await until('it listens', async () => listens);
    return { api, database };
  };

  it('report changes of one to the streams of the other, which take no connection of its pool', async () => {
    const { url, drop } = await freshDatabase();
    closing.push(drop);
    const [one, other] = [await instance(url), await instance(url)];
    const organization = newName('org');
    await one.api.organization(organization);
    const id = await one.api.workspace(organization, newName('workspace'));
    const streams = [
      await ChangeStream.open(other.api.server, one.api.admin, `/workspaces/${id}/changes`),
      await ChangeStream.open(other.api.server, one.api.admin, `/organizations/${organization}/changes`),
    ];
    await one.api.admin.post(`/workspaces/${id}/actions/lock`).expect(200);
    for (const stream of streams) expect(await stream.next()).toEqual(['workspace', { id }]);
    expect(other.database.connections?.().inUse).toBe(0);
    for (const stream of streams) stream.close();
  });
});
