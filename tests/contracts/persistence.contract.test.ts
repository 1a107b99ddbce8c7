import { expect, it } from '@jest/globals';
import type { Transaction } from '../../src/application/index.js';
import type { Member, Organization, Workspace } from '../../src/domain/index.js';
import { backends, onOneConnection } from '../support/backends.js';
import {
  aConfigurationVersion,
  aMembership,
  anOrganization,
  asMember,
  asOrganization,
  asTeam,
  asUser,
  aTeam,
  aUser,
  aWorkspace,
  changed,
  noon,
  ownedBy,
  unique,
} from '../support/builders.js';
import { onEveryBackend, onFreshGround, refusal, taken } from './on-every-backend.js';

onEveryBackend(
  'a unit of work',
  (on) => {
    it('keeps what was done when the work ends well, and answers what the work answers', async () => {
      const user = aUser();
      const answer = await on.run(async (tx) => {
        await tx.users.add(user);
        return 'done';
      });
      expect(answer).toBe('done');
      expect(await on.read((tx) => tx.users.find(user.id))).toEqual(user);
    });

    it('rolls back when the work fails, and passes the error on', async () => {
      const user = aUser();
      const failure = new Error('the work failed');
      const work = on.run(async (tx) => {
        await tx.users.add(user);
        throw failure;
      });
      await expect(work).rejects.toBe(failure);
      expect(await on.read((tx) => tx.users.find(user.id))).toBeUndefined();
    });

    it('rolls back every step of the work, not the last one only', async () => {
      const organization = await on.organization();
      const workspace = await on.workspace(organization);
      const work = on.run(async (tx) => {
        await tx.configurationVersions.add(aConfigurationVersion(workspace), true);
        await tx.workspaces.save({ ...workspace, description: 'never', revision: 1 });
        await tx.organizations.remove(organization.id, noon);
        throw new Error('too bad');
      });
      await expect(work).rejects.toThrow('too bad');
      const seen = await on.read((tx) => tx.workspaces.findFor(asOrganization(organization), workspace.id));
      expect(seen?.subject).toEqual(workspace);
      const { id } = (await on.version(workspace)).state;
      const versions = await on.read((tx) => tx.configurationVersions.page(workspace.id, { number: 1, size: 5 }));
      expect(versions).toMatchObject({ total: 1, items: [{ id }] });
    });

    it('goes on serving after a failure', async () => {
      await expect(on.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
      const user = await on.user();
      expect(await on.read((tx) => tx.users.find(user.id))).toEqual(user);
    });

    it('sees its own changes before they are kept', async () => {
      const user = aUser();
      const found = await on.run(async (tx) => {
        await tx.users.add(user);
        return tx.users.find(user.id);
      });
      expect(found).toEqual(user);
    });

    it('runs many pieces of work at once', async () => {
      const users = Array.from({ length: 20 }, () => aUser());
      await Promise.all(users.map((user) => on.run((tx) => tx.users.add(user))));
      for (const user of users) expect(await on.read((tx) => tx.users.find(user.id))).toEqual(user);
    });

    it('writes nothing if it was begun to read only', async () => {
      const user = aUser();
      await expect(on.read((tx) => tx.users.add(user))).rejects.toThrow();
      expect(await on.read((tx) => tx.users.find(user.id))).toBeUndefined();
    });

    it('refuses a transaction that is used after its end', async () => {
      let kept: Transaction | undefined;
      await on.run(async (tx) => {
        kept = tx;
      });
      await expect(kept?.users.any()).rejects.toThrow();
      await expect(kept?.users.add(aUser())).rejects.toThrow();
    });

    if (!on.backend.oneConnection) {
      it('lets others read what is kept while it is open, and nothing else', async () => {
        const user = aUser();
        const meanwhile = await on.run(async (tx) => {
          await tx.users.add(user);
          return on.read((other) => other.users.find(user.id));
        });
        expect(meanwhile).toBeUndefined();
      });
    }
  },
  [...backends, ...onOneConnection],
);

onEveryBackend('stale saves', (on) => {
  it('refuses a version that was changed since it was read', async () => {
    const version = await on.version(await on.workspace(await on.organization()));
    await on.run((tx) => tx.configurationVersions.save(changed(version, { status: 'uploaded' })));
    const late = on.run((tx) => tx.configurationVersions.save(changed(version, { status: 'errored' })));
    await expect(late).rejects.toEqual(refusal('shared/stale-revision'));
    const kept = await on.read((tx) => tx.configurationVersions.find(version.state.id));
    expect(kept?.state).toMatchObject({ status: 'uploaded', revision: 1 });
  });

  it('refuses a workspace that was changed since it was read', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    await on.run((tx) => tx.workspaces.save({ ...workspace, description: 'first', revision: 1 }));
    const late = on.run((tx) => tx.workspaces.save({ ...workspace, description: 'second', revision: 1 }));
    await expect(late).rejects.toEqual(refusal('shared/stale-revision'));
    const seen = await on.read((tx) => tx.workspaces.findFor(asOrganization(organization), workspace.id));
    expect(seen?.subject.description).toBe('first');
  });

  it('refuses a team that was changed since it was read', async () => {
    const organization = await on.organization();
    const team = await on.team(organization);
    await on.run((tx) => tx.teams.save({ ...team, visibility: 'organization', revision: 1 }));
    const late = on.run((tx) => tx.teams.save({ ...team, membersManageToken: false, revision: 1 }));
    await expect(late).rejects.toEqual(refusal('shared/stale-revision'));
    const seen = await on.read((tx) => tx.teams.findFor(asTeam(team), team.id));
    expect(seen?.subject).toMatchObject({ visibility: 'organization', membersManageToken: true });
  });

  it('refuses to save what was never there', async () => {
    const organization = await on.organization();
    const team = on.run((tx) => tx.teams.save(aTeam(organization, { revision: 1 })));
    await expect(team).rejects.toEqual(refusal('shared/stale-revision'));
    const workspace = on.run((tx) => tx.workspaces.save(aWorkspace(organization, { revision: 1 })));
    await expect(workspace).rejects.toEqual(refusal('shared/stale-revision'));
  });

  it('lets exactly one of many saves at once through', async () => {
    const workspace = await on.workspace(await on.organization());
    const saves = Array.from({ length: 10 }, (_, n) =>
      on.run((tx) => tx.workspaces.save({ ...workspace, description: `save ${n}`, revision: 1 })),
    );
    const outcomes = await Promise.allSettled(saves);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(refusal('shared/stale-revision'));
    }
  });

  it('lets one of two through that change the same two things in opposite order', async () => {
    const organization = await on.organization();
    const pair = [await on.workspace(organization), await on.workspace(organization)];
    let meet: () => void = () => {};
    const met = new Promise<void>((resolve) => (meet = resolve));
    let begun = 0;
    const change = (workspaces: readonly Workspace[]) =>
      on.run(async (tx) => {
        for (const workspace of workspaces) {
          await tx.workspaces.save({ ...workspace, revision: 1 });
          begun += 1;
          // If both could be open at once, each would now hold what the other needs next.
          if (begun === 2 || !on.backend.transactionsOverlap) meet();
          await met;
        }
      });
    const outcomes = await Promise.allSettled([change(pair), change(pair.toReversed())]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(refusal('shared/stale-revision'));
    }
  });
});

