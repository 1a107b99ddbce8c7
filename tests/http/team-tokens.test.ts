import { describe, expect, it } from '@jest/globals';
import {
  type Caller,
  doc,
  missing,
  newName,
  onePage,
  prefix,
  refusal,
  startApi,
  tokenDocument,
} from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');

const newTeam = (attributes: object = {}): Promise<string> => api.team('acme', newName(), attributes);

/** The instant this many seconds from now. */
const inSeconds = (seconds: number): string => new Date(Date.parse(api.clock.now()) + seconds * 1000).toISOString();

const of = (team: string): string => `/teams/${team}/authentication-token`;

describe('team tokens', () => {
  const expiring = (expiry?: unknown) =>
    doc('authentication-token', expiry === undefined ? {} : { 'expired-at': expiry });

  const issue = (team: string, expiry?: unknown, caller = admin) => caller.post(of(team), expiring(expiry));

  /** A new token of the team: its id and a caller that uses it. */
  async function tokenOf(team: string, expiry?: unknown, caller = admin) {
    const { data } = (await issue(team, expiry, caller).expect(201)).body;
    const secret: string = data.attributes.token;
    return { id: data.id as string, secret, bearer: api.as(secret) };
  }

  const resource = (id: unknown, team: string, attributes: object = {}) =>
    tokenDocument(
      id,
      { team: { id: team, type: 'teams' }, 'created-by': { id: api.admin.id, type: 'users' } },
      { 'created-at': api.clock.now(), ...attributes },
    );

  const wrongExpiry = (detail: unknown) =>
    refusal(422, 'invalid attribute', detail, { pointer: '/data/attributes/expired-at' });

  describe('that is issued', () => {
    it('shows its secret in that answer alone', async () => {
      const team = await newTeam();
      const created = await issue(team).expect(201);
      const { id, attributes } = created.body.data;
      expect(id).toMatch(/^at-[A-Za-z0-9]{16}$/);
      expect(attributes.token).toMatch(/^\S{40,}$/);
      expect(created.body).toEqual({ data: resource(id, team, { token: attributes.token }) });
      const shown = { data: resource(id, team) };
      expect((await admin.get(of(team)).expect(200)).body).toEqual(shown);
      expect((await admin.get(`/authentication-tokens/${id}`).expect(200)).body).toEqual(shown);
      const listed = (await admin.get(`/organizations/acme/team-tokens?page[size]=100`).expect(200)).text;
      expect(listed).toContain(id);
      expect(listed).not.toContain(attributes.token);
      expect(JSON.stringify(api.log.lines)).not.toContain(attributes.token);
      const stored = await api.stored();
      expect(stored).toContain(id);
      expect(stored).not.toContain(attributes.token);
    });

    it('expires as requested, or never', async () => {
      const team = await newTeam();
      for (const [given, expected] of [
        [undefined, null],
        [null, null],
        [inSeconds(90), inSeconds(90)],
        [inSeconds(90).replace('.000Z', 'Z'), inSeconds(90)],
        [inSeconds(90).replace('Z', '+00:00'), inSeconds(90)],
      ]) {
        expect((await issue(team, given).expect(201)).body.data.attributes['expired-at']).toBe(expected);
        expect((await admin.get(of(team)).expect(200)).body.data.attributes['expired-at']).toBe(expected);
      }
    });

    it('is refused an expiry that is past, or no UTC date-time, and the one there is lives on', async () => {
      const team = await newTeam();
      const { bearer } = await tokenOf(team);
      for (const past of [inSeconds(-1), inSeconds(0)]) {
        expect((await issue(team, past).expect(422)).body).toEqual(wrongExpiry(expect.any(String)));
      }
      for (const text of ['tomorrow', '2031-01-01T00:00:00+01:00', 1924992000, true]) {
        expect((await issue(team, text).expect(422)).body).toEqual(wrongExpiry(expect.any(String)));
      }
      await bearer.get(`/teams/${team}`).expect(200);
    });

    it('takes the place of the one before, whose secret dies at once', async () => {
      const team = await newTeam();
      const first = await tokenOf(team);
      await first.bearer.get(`/teams/${team}`).expect(200);
      const second = await tokenOf(team);
      expect(second.secret).not.toBe(first.secret);
      await first.bearer.get(`/teams/${team}`).expect(401);
      await second.bearer.get(`/teams/${team}`).expect(200);
      await admin.get(`/authentication-tokens/${first.id}`).expect(404);
      expect((await admin.get(of(team)).expect(200)).body.data.id).toBe(second.id);
    });

    it('names its issuer: a user, a team or the organization', async () => {
      const team = await newTeam();
      const itself = await tokenOf(team);
      const organization = await api.organizationToken('acme');
      // The team's own token goes first: the next one takes its place.
      const issuers: [Caller, object][] = [
        [itself.bearer, { id: team, type: 'teams' }],
        [organization, { id: expect.any(String), type: 'organizations' }],
        [admin, { id: api.admin.id, type: 'users' }],
      ];
      for (const [caller, data] of issuers) {
        const { body } = await issue(team, undefined, caller).expect(201);
        expect(body.data.relationships['created-by']).toEqual({ data });
        const shown = (await admin.get(of(team)).expect(200)).body;
        expect(shown.data.relationships['created-by']).toEqual({ data });
      }
    });
  });

  describe('that is revoked', () => {
    it.each(['team', 'id'])('by its %s is refused at once, and gone', async (by) => {
      const team = await newTeam();
      const { id, bearer } = await tokenOf(team);
      const path = by === 'team' ? of(team) : `/authentication-tokens/${id}`;
      expect((await admin.delete(path).expect(204)).text).toBe('');
      await bearer.get(`/teams/${team}`).expect(401);
      for (const gone of [of(team), `/authentication-tokens/${id}`]) {
        expect((await admin.get(gone).expect(404)).body).toEqual(missing);
        expect((await admin.delete(gone).expect(404)).body).toEqual(missing);
      }
    });

    it('goes with its team', async () => {
      const team = await newTeam();
      const { id, bearer } = await tokenOf(team);
      await admin.delete(`/teams/${team}`).expect(204);
      await bearer.get('/organizations/acme').expect(401);
      await admin.get(`/authentication-tokens/${id}`).expect(404);
    });
  });

  describe('that is used', () => {
    it('is refused everywhere from the instant it expires', async () => {
      const team = await newTeam();
      const { bearer } = await tokenOf(team, inSeconds(60));
      api.clock.advance(59);
      await bearer.get(`/teams/${team}`).expect(200);
      api.clock.advance(1);
      for (const path of [`/teams/${team}`, '/organizations/acme', of(team), '/organizations/acme/team-tokens']) {
        await bearer.get(path).expect(401);
      }
      await bearer.post(of(team), expiring()).expect(401);
    });

    it('acts as its team', async () => {
      const team = await newTeam();
      const [own, other] = [await api.workspace('acme', newName()), await api.workspace('acme', newName())];
      const grant = await api.grant(team, own, { access: 'read' });
      const { bearer } = await tokenOf(team);
      const create = (workspace: string) =>
        bearer.post(`/workspaces/${workspace}/configuration-versions`, { data: { attributes: {} } });
      await bearer.get(`/workspaces/${own}`).expect(200);
      await create(own).expect(404);
      const change = doc('team-workspaces', { access: 'plan' });
      await admin.patch(`/team-workspaces/${grant}`, change).expect(200);
      await create(own).expect(201);
      expect((await bearer.get(`/workspaces/${other}`).expect(404)).body).toEqual(missing);
      await create(other).expect(404);
    });
  });

  describe('that are listed', () => {
    /** An organization of its own, with team tokens by these names. */
    async function organizationWith(expiries: Readonly<Record<string, number | null>>) {
      const organization = newName('org');
      await api.organization(organization);
      const teams: Record<string, string> = {};
      const ids: Record<string, string> = {};
      const bearers: Record<string, Caller> = {};
      for (const [name, seconds] of Object.entries(expiries)) {
        teams[name] = await api.team(organization, name);
        const token = await tokenOf(teams[name], seconds === null ? null : inSeconds(seconds));
        ids[name] = token.id;
        bearers[name] = token.bearer;
      }
      const nameOf = (id: string) => Object.keys(ids).find((name) => ids[name] === id) ?? id;
      const page = async (query = '', caller = admin) =>
        (await caller.get(`/organizations/${organization}/team-tokens?${query}`).expect(200)).body;
      const listed = async (query = '', caller = admin): Promise<readonly string[]> =>
        (await page(query, caller)).data.map(({ id }: { id: string }) => nameOf(id));
      const inIdOrder = (...some: string[]) => some.sort((a, b) => ((ids[a] ?? '') < (ids[b] ?? '') ? -1 : 1));
      return { organization, teams, ids, bearers, page, listed, inIdOrder };
    }

    it('come soonest to expire first, those that never do last, as the dialect calls them', async () => {
      const { organization, page, ids, teams } = await organizationWith({ c: null, b: 200, a: 100 });
      const row = (name: string, expiry: string | null) =>
        resource(ids[name], teams[name] as string, { 'expired-at': expiry });
      const rows = [row('a', inSeconds(100)), row('b', inSeconds(200)), row('c', null)];
      expect(await page()).toEqual(onePage(`/organizations/${organization}/team-tokens`, rows));
    });

    it('are found by part of the name of the team, in any case and to the letter', async () => {
      const { listed, page } = await organizationWith({ Net_Work: null, network: null, databases: null });
      expect(await listed('q=WORK&sort=team-name')).toEqual(['Net_Work', 'network']);
      expect(await listed('q=t_w')).toEqual(['Net_Work']);
      expect(await listed('q=databases')).toEqual(['databases']);
      expect(await listed('q=%25')).toEqual([]);
      expect(await listed('q=n%25k')).toEqual([]);
      expect(await listed('q=&sort=team-name')).toEqual(['databases', 'Net_Work', 'network']);
      expect((await page('q=nothing')).meta.pagination).toMatchObject({ 'total-count': 0, 'next-page': null });
    });

    it('come in pages', async () => {
      const { page, listed, organization } = await organizationWith({ a: null, b: null, c: null });
      const first = await page('sort=team-name&page[size]=2');
      expect(first.meta.pagination).toMatchObject({ 'total-pages': 2, 'total-count': 3, 'next-page': 2 });
      expect(first.links.next).toContain(`${prefix}/organizations/${organization}/team-tokens?sort=team-name`);
      expect(await listed('sort=team-name&page[size]=2&page[number]=2')).toEqual(['c']);
      expect(await listed('page[number]=7')).toEqual([]);
    });

    it('are refused for an unknown sort, and for a parameter given twice', async () => {
      const told = async (query: string) =>
        (await admin.get(`/organizations/acme/team-tokens?${query}`).expect(422)).body.errors[0].source;
      for (const sort of ['name', '--expired-at', 'expired-at,team-name', '-', '']) {
        expect(await told(`sort=${sort}`)).toEqual({ parameter: 'sort' });
      }
      expect(await told('q=a&q=b')).toEqual({ parameter: 'q' });
      expect(await told('page[size]=101')).toEqual({ parameter: 'page[size]' });
      expect((await admin.get('/organizations/nowhere/team-tokens').expect(404)).body).toEqual(missing);
      const outsider = await api.user(newName());
      expect((await outsider.get('/organizations/acme/team-tokens').expect(404)).body).toEqual(missing);
    });
  });
});
