import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { loadConfig } from '../../src/infrastructure/config.js';
import { type RunningService, startService } from '../../src/infrastructure/service.js';
import { Way } from '../support/database-way.js';
import { freshSchema, skipPostgres } from '../support/databases.js';
import { temporaryDirectory } from '../support/process.js';
import { until } from '../support/service-steps.js';

const token = 'an-administrator-token-for-tests';
const settings = {
  PORT: '0',
  ADMIN_TOKEN: token,
  SIGNING_SECRET: 'a-signing-secret-that-is-long-enough-for-tests',
};

(skipPostgres ? describe.skip : describe)('a service whose database goes away', () => {
  let way: Way;
  let service: RunningService;
  let leave: (() => Promise<void>)[];
  // biome-ignore lint/suspicious/noExplicitAny: log lines are read member by member.
  let log: any[];

  beforeEach(async () => {
    leave = [];
    log = [];
    const schema = await freshSchema();
    leave.push(schema.drop);
    way = await Way.open(new URL(schema.url));
    leave.push(() => way.close());
    const directory = await temporaryDirectory();
    leave.push(() => rm(directory, { recursive: true }));
    const config = loadConfig({ ...settings, DATA_DIR: directory, DATABASE_URL: way.url });
    service = await startService(config, pino({}, { write: (line: string) => log.push(JSON.parse(line)) }));
    leave.push(() => service.stop());
  });

  afterEach(async () => {
    for (const step of leave.reverse()) await step();
  });

  it('does not start, and says why in a line, when there is none', async () => {
    way.refusing = true;
    const directory = await temporaryDirectory();
    leave.push(() => rm(directory, { recursive: true }));
    const config = loadConfig({ ...settings, DATA_DIR: directory, DATABASE_URL: way.url });
    await expect(startService(config, pino({ level: 'silent' }))).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^the database does not respond: .*onnection/),
    });
  });

  const get = (path: string) => fetch(service.publicUrl + path, { headers: { Authorization: `Bearer ${token}` } });
  const status = async (path: string) => (await get(path)).status;

  it('is reported, and the service recovers without a restart', async () => {
    expect(await status('/organizations')).toBe(200);
    expect(await status('/readyz')).toBe(200);

    way.refusing = true;
    way.cut();
    const answer = await get('/organizations');
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({ errors: [{ status: '503', title: 'service unavailable' }] });
    expect(await status('/readyz')).toBe(503);
    expect(await status('/healthz')).toBe(200);
    const failed = log.find(({ msg }) => msg === 'request failed');
    expect(failed.err).toMatchObject({ code: 'service/unavailable', message: expect.stringContaining('Connection') });
    await until('the worker says that it could not go on', async () =>
      log.some(({ msg }) => msg === 'background work failed'),
    );

    way.refusing = false;
    await until('it serves again', async () => (await status('/readyz')) === 200);
    expect(await status('/organizations')).toBe(200);
  });
});