onEveryBackend('organizations and users', (on) => {
  it('gives back an organization as it was stored', async () => {
    const organization = await on.organization({ name: 'Acme_Corp-1' });
    const seen = await on.read((tx) => tx.organizations.findFor(asOrganization(organization), 'Acme_Corp-1'));
    expect(seen?.subject).toEqual(organization);
    expect(await on.read((tx) => tx.organizations.findFor(asOrganization(organization), 'nobody'))).toBeUndefined();
  });

  it('gives back an organization as it was saved', async () => {
    const organization = await on.organization();
    const next = { ...organization, name: `${organization.name}-renamed`, email: 'new@example.com' };
    await on.run((tx) => tx.organizations.save(next));
    const find = (name: string) => on.read((tx) => tx.organizations.findFor(asOrganization(organization), name));
    expect((await find(next.name))?.subject).toEqual(next);
    expect(await find(organization.name)).toBeUndefined();
  });

  it('does not save an organization that is gone', async () => {
    const organization = await on.organization();
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    const save = on.run((tx) => tx.organizations.save(organization));
    await expect(save).rejects.toEqual(refusal('resource/not-found'));
  });

  it('has one living organization by a name', async () => {
    const { name } = await on.organization();
    const other = await on.organization();
    await expect(on.organization({ name })).rejects.toEqual(taken('name'));
    await expect(on.run((tx) => tx.organizations.save({ ...other, name }))).rejects.toEqual(taken('name'));
  });

  it('frees the name of an organization that is removed', async () => {
    const { id, name } = await on.organization();
    await on.run((tx) => tx.organizations.remove(id, noon));
    const heir = await on.organization({ name });
    const seen = await on.read((tx) => tx.organizations.findFor(asOrganization(heir), name));
    expect(seen?.subject).toEqual(heir);
  });

  it('lists the organizations a user belongs to, by name whatever its case', async () => {
    const user = await on.user();
    const stem = user.id.toUpperCase();
    const organizations = [];
    for (const letter of ['c', 'B', 'a']) organizations.push(await on.organization({ name: `${letter}-${stem}` }));
    for (const organization of organizations) await on.membership(organization, user);
    await on.organization();
    const page = (number: number, size: number) =>
      on.read((tx) => tx.organizations.page(asUser(user), { number, size }));
    const [c, b, a] = organizations;
    expect(await page(1, 2)).toEqual({ number: 1, size: 2, total: 3, items: [a, b] });
    expect(await page(2, 2)).toEqual({ number: 2, size: 2, total: 3, items: [c] });
    expect(await page(3, 2)).toEqual({ number: 3, size: 2, total: 3, items: [] });
  });

  it('lists no organization for who belongs to none, and its own for a token of a team or an organization', async () => {
    const organization = await on.organization();
    const team = await on.team(organization);
    const stranger = await on.user({ siteAdministrator: true });
    const page = { number: 1, size: 20 };
    const list = (actor: Parameters<Transaction['organizations']['page']>[0]) =>
      on.read((tx) => tx.organizations.page(actor, page));
    expect(await list(asUser(stranger))).toEqual({ ...page, total: 0, items: [] });
    expect(await list(asTeam(team))).toEqual({ ...page, total: 1, items: [organization] });
    expect(await list(asOrganization(organization))).toEqual({ ...page, total: 1, items: [organization] });
  });

  it('lists all organizations to site administrators, by name regardless of case', async () => {
    const organizations = [];
    for (const name of ['all-b', 'ALL-a', 'all-c']) organizations.push(await on.organization({ name }));
    const [b, a, c] = organizations;
    await on.run((tx) => tx.organizations.remove(c?.id ?? '', noon));
    const { total, items } = await on.read((tx) => tx.organizations.pageOfAll({ number: 1, size: 1000 }));
    expect(items).toHaveLength(total);
    expect(items.filter(({ name }) => /^all-/i.test(name))).toEqual([a, b]);
    const second = await on.read((tx) => tx.organizations.pageOfAll({ number: 2, size: 1 }));
    expect(second.items).toEqual([items[1]]);
  });

  it('gives back a user as it was stored', async () => {
    const user = await on.user({ siteAdministrator: true, suspended: true, email: 'Ann.Smith@Example.com' });
    expect(await on.read((tx) => tx.users.find(user.id))).toEqual(user);
    expect(await on.read((tx) => tx.users.findByUsername(user.username.toUpperCase()))).toEqual(user);
    expect(await on.read((tx) => tx.users.find('user-nobody'))).toBeUndefined();
    expect(await on.read((tx) => tx.users.findByUsername('nobody'))).toBeUndefined();
  });

  it('has one living user by a name and by an address, whatever their case', async () => {
    const user = await on.user();
    await expect(on.user({ username: user.username.toUpperCase() })).rejects.toEqual(taken('username'));
    await expect(on.user({ email: user.email.toUpperCase() })).rejects.toEqual(taken('email'));
  });

  it('frees the name and the address of a user who is removed', async () => {
    const { id, username, email } = await on.user();
    await on.run((tx) => tx.users.remove(id, noon));
    const heir = await on.user({ username, email });
    expect(await on.read((tx) => tx.users.findByUsername(username))).toEqual(heir);
  });

  it('suspends a user and takes it back', async () => {
    const user = await on.user();
    await on.run((tx) => tx.users.setSuspended(user.id, true));
    expect(await on.read((tx) => tx.users.find(user.id))).toEqual({ ...user, suspended: true });
    await on.run((tx) => tx.users.setSuspended(user.id, false));
    expect(await on.read((tx) => tx.users.find(user.id))).toEqual(user);
  });

  it('lists users by name whatever its case, and knows whether there is any', () =>
    onFreshGround(on.backend, async (fresh) => {
      const page = (number: number, size: number) => fresh.read((tx) => tx.users.page({ number, size }));
      expect(await fresh.read((tx) => tx.users.any())).toBe(false);
      expect(await page(1, 20)).toEqual({ number: 1, size: 20, total: 0, items: [] });

      const cid = await fresh.user({ username: 'cid' });
      const bob = await fresh.user({ username: 'Bob' });
      const ann = await fresh.user({ username: 'ann' });
      expect(await fresh.read((tx) => tx.users.any())).toBe(true);
      expect(await page(1, 2)).toEqual({ number: 1, size: 2, total: 3, items: [ann, bob] });
      expect(await page(2, 2)).toEqual({ number: 2, size: 2, total: 3, items: [cid] });
      expect(await page(9, 2)).toEqual({ number: 9, size: 2, total: 3, items: [] });

      for (const { id } of [ann, bob, cid]) await fresh.run((tx) => tx.users.remove(id, noon));
      expect(await fresh.read((tx) => tx.users.any())).toBe(true);
      expect(await page(1, 20)).toEqual({ number: 1, size: 20, total: 0, items: [] });
    }));

  it('names the living owners teams a user is in', async () => {
    const [user, other, leaver] = [await on.user(), await on.user(), await on.user()];
    const owned = async (name: string, owners: (typeof user)[]) =>
      on.team(await on.organization({ name: `${name}-${user.id}` }), { owners: true }, owners);
    await owned('zeta', [user]);
    await owned('alpha', [user, leaver]);
    await owned('shared', [user, other]);
    await owned('foreign', [other]);
    const { organizationId } = await owned('deleted', [user]);
    await on.team(await on.organization(), { owners: false }, [user]);
    await on.run((tx) => tx.organizations.remove(organizationId, noon));
    await on.run((tx) => tx.users.remove(leaver.id, noon));
    const found = await on.read((tx) => tx.teams.ownedBy(user.id));
    expect(found.map((team) => [team.organizationName, team.usersCount]).sort()).toEqual([
      [`alpha-${user.id}`, 1],
      [`shared-${user.id}`, 2],
      [`zeta-${user.id}`, 1],
    ]);
    expect(await on.read((tx) => tx.teams.ownedBy('user-nobody'))).toEqual([]);
  });
});

