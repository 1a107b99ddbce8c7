import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryUnitOfWork } from '../../src/adapters/persistence/memory/memory-unit-of-work.js';
import { RandomSecrets } from '../../src/adapters/system/random-secrets.js';
import { CreateUser, TokenIssuer } from '../../src/application/index.js';
import type { Actor } from '../../src/domain/index.js';
import {
  CountedIds,
  firstPage,
  invalid,
  missing,
  type Person,
  taken,
  unauthenticated,
  World,
} from '../support/application.js';
import { FixedClock } from '../support/fixed-clock.js';

let world: World;
beforeEach(async () => {
  world = await World.create();
});

const create = (actor: Actor, username: string, email = `${username}@example.com`) =>
  world.useCases.createUser.execute(actor, { username, email, siteAdministrator: false });
const list = async (actor: Actor, page = firstPage) => world.useCases.listUsers.execute(actor, page);
const suspend = (actor: Actor, { userId }: Person) => world.useCases.changeUserSuspension.execute(actor, userId, true);
const unsuspend = (actor: Actor, { userId }: Person) =>
  world.useCases.changeUserSuspension.execute(actor, userId, false);
const remove = (actor: Actor, { userId }: Pick<Person, 'userId'>) => world.useCases.removeUser.execute(actor, userId);

/** Everybody who is no site administrator. */
const others = async (): Promise<readonly Actor[]> => [
  world.stranger,
  world.member,
  world.owner,
  world.organizationToken,
  await world.bearerOf((await world.newTokenOf({ kind: 'team', id: world.owners.id })).secret),
];

const usernames = async () => (await list(world.administrator)).items.map(({ username }) => username);

describe('creating a user', () => {
  it('gives the user a first token, whose secret is not kept', async () => {
    const { user, token, secret } = await create(world.administrator, 'ada');
    expect(user).toMatchObject({
      username: 'ada',
      email: 'ada@example.com',
      siteAdministrator: false,
      suspended: false,
    });
    expect(token).toMatchObject({
      owner: { kind: 'user', id: user.id },
      createdBy: { kind: 'user', id: world.administrator.userId },
      createdAt: world.clock.now(),
      expiresAt: null,
    });
    expect(await world.bearerOf(secret)).toEqual({
      kind: 'user',
      userId: user.id,
      tokenId: token.id,
      siteAdministrator: false,
    });
    expect(world.remembers(secret)).toBe(false);
  });

  it('can make another site administrator', async () => {
    const second = await world.user('ada', true);
    await create(second, 'bob');
  });

  it('is for site administrators only', async () => {
    for (const caller of await others()) await world.refuses(() => create(caller, 'ada'), missing);
  });

  it('refuses a name or an address that is taken, in any case', async () => {
    await world.refuses(() => create(world.administrator, 'SAM', 'x@example.com'), taken('username'));
    await world.refuses(() => create(world.administrator, 'ada', 'Sam@Example.com'), taken('email'));
  });
});

describe('the first user of an empty database', () => {
  const command = { username: 'root', email: 'root@example.com' };

  it('is a site administrator, with the secret that was chosen for it', async () => {
    const secrets = new RandomSecrets();
    const unitOfWork = new MemoryUnitOfWork();
    const [clock, ids] = [new FixedClock(), new CountedIds()];
    const createUser = new CreateUser(unitOfWork, clock, ids, new TokenIssuer(clock, ids, secrets));
    const secret = { secret: 'chosen', digest: secrets.digestOf('chosen') };
    const user = await createUser.first(command, async () => secret);
    expect(user).toMatchObject({ username: 'root', siteAdministrator: true });
    const credential = await unitOfWork.read((tx) => tx.tokens.findCredential(secret.digest));
    expect(credential?.actor).toMatchObject({ kind: 'user', userId: user?.id, siteAdministrator: true });
    expect(await createUser.first({ ...command, username: 'second' }, async () => secrets.generate())).toBeUndefined();
  });

  it('is not created where there is one already', async () => {
    await world.keepsEverything(async () => {
      const again = await world.useCases.createUser.first({ ...command, username: 'other' }, async () =>
        world.secrets.generate(),
      );
      expect(again).toBeUndefined();
    });
  });
});

describe('listing users', () => {
  it('is for site administrators only', async () => {
    for (const caller of await others()) await world.refuses(() => list(caller), missing);
  });
});

describe('the account of a caller', () => {
  it('is the user whose token asks', async () => {
    expect(await world.useCases.showAccount.execute(world.member)).toMatchObject({
      id: world.member.userId,
      username: 'max',
      email: 'max@example.com',
    });
  });

  it('is missing for tokens of teams and organizations', async () => {
    const [, , , organization, team] = await others();
    for (const caller of [organization, team]) {
      await world.refuses(() => world.useCases.showAccount.execute(caller as Actor), missing);
    }
  });
});

