import { describe, expect, it } from '@jest/globals';
import type { TeamTokenSort } from '../../src/application/index.js';
import {
  type Actor,
  type ApiToken,
  may,
  type OrganizationAccess,
  organizationPermissions,
  type Team,
  type TeamTokenVisibility,
  teamInQuestion,
  teamTokenVisibility,
} from '../../src/domain/index.js';
import { startApi } from '../support/api.js';
import { backends } from '../support/backends.js';
import { afterNoon, asOrganization, asTeam, asUser, noon, ownedBy } from '../support/builders.js';
import { fc } from '../support/properties.js';
import { onEveryBackend } from './on-every-backend.js';

onEveryBackend('tokens of teams', (on) => {
  const list = (
    organizationId: string,
    sort: TeamTokenSort = { key: 'team-name', descending: false },
    search?: string,
    visibility: TeamTokenVisibility = 'all',
    page = { number: 1, size: 100 },
  ) => on.read((tx) => tx.tokens.pageOfTeams({ organizationId, visibility, search, sort }, page));

  it('sort by each key either way, with nothing last and ties in the order of ids', async () => {
    const organization = await on.organization();
    const [ann, zoe] = [
      await on.user({ username: `Ann-${organization.id}` }),
      await on.user({ username: `zoe-${organization.id}` }),
    ];
    const give = async (name: string, given: Partial<ApiToken>) =>
      on.token(ownedBy('team', await on.team(organization, { name })), given);
    const by = ownedBy('user', ann);
    const b = await give('B', { expiresAt: afterNoon(5), createdBy: ownedBy('user', zoe) });
    const a = await give('a', { expiresAt: afterNoon(9), createdBy: by, lastUsedAt: afterNoon(2) });
    const d = await give('d', { lastUsedAt: afterNoon(1), createdBy: by });
    const c = await give('c', {});
    await on.token(ownedBy('team', await on.team(await on.organization())));
    await on.token(ownedBy('organization', organization));
    const ordered = (...tokens: ApiToken[]) => tokens.sort((x, y) => (x.id < y.id ? -1 : 1));
    const expected: [TeamTokenSort['key'], ApiToken[], ApiToken[]][] = [
      ['team-name', [a, b, c, d], [d, c, b, a]],
      ['expired-at', [b, a, ...ordered(c, d)], [a, b, ...ordered(c, d)]],
      ['last-used-at', [d, a, ...ordered(b, c)], [a, d, ...ordered(b, c)]],
      ['created-by', [...ordered(a, d), b, c], [b, ...ordered(a, d), c]],
    ];
    for (const [key, ascending, descending] of expected) {
      expect((await list(organization.id, { key, descending: false })).items).toEqual(ascending);
      const reversed = await list(organization.id, { key, descending: true });
      expect(reversed.items).toEqual(descending);
      const second = await list(organization.id, { key, descending: true }, undefined, 'all', { number: 2, size: 3 });
      expect(second).toEqual({ number: 2, size: 3, total: 4, items: descending.slice(3) });
    }
  });

  it('are found by part of the name of their team, in any case and to the letter', async () => {
    const organization = await on.organization();
    for (const name of ['Net_Work', 'network', 'net-!work']) {
      await on.token(ownedBy('team', await on.team(organization, { name })), { description: name });
    }
    const found = async (search: string) =>
      (await list(organization.id, undefined, search)).items.map(({ description }) => description).sort();
    expect(await found('WORK')).toEqual(['Net_Work', 'net-!work', 'network']);
    expect(await found('')).toEqual(['Net_Work', 'net-!work', 'network']);
    expect(await found('t_w')).toEqual(['Net_Work']);
    expect(await found('!w')).toEqual(['net-!work']);
    expect(await found('%')).toEqual([]);
    expect(await found("'")).toEqual([]);
  });

  it('are hidden with their team and their organization', async () => {
    const organization = await on.organization();
    const team = await on.team(organization);
    const [gone, left] = [
      await on.token(ownedBy('team', team)),
      await on.token(ownedBy('team', await on.team(organization))),
    ];
    expect((await list(organization.id)).total).toBe(2);
    await on.run((tx) => tx.teams.remove(team.id, noon));
    expect((await list(organization.id)).items).toEqual([left]);
    expect(gone.id).not.toBe(left.id);
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await list(organization.id)).toMatchObject({ total: 0, items: [] });
  });

  it('are listed to exactly the callers who may manage them, for any team membership', async () => {
    const someAccess = (seed: number): OrganizationAccess => {
      const favourites = ['manage-teams', 'access-secret-teams', 'read-workspaces'] as const;
      const chosen = fc.sample(fc.subarray([...favourites, ...organizationPermissions.slice(0, 2)]), {
        seed,
        numRuns: 1,
      });
      return new Set(chosen[0]);
    };
    const organization = await on.organization();
    const users = [];
    for (let n = 0; n < 6; n += 1) users.push(await on.member(organization));
    const teams: Team[] = [];
    const tokenOf = new Map<string, ApiToken>();
    for (let n = 0; n < 24; n += 1) {
      const team = await on.team(
        organization,
        {
          owners: n === 0,
          visibility: n % 2 === 0 ? 'secret' : 'organization',
          membersManageToken: n % 3 !== 0,
          access: n % 5 === 0 ? new Set() : someAccess(n),
        },
        users.filter((_, index) => (n === 0 ? index === 0 : (n * 7 + index * 5) % 11 < 2)),
      );
      teams.push(team);
      tokenOf.set(team.id, await on.token(ownedBy('team', team)));
    }
    const callers: Actor[] = [...users.map(asUser), ...teams.map(asTeam), asOrganization(organization)];
    for (const actor of callers) {
      const seen = await on.read((tx) => tx.organizations.findFor(actor, organization.name));
      if (seen === undefined) throw new Error('the organization is missing');
      const { standing } = seen;
      const manageable = teams.filter((team) => may({ ...standing, team: teamInQuestion(team) }, 'team-tokens/manage'));
      const found = await list(organization.id, undefined, undefined, teamTokenVisibility(standing));
      const expected = manageable.map(({ id }) => tokenOf.get(id)?.id).sort();
      expect(found.items.map(({ id }) => id).sort()).toEqual(expected);
      expect(found.total).toBe(expected.length);
    }
  });
});

describe.each(backends)('issuing tokens of one team at once, on $name', (backend) => {
  (backend.skip ? it.skip : it)('leaves exactly one alive, and it is one that a caller received', async () => {
    const database = await backend.open();
    try {
      const api = await startApi({ unitOfWork: database.unitOfWork });
      await api.organization('acme');
      const team = await api.team('acme', 'platform');
      const path = `/teams/${team}/authentication-token`;
      const body = { data: { type: 'authentication-token' } };
      const answers = await Promise.all(Array.from({ length: 50 }, () => api.admin.post(path, body)));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 201));
      const { id } = (await api.admin.get(path).expect(200)).body.data;
      const alive = [];
      for (const { body: issued } of answers) {
        const { status } = await api.as(issued.data.attributes.token).get(`/teams/${team}`);
        expect([200, 401]).toContain(status);
        if (status === 200) alive.push(issued.data.id);
      }
      expect(alive).toEqual([id]);
    } finally {
      await database.close();
    }
  });
});
