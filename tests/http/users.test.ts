import { describe, expect, it } from '@jest/globals';
import {
  type Caller,
  doc,
  invalid,
  missing,
  newName,
  prefix,
  refusal,
  startApi,
  tokenDocument,
} from '../support/api.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');

const user = await api.user(newName());

const emailOf = (username: string): string => `${username}@example.com`;

/** The instant this many seconds from now. */
const inSeconds = (seconds: number): string => new Date(Date.parse(api.clock.now()) + seconds * 1000).toISOString();

const userDocument = (id: unknown, username: string, attributes: object = {}) => ({
  id,
  type: 'users',
  attributes: {
    username,
    email: emailOf(username),
    'unconfirmed-email': null,
    'avatar-url': expect.stringMatching(/^\/assets\/avatars\/[0-9a-f]{24}\.svg$/),
    'two-factor': { enabled: false, verified: false },
    'is-service-account': false,
    'is-admin': false,
    'is-site-admin': false,
    'is-suspended': false,
    ...attributes,
  },
});

/** As in a response about the caller's own account. */
const accountDocument = (id: unknown, username: string, attributes: object = {}) =>
  userDocument(id, username, {
    permissions: {
      'can-create-organizations': false,
      'can-change-email': false,
      'can-change-username': false,
      'can-manage-user-tokens': true,
      'can-view2fa-settings': false,
      'can-manage-hcp-account': false,
    },
    ...attributes,
  });

const tokenOf = (id: unknown, userId: unknown, createdBy: string, attributes: object = {}) =>
  tokenDocument(
    id,
    { user: { id: userId, type: 'users' }, 'created-by': { id: createdBy, type: 'users' } },
    { 'created-at': api.clock.now(), description: '', ...attributes },
  );

