import { expect, it } from '@jest/globals';
import type { Organization, Team, User } from '../../src/domain/index.js';
import { aMembership, noon, unique } from '../support/builders.js';
import { onEveryBackend } from './on-every-backend.js';

onEveryBackend('groups of teams', (on) => {
  const idsOf = (teams: readonly Team[]) => teams.map(({ id }) => id);
  const teamsOf = async (...groups: readonly string[]) => {
    const mapped = await on.read((tx) => tx.teamGroups.teamsOf(groups));
    return mapped.map(({ team, group }) => [team.id, group]);
  };
  const made = async (of: { readonly userId: string } | { readonly organizationId: string }) => {
    const found = await on.read((tx) => tx.teamGroups.memberships(of));
    return found.map(({ team, userId, identityId, group }) => [team.id, userId, identityId, group]);
  };
  const note = (team: Team, user: User, identityId = 'idn-1', group = 'group') =>
    on.run((tx) => tx.teamGroups.note({ team, userId: user.id, identityId, group }));
  const given = async ({ id }: Organization) => (await on.read((tx) => tx.teamGroups.given([id, 'org-none']))).get(id);

  it('are mapped to existing teams, one to each', async () => {
    const organization = await on.organization();
    const teams = [await on.team(organization), await on.team(organization)];
    const [first, second] = teams as [Team, Team];
    const [engineers, others] = [unique('group'), unique('group')];
    for (const { id } of teams) await on.run((tx) => tx.teamGroups.map(id, engineers));
    expect(await teamsOf(engineers, others, 'none')).toEqual(
      idsOf(teams)
        .sort()
        .map((id) => [id, engineers]),
    );
    await on.run((tx) => tx.teamGroups.map(first.id, others));
    expect(await teamsOf(engineers)).toEqual([[second.id, engineers]]);
    expect(await teamsOf(others)).toEqual([[first.id, others]]);
    expect(await teamsOf(engineers.toUpperCase())).toEqual([]);
    expect(await teamsOf()).toEqual([]);
    await on.run((tx) => tx.teamGroups.map(first.id, null));
    expect(await teamsOf(others)).toEqual([]);
    await on.run((tx) => tx.teams.remove(second.id, noon));
    expect(await teamsOf(engineers)).toEqual([]);
  });

  it('are given to organizations, sorted, each time in place of those before', async () => {
    const [organization, other] = [await on.organization(), await on.organization()];
    await on.run((tx) => tx.teamGroups.give(organization.id, ['ops', 'eng-*']));
    await on.run((tx) => tx.teamGroups.give(other.id, ['*']));
    expect(await given(organization)).toEqual(['eng-*', 'ops']);
    await on.run((tx) => tx.teamGroups.give(organization.id, ['eng-*']));
    expect(await given(organization)).toEqual(['eng-*']);
    expect(await on.read((tx) => tx.teamGroups.withEveryGroup(1_000))).toContain(other.name);
    expect(await on.read((tx) => tx.teamGroups.withEveryGroup(1_000))).not.toContain(organization.name);
    await on.run((tx) => tx.teamGroups.give(other.id, []));
    expect(await given(other)).toBeUndefined();
    expect(await on.read((tx) => tx.teamGroups.withEveryGroup(1_000))).not.toContain(other.name);
  });

  it('are not all given to an organization that is not the first', async () => {
    const [, second] = [await on.organization(), await on.organization()];
    await on.run((tx) => tx.teamGroups.giveFirst(second.id));
    expect(await given(second)).toBeUndefined();
  });

  it('come with their teams', async () => {
    const organization = await on.organization();
    const user = await on.member(organization);
    const team = await on.team(organization, {}, [user]);
    await on.run((tx) => tx.teamGroups.map(team.id, team.id));
    const one = { team, userId: user.id, identityId: 'idn-1', group: team.id };
    await on.run((tx) => tx.teamGroups.note(one));
    expect(await on.read((tx) => tx.teamGroups.teamsOf([team.id]))).toEqual([{ team, group: team.id }]);
    expect(await on.read((tx) => tx.teamGroups.memberships({ userId: user.id }))).toEqual([one]);
  });

  it('are noted for each identity that gives a membership, and withdrawn one by one', async () => {
    const organization = await on.organization();
    const [user, other] = [await on.member(organization), await on.member(organization)];
    const team = await on.team(organization, {}, [user, other]);
    await note(team, user, 'idn-2', 'b');
    await note(team, user, 'idn-1', 'a');
    await note(team, user, 'idn-1', 'c');
    await note(team, other);
    const own = [
      [team.id, user.id, 'idn-1', 'c'],
      [team.id, user.id, 'idn-2', 'b'],
    ];
    expect(await made({ userId: user.id })).toEqual(own);
    const all = await made({ organizationId: organization.id });
    expect(all).toHaveLength(3);
    expect(all).toEqual(expect.arrayContaining([...own, [team.id, other.id, 'idn-1', 'group']]));
    await on.run((tx) => tx.teamGroups.withdraw(team.id, user.id, 'idn-1'));
    expect(await made({ userId: user.id })).toEqual([[team.id, user.id, 'idn-2', 'b']]);
    expect(await made({ userId: other.id })).toHaveLength(1);
  });

  it('leave memberships of an organization that a sign-in made and that have no team', async () => {
    const organization = await on.organization();
    const [byHand, withTeam, without] = [await on.member(organization), await on.user(), await on.user()];
    const bySignIn = { identityId: 'idn-1' };
    const [kept, idle] = [aMembership(organization, withTeam, bySignIn), aMembership(organization, without, bySignIn)];
    for (const one of [kept, idle]) await on.run((tx) => tx.memberships.add(one));
    const team = await on.team(organization, {}, [withTeam]);
    const inOrganization = { organizationId: organization.id };
    expect(await on.read((tx) => tx.teamGroups.withoutTeam(inOrganization))).toEqual([idle]);
    expect(await on.read((tx) => tx.teamGroups.withoutTeam({ userId: without.id }))).toEqual([idle]);
    for (const { id } of [byHand, withTeam]) {
      expect(await on.read((tx) => tx.teamGroups.withoutTeam({ userId: id }))).toEqual([]);
    }
    await on.run((tx) => tx.teams.remove(team.id, noon));
    expect(await on.read((tx) => tx.teamGroups.withoutTeam({ userId: withTeam.id }))).toEqual([kept]);
  });

  it.each([
    ['it is forgotten', (team: Team, user: User) => on.run((tx) => tx.teamGroups.forget(team.id, [user.id]))],
    [
      'the user leaves the team',
      (team: Team, user: User) => on.run((tx) => tx.teams.removeMembers(team.id, [user.id])),
    ],
    [
      'the user leaves the organization',
      (team: Team, user: User) =>
        on.run(async (tx) => {
          const [membership] = await tx.memberships.ofUsers(team.organizationId, [user.id]);
          if (membership !== undefined) await tx.memberships.remove(membership);
        }),
    ],
    [
      'the user is deleted',
      async ({ id: _ }: Team, { id }: User) => {
        await on.run((tx) => tx.users.remove(id, noon));
        await on.run((tx) => tx.removals.removeBatch({ kind: 'user', id }, 100));
      },
    ],
    [
      'the team is deleted',
      async ({ id }: Team) => {
        await on.run((tx) => tx.teams.remove(id, noon));
        await on.run((tx) => tx.removals.removeBatch({ kind: 'team', id }, 100));
      },
    ],
  ])('made a membership until %s', async (_, end) => {
    const organization = await on.organization();
    const [user, other] = [await on.member(organization), await on.member(organization)];
    const [team, beside] = [
      await on.team(organization, {}, [user, other]),
      await on.team(await on.organization(), {}, [other]),
    ];
    await on.run((tx) => tx.teamGroups.map(team.id, 'group'));
    await note(team, user);
    await note(beside, other);
    const before = await on.rowCounts();
    expect(await made({ userId: user.id })).toHaveLength(1);
    await end(team, user);
    expect(await made({ userId: user.id })).toEqual([]);
    expect(await made({ userId: other.id })).toEqual([[beside.id, other.id, 'idn-1', 'group']]);
    const after = await on.rowCounts();
    expect(after.group_memberships).toBe((before.group_memberships ?? 0) - 1);
  });
});
