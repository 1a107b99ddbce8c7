import { expect, it } from '@jest/globals';
import type { PageRequest, Slice, TeamWorkspaceView, Transaction } from '../../src/application/index.js';
import {
  type AccessLevel,
  type Grant,
  type Organization,
  type Team,
  type TeamVisibility,
  TeamWorkspace,
  type Workspace,
} from '../../src/domain/index.js';
import { asOrganization, asTeam, asUser, aTeamWorkspace, noon, unbounded } from '../support/builders.js';
import { onEveryBackend, refusal, taken } from './on-every-backend.js';

const idOf = ({ teamWorkspace }: TeamWorkspaceView): string => teamWorkspace.id;

onEveryBackend('team access', (on) => {
  const add = async (team: Team, workspace: Workspace, grant: Grant = { access: 'read' }) => {
    const row = aTeamWorkspace(team.id, workspace.id, { grant });
    await on.run((tx) => tx.teamAccess.add(row));
    return row.state;
  };

  const page = async (
    workspaceId: string,
    visibility: TeamVisibility = 'all',
    teamId?: string,
    request: PageRequest = { number: 1, size: 20 },
  ) => {
    const found = await on.read((tx) => tx.teamAccess.page({ workspaceId, visibility, teamId }, request));
    return { ...found, items: found.items.map(idOf) };
  };

  /** The whole list, slice by slice; `between` is done before each slice but the first. */
  const slices = async (
    workspaceId: string,
    limit: number,
    { visibility = 'all', teamId }: { readonly visibility?: TeamVisibility; readonly teamId?: string } = {},
    between: (slice: number) => Promise<unknown> = async () => undefined,
  ): Promise<string[][]> => {
    const filter = { workspaceId, visibility, teamId };
    const found: string[][] = [];
    for (let after: Slice<TeamWorkspaceView>['last']; ; ) {
      const { items, last } = await on.read((tx) => tx.teamAccess.slice(filter, after, limit));
      found.push(items.map(idOf));
      if (last === undefined) return found;
      await between(found.length);
      after = last;
    }
  };

  const seen = (team: Team, id: string) => on.read((tx) => tx.teamAccess.findFor(asTeam(team), id));

  it('has one row for a team on a workspace', async () => {
    const organization = await on.organization();
    const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
    await add(team, workspace);
    await expect(add(team, workspace, { access: 'admin' })).rejects.toEqual(taken('team'));
    await add(team, await on.workspace(organization));
    await add(await on.team(organization), workspace);
  });

  it('keeps a change, and refuses one of what moved on', async () => {
    const organization = await on.organization();
    const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
    const row = await add(team, workspace);
    const first = TeamWorkspace.restore(row);
    const to = (access: AccessLevel) => ({ access, permissions: {}, unnamed: 'default' }) as const;
    const next = first.change({ ...to('custom'), permissions: { runs: 'apply', runTasks: true } }, unbounded);
    await on.run((tx) => tx.teamAccess.save(next));
    expect((await seen(team, row.id))?.subject.teamWorkspace).toEqual(next.state);
    const stale = on.run((tx) => tx.teamAccess.save(first.change(to('admin'), unbounded)));
    await expect(stale).rejects.toEqual(refusal('shared/stale-revision'));
    await on.run((tx) => tx.teamAccess.save(next.change(to('plan'), unbounded)));
    expect((await seen(team, row.id))?.subject.teamWorkspace.grant).toEqual({ access: 'plan' });
  });

  it('lets changes of one row wait for each other', async () => {
    const organization = await on.organization();
    const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
    const { id } = await add(team, workspace);
    const change = () =>
      on.run(async (tx) => {
        const found = await tx.teamAccess.findFor(asTeam(team), id);
        if (found === undefined) throw new Error('it is missing');
        await tx.teamAccess.save(
          TeamWorkspace.restore(found.subject.teamWorkspace).change(
            { access: undefined, permissions: {}, unnamed: 'default' },
            unbounded,
          ),
        );
      });
    await Promise.all([1, 2, 3, 4].map(change));
    expect((await seen(team, id))?.subject.teamWorkspace.revision).toBe(4);
  });

  it('removes a row once', async () => {
    const organization = await on.organization();
    const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
    const { id } = await add(team, workspace);
    expect(await on.run((tx) => tx.teamAccess.remove(id))).toBe(true);
    expect(await on.run((tx) => tx.teamAccess.remove(id))).toBe(false);
    expect(await seen(team, id)).toBeUndefined();
  });

  it('is found with what the caller holds on the workspace, and the team in question', async () => {
    const organization = await on.organization();
    const [user, outsider] = [await on.member(organization), await on.user()];
    const own = await on.team(organization, { access: new Set(['manage-teams']) }, [user]);
    const other = await on.team(organization, { membersManageToken: false, access: new Set(['read-workspaces']) });
    const workspace = await on.workspace(organization);
    await on.grant(own, workspace, { access: 'admin' });
    const { id } = await add(other, workspace, { access: 'plan' });
    const team = {
      teamId: other.id,
      owners: false,
      secret: true,
      membersManageToken: false,
      access: new Set(['read-workspaces']),
    };
    const standing = async (actor: Parameters<typeof asUser>[0]) =>
      (await on.read((tx) => tx.teamAccess.findFor(asUser(actor), id)))?.standing;
    const holding = { teamId: own.id, owners: false, access: own.access, grant: { access: 'admin' } };
    expect(await standing(user)).toMatchObject({ member: true, teams: [holding], team });
    expect(await standing(outsider)).toMatchObject({ member: false, teams: [], team });
    const itself = await seen(other, id);
    expect(itself?.standing).toMatchObject({ teams: [{ teamId: other.id, grant: { access: 'plan' } }], team });
    const token = await on.read((tx) => tx.teamAccess.findFor(asOrganization(organization), id));
    expect(token?.standing).toMatchObject({ actor: 'organization', member: true, teams: [], team });
  });

  it('lists the rows of a workspace by team name, in slices or in pages, as far as they are visible', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const named = (name: string, visibility: Team['visibility']) => on.team(organization, { name, visibility });
    const c = await named('c', 'organization');
    const b = await named('B', 'secret');
    const a = await named('a', 'secret');
    const rows = { c: (await add(c, workspace)).id, b: (await add(b, workspace)).id, a: (await add(a, workspace)).id };
    await add(a, await on.workspace(organization));

    const { a: first, b: second, c: third } = rows;
    expect(await page(workspace.id)).toMatchObject({ number: 1, total: 3, items: [first, second, third] });
    const two = { number: 1, size: 2 };
    expect(await page(workspace.id, 'all', undefined, two)).toEqual({ ...two, total: 3, items: [first, second] });
    const rest = { number: 2, size: 2 };
    expect(await page(workspace.id, 'all', undefined, rest)).toEqual({ ...rest, total: 3, items: [third] });
    const items = async (visibility: TeamVisibility, teamId?: string) => {
      const found = await page(workspace.id, visibility, teamId);
      expect(found.total).toBe(found.items.length);
      for (const limit of [1, 2, 20]) {
        expect((await slices(workspace.id, limit, { visibility, ...(teamId && { teamId }) })).flat()).toEqual(
          found.items,
        );
      }
      return found.items;
    };
    expect(await items('all')).toEqual([first, second, third]);
    expect(await items({ visibleAnd: [] })).toEqual([third]);
    expect(await items({ visibleAnd: [b.id, c.id] })).toEqual([second, third]);
    expect(await items('all', b.id)).toEqual([second]);
    expect(await items({ visibleAnd: [] }, b.id)).toEqual([]);
    expect(await items({ visibleAnd: [] }, 'team-nobody')).toEqual([]);
    expect(await page('ws-nobody')).toMatchObject({ total: 0, items: [] });
    expect(await slices('ws-nobody', 5)).toEqual([[]]);
  });

  it('cuts a list into slices of the size asked for, and says where there are more', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const ids: string[] = [];
    for (const name of ['A-1', 'a-2', 'a-10', 'a_1', 'B', 'b-1'].sort((a, b) =>
      Buffer.compare(Buffer.from(a.toLowerCase()), Buffer.from(b.toLowerCase())),
    )) {
      ids.push((await add(await on.team(organization, { name }), workspace)).id);
    }
    for (const limit of [1, 2, 3, 4, 6, 7]) {
      const expected = Array.from({ length: Math.ceil(ids.length / limit) }, (_, at) =>
        ids.slice(at * limit, (at + 1) * limit),
      );
      expect(await slices(workspace.id, limit)).toEqual(expected);
    }
    const half = await on.read((tx) =>
      tx.teamAccess.slice({ workspaceId: workspace.id, visibility: 'all', teamId: undefined }, undefined, 3),
    );
    const [listed] = half.items;
    expect(listed).toMatchObject({ workspaceName: workspace.name });
    expect(listed?.teamWorkspace).toMatchObject({ workspaceId: workspace.id, revision: 0 });
    const team = { id: listed?.teamWorkspace.teamId } as Team;
    expect(listed).toEqual((await seen(team, ids[0] ?? ''))?.subject);
  });

  it('has in its slices, once, all that stays while others come and go', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const rows: Record<string, string> = {};
    const give = async (name: string) => {
      const team = await on.team(organization, { name });
      rows[name] = (await add(team, workspace)).id;
      return team;
    };
    const teams = new Map<string, Team>();
    for (const name of ['b', 'd', 'f', 'h', 'j', 'l']) teams.set(name, await give(name));
    const of = (...names: string[]) => names.map((name) => rows[name]);
    const found = await slices(workspace.id, 2, {}, async (slice) => {
      if (slice === 1) {
        // Changes behind the place to go on from, at that place, and ahead of it.
        await give('a');
        await on.run((tx) => tx.teamAccess.remove(rows.d ?? ''));
        await on.run((tx) => tx.teams.remove(teams.get('f')?.id ?? '', noon));
        await give('g');
      }
      if (slice === 2) {
        const team = teams.get('h') as Team;
        await on.run((tx) => tx.teams.save({ ...team, name: 'c', revision: team.revision + 1 }));
        await give('k');
      }
    });
    expect(found).toEqual([of('b', 'd'), of('g', 'h'), of('j', 'k'), of('l')]);
  });

  type Place = { readonly organization: Organization; readonly team: Team; readonly workspace: Workspace };
  const removals: readonly ((tx: Transaction, of: Place) => Promise<void>)[] = [
    (tx, { team }) => tx.teams.remove(team.id, noon),
    (tx, { workspace }) => tx.workspaces.remove(workspace.id, noon),
    (tx, { organization }) => tx.organizations.remove(organization.id, noon),
  ];

  it('is hidden with its team, its workspace and its organization', async () => {
    for (const remove of removals) {
      const organization = await on.organization();
      const [team, workspace] = [await on.team(organization), await on.workspace(organization)];
      const { id } = await add(team, workspace);
      await on.run((tx) => remove(tx, { organization, team, workspace }));
      expect(await seen(team, id)).toBeUndefined();
      const asToken = await on.read((tx) => tx.teamAccess.findFor(asOrganization(organization), id));
      expect(asToken).toBeUndefined();
      expect(await page(workspace.id)).toMatchObject({ total: 0, items: [] });
      expect(await slices(workspace.id, 5)).toEqual([[]]);
      expect(await page(workspace.id, 'all', team.id)).toMatchObject({ total: 0, items: [] });
    }
  });
});