describe('users', () => {
  const create = (attributes: object) => admin.post('/admin/users', doc('users', attributes));

  it('are created with a first token, which is shown in that answer alone', async () => {
    const username = newName();
    const created = await create({ username, email: emailOf(username) }).expect(201);
    const { id } = created.body.data;
    const tokenId = created.body.included[0].id;
    const secret = created.body.included[0].attributes.token;
    expect(id).toMatch(/^user-[A-Za-z0-9]{16}$/);
    expect(secret).toMatch(/^\S{40,}$/);
    expect(created.body).toEqual({
      data: {
        ...userDocument(id, username),
        relationships: { 'authentication-token': { data: { id: tokenId, type: 'authentication-tokens' } } },
      },
      included: [tokenOf(tokenId, id, admin.id, { description: 'first token', token: secret })],
    });
    const user = api.as(secret);
    expect((await user.get('/account/details').expect(200)).body).toEqual({ data: accountDocument(id, username) });
    expect((await user.get(`/authentication-tokens/${tokenId}`).expect(200)).body).toEqual({
      data: tokenOf(tokenId, id, admin.id, { description: 'first token' }),
    });
  });

  it('are made site administrators when the request says so', async () => {
    const username = newName();
    const created = await create({ username, email: emailOf(username), 'is-admin': true }).expect(201);
    expect(created.body.data.attributes['is-admin']).toBe(true);
    const second = api.as(created.body.included[0].attributes.token);
    await second.get('/admin/users').expect(200);
    const other = newName();
    const body = doc('users', { username: other, email: emailOf(other), 'is-admin': null });
    expect((await second.post('/admin/users', body).expect(201)).body.data.attributes['is-admin']).toBe(false);
  });

  it('are refused with one error for each attribute that is wrong', async () => {
    const post = async (attributes: object) => (await create(attributes).expect(422)).body;
    expect((await post({})).errors).toEqual([
      ...invalid('username', 'Username is required').errors,
      ...invalid('email', 'Email is required').errors,
    ]);
    expect((await post({ username: 5, email: null, 'is-admin': 'yes' })).errors).toEqual([
      ...invalid('username', 'Username must be a string').errors,
      ...invalid('email', 'Email must be a string').errors,
      ...invalid('is-admin', 'Is admin must be a boolean').errors,
    ]);
    for (const username of ['', 'a b', 'a/b', 'x'.repeat(61)]) {
      const words = 'Username must be 1 to 60 letters, digits, dots, dashes and underscores';
      expect(await post({ username, email: 'a@example.com' })).toEqual(invalid('username', words));
    }
    const words = 'Email must be an e-mail address';
    expect(await post({ username: newName(), email: 'nobody' })).toEqual(invalid('email', words));
  });

  it('have user names and e-mail addresses of their own, in any spelling', async () => {
    const username = newName();
    await api.user(username);
    for (const used of [username, username.toUpperCase()]) {
      expect((await create({ username: used, email: emailOf(newName()) }).expect(422)).body).toEqual(
        invalid('username', 'Username has already been taken'),
      );
      expect((await create({ username: newName(), email: emailOf(used) }).expect(422)).body).toEqual(
        invalid('email', 'Email has already been taken'),
      );
    }
  });

  it('are listed by user name, page by page', async () => {
    const listed = async (query: string) => (await admin.get(`/admin/users?${query}`).expect(200)).body;
    const { meta } = await listed('');
    const total = meta.pagination['total-count'];
    const everybody: string[] = [];
    for (let number = 1; number <= Math.ceil(total / 7); number += 1) {
      const { data } = await listed(`page[size]=7&page[number]=${number}`);
      for (const { attributes } of data) everybody.push(attributes.username);
    }
    expect(everybody).toHaveLength(total);
    expect(everybody).toContain('admin');
    expect(everybody).toEqual([...everybody].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    const past = await listed('page[number]=1000');
    expect(past).toMatchObject({ data: [], meta: { pagination: { 'next-page': null, 'total-count': total } } });
    expect(past.links.first).toBe(`${prefix}/admin/users?page%5Bnumber%5D=1&page%5Bsize%5D=20`);
  });

  it('are selected by a text, by kind and by suspension, with their organizations', async () => {
    const stem = newName('listed');
    const [first, second] = [`A-${newName()}`, `b-${newName()}`];
    for (const name of [second, first]) await api.organization(name);
    const [plain, mighty, away] = ['a', 'b', 'c'].map((letter) => `${letter}-${stem}`) as [string, string, string];
    const member = await api.member(first, plain);
    await admin.post(`/organizations/${second}/organization-memberships`, {
      data: { attributes: { email: emailOf(plain) } },
    });
    await member.get('/account/details').expect(200);
    await admin.post(`/organizations/acme/organization-memberships`, {
      data: { attributes: { email: emailOf(plain) } },
    });
    await create({ username: mighty, email: emailOf(mighty), 'is-admin': true }).expect(201);
    const suspended = await api.user(away);
    await admin.post(`/admin/users/${suspended.id}/actions/suspend`).expect(200);
    const listed = async (query: string) => (await admin.get(`/admin/users?q=${stem}&${query}`).expect(200)).body;
    const names = async (query: string) => {
      const { data, meta } = await listed(query);
      expect(meta.pagination['total-count']).toBe(data.length);
      return data.map(({ attributes }: { attributes: { username: string } }) => attributes.username);
    };
    expect(await names('')).toEqual([plain, mighty, away]);
    expect(await names('filter[admin]=true')).toEqual([mighty]);
    expect(await names('filter[suspended]=true')).toEqual([away]);
    expect(await names('filter[admin]=false&filter[suspended]=false')).toEqual([plain]);
    const { data, included } = await listed('include=organizations');
    const identifiers = (...ids: readonly string[]) => ids.map((id) => ({ id, type: 'organizations' }));
    // An invitation that waits is not a membership.
    expect(data.map(({ relationships }: { relationships: object }) => relationships)).toEqual([
      { organizations: { data: identifiers(first, second) } },
      { organizations: { data: [] } },
      { organizations: { data: [] } },
    ]);
    const attributes = (name: string) => ({ name, 'external-id': expect.stringMatching(/^org-/) });
    expect(included).toEqual(
      [first, second].map((name) => ({ id: name, type: 'organizations', attributes: attributes(name) })),
    );
    for (const { relationships } of (await listed('')).data) expect(relationships).toBeUndefined();
    for (const query of ['filter[admin]=yes', 'filter[suspended]=1']) {
      const refused = await admin.get(`/admin/users?${query}`).expect(422);
      expect(refused.body.errors[0].source).toEqual({ parameter: query.split('=')[0] });
    }
    await member.get('/admin/users?include=organizations').expect(404);
  });

  it('are kept out while they are suspended, with every token', async () => {
    const username = newName();
    const user = await api.member('acme', username);
    const second = await user.post(`/users/${user.id}/authentication-tokens`).expect(201);
    const callers = [user, api.as(second.body.data.attributes.token)];
    const suspended = { data: userDocument(user.id, username, { 'is-suspended': true }) };
    for (const answer of [
      await admin.post(`/admin/users/${user.id}/actions/suspend`).expect(200),
      await admin.post(`/admin/users/${user.id}/actions/suspend`).set('Content-Type', 'text/plain').send('{oops'),
    ]) {
      expect([answer.status, answer.body]).toEqual([200, suspended]);
    }
    for (const caller of callers) {
      const answer = await caller.get('/account/details').expect(401);
      expect(answer.body).toEqual(refusal(401, 'unauthorized', expect.any(String)));
      await caller.get('/organizations/acme').expect(401);
    }
    const back = await admin.post(`/admin/users/${user.id}/actions/unsuspend`).expect(200);
    expect(back.body).toEqual({ data: userDocument(user.id, username) });
    for (const caller of callers) await caller.get('/organizations/acme').expect(200);
  });

  it('share neither an id nor a lock with a deleted user who had their address', async () => {
    const [username, workspace] = [newName(), newName()];
    const team = await api.team('acme', newName(), { 'organization-access': { 'manage-workspaces': true } });
    const workspaceId = await api.workspace('acme', workspace);
    const former = await api.member('acme', username, [team]);
    await former.post(`/workspaces/${workspaceId}/actions/lock`).expect(200);
    await admin.delete(`/admin/users/${former.id}`).expect(204);
    await api.settle();
    const next = await api.member('acme', username, [team]);
    expect(next.id).not.toBe(former.id);
    await next.post(`/workspaces/${workspaceId}/actions/unlock`).expect(409);
  });

  it('have an account that only they are shown', async () => {
    const username = newName();
    const user = await api.user(username);
    expect((await user.get('/account/details').expect(200)).body).toEqual({ data: accountDocument(user.id, username) });
    expect((await admin.get('/account/details').expect(200)).body.data.attributes).toMatchObject({
      username: 'admin',
      'is-admin': true,
      'is-site-admin': true,
      permissions: { 'can-create-organizations': true },
    });
    const token = await api.organizationToken('acme');
    expect((await token.get('/account/details').expect(404)).body).toEqual(missing);
  });
});

describe('the avatar of a user', () => {
  const avatarOf = async (caller: Caller): Promise<string> =>
    (await caller.get('/account/details').expect(200)).body.data.attributes['avatar-url'];

  it('is a picture of this service, the same at every request, and another for another user', async () => {
    const path = await avatarOf(user);
    expect(await avatarOf(user)).toBe(path);
    const picture = async (at: string) => {
      const answer = await api.anonymous.at('').get(at).expect(200).expect('Content-Type', 'image/svg+xml');
      expect(answer.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      return answer.body.toString();
    };
    const drawn = await picture(path);
    expect(drawn).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 7 7"[^<]*><rect[^<]*\/><path[^<]*\/><\/svg>$/,
    );
    expect(await picture(path)).toBe(drawn);
    const other = await avatarOf(await api.user(newName()));
    expect(other).not.toBe(path);
    expect(await picture(other)).not.toBe(drawn);
  });

  it('does not follow from the name or the address, and does not show whether there is a user', async () => {
    const username = newName();
    const first = await api.user(username);
    const path = await avatarOf(first);
    await admin.delete(`/admin/users/${first.id}`).expect(204);
    await api.settle();
    expect(await avatarOf(await api.user(username))).not.toBe(path);
    await api.anonymous.at('').get(path).expect(200);
    await api.anonymous
      .at('')
      .get(`/assets/avatars/${'0123456789ab'.repeat(2)}.svg`)
      .expect(200);
    for (const name of ['', 'a.svg', `${'A'.repeat(24)}.svg`, `${'a'.repeat(25)}.svg`, `${'a'.repeat(24)}.png`]) {
      await api.anonymous.at('').get(`/assets/avatars/${name}`).expect(404);
    }
  });
});

describe('tokens of a user', () => {
  const path = `/users/${user.id}/authentication-tokens`;

  it('are shown in full once, when they are issued, and never again', async () => {
    const attributes = { description: 'for the pipeline', 'expired-at': inSeconds(3600) };
    const issued = await user.post(path, doc('authentication-tokens', attributes)).expect(201);
    const { id } = issued.body.data;
    const secret = issued.body.data.attributes.token;
    expect(id).toMatch(/^at-[A-Za-z0-9]{16}$/);
    expect(issued.body).toEqual({ data: tokenOf(id, user.id, user.id, { ...attributes, token: secret }) });
    const shown = tokenOf(id, user.id, user.id, attributes);
    expect((await user.get(`/authentication-tokens/${id}`).expect(200)).body).toEqual({ data: shown });
    const { body } = await user.get(path).expect(200);
    expect(body.data).toContainEqual(shown);
    expect(JSON.stringify(body)).not.toContain(secret);
    expect((await api.as(secret).get('/account/details').expect(200)).body.data.id).toBe(user.id);
  });

  it('need no description and no expiry, and may be any number', async () => {
    const secrets = new Set<string>();
    const nulls = { description: null, 'expired-at': null };
    for (const body of [undefined, {}, doc('authentication-tokens'), doc('authentication-tokens', nulls)]) {
      const { data } = (await user.post(path, body).expect(201)).body;
      expect(data.attributes).toMatchObject({ description: '', 'expired-at': null });
      secrets.add(data.attributes.token);
    }
    expect(secrets.size).toBe(4);
    for (const secret of secrets) await api.as(secret).get('/account/details').expect(200);
  });

  it('are listed newest first, page by page', async () => {
    const owner = await api.user(newName());
    const list = `/users/${owner.id}/authentication-tokens`;
    for (const description of ['second', 'third']) {
      api.clock.advance(1);
      await owner.post(list, doc('authentication-tokens', { description })).expect(201);
    }
    const listed = async (query: string) => (await owner.get(`${list}?${query}`).expect(200)).body;
    const descriptions = (body: { data: readonly { attributes: { description: string } }[] }) =>
      body.data.map(({ attributes }) => attributes.description);
    const all = await listed('');
    expect(descriptions(all)).toEqual(['third', 'second', 'first token']);
    expect(all.links.self).toBe(`${prefix}${list}?page%5Bnumber%5D=1&page%5Bsize%5D=20`);
    expect(descriptions(await listed('page[size]=1&page[number]=2'))).toEqual(['second']);
    await owner.get(`${list}?page[size]=0`).expect(422);
  });

  it('are refused with one error for each attribute that is wrong', async () => {
    const body = doc('authentication-tokens', { description: 'x'.repeat(256), 'expired-at': 5 });
    expect((await user.post(path, body).expect(422)).body.errors).toEqual([
      ...invalid('description', 'Description is too long (the maximum is 255)').errors,
      ...invalid('expired-at', 'Expired at must be a string').errors,
    ]);
    const answer = await user.post(path, doc('users')).expect(422);
    expect(answer.body.errors[0].source).toEqual({ pointer: '/data/type' });
  });

  const issueFor = (expiry: unknown) => user.post(path, doc('authentication-tokens', { 'expired-at': expiry }));

  it('are not issued with an expiry that is not an instant in UTC', async () => {
    const words = 'Expired at must be an ISO 8601 date-time in UTC, such as 2030-01-31T09:00:00Z';
    for (const expiry of [
      'tomorrow',
      '',
      '2031-01-01',
      '2031-02-30T00:00:00Z',
      '2031-01-01T25:00:00Z',
      '2031-01-01T00:00:00',
      '2031-01-01T00:00:00+02:00',
      '2031-01-01T00:00:00-00:30',
      '2031-01-01T00:00:00+0030',
      '2031-01-01T24:00:00Z',
      '2031-01-01T00:60Z',
      '2031-01-01T0000Z',
      '20310101T00:00Z',
      '20310230T000000Z',
      '2031-01-01 00:00:00Z',
      '2031-01-01T00:00:00.Z',
      '2031-01-01T00:00.5Z',
      '1924992000',
    ]) {
      expect((await issueFor(expiry).expect(422)).body).toEqual(invalid('expired-at', words));
    }
  });

  it('are issued for any future instant in UTC, however it is written', async () => {
    for (const [expiry, shown] of [
      ['2040-01-31T09:00:00Z', '2040-01-31T09:00:00.000Z'],
      ['2040-01-31T09:00:00.5Z', '2040-01-31T09:00:00.500Z'],
      ['2040-01-31T09:00:00.123456Z', '2040-01-31T09:00:00.123Z'],
      ['2040-01-31T09:00:00+00:00', '2040-01-31T09:00:00.000Z'],
      ['2040-01-31T09:00:00-00:00', '2040-01-31T09:00:00.000Z'],
      ['2040-01-31T09:00Z', '2040-01-31T09:00:00.000Z'],
      ['2040-01-31T09Z', '2040-01-31T09:00:00.000Z'],
      ['2040-01-31t09:00:00z', '2040-01-31T09:00:00.000Z'],
      ['2040-01-31T09:00:00,25Z', '2040-01-31T09:00:00.250Z'],
      ['2040-01-31T09:00:00+0000', '2040-01-31T09:00:00.000Z'],
      ['2040-01-31T09:00:00+00', '2040-01-31T09:00:00.000Z'],
      ['20400131T090000Z', '2040-01-31T09:00:00.000Z'],
      ['20400131T0900Z', '2040-01-31T09:00:00.000Z'],
      ['20400131t090000.5+00:00', '2040-01-31T09:00:00.500Z'],
    ]) {
      expect((await issueFor(expiry).expect(201)).body.data.attributes['expired-at']).toBe(shown);
    }
  });

  it('are refused from the exact instant they expire at, and still listed', async () => {
    const expiry = inSeconds(10);
    const { data } = (await issueFor(expiry).expect(201)).body;
    const caller = api.as(data.attributes.token);
    api.clock.advance(9.999);
    await caller.get('/account/details').expect(200);
    api.clock.advance(0.001);
    expect(api.clock.now()).toBe(expiry);
    const answer = await caller.get('/account/details').expect(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect((await user.get(`/authentication-tokens/${data.id}`).expect(200)).body.data.id).toBe(data.id);
  });
});

describe('work that fails', () => {
  const path = '/admin/failing-effects';
  const fault = 'Error: no room on the disk';
  /** Orders the fetch of a commit, and returns the subject of the effect. */
  async function order(): Promise<string> {
    const linked = doc('workspaces', { name: newName(), 'vcs-repo': { 'clone-url': 'https://git.example.com/a/b' } });
    const { id } = (await admin.post('/organizations/acme/workspaces', linked).expect(201)).body.data;
    await admin.post(`/workspaces/${id}/actions/fetch`).expect(201);
    return `fetch ${id}`;
  }

  it('is listed for site administrators, the oldest first, with why and when it is tried again', async () => {
    api.repositories.broken = new Error('no room on the disk');
    expect((await admin.get(path).expect(200)).body.data).toEqual([]);
    const subjects = [await order(), await order(), await order()];
    expect((await admin.get(path).expect(200)).body.data).toEqual([]);
    await api.settle();
    const effect = (subject: string | undefined, attempts: number, seconds: number) => ({
      id: expect.stringMatching(/^\d+$/),
      type: 'failing-effects',
      attributes: {
        kind: 'fetch-commit',
        subject,
        attempts,
        'last-error': fault,
        'next-attempt-at': new Date(Date.parse(api.clock.now()) + seconds * 1000).toISOString(),
        status: 'retrying',
      },
    });
    expect((await admin.get(path).expect(200)).body.data).toEqual(subjects.map((subject) => effect(subject, 1, 1)));
    const page = (await admin.get(`${path}?page[size]=2&page[number]=2`).expect(200)).body;
    expect(page.data).toEqual([effect(subjects[2], 1, 1)]);
    expect(page.meta.pagination).toMatchObject({ 'total-count': 3, 'total-pages': 2, 'prev-page': 1 });

    api.clock.advance(1);
    await api.settle();
    expect((await admin.get(path).expect(200)).body.data[0]).toEqual(effect(subjects[0], 2, 2));
    api.repositories.broken = undefined;
    api.clock.advance(2);
    await api.settle();
    expect((await admin.get(path).expect(200)).body.data).toEqual([]);
  });
});

describe('data that is being removed', () => {
  it('is listed by organization for site administrators, until it is gone', async () => {
    const name = newName();
    await api.organization(name);
    for (const workspace of ['a', 'b']) {
      await admin.post(`/organizations/${name}/workspaces`, doc('workspaces', { name: workspace })).expect(201);
    }
    const { id } = (await admin.get(`/organizations/${name}/workspaces/a`).expect(200)).body.data;
    expect((await admin.get('/admin/removals').expect(200)).body.data).toEqual([]);
    await admin.delete(`/workspaces/${id}`).expect(204);
    await admin.delete(`/organizations/${name}`).expect(204);
    const begun = api.clock.now();
    api.clock.advance(5);
    const { data, meta } = (await admin.get('/admin/removals').expect(200)).body;
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^org-/),
        type: 'removals',
        attributes: { 'organization-name': name, 'begun-at': begun, 'workspaces-left': 2 },
      },
    ]);
    expect(meta.pagination['total-count']).toBe(1);
    await api.settle();
    expect((await admin.get('/admin/removals').expect(200)).body.data).toEqual([]);
  });
});

