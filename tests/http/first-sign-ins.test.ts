import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type KnexDatabase, openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { doc, newName, startApi, type TestApi } from '../support/api.js';
import { freshDatabase, openMigrated, skipPostgres } from '../support/databases.js';
import { HostileProvider, type Told } from '../support/hostile-provider.js';
import { Visitor } from '../support/visitor.js';

const provider = await HostileProvider.start();
const environment = { ...provider.environment, OIDC_CREATE_USERS: 'on', OIDC_GROUPS_CLAIM: 'groups' };

const closing: (() => Promise<unknown>)[] = [() => provider.stop()];

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

async function sqlite(): Promise<KnexDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-first-'));
  closing.push(() => rm(directory, { recursive: true }));
  return openMigrated(join(directory, 'gatehouse.sqlite'));
}

async function postgres(): Promise<KnexDatabase> {
  const { url, drop } = await freshDatabase();
  closing.push(drop);
  return openPostgres(url, { poolSize: 8 });
}

const backends = [
  { name: 'SQLite', skip: false, open: sqlite },
  { name: 'Postgres', skip: skipPostgres, open: postgres },
];

for (const { name, skip, open } of backends) {
  (skip ? describe.skip : describe)(`eight first sign-ins at once, on ${name},`, () => {
    let started: Promise<TestApi> | undefined;
    const service = () => {
      started ??= (async () => {
        const database = await open();
        closing.push(() => database.close());
        return startApi({ environment, unitOfWork: database.unitOfWork });
      })();
      return started;
    };

    /** Each comes back from the provider, and then all callbacks are called together. */
    async function signInTogether(api: TestApi, people: readonly Told[]): Promise<readonly Visitor<Told>[]> {
      const browsers = people.map(() => new Visitor<Told>(api, provider));
      const backs: string[] = [];
      for (const [index, browser] of browsers.entries()) backs.push(await browser.leave(people[index] as Told));
      const answers = await Promise.all(browsers.map((browser, index) => browser.get(backs[index] as string)));
      expect(answers.map(({ status }) => status)).toEqual(people.map(() => 303));
      return browsers;
    }

    const userOf = async (browser: Visitor<Told>) =>
      (await browser.get('/session').expect(200)).body.data.attributes.user;

    const person = (claims: Readonly<Record<string, unknown>> = {}): Told => {
      const sub = newName('person');
      return { sub, token: claims, userinfo: { email: `${sub}@example.com`, email_verified: true } };
    };

    it('of one person make one user with one identity, who is once in each team', async () => {
      const api = await service();
      await api.organization('acme');
      const team = await api.team('acme', 'engineers', { 'sso-team-id': 'eng' });
      const one = person({ groups: ['eng'] });
      const browsers = await signInTogether(api, Array(8).fill(one));
      const [first, ...others] = await Promise.all(browsers.map(userOf));
      for (const other of others) expect(other).toEqual(first);
      const [browser] = browsers as [Visitor<Told>];
      expect((await browser.get('/account/identities').expect(200)).body.data).toHaveLength(1);
      expect((await browser.get('/account/sessions').expect(200)).body.data).toHaveLength(8);
      const members = await api.admin.get(`/teams/${team}`).expect(200);
      expect(members.body.data.relationships.users.data).toEqual([{ id: first.id, type: 'users' }]);
      const { body } = await api.admin.get('/admin/audit-events?page[size]=100').expect(200);
      const actions = body.data.map(({ attributes }: { attributes: { action: string } }) => attributes.action);
      for (const once of ['users/create-at-sign-in', 'identities/link']) {
        expect(actions.filter((action: string) => action === once)).toHaveLength(1);
      }
    });

    it('of eight people of one name make eight users', async () => {
      const api = await service();
      const people = Array.from({ length: 8 }, () => person({ preferred_username: 'ada' }));
      const users = await Promise.all((await signInTogether(api, people)).map(userOf));
      expect(users.map(({ username }) => username).sort()).toEqual(
        ['ada', ...Array.from({ length: 7 }, (_, nth) => `ada-${nth + 2}`)].sort(),
      );
    });

    it('of an invited person take the invitation up', async () => {
      const api = await service();
      const one = person();
      const { email } = one.userinfo as { email: string };
      const invitation = doc('organization-memberships', { email });
      await api.admin.post('/organizations/acme/organization-memberships', invitation).expect(201);
      const [browser] = (await signInTogether(api, Array(8).fill(one))) as [Visitor<Told>];
      await browser.get('/organizations/acme').expect(200);
    });
  });
}
