import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { type KnexDatabase, openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { doc, newName, prefix, refusal, startApi, type TestApi } from '../support/api.js';
import { freshDatabase, onPostgres, openMigrated, skipPostgres } from '../support/databases.js';

const unavailable = (detail: string) => refusal(503, 'service unavailable', detail);

const closing: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

(skipPostgres ? describe.skip : describe)('requests on a Postgres that refuses work', () => {
  const service = async (): Promise<{ url: string; api: TestApi; database: KnexDatabase }> => {
    const { url, drop } = await freshDatabase();
    closing.push(drop);
    const database = openPostgres(url, { poolSize: 2 });
    closing.push(() => database.close());
    return { url, database, api: await startApi({ prefix, unitOfWork: database.unitOfWork }) };
  };

  it('are 503 with Retry-After when they change something and it is read-only, and are read otherwise', async () => {
    const { url, api } = await service();
    const organization = newName('org');
    await api.organization(organization);
    const name = new URL(url).pathname.slice(1);
    await onPostgres(
      `alter database ${name} set default_transaction_read_only = on;
      select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${name}'`,
    );
    const read = () => api.admin.get(`/organizations/${organization}`);
    // The pool notices a closed connection when it is used.
    while ((await read()).status !== 200);
    const body = doc('workspaces', { name: newName('workspace') });
    const answer = await api.admin.post(`/organizations/${organization}/workspaces`, body).expect(503);
    expect(answer.body).toEqual(unavailable('the database is read-only'));
    expect(answer.headers['retry-after']).toBe('2');
    await read().expect(200);
  });

  it.each(['40001', '40P01', '55P03', '57014'])(
    'are 503 when they read and a statement fails with %s',
    async (code) => {
      const { url, api } = await service();
      const organization = newName('org');
      await api.organization(organization);
      await onPostgres(
        `create function failing() returns boolean language plpgsql as
        $$ begin raise exception 'no' using errcode = '${code}'; end $$;
      alter table organizations rename to organizations_kept;
      create view organizations as select * from organizations_kept where failing()`,
        url,
      );
      for (const method of ['get', 'head'] as const) {
        const answer = await api.admin.send(method, `/organizations/${organization}`).expect(503);
        expect(answer.headers['retry-after']).toBe('2');
        if (method === 'get') expect(answer.body).toEqual(unavailable('the database did not finish in time'));
      }
    },
  );

  it('are 503 when they read and accepting an invitation loses against another transaction each time', async () => {
    const { url, api } = await service();
    const organization = newName('org');
    await api.organization(organization);
    const username = newName('person');
    const user = await api.user(username);
    const invitation = doc('organization-memberships', { email: `${username}@example.com` });
    await api.admin.post(`/organizations/${organization}/organization-memberships`, invitation).expect(201);
    await onPostgres(
      `create function failing() returns trigger language plpgsql as
        $$ begin raise exception 'no' using errcode = '40001'; end $$;
      create trigger failing before update on organization_memberships for each row execute function failing()`,
      url,
    );
    const answer = await user.get('/account/details').expect(503);
    expect(answer.body).toEqual(unavailable('the data changed while it was read'));
    expect(answer.headers['retry-after']).toBe('2');
  });
});

describe('requests on an SQLite file that another process has locked', () => {
  it('are 503 with Retry-After when they change something, and are read otherwise', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    closing.push(() => rm(directory, { recursive: true }));
    const file = join(directory, 'test.sqlite');
    const database = await openMigrated(file, { longest: 100 });
    closing.push(() => database.close());
    const api = await startApi({ prefix, unitOfWork: database.unitOfWork });
    const organization = newName('org');
    await api.organization(organization);
    const other = new Database(file);
    other.exec('begin immediate');
    const body = doc('workspaces', { name: newName('workspace') });
    const refused = await api.admin.post(`/organizations/${organization}/workspaces`, body).expect(503);
    expect(refused.body).toEqual(unavailable('the database is locked by another process'));
    expect(refused.headers['retry-after']).toBe('2');
    await api.admin.get(`/organizations/${organization}`).expect(200);
    other.close();
    await api.admin.post(`/organizations/${organization}/workspaces`, body).expect(201);
  });
});
