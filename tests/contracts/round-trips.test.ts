import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KnexDatabase, openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { prefix, startApi, type TestApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { Way } from '../support/database-way.js';
import { freshDatabase, skipPostgres } from '../support/databases.js';

/** A request as the administrator's, by what is there to ask about. */
interface Place {
  readonly organization: string;
  readonly workspace: string;
  readonly version: string;
  readonly team: string;
  readonly otherTeam: string;
  readonly state: string;
  readonly access: string;
}

const document = (type: string, attributes: object = {}, relationships: object = {}) => ({
  data: { type, attributes, relationships },
});
const one = (type: string, id: string) => ({ data: { type, id } });

/** A document that writes a state, with its bytes if they are `inline`. */
const aState = (serial: number, { inline }: { readonly inline: boolean }): object => {
  const state = Buffer.from(JSON.stringify({ version: 4, serial, lineage: 'lineage', outputs: {}, resources: [] }));
  const md5 = createHash('md5').update(state).digest('hex');
  const bytes = inline ? { state: state.toString('base64') } : {};
  return document('state-versions', { serial, lineage: 'lineage', md5, ...bytes });
};

/** Round trips to Postgres, with those that find out whose token it is. A rise wants a reason; after a fall, write down less. */
const routes: readonly (readonly [
  name: string,
  roundTrips: number,
  method: 'get' | 'post' | 'patch',
  path: (place: Place) => string,
  status: number,
  body?: (place: Place) => object,
])[] = [
  ['show a configuration version', 2, 'get', ({ version }) => `/configuration-versions/${version}`, 200],
  ['list configuration versions', 3, 'get', ({ workspace }) => `/workspaces/${workspace}/configuration-versions`, 200],
  [
    'create a configuration version',
    3,
    'post',
    ({ workspace }) => `/workspaces/${workspace}/configuration-versions`,
    201,
    () => document('configuration-version'),
  ],
  [
    'issue a team token',
    3,
    'post',
    ({ team }) => `/teams/${team}/authentication-token`,
    201,
    () => document('authentication-token'),
  ],
  [
    'add team access',
    3,
    'post',
    () => '/team-workspaces',
    200,
    ({ workspace, otherTeam }) =>
      document(
        'team-workspaces',
        { access: 'read' },
        { team: one('teams', otherTeam), workspace: one('workspaces', workspace) },
      ),
  ],
  [
    'update team access',
    3,
    'patch',
    ({ access }) => `/team-workspaces/${access}`,
    200,
    () => document('team-workspaces', { access: 'plan' }),
  ],
  [
    'create a run',
    4,
    'post',
    () => '/runs',
    201,
    ({ workspace, version }) =>
      document(
        'runs',
        { 'plan-only': true },
        { workspace: one('workspaces', workspace), 'configuration-version': one('configuration-versions', version) },
      ),
  ],
  [
    'announce a state',
    9,
    'post',
    ({ workspace }) => `/workspaces/${workspace}/state-versions`,
    201,
    () => aState(2, { inline: false }),
  ],
  [
    'write a state',
    14,
    'post',
    ({ workspace }) => `/workspaces/${workspace}/state-versions`,
    201,
    () => aState(3, { inline: true }),
  ],
  [
    'roll back a state',
    10,
    'patch',
    ({ workspace }) => `/workspaces/${workspace}/state-versions`,
    201,
    ({ state }) => document('state-versions', {}, { 'rollback-state-version': one('state-versions', state) }),
  ],
];

(skipPostgres ? describe.skip : describe)('round trips to Postgres', () => {
  let drop: () => Promise<void>;
  let way: Way;
  let database: KnexDatabase;
  let api: TestApi;
  let place: Place;

  beforeAll(async () => {
    const fresh = await freshDatabase();
    drop = fresh.drop;
    way = await Way.open(new URL(fresh.url));
    // One connection, so that none is made while others are counted.
    database = openPostgres(way.url, { poolSize: 1 });
    api = await startApi({ unitOfWork: database.unitOfWork, prefix });
    const organization = 'acme';
    await api.organization(organization);
    const workspace = await api.workspace(organization, 'api');
    const teams = [await api.team(organization, 'one'), await api.team(organization, 'two')];
    const { id: version, uploadUrl } = await api.version(workspace);
    await api.upload(uploadUrl, await archiveOf({ 'main.tf': '# nothing' })).expect(200);
    await api.admin.post(`/workspaces/${workspace}/actions/lock`, {}).expect(200);
    const written = aState(1, { inline: true });
    const { body } = await api.admin.post(`/workspaces/${workspace}/state-versions`, written).expect(201);
    const [team = '', otherTeam = ''] = teams;
    const related = { team: one('teams', team), workspace: one('workspaces', workspace) };
    const granted = document('team-workspaces', { access: 'read' }, related);
    const access = (await api.admin.post('/team-workspaces', granted).expect(200)).body.data.id;
    place = { organization, workspace, version, team, otherTeam, state: body.data.id, access };
  });

  afterAll(async () => {
    await database.close();
    await way.close();
    await drop();
  });

  it.each(routes.map((route) => [route[0], route[1], route] as const))('to %s: %d', async (_, roundTrips, route) => {
    const [, , method, path, status, body] = route;
    way.roundTrips = 0;
    const asked = body === undefined ? api.admin[method](path(place)) : api.admin[method](path(place), body(place));
    await asked.expect(status);
    expect(way.roundTrips).toBe(roundTrips);
  });
});
