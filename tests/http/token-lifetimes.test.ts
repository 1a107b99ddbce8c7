import { describe, expect, it } from '@jest/globals';
import { doc, faultsIn, invalid, lacking, missing, newName, prefix, startApi } from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;

const day = 86_400_000;
const twoYears = 730 * day;

const inDays = (days: number): string => new Date(Date.parse(api.clock.now()) + days * day).toISOString();
const policiesOf = (organization: string): string => `/organizations/${organization}/token-ttl-policies`;
const limits = (given: Readonly<Record<string, unknown>>) =>
  doc('organization-token-ttl-policies', {
    'token-ttl-policies': Object.entries(given).map(([type, max]) => ({ 'token-type': type, 'max-ttl-ms': max })),
  });
const expiring = (expiry?: string | null) =>
  doc('authentication-tokens', { description: 'mine', 'expired-at': expiry });

async function limited(given: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const organization = newName('org');
  await api.organization(organization);
  await admin.patch(`/organizations/${organization}`, doc('organizations', { 'max-ttl-enabled': true })).expect(200);
  if (Object.keys(given).length > 0) await admin.patch(policiesOf(organization), limits(given)).expect(200);
  return organization;
}

describe('the longest lifetimes of tokens', () => {
  it('are listed by type, and changed one by one', async () => {
    const organization = await limited();
    const began = api.clock.now();
    const id = (await admin.get(`/organizations/${organization}`)).body.data.attributes['external-id'];
    const policy = (type: string, max: number, changedAt = began) => ({
      id: `${id}-${type}`,
      type: 'organization-token-ttl-policies',
      attributes: { 'token-type': type, 'max-ttl-ms': max, 'created-at': began, 'updated-at': changedAt },
    });
    const initial = ['organization', 'team', 'user', 'audit_trails'].map((type) => policy(type, twoYears));
    expect((await admin.get(policiesOf(organization)).expect(200)).body).toEqual({ data: initial });
    api.clock.advance(60);
    const next = [
      policy('organization', twoYears),
      policy('team', 30 * day, api.clock.now()),
      policy('user', twoYears),
      policy('audit_trails', 365 * day, api.clock.now()),
    ];
    const change = limits({ team: 30 * day, audit_trails: 365 * day });
    expect((await admin.patch(policiesOf(organization), change).expect(200)).body).toEqual({ data: next });
    expect((await admin.get(policiesOf(organization)).expect(200)).body).toEqual({ data: next });
  });

  it('are shown to members, and changed by owners', async () => {
    const organization = await limited();
    const member = await api.member(organization, newName());
    await member.get(policiesOf(organization)).expect(200);
    const refused = await member.patch(policiesOf(organization), limits({ team: day })).expect(404);
    expect(refused.body).toEqual(lacking('owner'));
    const stranger = await api.user(newName());
    expect((await stranger.get(policiesOf(organization)).expect(404)).body).toEqual(missing);
    expect((await stranger.patch(policiesOf(organization), limits({ team: day })).expect(404)).body).toEqual(missing);
  });

  it.each([
    [{ team: 3_599_999 }, '/data/attributes/token-ttl-policies/0/max-ttl-ms'],
    [{ team: 36_500 * day + 1 }, '/data/attributes/token-ttl-policies/0/max-ttl-ms'],
    [{ team: '1h' }, '/data/attributes/token-ttl-policies/0/max-ttl-ms'],
    [{ agent: day }, '/data/attributes/token-ttl-policies/0/token-type'],
    [{}, '/data/attributes/token-ttl-policies'],
  ])('are refused outside of their bounds: %j', async (given, pointer) => {
    const refused = await admin.patch(policiesOf(await limited()), limits(given)).expect(422);
    expect(faultsIn(refused).map(([at]) => at)).toEqual([pointer]);
  });

  it('are refused if a type is named twice', async () => {
    const twice = [day, 2 * day].map((max) => ({ 'token-type': 'team', 'max-ttl-ms': max }));
    const body = doc('organization-token-ttl-policies', { 'token-ttl-policies': twice });
    expect((await admin.patch(policiesOf(await limited()), body).expect(422)).body).toEqual(
      invalid('token-ttl-policies', 'Token ttl policies must name each token type once'),
    );
  });

  it('cannot be shortened while they have no effect, and can be lengthened', async () => {
    const organization = await limited({ team: 30 * day });
    await admin.patch(`/organizations/${organization}`, doc('organizations', { 'max-ttl-enabled': false })).expect(200);
    const refused = await admin.patch(policiesOf(organization), limits({ team: 29 * day })).expect(422);
    expect(refused.body).toEqual(invalid('token-ttl-policies', expect.stringContaining('max-ttl-enabled')));
    await admin.patch(policiesOf(organization), limits({ team: twoYears, user: twoYears })).expect(200);
  });
});

