import { expect, it } from '@jest/globals';
import type { Page, PageRequest, TeamWorkspaceView, Transaction } from '../../src/application/index.js';
import type { Organization, Team, User, Workspace } from '../../src/domain/index.js';
import { afterNoon, aToken, noon, ownedBy, unique } from '../support/builders.js';
import { anAgentPool, anAgentToken, aPolicySet } from '../support/policy-builders.js';
import { onEveryBackend } from './on-every-backend.js';

const nobody = { actor: 'user', siteAdministrator: false, member: false, teams: [] } as const;

onEveryBackend('the length of a list', (on) => {
  /** All items, page by page. Fails unless every page reports the same total, equal to their number. */
  async function whole<Item>(find: (tx: Transaction, page: PageRequest) => Promise<Page<Item>>): Promise<Item[]> {
    const found: Item[] = [];
    const totals = new Set<number>();
    for (let number = 1; ; number += 1) {
      const page = await on.read((tx) => find(tx, { number, size: 3 }));
      found.push(...page.items);
      totals.add(page.total);
      if (page.items.length === 0) break;
    }
    expect([...totals]).toEqual([found.length]);
    return found;
  }

  const names = async (organization: Organization, workspace: Workspace, seen: readonly Team[]) => {
    const some = { visibleAnd: seen.map(({ id }) => id) };
    const query = { organizationId: organization.id, search: undefined } as const;
    const tokens = { ...query, visibility: 'all', sort: { key: 'team-name', descending: false } } as const;
    const accesses = { workspaceId: workspace.id, teamId: undefined };
    const teamIds = (items: readonly TeamWorkspaceView[]) => items.map(({ teamWorkspace }) => teamWorkspace.teamId);
    return {
      teams: (await whole((tx, page) => tx.teams.page(organization.id, 'all', page))).map(({ id }) => id),
      seenTeams: (await whole((tx, page) => tx.teams.page(organization.id, some, page))).map(({ id }) => id),
      tokens: (await whole((tx, page) => tx.tokens.pageOfTeams(tokens, page))).map(({ owner }) => owner.id),
      accesses: teamIds(await whole((tx, page) => tx.teamAccess.page({ ...accesses, visibility: 'all' }, page))),
      seenAccesses: teamIds(await whole((tx, page) => tx.teamAccess.page({ ...accesses, visibility: some }, page))),
      members: (await whole((tx, page) => tx.memberships.page(organization.id, page))).map(({ userId }) => userId),
      workspaces: (await whole((tx, page) => tx.workspaces.page(organization.id, nobody, 'all', page))).map(
        ({ subject }) => subject.id,
      ),
    };
  };

  async function anOrganizationWithLists() {
    const organization = await on.organization();
    const workspace = await on.workspace(organization, { name: 'main' });
    const teams: Team[] = [];
    const users: User[] = [];
    for (const [index, name] of ['delta', 'Alpha', 'charlie', 'Bravo', 'echo', 'Foxtrot', 'golf'].entries()) {
      const team = await on.team(organization, { name, visibility: index % 2 === 0 ? 'secret' : 'organization' });
      await on.token(ownedBy('team', team));
      await on.grant(team, workspace, { access: 'read' });
      teams.push(team);
      users.push(await on.member(organization, { username: unique(name) }));
    }
    return { organization, workspace, teams, users };
  }

  const idsOf = (things: readonly { readonly id: string }[], order: readonly number[]): string[] =>
    order.map((index) => things[index]?.id ?? '');

  it('is that of what a caller may see, in order', async () => {
    const { organization, workspace, teams, users } = await anOrganizationWithLists();
    const [all, some] = [idsOf(teams, [1, 3, 2, 0, 4, 5, 6]), idsOf(teams, [1, 3, 0, 5])];
    expect(await names(organization, workspace, teams.slice(0, 2))).toEqual({
      teams: all,
      tokens: all,
      accesses: all,
      seenTeams: some,
      seenAccesses: some,
      members: idsOf(users, [1, 3, 2, 0, 4, 5, 6]),
      workspaces: [workspace.id],
    });
  });

  it('follows policy sets, agent pools and tokens as they come and go', async () => {
    const { organization } = await anOrganizationWithLists();
    const user = await on.member(organization, {});
    const sets = ['delta', 'Alpha', 'charlie', 'Bravo'].map((name) => aPolicySet(organization, { name }));
    const pools = ['delta', 'Alpha', 'charlie', 'Bravo'].map((name) => anAgentPool(organization, { name }));
    const [pool = anAgentPool(organization)] = pools;
    const at = (second: number) => ({ createdAt: afterNoon(second) });
    const agents = [1, 3, 2, 4].map((second) => anAgentToken(pool, at(second)));
    const own = [1, 3, 2, 4].map((second) => aToken(ownedBy('user', user), at(second)));
    await on.run(async (tx) => {
      for (const set of sets) await tx.policySets.add(set);
      for (const one of pools) await tx.agentPools.add(one);
      for (const token of agents) await tx.agentTokens.add(token);
      for (const token of own) await tx.tokens.add(token);
    });
    const ids = async () => ({
      sets: (await whole((tx, page) => tx.policySets.page(organization.id, page))).map(({ id }) => id),
      pools: (await whole((tx, page) => tx.agentPools.page(organization.id, page))).map(({ id }) => id),
      agents: (await whole((tx, page) => tx.agentTokens.page(pool.id, page))).map(({ id }) => id),
      own: (await whole((tx, page) => tx.tokens.pageOfUser(user.id, page))).map(({ id }) => id),
    });
    const [byName, newestFirst] = [
      [1, 3, 2, 0],
      [3, 1, 2, 0],
    ];
    expect(await ids()).toEqual({
      sets: idsOf(sets, byName),
      pools: idsOf(pools, byName),
      agents: idsOf(agents, newestFirst),
      own: idsOf(own, newestFirst),
    });
    const users = await on.read((tx) => tx.users.page({ number: 1, size: 1 }));
    await on.run(async (tx) => {
      await tx.policySets.remove(idsOf(sets, [1])[0] ?? '');
      await tx.agentTokens.remove(idsOf(agents, [3])[0] ?? '');
      await tx.tokens.remove(idsOf(own, [3])[0] ?? '');
    });
    expect(await ids()).toEqual({
      sets: idsOf(sets, byName.slice(1)),
      pools: idsOf(pools, byName),
      agents: idsOf(agents, newestFirst.slice(1)),
      own: idsOf(own, newestFirst.slice(1)),
    });
    await on.run(async (tx) => {
      await tx.agentPools.remove(pool.id);
      await tx.users.remove(user.id, noon);
    });
    expect(await ids()).toEqual({
      sets: idsOf(sets, byName.slice(1)),
      pools: idsOf(pools, byName.slice(0, 3)),
      agents: [],
      own: [],
    });
    expect((await on.read((tx) => tx.users.page({ number: 1, size: 1 }))).total).toBe(users.total - 1);
  });

  it('follows what is renamed, hidden, shown, deleted and permanently removed', async () => {
    const { organization, workspace, teams, users } = await anOrganizationWithLists();
    const another = await on.workspace(organization, { name: 'Another' });
    await on.run(async (tx) => {
      const [delta, alpha, charlie, bravo] = teams as [Team, Team, Team, Team];
      await tx.teams.save({ ...delta, name: 'zulu', visibility: 'organization', revision: 1 });
      await tx.teams.save({ ...alpha, visibility: 'secret', revision: 1 });
      await tx.teams.remove(charlie.id, noon);
      await tx.teams.remove(bravo.id, noon);
      await tx.users.remove(users[0]?.id ?? '', noon);
    });
    const expected = {
      teams: idsOf(teams, [1, 4, 5, 6, 0]),
      tokens: idsOf(teams, [1, 4, 5, 6, 0]),
      accesses: idsOf(teams, [1, 4, 5, 6, 0]),
      seenTeams: idsOf(teams, [4, 5, 0]),
      seenAccesses: idsOf(teams, [4, 5, 0]),
      members: idsOf(users, [1, 3, 2, 4, 5, 6]),
      workspaces: [another.id, workspace.id],
    };
    const seen = teams.slice(4, 5);
    expect(await names(organization, workspace, seen)).toEqual(expected);

    for (const id of idsOf(teams, [2, 3])) await on.run((tx) => tx.removals.removeBatch({ kind: 'team', id }, 100));
    await on.run((tx) => tx.removals.removeBatch({ kind: 'user', id: users[0]?.id ?? '' }, 100));
    expect(await names(organization, workspace, seen)).toEqual(expected);

    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await names(organization, workspace, seen)).toEqual({
      ...expected,
      accesses: [],
      seenAccesses: [],
      workspaces: [another.id],
    });
  });

  it('is right after many changed things at once', async () => {
    const { organization, workspace, teams } = await anOrganizationWithLists();
    const others = await Promise.all(['x', 'y', 'z'].map((name) => on.workspace(organization, { name })));
    const changes = teams.flatMap((team, index) => [
      async () => on.run((tx) => tx.teams.save({ ...team, name: `${index}`, revision: 1 })),
      async () => on.run((tx) => tx.teams.remove(team.id, noon)),
      ...others.map((other) => () => on.grant(team, other, { access: 'read' })),
      async () => void (await on.team(organization)),
    ]);
    await Promise.allSettled(changes.map((change) => change()));
    for (const place of [workspace, ...others]) {
      const found = await names(organization, place, []);
      expect(found.teams).toHaveLength(teams.length);
      expect([found.tokens, found.accesses]).toEqual([[], []]);
    }
  });
});
