import { describe, expect, it } from '@jest/globals';
import { doc, missing, newName, prefix, refusal, startApi } from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;

describe('the audit token of an organization', () => {
  async function newOrganization(): Promise<string> {
    const name = newName();
    await api.organization(name);
    return name;
  }

  const tokenOf = (name: string) => `/organizations/${name}/authentication-token`;
  const auditTokenOf = (name: string) => `${tokenOf(name)}?token=audit-trails`;
  const secretOf = async (path: string, caller = api.admin): Promise<string> =>
    (await caller.post(path).expect(201)).body.data.attributes.token;

  it('is issued, shown without its secret, and revoked by an owner', async () => {
    const name = await newOrganization();
    const body = doc('authentication-tokens', { 'expired-at': '2031-01-01T00:00:00Z' });
    const issued = (await admin.post(auditTokenOf(name), body).expect(201)).body.data;
    expect(issued).toMatchObject({
      type: 'authentication-tokens',
      attributes: { token: expect.any(String), 'expired-at': '2031-01-01T00:00:00.000Z' },
      relationships: {
        organization: { data: { id: name, type: 'organizations' } },
        'created-by': { data: { id: api.admin.id, type: 'users' } },
      },
    });
    expect(Object.keys(issued.relationships).sort()).toEqual(['created-by', 'organization']);
    const shown = (await admin.get(auditTokenOf(name)).expect(200)).body.data;
    expect(shown).toEqual({ ...issued, attributes: { ...issued.attributes, token: null } });
    await admin.delete(auditTokenOf(name)).expect(204);
    for (const method of ['get', 'delete'] as const) {
      expect((await admin.send(method, auditTokenOf(name)).expect(404)).body).toEqual(missing);
    }
    await api.as(issued.attributes.token).get(`/organizations/${name}/audit-events`).expect(401);
  });

  it('and the organization’s own token leave each other as they are', async () => {
    const name = await newOrganization();
    const own = await secretOf(tokenOf(name));
    const audits = await secretOf(auditTokenOf(name));
    const works = async (secret: string, path: string) => (await api.as(secret).get(path)).status;
    const trail = `/organizations/${name}/audit-events`;
    const both = async () => [await works(own, `/organizations/${name}`), await works(audits, trail)];
    expect(await both()).toEqual([200, 200]);
    const again = await secretOf(auditTokenOf(name));
    expect([...(await both()), await works(again, trail)]).toEqual([200, 401, 200]);
    const ownAgain = await secretOf(tokenOf(name));
    expect([...(await both()), await works(again, trail)]).toEqual([401, 401, 200]);
    await admin.delete(tokenOf(name)).expect(204);
    expect(await works(again, trail)).toBe(200);
    const last = await secretOf(tokenOf(name));
    await admin.delete(auditTokenOf(name)).expect(204);
    expect([await works(last, `/organizations/${name}`), await works(again, trail)]).toEqual([200, 401]);
    expect(await works(ownAgain, `/organizations/${name}`)).toBe(401);
  });

  it('is the only other kind there is, and is named once', async () => {
    const name = await newOrganization();
    for (const method of ['post', 'get', 'delete'] as const) {
      for (const query of ['token=audit', 'token=', 'token=audit-trails&token=audit-trails']) {
        const answer = await admin.send(method, `${tokenOf(name)}?${query}`).expect(422);
        expect(answer.body).toEqual(refusal(422, 'invalid attribute', expect.any(String), { parameter: 'token' }));
      }
    }
    await admin.get(tokenOf(name)).expect(404);
  });

  it('reads the audit trail of its organization, page by page and whole', async () => {
    const name = await newOrganization();
    const auditor = await api.auditToken(name);
    const { data } = (await admin.get(`/organizations/${name}/audit-events`).expect(200)).body;
    expect((await auditor.get(`/organizations/${name}/audit-events`).expect(200)).body.data).toEqual(data);
    await auditor.get(`/organizations/${name}/audit-events/export`).expect(200);
    const other = await newOrganization();
    for (const path of [`/organizations/${other}/audit-events`, '/admin/audit-events', `/organizations/${name}`]) {
      expect((await auditor.get(path).expect(404)).body).toEqual(missing);
    }
    await auditor.get('/ping').expect(204);
  });

  it.each(['/organization/audit-trails', '/organization/audit-trail'])('reads %s as collectors do', async (path) => {
    const name = await newOrganization();
    const team = await api.team(name, newName());
    const auditor = await api.auditToken(name);
    const { body, headers } = await auditor.get(`${path}?page[size]=1&page[number]=2`).expect(200);
    expect(headers['content-type']).toBe('application/json');
    const [event] = (await admin.get(`/organizations/${name}/audit-events?page[size]=1&filter[action]=teams/create`))
      .body.data;
    expect(body.pagination).toEqual({
      current_page: 2,
      prev_page: 1,
      next_page: null,
      total_pages: 2,
      total_count: 2,
    });
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toEqual({
      id: event.id,
      version: '0',
      type: 'Resource',
      timestamp: event.attributes.at,
      auth: {
        accessor_id: api.admin.id,
        description: 'user',
        type: 'Client',
        impersonator_id: null,
        organization_id: (await admin.get(`/organizations/${name}`)).body.data.attributes['external-id'],
      },
      request: { id: event.attributes['request-id'] },
      resource: {
        id: team,
        type: 'teams',
        action: 'create',
        meta: {
          outcome: 'done',
          count: 1,
          detail: null,
          token_id: event.attributes['token-id'],
          address: event.attributes.address,
          route: `POST ${prefix}/organizations/:organization/teams`,
        },
      },
    });
    const whole = (await auditor.get(path).expect(200)).body;
    expect(whole.data[1]).toEqual(body.data[0]);
    expect(whole.pagination).toMatchObject({ current_page: 1, total_pages: 1, total_count: 2 });
    const later = new Date(Date.parse(event.attributes.at) + 60_000).toISOString();
    expect((await auditor.get(`${path}?since=${later}`).expect(200)).body.data).toEqual([]);
    for (const parameter of ['since=soon', 'page[size]=1001', 'page[number]=0']) {
      const refused = await auditor.get(`${path}?${parameter}`).expect(422);
      expect(refused.body.errors[0].source.parameter).toBe(parameter.split('=')[0]);
    }
    for (const caller of [admin, api.as(await secretOf(`/teams/${team}/authentication-token`, admin))]) {
      expect((await caller.get(path).expect(404)).body).toEqual(missing);
    }
    const own = await api.organizationToken(name);
    const events = (await own.get(`${path}?page[size]=1000`).expect(200)).body;
    expect(events.data.slice(-2)).toEqual(whole.data);
    expect((await own.get(`/organizations/${name}/audit-events`).expect(404)).body).toEqual(missing);
    const elsewhere = await api.organizationToken(await newOrganization());
    const foreign = (await elsewhere.get(path).expect(200)).body;
    expect(JSON.stringify(foreign)).not.toContain(event.id);
  });

  it('is named by the audit trail for what it was refused', async () => {
    const name = await newOrganization();
    const auditor = await api.auditToken(name);
    await auditor.post(`/organizations/${name}/workspaces`, { data: 5 }).expect(404);
    await api.flushRefusals(true);
    const { data } = (await auditor.get(`/organizations/${name}/audit-events?filter[action]=workspaces/create`)).body;
    const token = (await api.admin.get(auditTokenOf(name)).expect(200)).body.data.id;
    expect(data.map(({ attributes }: { attributes: object }) => attributes)).toMatchObject([
      { outcome: 'resource/not-found', 'actor-kind': 'auditor', 'token-id': token },
    ]);
  });

  it('is in no list of team tokens, and is not reached by its id', async () => {
    const name = await newOrganization();
    await api.auditToken(name);
    const { id } = (await api.admin.get(auditTokenOf(name)).expect(200)).body.data;
    expect((await api.admin.get(`/organizations/${name}/team-tokens`).expect(200)).body.data).toEqual([]);
    for (const method of ['get', 'delete'] as const) {
      expect((await api.admin.send(method, `/authentication-tokens/${id}`).expect(404)).body).toEqual(missing);
    }
    await api.admin.get(auditTokenOf(name)).expect(200);
  });
});
