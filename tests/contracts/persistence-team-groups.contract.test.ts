import { expect, it } from '@jest/globals';
import type { Team, User } from '../../src/domain/index.js';
import { noon, unique } from '../support/builders.js';
import { onEveryBackend } from './on-every-backend.js';

onEveryBackend('groups of teams', (on) => {
  const idsOf = (teams: readonly Team[]) => teams.map(({ id }) => id);
  const teamsOf = async (...groups: readonly string[]) => idsOf(await on.read((tx) => tx.teamGroups.teamsOf(groups)));
  const ofUser = async ({ id }: User) => {
    const synced = await on.read((tx) => tx.teamGroups.ofUser(id));
    return synced.map(({ team, madeMember }) => [team.id, madeMember]);
  };

  it('are mapped to existing teams, one to each', async () => {
    const organization = await on.organization();
    const teams = [await on.team(organization), await on.team(organization)];
    const [first, second] = teams as [Team, Team];
    const [engineers, others] = [unique('group'), unique('group')];
    for (const { id } of teams) await on.run((tx) => tx.teamGroups.map(id, engineers));
    expect(await teamsOf(engineers, others, 'none')).toEqual(idsOf(teams).sort());
    await on.run((tx) => tx.teamGroups.map(first.id, others));
    expect(await teamsOf(engineers)).toEqual([second.id]);
    expect(await teamsOf(others)).toEqual([first.id]);
    expect(await teamsOf(engineers.toUpperCase())).toEqual([]);
    expect(await teamsOf()).toEqual([]);
    await on.run((tx) => tx.teamGroups.map(first.id, null));
    expect(await teamsOf(others)).toEqual([]);
    await on.run((tx) => tx.teams.remove(second.id, noon));
    expect(await teamsOf(engineers)).toEqual([]);
  });

  it('come with their teams', async () => {
    const organization = await on.organization();
    const [user] = [await on.member(organization)];
    const team = await on.team(organization, {}, [user]);
    await on.run((tx) => tx.teamGroups.map(team.id, team.id));
    await on.run((tx) => tx.teamGroups.note(team.id, user.id, true));
    expect(await on.read((tx) => tx.teamGroups.teamsOf([team.id]))).toEqual([team]);
    expect(await on.read((tx) => tx.teamGroups.ofUser(user.id))).toEqual([{ team, madeMember: true }]);
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
    await on.run((tx) => tx.teamGroups.note(team.id, user.id, false));
    await on.run((tx) => tx.teamGroups.note(beside.id, other.id, true));
    const before = await on.rowCounts();
    expect(await ofUser(user)).toEqual([[team.id, false]]);
    await end(team, user);
    expect(await ofUser(user)).toEqual([]);
    expect(await ofUser(other)).toEqual([[beside.id, true]]);
    const after = await on.rowCounts();
    const table = on.backend.name === 'memory' ? 'syncedMembers' : 'synced_members';
    expect(after[table]).toBe((before[table] ?? 0) - 1);
  });
});
