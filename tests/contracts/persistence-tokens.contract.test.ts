import { expect, it } from '@jest/globals';
import { type ApiToken, auditorStanding, type Organization, type User } from '../../src/domain/index.js';
import { afterNoon, aMembership, aToken, keepToken, noon, ownedBy } from '../support/builders.js';
import { onEveryBackend, refusal } from './on-every-backend.js';

onEveryBackend('tokens', (on) => {
  const credential = (token: ApiToken) => on.read((tx) => tx.tokens.findCredential(token.secretDigest));
  /** The rows read in each request. */
  const presented = ({ id, expiresAt, lastUsedAt }: ApiToken) => ({ id, expiresAt, lastUsedAt });
  const find = (token: ApiToken) => on.read((tx) => tx.tokens.find(token.id));

  it('gives back a token as it was stored', async () => {
    const user = await on.user();
    const token = await on.token(ownedBy('user', user), {
      description: 'laptop',
      createdBy: ownedBy('team', { id: 'team-1' }),
      expiresAt: afterNoon(60),
      lastUsedAt: afterNoon(1),
    });
    expect(await find(token)).toEqual(token);
    expect((await credential(token))?.token).toEqual(presented(token));
    expect(await on.read((tx) => tx.tokens.find('at-nobody'))).toBeUndefined();
    expect(await on.read((tx) => tx.tokens.findCredential('no digest'))).toBeUndefined();
  });

  it('finds each of many that are asked for at once, and none that is unknown', async () => {
    const tokens = await Promise.all(Array.from({ length: 9 }, async () => on.token(ownedBy('user', await on.user()))));
    const unknown = on.read((tx) => tx.tokens.findCredential('no digest'));
    const found = await Promise.all([...tokens, ...tokens].map(credential));
    expect(found.map((one) => one?.token)).toEqual([...tokens, ...tokens].map(presented));
    expect(await unknown).toBeUndefined();
  });

  it('lets the bearer of a user’s token act as the user', async () => {
    for (const siteAdministrator of [true, false]) {
      const user = await on.user({ siteAdministrator });
      const token = await on.token(ownedBy('user', user));
      const actor = { kind: 'user', tokenId: token.id, userId: user.id, siteAdministrator };
      expect(await credential(token)).toEqual({ token: presented(token), actor, invited: false });
    }
  });

  it('lets the bearer of a team’s token act as the team', async () => {
    const organization = await on.organization();
    const team = await on.team(organization);
    const token = await on.token(ownedBy('team', team));
    const actor = { kind: 'team', tokenId: token.id, teamId: team.id, organizationId: organization.id };
    expect(await credential(token)).toEqual({ token: presented(token), actor, invited: false });
  });

  it('lets the bearer of an organization’s token act as the organization', async () => {
    const organization = await on.organization();
    const token = await on.token(ownedBy('organization', organization));
    const actor = { kind: 'organization', tokenId: token.id, organizationId: organization.id };
    expect(await credential(token)).toEqual({ token: presented(token), actor, invited: false });
  });

  it('lets the bearer of an audit token act only as the auditor of the organization', async () => {
    const organization = await on.organization();
    const [own, audits] = [
      await on.token(ownedBy('organization', organization)),
      await on.token(ownedBy('auditor', organization)),
    ];
    const actor = { kind: 'auditor', tokenId: audits.id, organizationId: organization.id } as const;
    expect(await credential(audits)).toEqual({ token: presented(audits), actor, invited: false });
    expect((await credential(own))?.actor.kind).toBe('organization');
    const elsewhere = await on.organization();
    const seen = await on.read((tx) => tx.organizations.findFor(actor, organization.name));
    expect(seen?.standing).toEqual(auditorStanding(true));
    const other = await on.read((tx) => tx.organizations.findFor(actor, elsewhere.name));
    expect(other?.standing).toEqual(auditorStanding(false));
    const page = await on.read((tx) => tx.organizations.page(actor, { number: 1, size: 10 }));
    expect(page.items).toEqual([]);
  });

  it('ends an audit token with its organization', async () => {
    const organization = await on.organization();
    const audits = await on.token(ownedBy('auditor', organization));
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await credential(audits)).toBeUndefined();
    expect(await find(audits)).toBeUndefined();
  });

  it('adds tokens of a user up to a number, however many are issued at once', async () => {
    const user = await on.user();
    const owner = ownedBy('user', user);
    await on.token(owner, { expiresAt: '2001-01-01T00:00:00.000Z' });
    await on.token(ownedBy('user', await on.user()));
    const issued = Array.from({ length: 20 }, () => aToken(owner));
    const added = await Promise.all(issued.map((token) => on.run((tx) => tx.tokens.addWithin(token, 5))));
    expect(added.filter(Boolean)).toHaveLength(4);
    const alive = [];
    for (const token of issued) alive.push((await find(token)) !== undefined);
    expect(alive).toEqual(added);
    expect(await on.run((tx) => tx.tokens.addWithin(aToken(owner), 3))).toBe(false);
    const { total } = await on.read((tx) => tx.tokens.pageOfUser(user.id, { number: 1, size: 1 }));
    expect(total).toBe(5);
    expect(await on.run((tx) => tx.tokens.addWithin(aToken(owner), 6))).toBe(true);
  });

  it('finds the team tokens that a user issued in an organization', async () => {
    const [organization, elsewhere] = [await on.organization(), await on.organization()];
    const user = await on.user();
    const createdBy = ownedBy('user', user);
    const made = [];
    for (let number = 0; number < 3; number += 1) {
      const team = await on.team(organization);
      const token = await on.token(ownedBy('team', team), { createdBy });
      made.push({ id: token.id, teamId: team.id });
    }
    await on.token(ownedBy('team', await on.team(elsewhere)), { createdBy });
    await on.token(ownedBy('team', await on.team(organization)), { createdBy: ownedBy('team', { id: user.id }) });
    const gone = await on.team(organization);
    await on.token(ownedBy('team', gone), { createdBy });
    await on.run((tx) => tx.teams.remove(gone.id, noon));
    await on.token(createdBy, { createdBy });
    const issuedBy = (max: number) => on.read((tx) => tx.tokens.issuedBy(user.id, organization.id, max));
    const byId = made.sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(await issuedBy(10)).toEqual(byId);
    expect(await issuedBy(2)).toEqual(byId.slice(0, 2));
  });

  it('finds the team tokens whose issuers are not members any more', async () => {
    const [organization, gone] = [await on.organization(), await on.organization()];
    const [member, left, deleted] = [await on.user(), await on.user(), await on.user()];
    for (const user of [member, deleted]) await on.run((tx) => tx.memberships.add(aMembership(organization, user)));
    const issue = async (place: Organization, user: User) => {
      const team = await on.team(place);
      const { id } = await on.token(ownedBy('team', team), { createdBy: ownedBy('user', user) });
      return { id, organizationName: place.name, teamName: team.name, createdBy: user.id };
    };
    await issue(organization, member);
    const former = [await issue(organization, left), await issue(organization, deleted)];
    await issue(gone, left);
    await on.run((tx) => tx.organizations.remove(gone.id, noon));
    await on.run((tx) => tx.users.remove(deleted.id, noon));
    for (const createdBy of [null, ownedBy('user', { id: 'operator' })]) {
      await on.token(ownedBy('team', await on.team(organization)), { createdBy });
    }
    const found = await on.read((tx) => tx.tokens.ofFormerMembers('operator', 10_000));
    const here = found.filter(({ organizationName }) => [organization.name, gone.name].includes(organizationName));
    expect(here).toEqual(former.sort((a, b) => (a.id < b.id ? -1 : 1)));
    expect(await on.read((tx) => tx.tokens.ofFormerMembers('operator', 1))).toHaveLength(1);
  });

  it('leaves the judgement of expiry to the caller', async () => {
    const token = await on.token(ownedBy('user', await on.user()), { expiresAt: '2001-01-01T00:00:00.000Z' });
    expect((await credential(token))?.token).toEqual(presented(token));
  });

  it('accepts no token of a suspended user until it is taken back', async () => {
    const user = await on.user();
    const token = await on.token(ownedBy('user', user));
    await on.run((tx) => tx.users.setSuspended(user.id, true));
    expect(await credential(token)).toBeUndefined();
    await on.run((tx) => tx.users.setSuspended(user.id, false));
    expect(await credential(token)).toMatchObject({ token: presented(token) });
  });

  it('finds the one token of a team and of an organization', async () => {
    const organization = await on.organization();
    const owners = [ownedBy('team', await on.team(organization)), ownedBy('organization', organization)];
    for (const owner of owners) {
      expect(await on.read((tx) => tx.tokens.findOf(owner))).toBeUndefined();
      const token = await on.token(owner);
      expect(await on.read((tx) => tx.tokens.findOf(owner))).toEqual(token);
    }
  });

  it('keeps one token per team and per organization, however many are issued at once', async () => {
    const organization = await on.organization();
    const bystander = await on.token(ownedBy('team', await on.team(organization)));
    const teamsOwner = ownedBy('team', await on.team(organization));
    for (const owner of [teamsOwner, ownedBy('organization', organization), ownedBy('auditor', organization)]) {
      const issued = Array.from({ length: 50 }, () => aToken(owner));
      await Promise.all(issued.map((token) => on.run((tx) => keepToken(tx, token))));
      const kept = await on.read((tx) => tx.tokens.findOf(owner));
      const alive = [];
      for (const token of issued) if ((await credential(token)) !== undefined) alive.push(token);
      expect(alive).toEqual([kept]);
    }
    expect(await find(bystander)).toEqual(bystander);
  });

  it('replaces a token by the next one', async () => {
    const owner = ownedBy('team', await on.team(await on.organization()));
    const [first, second] = [aToken(owner), aToken(owner)];
    await on.run((tx) => keepToken(tx, first));
    await on.run((tx) => keepToken(tx, second));
    expect(await credential(first)).toBeUndefined();
    expect(await find(first)).toBeUndefined();
    expect(await credential(second)).toMatchObject({ token: presented(second) });
  });

  it('makes a new token of a replaced one: nothing that was known of the old one is left', async () => {
    const organization = await on.organization();
    const team = await on.team(organization, { name: 'before' });
    for (const owner of [
      ownedBy('team', team),
      ownedBy('organization', organization),
      ownedBy('auditor', organization),
    ]) {
      const old = aToken(owner, { createdBy: ownedBy('team', { id: 'team-1' }), expiresAt: afterNoon(60) });
      await on.run((tx) => keepToken(tx, old));
      await on.run((tx) => tx.tokens.markUsed(new Map([[old.id, afterNoon(1)]])));
      const next = aToken(owner, { createdBy: null, createdAt: afterNoon(2), expiresAt: null });
      await on.run((tx) => keepToken(tx, next));
      // A use of the old token, noted before and written only now.
      await on.run((tx) => tx.tokens.markUsed(new Map([[old.id, afterNoon(3)]])));
      expect([await find(old), await credential(old)]).toEqual([undefined, undefined]);
      expect(await on.run((tx) => tx.tokens.remove(old.id))).toBe(false);
      expect(await find(next)).toEqual({ ...next, lastUsedAt: null });
    }
  });

  it('lists a replaced token as what it is now', async () => {
    const organization = await on.organization();
    const team = await on.team(organization, { name: 'first' });
    const other = ownedBy('team', await on.team(organization, { name: 'middle' }));
    const owner = ownedBy('team', team);
    const old = aToken(owner, { expiresAt: afterNoon(1), lastUsedAt: afterNoon(1) });
    const beside = aToken(other, { expiresAt: afterNoon(5), lastUsedAt: afterNoon(5) });
    for (const token of [old, beside]) await on.run((tx) => keepToken(tx, token));
    const next = aToken(owner, { expiresAt: afterNoon(9) });
    await on.run((tx) => keepToken(tx, next));
    const list = async (key: 'team-name' | 'expired-at' | 'last-used-at', search?: string) => {
      const query = {
        organizationId: organization.id,
        visibility: 'all',
        search,
        sort: { key, descending: false },
      } as const;
      const { items, total } = await on.read((tx) => tx.tokens.pageOfTeams(query, { number: 1, size: 10 }));
      return { ids: items.map(({ id }) => id), total };
    };
    expect(await list('expired-at')).toEqual({ ids: [beside.id, next.id], total: 2 });
    expect(await list('last-used-at')).toEqual({ ids: [beside.id, next.id], total: 2 });
    await on.run((tx) => tx.teams.save({ ...team, name: 'second', revision: team.revision + 1 }));
    expect(await list('team-name')).toEqual({ ids: [beside.id, next.id], total: 2 });
    expect(await list('team-name', 'sec')).toEqual({ ids: [next.id], total: 1 });
  });

  it('replaces a token twice in one unit of work, and in units that commit together', async () => {
    const owner = ownedBy('team', await on.team(await on.organization()));
    const issued = Array.from({ length: 4 }, () => aToken(owner));
    type Issued = (typeof issued)[number];
    const [first, second, third, fourth] = issued as [Issued, Issued, Issued, Issued];
    await on.run(async (tx) => {
      await keepToken(tx, first);
      await keepToken(tx, second);
    });
    expect(await find(first)).toBeUndefined();
    expect(await on.read((tx) => tx.tokens.findOf(owner))).toEqual(second);
    await Promise.all([third, fourth].map((token) => on.run((tx) => keepToken(tx, token))));
    const kept = await on.read((tx) => tx.tokens.findOf(owner));
    expect([third.id, fourth.id]).toContain(kept?.id);
    expect(await find(second)).toBeUndefined();
  });

  it('refuses a token of an owner that was deleted, and leaves nothing of it', async () => {
    const organization = await on.organization();
    const team = await on.team(organization);
    const stale = refusal('shared/stale-revision');
    const old = aToken(ownedBy('team', team));
    await on.run((tx) => keepToken(tx, old));
    await on.run((tx) => tx.teams.remove(team.id, noon));
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    for (const owner of [
      ownedBy('team', team),
      ownedBy('organization', organization),
      ownedBy('auditor', organization),
    ]) {
      const token = aToken(owner);
      await expect(on.run((tx) => keepToken(tx, token))).rejects.toEqual(stale);
      expect([await find(token), await credential(token)]).toEqual([undefined, undefined]);
    }
  });

  it('removes the token of a team, and returns which it was', async () => {
    const organization = await on.organization();
    const [team, other] = [await on.team(organization), await on.team(organization)];
    const [token, left] = [await on.token(ownedBy('team', team)), await on.token(ownedBy('team', other))];
    const remove = () => on.run((tx) => tx.teamTokens.remove(team.id));
    expect(await remove()).toBe(token.id);
    expect(await remove()).toBeUndefined();
    expect([await credential(token), await find(left)]).toEqual([undefined, left]);
  });

  it('removes a token once', async () => {
    const token = await on.token(ownedBy('user', await on.user()));
    expect(await on.run((tx) => tx.tokens.remove(token.id))).toBe(true);
    expect(await on.run((tx) => tx.tokens.remove(token.id))).toBe(false);
    expect(await credential(token)).toBeUndefined();
    expect(await find(token)).toBeUndefined();
  });

  it('lists the tokens of a user, newest first', async () => {
    const user = await on.user();
    const owner = ownedBy('user', user);
    const middle = await on.token(owner, { createdAt: afterNoon(2) });
    const newest = await on.token(owner, { createdAt: afterNoon(3) });
    const oldest = await on.token(owner, { createdAt: afterNoon(1) });
    await on.token(ownedBy('user', await on.user()));
    const page = (number: number, size: number) => on.read((tx) => tx.tokens.pageOfUser(user.id, { number, size }));
    expect(await page(1, 2)).toEqual({ number: 1, size: 2, total: 3, items: [newest, middle] });
    expect(await page(2, 2)).toEqual({ number: 2, size: 2, total: 3, items: [oldest] });
    expect(await page(3, 2)).toEqual({ number: 3, size: 2, total: 3, items: [] });
    const none = await on.read((tx) => tx.tokens.pageOfUser('user-nobody', { number: 1, size: 2 }));
    expect(none).toEqual({ number: 1, size: 2, total: 0, items: [] });
  });

  it('moves the last use of tokens forward, and never back', async () => {
    const owner = ownedBy('user', await on.user());
    const [unused, used, other] = [
      await on.token(owner),
      await on.token(owner, { lastUsedAt: afterNoon(10) }),
      await on.token(owner, { lastUsedAt: noon }),
    ];
    const lastUses = async () =>
      Promise.all([unused, used, other].map(async (token) => (await find(token))?.lastUsedAt ?? null));
    const mark = (uses: readonly (readonly [ApiToken, string])[]) =>
      on.run((tx) => tx.tokens.markUsed(new Map(uses.map(([{ id }, at]) => [id, at]))));

    await mark([
      [used, afterNoon(5)],
      [unused, afterNoon(5)],
    ]);
    expect(await lastUses()).toEqual([afterNoon(5), afterNoon(10), noon]);
    await mark([
      [unused, afterNoon(4)],
      [used, afterNoon(11)],
    ]);
    expect(await lastUses()).toEqual([afterNoon(5), afterNoon(11), noon]);
    await mark([[aToken(owner), afterNoon(1)]]);
    await mark([]);
    expect(await lastUses()).toEqual([afterNoon(5), afterNoon(11), noon]);
  });

  it('marks the same tokens used by many at once', async () => {
    const owner = ownedBy('user', await on.user());
    const tokens: ApiToken[] = [];
    for (let n = 0; n < 5; n += 1) tokens.push(await on.token(owner));
    const marks = Array.from({ length: 10 }, (_, n) => {
      const order = n % 2 === 0 ? tokens : tokens.toReversed();
      return on.run((tx) => tx.tokens.markUsed(new Map(order.map(({ id }) => [id, afterNoon(n)]))));
    });
    await Promise.all(marks);
    for (const token of tokens) expect((await find(token))?.lastUsedAt).toBe(afterNoon(9));
  });
});