onEveryBackend('memberships', (on) => {
  it('gives back a membership with its user and the teams the user is in', async () => {
    const organization = await on.organization();
    const user = await on.user();
    const membership = await on.membership(organization, user);
    const zulu = await on.team(organization, { name: 'zulu' }, [user]);
    const alpha = await on.team(organization, { name: 'Alpha', access: new Set(['manage-teams']) }, [user]);
    await on.team(organization, { name: 'others' }, [await on.member(organization)]);
    await on.team(await on.organization(), {}, [user]);
    const seen = await on.read((tx) => tx.memberships.findFor(asUser(user), membership.id));
    const expected = { ...membership, organizationName: organization.name, user: asMember(user), teams: [alpha, zulu] };
    expect(seen?.subject).toEqual(expected);
    const page = { number: 1, size: 20 };
    const listed = await on.read((tx) => tx.memberships.page(organization.id, page));
    expect(listed.items).toContainEqual(expected);
    expect(await on.read((tx) => tx.memberships.findFor(asUser(user), 'ou-nobody'))).toBeUndefined();
  });

  it('has a user as a member once', async () => {
    const organization = await on.organization();
    const user = await on.member(organization);
    await expect(on.membership(organization, user)).rejects.toEqual(taken('email', 'User'));
  });

  it('takes a removed member out of the teams of this organization only', async () => {
    const [organization, other] = [await on.organization(), await on.organization()];
    const user = await on.user();
    const membership = await on.membership(organization, user);
    const left = await on.team(organization, {}, [user]);
    const kept = await on.team(other, {}, [user]);
    await on.run((tx) => tx.memberships.remove(membership));
    expect(await on.read((tx) => tx.memberships.findFor(asUser(user), membership.id))).toBeUndefined();
    const members = await on.read((tx) => tx.teams.members([left.id, kept.id]));
    expect(members).toEqual(
      new Map([
        [left.id, []],
        [kept.id, [asMember(user)]],
      ]),
    );
    await on.run((tx) => tx.memberships.add(aMembership(organization, user)));
  });

  it('lists members by user name whatever its case', async () => {
    const organization = await on.organization();
    const stem = organization.id;
    const names = [];
    for (const letter of ['c', 'B', 'a']) {
      const { username } = await on.member(organization, { username: `${letter}-${stem}` });
      names.unshift(username);
    }
    await on.member(await on.organization());
    const page = async (number: number, size: number) => {
      const found = await on.read((tx) => tx.memberships.page(organization.id, { number, size }));
      return { total: found.total, names: found.items.map(({ user }) => user.username) };
    };
    expect(await page(1, 2)).toEqual({ total: 3, names: names.slice(0, 2) });
    expect(await page(2, 2)).toEqual({ total: 3, names: names.slice(2) });
    expect(await page(7, 2)).toEqual({ total: 3, names: [] });
    const empty = anOrganization();
    expect(await on.read((tx) => tx.memberships.page(empty.id, { number: 1, size: 2 }))).toMatchObject({ total: 0 });
  });

  it('finds members by each way to name them, and leaves strangers out', async () => {
    const organization = await on.organization();
    const [ann, bob, cid] = [await on.user(), await on.user(), await on.user()];
    const [, bobs, cids] = [
      await on.membership(organization, ann),
      await on.membership(organization, bob),
      await on.membership(organization, cid),
    ];
    const stranger = await on.user();
    const strange = await on.membership(await on.organization(), stranger);
    const find = (...references: string[]) => on.read((tx) => tx.memberships.findUsers(organization.id, references));
    expect(await find(ann.id)).toEqual(new Map([[ann.id, asMember(ann)]]));
    const shouted = bob.username.toUpperCase();
    expect(await find(shouted, bob.username, bob.id, bobs.id, bob.id)).toEqual(
      new Map([shouted, bob.username, bob.id, bobs.id].map((reference) => [reference, asMember(bob)])),
    );
    expect(await find(ann.id, bob.username, cids.id)).toEqual(
      new Map([
        [ann.id, asMember(ann)],
        [bob.username, asMember(bob)],
        [cids.id, asMember(cid)],
      ]),
    );
    expect(await find(stranger.id, stranger.username, strange.id, 'nobody', '', ann.id)).toEqual(
      new Map([[ann.id, asMember(ann)]]),
    );
    expect(await find()).toEqual(new Map());
  });

  it('reads a reference as a user id first, then as a membership id, then as a user name', async () => {
    const organization = await on.organization();
    const first = await on.member(organization, { username: unique('first') });
    const namesake = await on.member(organization, { username: first.id });
    const named = await on.user();
    const { id } = await on.membership(organization, named);
    const other = await on.member(organization, { username: id });
    const found = await on.read((tx) =>
      tx.memberships.findUsers(organization.id, [first.id, id, namesake.id, other.id]),
    );
    expect(found).toEqual(
      new Map<string, Member>([
        [first.id, asMember(first)],
        [id, asMember(named)],
        [namesake.id, asMember(namesake)],
        [other.id, asMember(other)],
      ]),
    );
  });
});

