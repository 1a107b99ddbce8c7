import { beforeEach, describe, expect, it } from '@jest/globals';
import type { BegunSignIn, SignedIn } from '../../src/application/index.js';
import type { ProvenIdentity } from '../../src/domain/index.js';
import { checkGroupPatterns, isReturnPath, later, usernamesFor } from '../../src/domain/index.js';
import { sessionHours, unauthenticated, World } from '../support/application.js';
import { aSession, aToken } from '../support/builders.js';

const request = { id: 'request-1', address: null, route: 'GET /session/callback' };

describe('signing in', () => {
  let world: World;

  beforeEach(async () => {
    world = await World.create({ createsUsersAtSignIn: true });
  });

  /** Begins a sign-in and comes back from the provider. */
  async function signIn(person: Partial<ProvenIdentity> = {}, secret?: string): Promise<SignedIn> {
    const signedIn = await comeBack(await world.useCases.beginSignIn.execute('/app'), person, secret);
    if ('url' in signedIn) throw new Error('the sign-in goes on');
    return signedIn;
  }

  function comeBack({ url, sealed }: BegunSignIn, person: Partial<ProvenIdentity>, secret?: string) {
    world.provider.person = person;
    const query = new URL(url).search.slice(1);
    return world.useCases.completeSignIn.execute({ query, sealed, secret, request });
  }

  const userOf = (secret: string) => world.useCases.authenticateSession.show(secret);

  it('stores nothing before the person comes back', async () => {
    await world.keepsEverything(() => world.useCases.beginSignIn.execute('/app'));
  });

  it('creates a user once, who is the same from then on', async () => {
    const first = await signIn();
    const second = await signIn();
    expect((await userOf(second.secret))?.user).toEqual((await userOf(first.secret))?.user);
    expect((await userOf(first.secret))?.user).toMatchObject({ username: 'ada', siteAdministrator: false });
    expect(first.session.id).not.toBe(second.session.id);
  });

  it('ends the session that the browser had', async () => {
    const first = await signIn();
    await signIn({ subject: 'bob', email: 'bob@example.com', username: 'bob' }, first.secret);
    await expect(world.useCases.authenticateSession.execute(first.secret)).rejects.toMatchObject(unauthenticated);
  });

  it('removes the sessions of the user that have expired', async () => {
    const { session } = await signIn();
    world.clock.advance(sessionHours * 3_600);
    expect(world.remembers(session.id)).toBe(true);
    await signIn();
    expect(world.remembers(session.id)).toBe(false);
  });

  it('changes nothing when it is refused', async () => {
    world.provider.person = null;
    const { url, sealed } = await world.useCases.beginSignIn.execute('/app');
    const callback = { query: new URL(url).search.slice(1), sealed, secret: undefined, request };
    await world.refuses(() => world.useCases.completeSignIn.execute(callback), { code: 'sign-in/refused' });
    await world.refuses(() => signIn({ emailVerified: false }), { code: 'sign-in/refused' });
    await world.refuses(() => signIn({ email: null }), { code: 'sign-in/refused' });
    await world.refuses(() => signIn({ email: world.member.email.toUpperCase() }), { code: 'sign-in/refused' });
    await world.refuses(() => signIn({ email: 'no address' }), { code: 'attribute/invalid' });
  });

  it('takes no text that was sealed for something else', async () => {
    for (const sealed of ['', 'v2.nothing', world.box.seal('{"state":"state-1"}'), world.box.seal('secret')]) {
      const callback = { query: 'state=state-1', sealed, secret: undefined, request };
      await world.refuses(() => world.useCases.completeSignIn.execute(callback), { code: 'sign-in/not-begun' });
    }
  });

  it('does not create users unless the operator wants it', async () => {
    world = await World.create();
    await world.refuses(() => signIn(), { code: 'sign-in/refused' });
    const identity = { userId: world.member.userId, issuer: 'https://provider.test', subject: 'ada' };
    await world.useCases.addIdentity.execute(world.administrator, identity);
    expect((await signIn({ emailVerified: false })).session.userId).toBe(world.member.userId);
  });
});

