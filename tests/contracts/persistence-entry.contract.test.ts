import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Bar } from '../../src/domain/authorization/entry.js';
import type { Actor, Organization, OrganizationSettings, Session, User, Workspace } from '../../src/domain/index.js';
import { later } from '../../src/domain/shared/id.js';
import { initialSettings } from '../../src/domain/supporting/organizations/organization-settings.js';
import {
  aMembership,
  aSession,
  asOrganization,
  asTeam,
  asUser,
  aUser,
  noon,
  ownedBy,
  unique,
} from '../support/builders.js';
import { type Ground, onEveryBackend } from './on-every-backend.js';

/** The user in a session that was begun and last used this many seconds before noon. */
const inSession = (user: User, age: number, idle: number, longestIdle = 0): Actor => ({
  kind: 'user',
  tokenId: 'session',
  userId: user.id,
  siteAdministrator: user.siteAdministrator,
  session: {
    signedInWith: { kind: 'identity' },
    createdAt: later(noon, -age),
    lastUsedAt: later(noon, -idle),
    longestIdle,
    at: noon,
  },
});

interface Place {
  readonly organization: Organization;
  readonly workspace: Workspace;
  readonly user: User;
  readonly administrator: User;
}

async function placeWith(on: Ground, given: Partial<OrganizationSettings>): Promise<Place> {
  const organization = await on.organization({ settings: { ...initialSettings, ...given } });
  const workspace = await on.workspace(organization);
  const user = await on.member(organization);
  const administrator = await on.member(organization, { siteAdministrator: true });
  await on.team(organization, { owners: true }, [user, administrator]);
  return { organization, workspace, user, administrator };
}

onEveryBackend('entry to an organization', (on) => {
  /** By which it is barred wherever its standing is found, and whether the list of the caller has the organization. */
  async function entry(actor: Actor, { organization, workspace }: Place): Promise<readonly [Bar | undefined, boolean]> {
    const [inOrganization, onWorkspace, page] = await on.read((tx) =>
      Promise.all([
        tx.organizations.findFor(actor, organization.name),
        tx.workspaces.findIdFor(actor, workspace.id),
        tx.organizations.page(actor, { number: 1, size: 100 }),
      ]),
    );
    expect(onWorkspace?.standing.bar).toBe(inOrganization?.standing.bar);
    const listed = page.items.some(({ id }) => id === organization.id);
    expect(page.total).toBe(page.items.length);
    return [inOrganization?.standing.bar, listed];
  }

  const open = [undefined, true] as const;

  describe('without user tokens', () => {
    let place: Place;
    beforeAll(async () => {
      place = await placeWith(on, { userTokensEnabled: false });
    });

    it('is barred to the token of a member, and open to a session', async () => {
      expect(await entry(asUser(place.user), place)).toEqual(['user token', false]);
      expect(await entry(inSession(place.user, 0, 0), place)).toEqual(open);
    });

    it('is open to site administrators, and to tokens of teams and of the organization', async () => {
      expect(await entry(asUser(place.administrator), place)).toEqual(open);
      expect(await entry(asOrganization(place.organization), place)).toEqual(open);
      expect(await entry(asTeam(await on.team(place.organization)), place)).toEqual(open);
    });

    it('is not barred to a stranger, who has no standing to lose', async () => {
      expect(await entry(asUser(await on.user()), place)).toEqual([undefined, false]);
    });

    it('is open to a creator whose rights are checked again', async () => {
      const [bar] = await entry({ ...asUser(place.user), tokenId: '' }, place);
      expect(bar).toBeUndefined();
    });
  });

  it('is open to a session that was unused for as long as the organization allows, and no longer', async () => {
    const place = await placeWith(on, { sessionTimeout: 30 });
    const week = 7 * 86_400;
    expect(await entry(inSession(place.user, week, 1_800), place)).toEqual(open);
    expect(await entry(inSession(place.user, week, 1_801), place)).toEqual(['idle session', false]);
    expect(await entry(inSession(place.user, week, 0, 1_801), place)).toEqual(['idle session', false]);
    expect(await entry(asUser(place.user), place)).toEqual(open);
  });

  it('is open to a session that is as old as the organization allows, and no older', async () => {
    const place = await placeWith(on, { sessionRemember: 60 });
    expect(await entry(inSession(place.user, 3_600, 0), place)).toEqual(open);
    expect(await entry(inSession(place.user, 3_601, 0), place)).toEqual(['old session', false]);
  });

  it('is open to any session within the longest times that can be set', async () => {
    const longest = 36_816_480;
    const place = await placeWith(on, { sessionTimeout: longest, sessionRemember: longest });
    expect(await entry(inSession(place.user, 86_400, 86_400), place)).toEqual(open);
    expect(await entry(asUser(place.user), place)).toEqual(open);
  });

  it('follows the settings that are saved', async () => {
    const place = await placeWith(on, { userTokensEnabled: false, sessionTimeout: 5, sessionRemember: 5 });
    await on.run((tx) => tx.organizations.save({ ...place.organization, settings: initialSettings }));
    expect(await entry(asUser(place.user), place)).toEqual(open);
    expect(await entry(inSession(place.user, 86_400, 86_400), place)).toEqual(open);
  });
});