describe('suspending a user', () => {
  it('makes all their tokens dead at once, and lifting it revives them', async () => {
    expect(await suspend(world.administrator, world.member)).toMatchObject({ username: 'max', suspended: true });
    await expect(world.bearerOf(world.member.secret)).rejects.toMatchObject(unauthenticated);
    expect(await suspend(world.administrator, world.member)).toMatchObject({ suspended: true });
    expect(await unsuspend(world.administrator, world.member)).toMatchObject({ suspended: false });
    expect(await world.bearerOf(world.member.secret)).toMatchObject({ userId: world.member.userId });
  });

  it('leaves their memberships as they are', async () => {
    await suspend(world.administrator, world.member);
    const { items } = await world.useCases.listOrganizationMemberships.execute(world.owner, 'acme', firstPage);
    expect(items.map(({ user }) => user.username)).toEqual(['max', 'olga']);
  });

  it('is refused for oneself', async () => {
    const { administrator } = world;
    await world.refuses(() => suspend(administrator, administrator), {
      code: 'user/protected',
      message: 'a site administrator cannot suspend their own user',
    });
  });

  it('is for site administrators only, and of users that exist', async () => {
    for (const caller of await others()) {
      await world.refuses(() => suspend(caller, world.member), missing);
      await world.refuses(() => unsuspend(caller, world.member), missing);
    }
    await world.refuses(() => suspend(world.administrator, { ...world.member, userId: 'user-99' }), missing);
  });
});

describe('deleting a user', () => {
  it('makes their tokens and memberships dead at once, and frees their name', async () => {
    const team = await world.newTeam('robots');
    const ada = await world.join('ada', team.id);
    await remove(world.administrator, ada);
    await expect(world.bearerOf(ada.secret)).rejects.toMatchObject(unauthenticated);
    expect(await usernames()).not.toContain('ada');
    expect((await world.useCases.showTeam.execute(world.owner, team.id)).members).toEqual([]);
    const { showOrganizationMembership } = world.useCases;
    await world.refuses(() => showOrganizationMembership.execute(world.owner, ada.membershipId), missing);
    await world.refuses(() => remove(world.administrator, ada), missing);
    const successor = await world.user('ada');
    await world.performEffects();
    expect(await world.accepts(successor.secret)).toBe(true);
  });

  it('leaves nothing but the id, which nobody gets again, once the worker was there', async () => {
    const ada = await world.join('ada', (await world.newTeam('robots')).id);
    await remove(world.administrator, ada);
    expect(world.ordered).toEqual([{ kind: 'remove-rows', target: { kind: 'user', id: ada.userId } }]);
    await world.performEffects();
    expect(['ada', 'ada@example.com', ada.membershipId, ada.tokenId].filter((text) => world.remembers(text))).toEqual(
      [],
    );
    expect(world.remembers(world.member.userId)).toBe(true);
    expect((await world.user('ada')).userId).not.toBe(ada.userId);
  });

  it('is refused for the only owner of an organization', async () => {
    await world.refuses(() => remove(world.administrator, world.owner), {
      code: 'owners-team/protected',
      message: 'the owners team of acme cannot be left without an active member',
    });
    await world.join('ada', world.owners.id);
    await remove(world.administrator, world.owner);
    expect(await usernames()).not.toContain('olga');
  });

  it('is refused for oneself', async () => {
    const second = await world.user('ada', true);
    await world.refuses(() => remove(second, second), {
      code: 'user/protected',
      message: 'a site administrator cannot delete their own user',
    });
  });

  it('is refused while a run of theirs is in progress', async () => {
    const { id } = await world.newVersion();
    await world.run(id, 'confirmed', { createdBy: world.member.userId });
    await world.refuses(() => remove(world.administrator, world.member), {
      code: 'runs/in-progress',
      message: 'the user has a run in progress',
    });
    await world.run(id, 'applied', { createdBy: world.member.userId });
    await remove(world.administrator, world.member);
  });

  it('is for site administrators only, and of users that exist', async () => {
    for (const caller of await others()) await world.refuses(() => remove(caller, world.member), missing);
    await world.refuses(() => remove(world.administrator, { userId: 'user-99' }), missing);
  });
});