onEveryBackend('addresses that are invited', (on) => {
  const all = { number: 1, size: 100 };
  const reserve = (email: string) => on.run((tx) => tx.users.reserve(email, [unique('user')], noon, 'to invite'));

  /** Invites the address, to the teams as well. */
  const invite = (organization: Organization, email: string) =>
    retried(() =>
      on.run(async (tx) => {
        const { id } = await tx.users.reserve(email, [unique('user')], noon, 'to invite');
        const membership = { ...aMembership(organization, { id }), invitedEmail: email };
        await tx.memberships.add(membership);
        return membership;
      }),
    );
  const retried = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if ((error as { code?: string }).code !== 'shared/stale-revision') throw error;
      }
    }
  };
  const membersOf = async (organization: Organization) =>
    (await on.read((tx) => tx.memberships.page(organization.id, all))).items.map(({ user }) => user);

  it('stand for their user, and for one and the same id while there is none, whatever their case', async () => {
    const user = await on.user();
    expect(await reserve(user.email.toUpperCase())).toEqual({ id: user.id, registered: true });
    const email = `${unique('New')}@example.com`;
    const { id, registered } = await reserve(email);
    expect(registered).toBe(false);
    expect(await reserve(email.toUpperCase())).toEqual({ id, registered: false });
    const many = await Promise.all(Array.from({ length: 5 }, () => reserve(`at-once-${email}`)));
    expect(new Set(many.map((one) => one.id)).size).toBe(1);
  });

  it('do not make a user', async () => {
    const before = (await on.read((tx) => tx.users.page({ number: 1, size: 1 }))).total;
    const email = `${unique('new')}@example.com`;
    const { id } = await reserve(email);
    await on.run((tx) => tx.users.setSuspended(id, true));
    expect(await on.read((tx) => tx.users.find(id))).toBeUndefined();
    expect(await on.read((tx) => tx.users.findByUsername(`invited:${id}`))).toBeUndefined();
    expect((await on.read((tx) => tx.users.page({ number: 1, size: 1 }))).total).toBe(before);
    await expect(on.user({ email })).rejects.toEqual(taken('email'));
  });

  it('give their id, their memberships and their teams to the user who is created with them', async () => {
    const organization = await on.organization();
    const membership = await invite(organization, `${unique('New')}@example.com`);
    const { userId: id, invitedEmail: email } = membership;
    const team = await on.team(organization, {}, [{ id }]);
    expect((await on.read((tx) => tx.teams.findFor(asTeam(team), team.id)))?.subject.usersCount).toBe(1);
    expect(await on.read((tx) => tx.teams.members([team.id]))).toEqual(
      new Map([[team.id, [{ id, email, username: null }]]]),
    );
    const { total } = await on.read((tx) => tx.users.page({ number: 1, size: 1 }));
    const user = await on.user({ id, email: email.toLowerCase() });
    expect(await on.read((tx) => tx.users.find(id))).toEqual(user);
    expect((await on.read((tx) => tx.users.page({ number: 1, size: 1 }))).total).toBe(total + 1);
    expect(await reserve(email)).toEqual({ id, registered: true });
    const seen = await on.read((tx) => tx.organizations.findFor(asUser(user), organization.name));
    expect(seen?.standing).toMatchObject({ member: true, teams: [{ teamId: team.id }] });
  });

  it('make one user, whatever the number that is created with them at once', async () => {
    const { userId: id, invitedEmail: email } = await invite(await on.organization(), `${unique('New')}@example.com`);
    const create = () =>
      on.run(async (tx) => {
        await tx.users.reserve(email, [unique('user')], noon, 'to add');
        const user = aUser({ id, email });
        await tx.users.add(user);
        return user;
      });
    const created = await Promise.allSettled(Array.from({ length: 5 }, create));
    const [user, ...others] = created.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    expect(others).toEqual([]);
    expect(created.flatMap((one) => (one.status === 'rejected' ? one.reason : []))).toEqual(
      Array(4).fill(taken('email')),
    );
    expect(await on.read((tx) => tx.users.find(id))).toEqual(user);
    await expect(create()).rejects.toEqual(taken('email'));
  });

  it('are all that is shown of an invited member, until the invitation is accepted', async () => {
    const organization = await on.organization();
    const known = await on.user({ username: unique('zed'), email: `${unique('known')}@example.com` });
    const shown = known.email.toUpperCase();
    const invitation = await invite(organization, shown);
    const unknown = await invite(organization, `${unique('u')}@example.com`);
    const team = await on.team(organization, {}, [known]);
    const member = { id: known.id, email: shown, username: null };
    expect(await membersOf(organization)).toEqual([
      member,
      { id: unknown.userId, email: unknown.invitedEmail, username: null },
    ]);
    const find = () => on.read((tx) => tx.memberships.findUsers(organization.id, [known.username, known.id]));
    expect(await find()).toEqual(new Map([[known.id, member]]));
    expect((await on.read((tx) => tx.memberships.findFor(asUser(known), invitation.id)))?.subject).toEqual({
      ...invitation,
      organizationName: organization.name,
      user: member,
      teams: [team],
    });

    await on.run((tx) => tx.memberships.accept(known.id));
    expect(await membersOf(organization)).toEqual([
      { id: unknown.userId, email: unknown.invitedEmail, username: null },
      asMember(known),
    ]);
    expect(await on.read((tx) => tx.teams.members([team.id]))).toEqual(new Map([[team.id, [asMember(known)]]]));
    expect((await find()).size).toBe(2);
  });

  it('are returned to a caller with a token of their user', async () => {
    const [organization, user] = [await on.organization(), await on.user()];
    const { secretDigest } = await on.token(ownedBy('user', user));
    const invited = async () => (await on.read((tx) => tx.tokens.findCredential(secretDigest)))?.invited;
    expect(await invited()).toBe(false);
    await invite(organization, user.email);
    expect(await invited()).toBe(true);
    await Promise.all([1, 2, 3].map(() => on.run((tx) => tx.memberships.accept(user.id))));
    expect(await invited()).toBe(false);
  });

  it('are forgotten with their last invitation', async () => {
    const [first, second] = [await on.organization(), await on.organization()];
    const email = `${unique('new')}@example.com`;
    const [one, other] = [await invite(first, email), await invite(second, email)];
    await on.team(first, {}, [{ id: one.userId }]);
    await on.run((tx) => tx.memberships.remove(one));
    expect(await membersOf(first)).toEqual([]);
    expect(await reserve(email)).toEqual({ id: other.userId, registered: false });
    await on.run((tx) => tx.memberships.remove(other));
    expect((await reserve(email)).id).not.toBe(other.userId);
  });

  it('are forgotten with the organization that invited them, unless another one did', async () => {
    const [gone, kept] = [await on.organization(), await on.organization()];
    const [lost, both] = [`${unique('lost')}@example.com`, `${unique('both')}@example.com`];
    const ids = [await invite(gone, lost), await invite(gone, both)].map(({ userId }) => userId);
    await invite(kept, both);
    await on.team(gone, {}, [{ id: ids[0] ?? '' }]);
    await on.run((tx) => tx.organizations.remove(gone.id, noon));
    await on.run((tx) => tx.removals.removeBatch({ kind: 'organization', id: gone.id }, 10));
    expect((await reserve(lost)).id).not.toBe(ids[0]);
    expect(await reserve(both)).toEqual({ id: ids[1], registered: false });
  });

  it('never get the id of a deleted user again', async () => {
    const email = `${unique('Former')}@example.com`;
    const former = await on.user({ email });
    await on.run((tx) => tx.users.remove(former.id, noon));
    const ids = [former.id, unique('user')];
    const next = () => on.run((tx) => tx.users.reserve(email, ids, noon, 'to invite'));
    await on.run((tx) => tx.removals.removeBatch({ kind: 'user', id: former.id }, 10));
    expect(await next()).toEqual({ id: ids[1], registered: false });
    await on.user({ id: ids[1] ?? '', email });
    expect(await next()).toEqual({ id: ids[1], registered: true });
    await on.user({ username: former.username });
  });

  it('are not forgotten while they are invited again', async () => {
    const organizations = await Promise.all([1, 2, 3, 4].map(() => on.organization()));
    const email = `${unique('contested')}@example.com`;
    for (let round = 0; round < 3; round += 1) {
      const invitations = await Promise.all(organizations.map((organization) => invite(organization, email)));
      expect(new Set(invitations.map(({ userId }) => userId)).size).toBe(1);
      const [first, ...others] = invitations;
      await Promise.all([
        ...others.map((membership) => on.run((tx) => tx.memberships.remove(membership))),
        retried(() => reserve(email)),
      ]);
      expect(await reserve(email)).toEqual({ id: first?.userId, registered: false });
      if (first !== undefined) await on.run((tx) => tx.memberships.remove(first));
    }
  });
});