onEveryBackend('sessions', (on) => {
  const stored = async ({ id, userId }: Session) =>
    (await on.read((tx) => tx.sessions.ofUser(userId, noon))).find((session) => session.id === id);

  it('keep the longest time between two uses in begun seconds, the sign-in being the first', async () => {
    const session = aSession(await on.user(), { createdAt: noon, expiresAt: later(noon, 86_400) });
    await on.run((tx) => tx.sessions.add(session));
    const use = (seconds: number) =>
      on.run((tx) => tx.sessions.markUsed(new Map([[session.id, later(noon, seconds)]])));
    for (const [seconds, longestIdle] of [
      [59.5, 60],
      [159.5, 100],
      [200, 100],
      [1_199.7, 1_000],
      [1_100, 1_000],
    ] as const) {
      await use(seconds);
      expect((await stored(session))?.longestIdle).toBe(longestIdle);
    }
    expect((await stored(session))?.lastUsedAt).toBe(later(noon, 1_199.7));
  });
});

onEveryBackend('organizations', (on) => {
  it('are found by id, unless they are deleted', async () => {
    const organization = await on.organization();
    const found = () => on.read((tx) => tx.organizations.find(organization.id));
    expect(await found()).toEqual(organization);
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await found()).toBeUndefined();
  });

  it('are those that a user joined, without invitations and deleted ones', async () => {
    const user = await on.user();
    const [joined, invited, deleted] = [await on.organization(), await on.organization(), await on.organization()];
    for (const organization of [joined, deleted]) await on.membership(organization, user);
    const invitation = { ...aMembership(invited, user), invitedEmail: user.email };
    await on.run((tx) => tx.memberships.add(invitation));
    await on.run((tx) => tx.organizations.remove(deleted.id, noon));
    expect(await on.read((tx) => tx.organizations.joinedBy(user.id))).toEqual([joined]);
    const [colleague, stranger] = [await on.user(), await on.user()];
    const first = await on.organization({ name: unique('A-first') });
    for (const organization of [joined, first]) await on.membership(organization, colleague);
    const ids = [user.id, colleague.id, stranger.id];
    expect(await on.read((tx) => tx.organizations.joinedByEach(ids))).toEqual(
      new Map([
        [user.id, [joined]],
        [colleague.id, [first, joined]],
      ]),
    );
    expect(await on.read((tx) => tx.organizations.joinedByEach([]))).toEqual(new Map());
  });
});

onEveryBackend('tokens that act in an organization', (on) => {
  it('are its own, those of its teams and those of active members, in parts', async () => {
    const [organization, other] = [await on.organization(), await on.organization()];
    const [member, stranger] = [await on.member(organization), await on.member(other)];
    const invited = aUser();
    await on.run((tx) => tx.users.add(invited));
    const invitation = { ...aMembership(organization, invited), invitedEmail: invited.email };
    await on.run((tx) => tx.memberships.add(invitation));
    const expected = [
      await on.token(ownedBy('organization', organization)),
      await on.token(ownedBy('auditor', organization)),
      await on.token(ownedBy('team', await on.team(organization))),
      await on.token(ownedBy('user', member)),
    ].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const user of [stranger, invited]) await on.token(ownedBy('user', user));
    await on.token(ownedBy('team', await on.team(other)));
    const part = (after: string, max: number) => on.read((tx) => tx.tokens.actingIn(organization.id, after, max));
    expect(await part('', 100)).toEqual(expected);
    expect(await part('', 2)).toEqual(expected.slice(0, 2));
    expect(await part(expected[1]?.id ?? '', 100)).toEqual(expected.slice(2));
  });
});
