import { beforeEach, describe, expect, it } from '@jest/globals';
import { RandomSecrets } from '../../src/adapters/system/random-secrets.js';
import { UncertainUnitOfWork, unauthenticated, World } from '../support/application.js';

let world: World;
beforeEach(async () => {
  world = await World.create();
});

const authenticate = (secret: string | undefined) => world.useCases.authenticate.execute(secret);
const newToken = async (expiresAt: string | null) =>
  world.useCases.issueUserToken.execute(world.member, { userId: world.member.userId, description: '', expiresAt });

describe('authenticating', () => {
  it('says of a user’s token whose it is', async () => {
    const { userId } = world.member;
    const { token, secret } = await newToken(null);
    const actor = { kind: 'user', tokenId: token.id, userId, siteAdministrator: false };
    expect(await authenticate(secret)).toEqual(actor);
    expect(await authenticate(world.administrator.secret)).toMatchObject({ siteAdministrator: true });
  });

  it('says of a team’s and an organization’s token where they belong', async () => {
    const { organizationId, id: teamId } = world.owners;
    const { id: tokenId, secret } = await world.newTokenOf({ kind: 'team', id: teamId });
    expect(await authenticate(secret)).toEqual({ kind: 'team', tokenId, teamId, organizationId });
    expect(await authenticate(world.organizationSecret)).toMatchObject({ kind: 'organization', organizationId });
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['unknown', 'gatehouse.v1.nobody'],
  ])('refuses a secret that is %s', async (_how, secret) => {
    await world.refuses(() => authenticate(secret), unauthenticated);
  });

  it('takes secrets of over 256 random bits, each its own', () => {
    const secrets = Array.from({ length: 1000 }, () => new RandomSecrets().generate().secret);
    const random = secrets.map((secret) => /^gatehouse\.v1\.([0-9A-Za-z]{48})$/.exec(secret)?.[1] ?? '');
    const letters = new Set(random.join(''));
    expect(48 * Math.log2(letters.size)).toBeGreaterThan(256);
    expect(new Set(random).size).toBe(1000);
  });

  it('refuses the digest of a secret, which is what is kept', async () => {
    const { token } = await newToken(null);
    await world.refuses(() => authenticate(token.secretDigest), unauthenticated);
  });

  it('refuses a token exactly from the instant it expires', async () => {
    const { secret } = await newToken('2030-01-01T00:00:10.000Z');
    world.clock.advance(9.999);
    await authenticate(secret);
    world.clock.advance(0.001);
    await world.refuses(() => authenticate(secret), unauthenticated);
  });
});

describe('when a token was last used', () => {
  const lastUse = async () => {
    const { userId, tokenId } = world.member;
    const { items } = await world.useCases.listUserTokens.execute(world.member, userId, { number: 1, size: 20 });
    return items.find(({ id }) => id === tokenId)?.lastUsedAt;
  };
  const use = () => authenticate(world.member.secret);
  const flush = () => world.useCases.tokenUses.flush();

  let unitOfWork: UncertainUnitOfWork;
  beforeEach(async () => {
    unitOfWork = new UncertainUnitOfWork();
    world = await World.create({ unitOfWork });
    await flush();
  });

  it('is not written by the request that uses it', async () => {
    world.clock.advance(3600);
    await world.keepsEverything(use);
  });

  it('is kept to within a minute by flushing twice a minute', async () => {
    for (let seconds = 0; seconds < 300; seconds += 10) {
      world.clock.advance(10);
      await use();
      if (seconds % 30 === 0) await flush();
      const staleFor = Date.parse(world.clock.now()) - Date.parse((await lastUse()) ?? '');
      expect(staleFor).toBeLessThan(60_000);
    }
  });

  it('is written once for any number of uses, and not again without one', async () => {
    world.clock.advance(3600);
    await Promise.all([use(), use(), use()]);
    await flush();
    expect(await lastUse()).toBe(world.clock.now());
    // With nothing to write, a database that refuses every write is not noticed.
    unitOfWork.failing = 'before it is kept';
    await flush();
  });

  it('is not touched by a secret that is refused', async () => {
    const { token, secret } = await newToken('2030-01-01T00:00:10.000Z');
    world.clock.advance(10);
    await expect(authenticate(secret)).rejects.toMatchObject(unauthenticated);
    await flush();
    expect(await world.useCases.showToken.execute(world.member, token.id)).toEqual({ kind: 'api', token });
  });

  it('is forgotten together with a token that was revoked meanwhile', async () => {
    const { token, secret } = await newToken(null);
    await authenticate(secret);
    await world.useCases.revokeToken.execute(world.member, token.id);
    await flush();
    expect(world.remembers(token.id)).toBe(false);
  });

  it.each([true, false])('is written later when it could not be, also when it was used since: %s', async (again) => {
    world.clock.advance(60);
    await use();
    let used = world.clock.now();
    unitOfWork.failing = 'before it is kept';
    await expect(flush()).rejects.toThrow('the connection was lost');
    unitOfWork.failing = undefined;
    world.clock.advance(5);
    if (again) {
      await use();
      used = world.clock.now();
    }
    await flush();
    expect(await lastUse()).toBe(used);
  });
});