describe('a token of an organization that limits lifetimes', () => {
  const kinds = [
    [
      'organization',
      'organization tokens',
      async (organization: string) => `/organizations/${organization}/authentication-token`,
    ],
    [
      'audit_trails',
      'audit tokens',
      async (organization: string) => `/organizations/${organization}/authentication-token?token=audit-trails`,
    ],
    [
      'team',
      'team tokens',
      async (organization: string) => `/teams/${await api.team(organization, newName())}/authentication-token`,
    ],
  ] as const;

  it.each(kinds)('names the longest lifetime if it has no expiry or a later one: %s', async (type, words, pathOf) => {
    const organization = await limited({ [type]: 30 * day });
    const path = await pathOf(organization);
    const tooLong = invalid(
      'expired-at',
      `Expired at must be at most 30 days from now: the organization ${organization} limits the lifetime of ${words}`,
    );
    for (const body of [undefined, expiring(), expiring(null), expiring(inDays(30.001))]) {
      expect((await admin.post(path, body).expect(422)).body).toEqual(tooLong);
    }
    const issued = await admin.post(path, expiring(inDays(30))).expect(201);
    expect(issued.body.data.attributes['expired-at']).toBe(inDays(30));
  });

  it('of a user, is limited by the organizations of which the user is an active member', async () => {
    const user = await api.user(newName());
    const path = `/users/${user.id}/authentication-tokens`;
    await user.at(prefix).post(path, expiring()).expect(201);
    const { email } = (await user.at(prefix).get('/account/details')).body.data.attributes;
    const [long, short] = [await limited({ user: 60 * day }), await limited({ user: 7 * day })];
    const other = await limited();
    await admin.patch(`/organizations/${other}`, doc('organizations', { 'max-ttl-enabled': false })).expect(200);
    for (const organization of [long, short, other]) {
      const invitation = doc('organization-memberships', { email });
      await admin.post(`/organizations/${organization}/organization-memberships`, invitation).expect(201);
    }
    for (const expiry of [undefined, inDays(8)]) {
      expect((await user.at(prefix).post(path, expiring(expiry)).expect(422)).body).toEqual(
        invalid(
          'expired-at',
          `Expired at must be at most 7 days from now: the organization ${short} limits the lifetime of user tokens`,
        ),
      );
    }
    await user
      .at(prefix)
      .post(path, expiring(inDays(7)))
      .expect(201);
    // The tokens that exist stay valid.
    await user.at(prefix).get(`/organizations/${short}`).expect(200);
  });

  it('is limited to two years unless the organization says otherwise, and not at all while the limit is off', async () => {
    const organization = await limited();
    const path = `/organizations/${organization}/authentication-token`;
    const refused = await admin.post(path).expect(422);
    expect(refused.body).toEqual(invalid('expired-at', expect.stringContaining('at most 730 days')));
    await admin.patch(`/organizations/${organization}`, doc('organizations', { 'max-ttl-enabled': false })).expect(200);
    const issued = await admin.post(path).expect(201);
    expect(issued.body.data.attributes['expired-at']).toBeNull();
  });
});