describe('the tokens of a user', () => {
  it('are as many as MAX_TOKENS_PER_USER says, expired ones included, and revoking one makes room', async () => {
    const service = await startApi({ prefix, environment: { MAX_TOKENS_PER_USER: '3' } });
    const user = await service.user(newName());
    const path = `/users/${user.id}/authentication-tokens`;
    const soon = new Date(Date.parse(service.clock.now()) + 60_000).toISOString();
    const expiring = doc('authentication-tokens', { 'expired-at': soon });
    const { id } = (await user.post(path, expiring).expect(201)).body.data;
    service.clock.advance(61);
    await user.post(path).expect(201);
    const answer = await user.post(path).expect(422);
    expect(answer.body).toEqual(
      refusal(
        422,
        'limit reached',
        'a user may have at most 3 API tokens. Revoke one, or ask the operator to raise MAX_TOKENS_PER_USER',
      ),
    );
    await user.delete(`/authentication-tokens/${id}`).expect(204);
    const issued = await Promise.all(Array.from({ length: 10 }, () => user.post(path)));
    expect(issued.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(422)]);
    await (await service.user(newName())).post('/users/user-other/authentication-tokens').expect(404);
  });

  it('stay when the limit is lowered', async () => {
    const before = await startApi({ prefix });
    const user = await before.user(newName());
    const path = `/users/${user.id}/authentication-tokens`;
    const secrets: string[] = [];
    for (let number = 0; number < 4; number += 1) {
      secrets.push((await user.post(path).expect(201)).body.data.attributes.token);
    }
    const { unitOfWork, bundleStore } = before;
    const after = await startApi({ prefix, unitOfWork, bundleStore, environment: { MAX_TOKENS_PER_USER: '2' } });
    for (const secret of secrets) await after.as(secret).get('/account/details').expect(200);
    await after
      .as(secrets[0] ?? '')
      .post(path)
      .expect(422);
  });

  it('are not limited by 0', async () => {
    const service = await startApi({ prefix, environment: { MAX_TOKENS_PER_USER: '0' } });
    const user = await service.user(newName());
    await user.post(`/users/${user.id}/authentication-tokens`).expect(201);
  });
});
