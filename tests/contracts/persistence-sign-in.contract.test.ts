import { expect, it } from '@jest/globals';
import type { ApiToken, LoginCode, SignInLink } from '../../src/domain/index.js';
import { afterNoon, aMembership, anIdentity, aSession, aToken, noon, unique } from '../support/builders.js';
import { onEveryBackend, taken } from './on-every-backend.js';

onEveryBackend('identities and sessions', (on) => {
  const credential = (session: { readonly secretDigest: string }) =>
    on.read((tx) => tx.sessions.findCredential(session.secretDigest));

  it('finds the user of an identity by issuer and subject together', async () => {
    const [ada, bob] = [await on.user(), await on.user()];
    const identity = anIdentity(ada);
    const elsewhere = anIdentity(bob, { issuer: 'https://other.test', subject: identity.subject });
    await on.run((tx) => tx.identities.add(identity));
    await on.run((tx) => tx.identities.add(elsewhere));
    const { issuer, subject } = identity;
    expect(await on.read((tx) => tx.identities.find(issuer, subject))).toEqual({ identity, user: ada });
    expect(await on.read((tx) => tx.identities.find('https://other.test', subject))).toEqual({
      identity: elsewhere,
      user: bob,
    });
    expect(await on.read((tx) => tx.identities.find(issuer, subject.toUpperCase()))).toBeUndefined();
    expect(await on.read((tx) => tx.identities.find(issuer, 'nobody'))).toBeUndefined();
  });

  it('keeps an identity for one user', async () => {
    const [ada, bob] = [await on.user(), await on.user()];
    const identity = anIdentity(ada);
    await on.run((tx) => tx.identities.add(identity));
    const again = on.run((tx) => tx.identities.add({ ...anIdentity(bob), subject: identity.subject }));
    await expect(again).rejects.toMatchObject(taken('subject'));
  });

  it('lists the identities of a user, the oldest first, and removes only that user’s', async () => {
    const [ada, bob] = [await on.user(), await on.user()];
    const [newer, older] = [anIdentity(ada, { createdAt: afterNoon(1) }), anIdentity(ada)];
    for (const one of [newer, older, anIdentity(bob)]) await on.run((tx) => tx.identities.add(one));
    const list = () => on.read((tx) => tx.identities.ofUser(ada.id));
    expect(await list()).toEqual([older, newer]);
    expect(await on.run((tx) => tx.identities.remove(bob.id, older.id))).toBe(false);
    expect(await on.run((tx) => tx.identities.remove(ada.id, older.id))).toBe(true);
    expect(await on.run((tx) => tx.identities.remove(ada.id, older.id))).toBe(false);
    expect(await list()).toEqual([newer]);
  });

  it('lets a session act as its user', async () => {
    for (const siteAdministrator of [true, false]) {
      const user = await on.user({ siteAdministrator });
      const session = aSession(user);
      await on.run((tx) => tx.sessions.add(session));
      expect(await credential(session)).toEqual({
        session: { id: session.id, expiresAt: session.expiresAt },
        actor: {
          kind: 'user',
          tokenId: session.id,
          userId: user.id,
          siteAdministrator,
          session: {
            signedInWith: { kind: 'link' },
            createdAt: session.createdAt,
            lastUsedAt: null,
            longestIdle: 0,
            at: session.createdAt,
          },
        },
        invited: false,
      });
    }
    expect(await credential({ secretDigest: 'no digest' })).toBeUndefined();
  });

  it('says of a session whether its user has an invitation', async () => {
    const [user, organization] = [await on.user(), await on.organization()];
    const session = aSession(user);
    await on.run((tx) => tx.sessions.add(session));
    const membership = { ...aMembership(organization, user), invitedEmail: user.email };
    await on.run((tx) => tx.memberships.add(membership));
    expect((await credential(session))?.invited).toBe(true);
    await on.run((tx) => tx.memberships.accept(user.id));
    expect((await credential(session))?.invited).toBe(false);
  });

  it('takes no session of a suspended or deleted user, nor their identity', async () => {
    const user = await on.user();
    const [session, identity] = [aSession(user), anIdentity(user)];
    await on.run((tx) => tx.sessions.add(session));
    await on.run((tx) => tx.identities.add(identity));
    await on.run((tx) => tx.users.setSuspended(user.id, true));
    expect(await credential(session)).toBeUndefined();
    await on.run((tx) => tx.users.setSuspended(user.id, false));
    expect(await credential(session)).toBeDefined();
    await on.run((tx) => tx.users.remove(user.id, noon));
    expect(await credential(session)).toBeUndefined();
    expect(await on.read((tx) => tx.identities.find(identity.issuer, identity.subject))).toBeUndefined();
  });

  it('removes one session, those of a user that expired, and all of a user', async () => {
    const [ada, bob] = [await on.user(), await on.user()];
    const [one, early, late] = [
      aSession(ada),
      aSession(ada, { expiresAt: afterNoon(1) }),
      aSession(ada, { expiresAt: afterNoon(9) }),
    ];
    const others = aSession(bob, { expiresAt: afterNoon(1) });
    for (const session of [one, early, late, others]) await on.run((tx) => tx.sessions.add(session));
    const left = async () => {
      const found = await Promise.all([one, early, late, others].map(credential));
      return found.map((credential) => credential !== undefined);
    };
    await on.run((tx) => tx.sessions.remove(one.secretDigest));
    expect(await left()).toEqual([false, true, true, true]);
    await on.run((tx) => tx.sessions.removeOf(ada.id, { until: afterNoon(1) }));
    expect(await left()).toEqual([false, false, true, true]);
    await on.run((tx) => tx.sessions.removeOf(ada.id));
    expect(await left()).toEqual([false, false, false, true]);
  });

  const aCode = ({ id }: { readonly id: string }, codeDigest: string): LoginCode => ({
    sessionId: id,
    codeDigest,
    challenge: 'challenge',
    redirectUri: 'http://localhost:10000/login',
    expiresAt: afterNoon(1),
  });

  it('gives out a code once, with its session, and keeps one for each session', async () => {
    const user = await on.user();
    const [session, other] = [aSession(user), aSession(user)];
    for (const one of [session, other]) await on.run((tx) => tx.sessions.add(one));
    const [first, second, others] = [
      aCode(session, unique('d')),
      aCode(session, unique('d')),
      aCode(other, unique('d')),
    ];
    for (const code of [first, second, others]) await on.run((tx) => tx.sessions.keepCode(code));
    const take = (code: LoginCode) => on.run((tx) => tx.sessions.takeCode(code.codeDigest));
    expect(await take(first)).toBeUndefined();
    expect(await take(second)).toEqual({ code: second, credential: await credential(session) });
    expect(await take(second)).toBeUndefined();
    const all = await Promise.all([take(others), take(others), take(others)]);
    expect(all.filter((taken) => taken !== undefined)).toHaveLength(1);
  });

  it('gives out no code of a session that is gone, or of a suspended user', async () => {
    const user = await on.user();
    const [session, other] = [aSession(user), aSession(user)];
    for (const one of [session, other]) await on.run((tx) => tx.sessions.add(one));
    const [ofSession, ofOther] = [aCode(session, unique('d')), aCode(other, unique('d'))];
    for (const code of [ofSession, ofOther]) await on.run((tx) => tx.sessions.keepCode(code));
    await on.run((tx) => tx.sessions.remove(session.secretDigest));
    expect(await on.run((tx) => tx.sessions.takeCode(ofSession.codeDigest))).toBeUndefined();
    await on.run((tx) => tx.users.setSuspended(user.id, true));
    expect(await on.run((tx) => tx.sessions.takeCode(ofOther.codeDigest))).toBeUndefined();
  });

  it('says what the person of a session signed in with', async () => {
    const user = await on.user();
    const owner = { kind: 'user', id: user.id } as const;
    const [lasting, ending] = [aToken(owner), aToken(owner, { expiresAt: afterNoon(5) })];
    for (const token of [lasting, ending]) await on.run((tx) => tx.tokens.add(token));
    for (const [given, signedInWith] of [
      [{ identityId: anIdentity(user).id }, { kind: 'identity' }],
      [{ tokenId: lasting.id }, { kind: 'token', id: lasting.id, expiresAt: null }],
      [{ tokenId: ending.id }, { kind: 'token', id: ending.id, expiresAt: afterNoon(5) }],
      [{}, { kind: 'link' }],
    ] as const) {
      const session = aSession(user, given);
      await on.run((tx) => tx.sessions.add(session));
      expect((await credential(session))?.actor.session.signedInWith).toEqual(signedInWith);
    }
  });

  it('ends sessions with the token that they were made from, and no others', async () => {
    const user = await on.user();
    const owner = { kind: 'user', id: user.id } as const;
    const [first, second] = [aToken(owner), aToken(owner, { madeInSession: true })];
    for (const token of [first, second]) await on.run((tx) => tx.tokens.add(token));
    const make = async (token: ApiToken | undefined) => {
      const session = aSession(user, { tokenId: token?.id ?? null });
      await on.run((tx) => tx.sessions.add(session));
      return session;
    };
    const [ofFirst, again, ofSecond, other] = [
      await make(first),
      await make(first),
      await make(second),
      await make(undefined),
    ];
    const ended = await on.run((tx) => tx.sessions.removeMadeFrom(first.id));
    const expected = [ofFirst, again].map(({ id, tokenId }) => ({ id, tokenId }));
    expect(ended.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      expected.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
    const third = await make(first);
    await on.run((tx) => tx.tokens.remove(first.id));
    await on.run((tx) => tx.tokens.removeMadeInSessions(user.id));
    for (const session of [ofFirst, again, third, ofSecond]) expect(await credential(session)).toBeUndefined();
    expect(await credential(other)).toBeDefined();
    // One that was removed meanwhile makes none.
    await expect(make(first)).rejects.toBeDefined();
  });

  it('keeps the newest sessions that no identity signed in, up to a number', async () => {
    const [user, stranger] = [await on.user(), await on.user()];
    const identity = anIdentity(user);
    const byIdentity = aSession(user, { identityId: identity.id });
    const others = aSession(stranger);
    for (const session of [byIdentity, others]) await on.run((tx) => tx.sessions.add(session));
    const made = [1, 2, 3, 4].map((nth) => aSession(user, { createdAt: afterNoon(nth), expiresAt: afterNoon(9) }));
    const replaced: string[] = [];
    for (const session of made) {
      const ended = await on.run((tx) => tx.sessions.addWithin(session, 2));
      replaced.push(...ended.map(({ id }) => id));
    }
    expect(replaced).toEqual(made.slice(0, 2).map(({ id }) => id));
    const found = await Promise.all([...made, byIdentity, others].map(credential));
    expect(found.map((one) => one !== undefined)).toEqual([false, false, true, true, true, true]);
    const more = [5, 6, 7, 8].map((nth) => aSession(user, { createdAt: afterNoon(nth), expiresAt: afterNoon(9) }));
    await Promise.all(more.map((session) => on.run((tx) => tx.sessions.addWithin(session, 2))));
    expect(await on.read((tx) => tx.sessions.ofUser(user.id, afterNoon(2)))).toHaveLength(2);
  });

  const aLink = (user: { readonly id: string }): SignInLink => ({
    userId: user.id,
    codeDigest: unique('d'),
    expiresAt: afterNoon(1),
  });

  it('gives out a sign-in link once, and keeps one for each user', async () => {
    const [ada, bob] = [await on.user(), await on.user()];
    const [first, second, others] = [aLink(ada), aLink(ada), aLink(bob)];
    for (const link of [first, second, others]) await on.run((tx) => tx.sessions.keepLink(link));
    const take = ({ codeDigest }: SignInLink) => on.run((tx) => tx.sessions.takeLink(codeDigest));
    expect(await take(first)).toBeUndefined();
    const all = await Promise.all([take(second), take(second), take(second)]);
    expect(all.filter((link) => link !== undefined)).toEqual([second]);
    await on.run((tx) => tx.sessions.removeOf(bob.id, { until: afterNoon(9) }));
    await on.run((tx) => tx.sessions.removeOf(ada.id));
    expect(await take(others)).toEqual(others);
    await on.run((tx) => tx.sessions.keepLink(others));
    await on.run((tx) => tx.sessions.removeOf(bob.id));
    expect(await take(others)).toBeUndefined();
  });

  it('remembers that a person has signed in', async () => {
    const user = await on.user();
    const session = aSession(user);
    await on.run((tx) => tx.sessions.add(session));
    await on.run((tx) => tx.sessions.removeOf(user.id));
    expect(await on.read((tx) => tx.sessions.anyEver())).toBe(true);
  });

  it('leaves nothing of a user that was removed', async () => {
    const user = await on.user();
    await on.run((tx) => tx.sessions.add(aSession(user)));
    await on.run((tx) => tx.sessions.keepLink(aLink(user)));
    await on.run((tx) => tx.identities.add(anIdentity(user)));
    const before = await on.rowCounts();
    await on.run((tx) => tx.users.remove(user.id, noon));
    await on.run((tx) => tx.removals.removeBatch({ kind: 'user', id: user.id }, 100));
    const after = await on.rowCounts();
    for (const table of ['identities', 'sessions', 'sign_in_links']) {
      expect(after[table]).toBe((before[table] ?? 0) - 1);
    }
  });
});
