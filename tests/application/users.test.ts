import { beforeEach, describe, expect, it } from '@jest/globals';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { RandomSecrets } from '../../src/adapters/system/random-secrets.js';
import { CreateUser, TokenIssuer } from '../../src/application/index.js';
import type { Actor } from '../../src/domain/index.js';
import {
  CountedIds,
  firstPage,
  invalid,
  missing,
  type Person,
  unauthenticated,
  World,
} from '../support/application.js';
import { RowsInMemory } from '../support/rows-in-memory.js';

let world: World;
beforeEach(async () => {
  world = await World.create();
});

const list = async (actor: Actor, page = firstPage) => world.useCases.listUsers.execute(actor, page);
const suspend = (actor: Actor, { userId }: Person) => world.useCases.changeUserSuspension.execute(actor, userId, true);
const remove = (actor: Actor, { userId }: Pick<Person, 'userId'>) => world.useCases.removeUser.execute(actor, userId);

const usernames = async () => (await list(world.administrator)).items.map(({ username }) => username);

describe('the first user of an empty database', () => {
  const command = { username: 'root', email: 'root@example.com' };

  it('is a site administrator, with the secret that was chosen for it', async () => {
    const secrets = new RandomSecrets();
    const unitOfWork = new RowsInMemory();
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

describe('suspending a user', () => {
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

  it('keeps the username for the audit trail alone', async () => {
    const ada = await world.join('ada', (await world.newTeam('robots')).id);
    await remove(world.administrator, ada);
    await world.performEffects();
    expect(world.remembers('ada')).toBe(true);
    expect(await world.unitOfWork.read((tx) => tx.audit.personNamed('ADA'))).toBe(ada.userId);
  });

  it('leaves nothing but the id, which is never reused, once the worker has run, if the name is erased', async () => {
    const ada = await world.join('ada', (await world.newTeam('robots')).id);
    await world.useCases.removeUser.execute(world.administrator, ada.userId, true);
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
      message: 'the owners team of acme must have at least one active member',
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
});

describe('the tokens of a user', () => {
  const issue = (actor: Actor, userId: string, expiresAt: string | null = null) =>
    world.useCases.issueUserToken.execute(actor, { userId, description: 'laptop', expiresAt });
  const tokens = (actor: Actor, userId: string, page = firstPage) =>
    world.useCases.listUserTokens.execute(actor, userId, page);
  const show = (actor: Actor, id: string) => world.useCases.showToken.execute(actor, id);
  const revoke = (actor: Actor, id: string) => world.useCases.revokeToken.execute(actor, id);

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
});