describe('the tokens of a user', () => {
  const issue = (actor: Actor, userId: string, expiresAt: string | null = null) =>
    world.useCases.issueUserToken.execute(actor, { userId, description: 'laptop', expiresAt });
  const tokens = (actor: Actor, userId: string, page = firstPage) =>
    world.useCases.listUserTokens.execute(actor, userId, page);
  const show = (actor: Actor, id: string) => world.useCases.showToken.execute(actor, id);
  const revoke = (actor: Actor, id: string) => world.useCases.revokeToken.execute(actor, id);

  it('are any number, each with a secret that is shown once', async () => {
    const { member } = world;
    const { token, secret } = await issue(member, member.userId);
    expect(token).toMatchObject({ description: 'laptop', createdBy: { id: member.userId }, lastUsedAt: null });
    expect(world.remembers(secret)).toBe(false);
    expect(await world.bearerOf(secret)).toEqual({ ...(await world.bearerOf(member.secret)), tokenId: token.id });
    expect(await show(member, token.id)).toEqual({ kind: 'api', token });
  });

  it('are listed newest first', async () => {
    const { userId, tokenId } = world.member;
    world.clock.advance(60);
    const second = await issue(world.member, userId);
    world.clock.advance(60);
    const third = await issue(world.member, userId);
    const { items } = await tokens(world.member, userId);
    expect(items.map(({ id }) => id)).toEqual([third.token.id, second.token.id, tokenId]);
    const rest = await tokens(world.member, userId, { number: 2, size: 2 });
    expect(rest).toMatchObject({ total: 3, items: [{ id: tokenId }] });
  });

  it('are listed after they expired, too', async () => {
    const { userId } = world.member;
    await issue(world.member, userId, '2030-01-01T00:00:01.000Z');
    world.clock.advance(60);
    expect((await tokens(world.member, userId)).total).toBe(2);
  });

  it('cannot expire in the past', async () => {
    const { userId } = world.member;
    await world.refuses(() => issue(world.member, userId, world.clock.now()), invalid('expiredAt'));
    await world.refuses(() => issue(world.member, userId, '2029-12-31T23:59:59.999Z'), invalid('expiredAt'));
  });

  it('are dead as soon as they are revoked, the others not', async () => {
    const { member } = world;
    const { token, secret } = await issue(member, member.userId);
    await revoke(member, token.id);
    await expect(world.bearerOf(secret)).rejects.toMatchObject(unauthenticated);
    expect(await world.accepts(member.secret)).toBe(true);
    await world.refuses(() => show(member, token.id), missing);
    await world.refuses(() => revoke(member, token.id), missing);
  });

  it('are nobody else’s business, not even a site administrator’s', async () => {
    const { userId, tokenId } = world.member;
    const strangers = [world.administrator, world.stranger, world.owner, world.organizationToken];
    for (const caller of strangers) {
      await world.refuses(() => issue(caller, userId), missing);
      await world.refuses(() => tokens(caller, userId), missing);
      await world.refuses(() => show(caller, tokenId), missing);
      await world.refuses(() => revoke(caller, tokenId), missing);
    }
    await world.refuses(() => show(world.member, 'token-99'), missing);
  });
});

describe('the token of a team, by its id', () => {
  const attempts = [
    ['shown', (actor: Actor, id: string) => world.useCases.showToken.execute(actor, id)],
    ['revoked', (actor: Actor, id: string) => world.useCases.revokeToken.execute(actor, id)],
  ] as const;
  const tokenOf = async ({ id }: { readonly id: string }) => (await world.newTokenOf({ kind: 'team', id })).id;

  it.each(attempts)('is %s by owners, by those who manage the team, and by its members', async (_what, attempt) => {
    const robots = await world.newTeam('robots');
    const callers = [
      world.owner,
      world.organizationToken,
      await world.holderOf('manage-teams'),
      await world.join('ina', robots.id),
    ];
    for (const caller of callers) await attempt(caller, await tokenOf(robots));
  });

  it.each(attempts)('is %s by nobody else', async (_what, attempt) => {
    const robots = await world.newTeam('robots');
    const insider = await world.join('ina', robots.id);
    await world.useCases.updateTeam.execute(world.owner, robots.id, { membersManageToken: false });
    const tokenId = await tokenOf(robots);
    const others = [insider, world.member, await world.holderOf('manage-membership'), ...world.outsiders];
    for (const caller of others) await world.refuses(() => attempt(caller, tokenId), missing);
  });

  it.each(attempts)('is %s by owners alone when it is the owners’', async (_what, attempt) => {
    const tokenId = await tokenOf(world.owners);
    const others = [world.organizationToken, await world.holderOf('manage-teams', 'access-secret-teams')];
    for (const caller of others) await world.refuses(() => attempt(caller, tokenId), missing);
    await attempt(world.owner, tokenId);
  });
});