describe('a code of terraform login', () => {
  const verifier = 'a verifier of the command';
  const redirectUri = 'http://localhost:10000/login';

  /** Signs a person in whose session ends after these seconds, and consents. */
  async function codeOf(world: World, seconds: number): Promise<string> {
    const { secret, digest } = world.secrets.generate();
    const { userId } = world.member;
    const session = aSession({ id: userId }, { secretDigest: digest, createdAt: world.clock.now() });
    const expiresAt = later(world.clock.now(), seconds);
    await world.unitOfWork.run((tx) => tx.sessions.add({ ...session, expiresAt }));
    const challenge = world.secrets.digestOf(verifier);
    return world.useCases.issueLoginCode.execute(secret, { challenge, redirectUri });
  }

  it('ends with the age of its session', async () => {
    const world = await World.create();
    const redeem = (code: string) => world.useCases.redeemLoginCode.execute({ code, verifier, redirectUri, request });
    const [ends, lasts] = [await codeOf(world, 30), await codeOf(world, 31)];
    world.clock.advance(30);
    await expect(redeem(ends)).rejects.toMatchObject({ code: 'sign-in/not-begun' });
    expect((await redeem(lasts)).token.madeInSession).toBe(true);
  });

  it('makes a token that ends with the one that the session was made from', async () => {
    const world = await World.create();
    const { secret, digest } = world.secrets.generate();
    const [createdAt, user] = [world.clock.now(), { id: world.member.userId }];
    const token = aToken({ kind: 'user', id: user.id }, { expiresAt: later(createdAt, 600) });
    const session = aSession(user, {
      secretDigest: digest,
      createdAt,
      tokenId: token.id,
      expiresAt: later(createdAt, 600),
    });
    await world.unitOfWork.run(async (tx) => {
      await tx.tokens.add(token);
      await tx.sessions.add(session);
    });
    const challenge = world.secrets.digestOf(verifier);
    const code = await world.useCases.issueLoginCode.execute(secret, { challenge, redirectUri });
    const issued = await world.useCases.redeemLoginCode.execute({ code, verifier, redirectUri, request });
    expect(issued.token.expiresAt).toBe(token.expiresAt);
  });

  it('is given by no session that has ended, and by none that is unknown', async () => {
    const world = await World.create();
    const ended = { code: 'actor/unauthenticated' };
    await expect(codeOf(world, 0)).rejects.toMatchObject(ended);
    const asked = { challenge: 'challenge', redirectUri };
    await expect(world.useCases.issueLoginCode.execute('unknown', asked)).rejects.toMatchObject(ended);
  });

  it('is given by a session for 15 minutes after the sign-in', async () => {
    const world = await World.create();
    const { secret, digest } = world.secrets.generate();
    const createdAt = world.clock.now();
    const session = aSession({ id: world.member.userId }, { secretDigest: digest, createdAt });
    await world.unitOfWork.run((tx) => tx.sessions.add({ ...session, expiresAt: later(createdAt, 3_600) }));
    const ask = () => world.useCases.issueLoginCode.execute(secret, { challenge: 'challenge', redirectUri });
    world.clock.advance(900);
    await ask();
    world.clock.advance(1);
    await expect(ask()).rejects.toMatchObject({ code: 'sign-in/too-old' });
  });
});

describe('the name of a new user', () => {
  const namesOf = (proven: Partial<ProvenIdentity>) => {
    const nothing = { email: null, username: null, authTime: null, groups: null };
    const whole = { issuer: '', subject: 'subject', emailVerified: true, ...nothing, ...proven };
    const names = usernamesFor(whole);
    return [names.next().value, names.next().value];
  };
  const firstOf = (proven: Partial<ProvenIdentity>) => namesOf(proven)[0];

  it('is made of what the provider calls the person', () => {
    expect(firstOf({ username: 'ada' })).toBe('ada');
    expect(firstOf({ username: 'Ada Lovelace <1>' })).toBe('Ada-Lovelace-1');
    expect(firstOf({ username: 'ada@corp.example' })).toBe('ada');
    expect(firstOf({ email: 'ada.l@example.com' })).toBe('ada.l');
    expect(firstOf({})).toBe('subject');
    expect(firstOf({ username: '愛' })).toBe('user');
    expect(firstOf({ username: 'team-x' })).toBe('team.x');
    const [, second] = namesOf({ username: '愛' });
    expect(second).toBe('user.2');
    expect(firstOf({ username: 'x'.repeat(200) })).toHaveLength(60);
  });
});

describe('the page to return to', () => {
  it.each([
    '/app',
    '/app/',
    '/app/acme/network/runs/run-1',
    '/app/settings/tokens?tab=1&q=a%20b',
    '/app/a.b/_c~d',
    `/app/${'x'.repeat(1_995)}`,
  ])('may be %s', (path) => expect(isReturnPath(path)).toBe(true));

  it.each([
    '',
    '/',
    'app',
    '/application',
    '/app//evil.example',
    '/app/../session',
    '/app/./x',
    '/app/%2e%2e/x',
    '/app\\evil',
    '/app\n',
    '/app/x\u0000',
    '//app',
    'https://evil.example/app',
    `/app/${'x'.repeat(2_000)}`,
  ])('may not be %j', (path) => expect(isReturnPath(path)).toBe(false));
});

describe('the groups of an organization', () => {
  const many = (count: number): readonly string[] => Array.from({ length: count }, (_, nth) => `group-${nth}`);

  it('are at most a hundred, of at most 255 characters each', () => {
    expect(checkGroupPatterns(many(100))).toHaveLength(100);
    expect(checkGroupPatterns(['x'.repeat(255)])).toHaveLength(1);
    for (const patterns of [many(101), ['x'.repeat(256)]]) {
      expect(() => checkGroupPatterns(patterns)).toThrow(/at most/);
    }
  });
});
