import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { OpenSnapshots, type Snapshot } from '../../src/adapters/persistence/knex/engine/open-snapshots.js';
import { later } from '../../src/domain/index.js';
import { type Caller, missing, newName, prefix, refusal, startApi } from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;

function asText(given: unknown, done: (error: Error | null, text: string) => void): void {
  let text = '';
  (given as NodeJS.ReadableStream)
    .setEncoding('utf8')
    .on('data', (part) => {
      text += part;
    })
    .on('end', () => done(null, text));
}

const report = (organization: string, query = '', caller: Caller = admin) =>
  caller.get(`/organizations/${organization}/access-report${query}`).buffer(true).parse(asText);

const linesOf = async (organization: string, caller?: Caller) => {
  const { body } = await report(organization, '?format=lines', caller).expect(200);
  return (body as string)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
};

const fallback = 'then';
const date = expect.stringMatching(/^\d{4}-.*Z$/);

describe('the access report of an organization', () => {
  it('is a line for each person and grant, and a last one that counts', async () => {
    const [acme, teamName, person] = [newName('acme'), newName('team'), newName('person')];
    await api.organization(acme);
    const team = await api.team(acme, teamName, { 'organization-access': { 'manage-policies': true } });
    const { id } = await api.member(acme, person, [team]);
    const workspace = await api.workspace(acme, 'network');
    const until = later(api.clock.now(), 3_600);
    await api.grant(team, workspace, { access: 'plan', 'expires-at': until });
    const [organization, ...lines] = await linesOf(acme);
    expect(organization).toMatchObject({
      person: 'admin',
      team: null,
      on: 'organization',
      place: acme,
      level: 'member',
    });
    const whose = { person, 'person-id': id, invited: false };
    const ofTeam = { ...whose, team: teamName, 'team-id': team };
    const inAcme = { on: 'organization', place: acme, 'place-id': organization['place-id'] };
    const endless = { until: null, [fallback]: null };
    expect(lines).toEqual([
      expect.objectContaining({ person: 'admin', team: 'owners', level: 'owner', rights: ['all'] }),
      { ...whose, team: null, 'team-id': null, ...inAcme, level: 'member', rights: [], since: date, ...endless },
      { ...ofTeam, ...inAcme, level: 'custom', rights: ['manage-policies'], since: date, ...endless },
      {
        ...ofTeam,
        on: 'workspace',
        place: 'network',
        'place-id': workspace,
        level: 'plan',
        rights: ['runs: plan', 'variables: read', 'state-versions: read'],
        since: date,
        until,
        [fallback]: 'none',
      },
      { rows: 5, at: date },
    ]);
    api.clock.advance(3_600);
    expect((await linesOf(acme)).at(-1)).toMatchObject({ rows: 4 });
  });

  it('is CSV that no spreadsheet takes for formulas', async () => {
    const acme = newName('acme');
    await api.organization(acme);
    const team = await api.team(acme, '=1+1, "two"');
    await api.member(acme, `-${newName('person')}`, [team]);
    await api.grant(team, await api.workspace(acme, 'network'), { access: 'admin' });
    const { body, headers } = await report(acme).expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = (body as string).split('\r\n');
    expect(lines[0]).toBe('person,person-id,invited,team,team-id,on,place,place-id,level,rights,since,until,then');
    const [row = ''] = lines.filter((line) => line.includes(',workspace,'));
    expect(row).toMatch(/^"'-person.*",user-.*,false,"'=1\+1, ""two""",team-.*,workspace,network,ws-.*,admin,/);
    expect(row).toContain(
      ',runs: apply; variables: write; state-versions: write; policy-mocks: read; workspace-locking; run-tasks; workspace admin,',
    );
    expect(lines.slice(-2)).toEqual([expect.stringMatching(/^rows in all,4,.*Z,{10}$/), '']);
  });

  it('shows invited people, and not suspended ones', async () => {
    const acme = newName('acme');
    await api.organization(acme);
    const body = { data: { type: 'organization-memberships', attributes: { email: '+soon@example.com' } } };
    const team = await api.team(acme, newName());
    const relationships = { teams: { data: [{ type: 'teams', id: team }] } };
    const path = `/organizations/${acme}/organization-memberships`;
    await admin.post(path, { data: { ...body.data, relationships } }).expect(201);
    const { id } = await api.member(acme, newName('suspended'), [team]);
    await admin.post(`/admin/users/${id}/actions/suspend`).expect(200);
    const people = (await linesOf(acme)).slice(0, -1).map(({ person, invited }) => [person, invited]);
    expect(people).toEqual([
      ['+soon@example.com', true],
      ['admin', false],
      ['admin', false],
    ]);
  });

  it('is read by owners and the audit token, and recorded', async () => {
    const acme = newName('acme');
    await api.organization(acme);
    const member = await api.member(acme, newName('member'));
    const [token, auditor] = [await api.organizationToken(acme), await api.auditToken(acme)];
    expect(await linesOf(acme, auditor)).toHaveLength(4);
    for (const caller of [member, token, await api.user(newName('stranger'))]) {
      const { text } = await caller.get(`/organizations/${acme}/access-report`).expect(404);
      expect(JSON.parse(text)).toMatchObject({ errors: [{ status: '404' }] });
    }
    const absent = await member.get(`/organizations/${newName('nowhere')}/access-report`).expect(404);
    expect(absent.body).toEqual(missing);
    const { body } = await admin.get(`/organizations/${acme}/audit-events?filter[action]=access-report/read`);
    expect(body.data.map(({ attributes }: { attributes: object }) => attributes)).toEqual([
      expect.objectContaining({ action: 'access-report/read', 'actor-kind': 'auditor', outcome: 'done' }),
    ]);
  });

  it('is released by a request for its head, and when its client goes away', async () => {
    const acme = newName('acme');
    await api.organization(acme);
    const path = `/organizations/${acme}/access-report`;
    await admin.send('head', path).expect(200);
    await admin.send('head', path).expect(200);
    const place = { kind: 'organization', id: 'org-1', name: acme } as const;
    const person = { userId: 'user-1', name: 'person', invited: false };
    const given = { level: 'member', rights: [], since: null, until: null, fallback: null };
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const endless: Snapshot = {
      start: async function* () {
        for (;;) yield { at: '2030-01-01T00:00:00.000Z', rows: [{ person, team: null, place, ...given }] } as never;
      },
      close: async () => close(),
    };
    const snapshots = new OpenSnapshots(
      async () => endless,
      (work) => work,
    );
    const served = await startApi({ prefix, unitOfWork: api.unitOfWork, snapshots });
    const socket = connect((served.server.address() as AddressInfo).port, '127.0.0.1');
    const bearer = `Authorization: Bearer ${admin.secret}`;
    socket.write(`GET ${prefix}${path} HTTP/1.1\r\nHost: gatehouse.test\r\n${bearer}\r\n\r\n`);
    await once(socket, 'data');
    const { body } = await served.as(admin.secret).get(path).expect(429);
    expect(body).toEqual(refusal(429, 'Too many requests', expect.stringContaining('is being read')));
    socket.destroy();
    await closed;
  });

  it('is refused in another format', async () => {
    const acme = newName('acme');
    await api.organization(acme);
    const { body } = await admin.get(`/organizations/${acme}/access-report?format=xml`).expect(422);
    const detail = expect.stringContaining('must be one of csv, lines');
    expect(body).toEqual(refusal(422, 'invalid attribute', detail, { parameter: 'format' }));
  });
});
