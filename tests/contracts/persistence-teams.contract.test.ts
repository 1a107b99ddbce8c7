import { expect, it } from '@jest/globals';
import type { Grant } from '../../src/domain/index.js';
import { aCustomGrant, asMember, asTeam, aTeam, noon, unique } from '../support/builders.js';
import { onEveryBackend, refusal, taken } from './on-every-backend.js';

onEveryBackend('teams', (on) => {
  it('has one living team of an organization by a name', async () => {
    const organization = await on.organization();
    const { name } = await on.team(organization);
    const other = await on.team(organization);
    await expect(on.team(organization, { name })).rejects.toEqual(taken('name'));
    await expect(on.run((tx) => tx.teams.save({ ...other, name, revision: 1 }))).rejects.toEqual(taken('name'));
    await on.team(await on.organization(), { name });
  });

  it('frees the name of a team that is removed', async () => {
    const organization = await on.organization();
    const { id, name } = await on.team(organization);
    await on.run((tx) => tx.teams.remove(id, noon));
    const heir = await on.team(organization, { name });
    expect((await on.read((tx) => tx.teams.findFor(asTeam(heir), heir.id)))?.subject).toEqual(heir);
  });

  it('is found with what its organization allows its token', async () => {
    const team = { max: 7_200_000, changedAt: noon };
    const { settings, ...given } = await on.organization();
    const tokenLifetimes = { ...settings.tokenLifetimes, team };
    const organization = { ...given, settings: { ...settings, maxTtlEnabled: true, tokenLifetimes } };
    await on.run((tx) => tx.organizations.save(organization));
    const own = await on.team(organization);
    const plain = await on.read((tx) => tx.teams.findFor(asTeam(own), own.id));
    const seen = await on.read((tx) => tx.teams.findLimitedFor(asTeam(own), own.id));
    expect(seen?.standing).toEqual(plain?.standing);
    expect(seen?.subject.team).toEqual(own);
    expect(seen?.subject.limits).toMatchObject({
      name: organization.name,
      settings: { maxTtlEnabled: true, tokenLifetimes },
    });
    expect(await on.read((tx) => tx.teams.findLimitedFor(asTeam(own), unique('team')))).toBeUndefined();
  });

  it('counts and lists its living members, by user name whatever its case', async () => {
    const organization = await on.organization();
    const members = [];
    for (const letter of ['c', 'B', 'a']) {
      members.unshift(await on.member(organization, { username: `${letter}-${organization.id}` }));
    }
    const gone = await on.member(organization);
    const team = await on.team(organization, {}, [...members, gone]);
    const empty = await on.team(organization);
    await on.run((tx) => tx.users.remove(gone.id, noon));
    expect(await on.read((tx) => tx.teams.members([team.id, empty.id]))).toEqual(
      new Map([
        [team.id, members.map(asMember)],
        [empty.id, []],
      ]),
    );
    expect((await on.read((tx) => tx.teams.findFor(asTeam(team), team.id)))?.subject.usersCount).toBe(3);
  });

  it('adds members once, and removes those that are there', async () => {
    const organization = await on.organization();
    const [ann, bob, cid] = [
      await on.member(organization),
      await on.member(organization),
      await on.member(organization),
    ];
    const team = await on.team(organization);
    const members = async () => {
      const found = await on.read((tx) => tx.teams.members([team.id]));
      return (found.get(team.id) ?? []).map(({ id }) => id).sort();
    };
    await on.run((tx) => tx.teams.addMembers(team, [ann.id, bob.id]));
    await on.run((tx) => tx.teams.addMembers(team, [bob.id, cid.id]));
    await on.run((tx) => tx.teams.addMembers(team, []));
    expect(await members()).toEqual([ann.id, bob.id, cid.id].sort());
    await on.run((tx) => tx.teams.removeMembers(team.id, [ann.id, cid.id, 'user-nobody']));
    await on.run((tx) => tx.teams.removeMembers(team.id, []));
    expect(await members()).toEqual([bob.id]);
  });

  it('adds the same members at once without complaint', async () => {
    const organization = await on.organization();
    const users = [await on.member(organization), await on.member(organization)];
    const team = await on.team(organization);
    const ids = users.map(({ id }) => id);
    await Promise.all(Array.from({ length: 10 }, () => on.run((tx) => tx.teams.addMembers(team, ids))));
    expect((await on.read((tx) => tx.teams.findFor(asTeam(team), team.id)))?.subject.usersCount).toBe(2);
  });

  it('lists all teams by name whatever its case', async () => {
    const organization = await on.organization();
    const teams = [];
    for (const name of ['c', 'B', 'a']) teams.unshift(await on.team(organization, { name }));
    await on.team(await on.organization());
    const page = (number: number, size: number) =>
      on.read((tx) => tx.teams.page(organization.id, 'all', { number, size }));
    expect(await page(1, 2)).toEqual({ number: 1, size: 2, total: 3, items: teams.slice(0, 2) });
    expect(await page(2, 2)).toEqual({ number: 2, size: 2, total: 3, items: teams.slice(2) });
    expect(await page(3, 2)).toEqual({ number: 3, size: 2, total: 3, items: [] });
    const empty = await on.organization();
    const none = await on.read((tx) => tx.teams.page(empty.id, 'all', { number: 1, size: 2 }));
    expect(none).toEqual({ number: 1, size: 2, total: 0, items: [] });
  });

  it('lists the visible teams and those named, where not all may be seen', async () => {
    const organization = await on.organization();
    const visible = await on.team(organization, { name: 'a', visibility: 'organization' });
    const own = await on.team(organization, { name: 'b' });
    const secret = await on.team(organization, { name: 'c' });
    const page = async (...visibleAnd: string[]) => {
      const found = await on.read((tx) => tx.teams.page(organization.id, { visibleAnd }, { number: 1, size: 20 }));
      return { total: found.total, ids: found.items.map(({ id }) => id) };
    };
    expect(await page(own.id)).toEqual({ total: 2, ids: [visible.id, own.id] });
    expect(await page()).toEqual({ total: 1, ids: [visible.id] });
    expect(await page(own.id, secret.id, visible.id)).toEqual({ total: 3, ids: [visible.id, own.id, secret.id] });
  });

  const grants: readonly (readonly [string, Grant])[] = [
    ['read', { access: 'read' }],
    ['plan', { access: 'plan' }],
    ['write', { access: 'write' }],
    ['admin', { access: 'admin' }],
    ['custom', aCustomGrant({ runs: 'apply', stateVersions: 'read-outputs', workspaceLocking: true })],
    ['custom, with nothing', aCustomGrant()],
  ];

  it.each(grants)('gives back a grant as it was set: %s', async (_, grant) => {
    const organization = await on.organization();
    const team = await on.team(organization);
    const [workspace, other] = [await on.workspace(organization), await on.workspace(organization)];
    await on.grant(team, workspace, grant);
    const teamsOn = async (id: string) =>
      (await on.read((tx) => tx.workspaces.findFor(asTeam(team), id)))?.standing.teams;
    const bare = { teamId: team.id, owners: false, access: new Set() };
    expect(await teamsOn(workspace.id)).toEqual([{ ...bare, grant }]);
    expect(await teamsOn(other.id)).toEqual([bare]);
  });

  it('keeps nothing of a team that could not be added', async () => {
    const organization = await on.organization();
    const { name } = await on.team(organization);
    const late = aTeam(organization, { name, id: unique('team') });
    await expect(on.run((tx) => tx.teams.add(late))).rejects.toEqual(refusal('attribute/taken'));
    expect(await on.read((tx) => tx.teams.findFor(asTeam(late), late.id))).toBeUndefined();
  });
});
