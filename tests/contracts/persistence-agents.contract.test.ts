import { describe, expect, it } from '@jest/globals';
import type { AgentPool, AgentToken, Organization } from '../../src/domain/index.js';
import {
  afterNoon,
  aProject,
  asOrganization,
  asTeam,
  asUser,
  giveGrant,
  noon,
  ownedBy,
  unique,
} from '../support/builders.js';
import { anAgentPool, anAgentToken, aSiteAgentPool } from '../support/policy-builders.js';
import { type Ground, onEveryBackend, taken } from './on-every-backend.js';

const addPool = async (on: Ground, organization: Organization, given: Partial<AgentPool> = {}) => {
  const pool = anAgentPool(organization, given);
  await on.run((tx) => tx.agentPools.add(pool));
  return pool;
};

const addToken = async (on: Ground, pool: AgentPool, given: Partial<AgentToken> = {}) => {
  const token = anAgentToken(pool, given);
  await on.run((tx) => tx.agentTokens.add(token));
  return token;
};

const unnamed = { named: false, serving: false, servingElsewhere: false };

onEveryBackend('agent pools', (on) => {
  const found = (organization: Organization, id: string) =>
    on.read((tx) => tx.agentPools.findFor(asOrganization(organization), id));

  const names = async (organization: Organization, page = { number: 1, size: 20 }) => {
    const { items, ...rest } = await on.read((tx) => tx.agentPools.page(organization.id, page));
    return { ...rest, items: items.map(({ name }) => name) };
  };

  const inUse = (id: string) => on.read((tx) => tx.agentPools.inUse(id));

  it('come back as they were added, with the standing of each kind of caller', async () => {
    const organization = await on.organization();
    const user = await on.member(organization);
    const team = await on.team(organization, { access: new Set(['manage-workspaces']) }, [user]);
    const pool = await addPool(on, organization, { name: 'Basement', createdAt: afterNoon(1) });
    const through = [{ teamId: team.id, owners: false, access: team.access }];
    const seen = (actor: Parameters<typeof asUser>[0] | undefined) =>
      on.read((tx) => tx.agentPools.findFor(actor ? asUser(actor) : asTeam(team), pool.id));
    expect(await seen(user)).toEqual({
      subject: pool,
      standing: { actor: 'user', siteAdministrator: false, member: true, teams: through, pool: unnamed },
    });
    expect((await seen(undefined))?.standing).toMatchObject({ actor: 'team', member: true, teams: through });
    expect((await seen(await on.user()))?.standing).toMatchObject({ member: false, teams: [] });
    expect((await found(organization, pool.id))?.standing).toMatchObject({ actor: 'organization', member: true });
    expect((await found(await on.organization(), pool.id))?.standing.member).toBe(false);
    expect(await found(organization, 'apool-nobody')).toBeUndefined();
  });

  it('have names of their own in their organization', async () => {
    const [organization, elsewhere] = [await on.organization(), await on.organization()];
    await addPool(on, organization, { name: 'basement' });
    const attic = await addPool(on, organization, { name: 'attic' });
    await expect(addPool(on, organization, { name: 'basement' })).rejects.toEqual(taken('name'));
    await expect(on.run((tx) => tx.agentPools.save({ ...attic, name: 'basement' }))).rejects.toEqual(taken('name'));
    expect((await names(organization)).items).toEqual(['attic', 'basement']);
    await addPool(on, elsewhere, { name: 'basement' });
    await on.run((tx) => tx.agentPools.save(attic));
    await on.run((tx) => tx.agentPools.save({ ...attic, name: 'Loft' }));
    expect((await found(organization, attic.id))?.subject).toEqual({ ...attic, name: 'Loft' });
    await addPool(on, organization, { name: 'attic' });
    await on.run((tx) => tx.agentPools.save({ ...attic, id: 'apool-nobody', name: 'Cellar' }));
    expect((await names(organization)).items).toEqual(['attic', 'basement', 'Loft']);
  });

  it('are listed by name, whatever its case, and by id', async () => {
    const organization = await on.organization();
    const [upper, lower] = [
      await addPool(on, organization, { name: 'B' }),
      await addPool(on, organization, { name: 'b' }),
    ];
    for (const name of ['C', 'a']) await addPool(on, organization, { name });
    await addPool(on, await on.organization());
    const both = [upper, lower].toSorted((x, y) => (x.id < y.id ? -1 : 1)).map(({ name }) => name);
    expect((await names(organization)).items).toEqual(['a', ...both, 'C']);
    const second = await names(organization, { number: 2, size: 3 });
    expect(second).toEqual({ number: 2, size: 3, total: 4, items: ['C'] });
    expect(await names(organization, { number: 3, size: 3 })).toMatchObject({ total: 4, items: [] });
  });

  it('are gone with their tokens when they are removed', async () => {
    const organization = await on.organization();
    const [pool, other] = [await addPool(on, organization), await addPool(on, organization)];
    const [token, kept] = [await addToken(on, pool), await addToken(on, other)];
    await addToken(on, pool);
    await on.run((tx) => tx.agentPools.remove(pool.id));
    expect(await found(organization, pool.id)).toBeUndefined();
    expect(await on.read((tx) => tx.agentTokens.findAgent(token.secretDigest))).toBeUndefined();
    expect(await on.read((tx) => tx.agentTokens.page(pool.id, { number: 1, size: 20 }))).toMatchObject({ total: 0 });
    expect(await on.read((tx) => tx.agentTokens.findAgent(kept.secretDigest))).toMatchObject({ token: kept });
    expect((await names(organization)).items).toEqual([other.name]);
  });

  it('are in use while a living workspace names them', async () => {
    const organization = await on.organization();
    const [pool, other] = [await addPool(on, organization), await addPool(on, organization)];
    await on.workspace(organization);
    expect(await inUse(pool.id)).toBe(false);
    const workspaces = [
      await on.workspace(organization, { agentPoolId: pool.id }),
      await on.workspace(organization, { agentPoolId: pool.id }),
    ];
    for (const workspace of workspaces) {
      expect(await inUse(pool.id)).toBe(true);
      await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    }
    expect(await inUse(pool.id)).toBe(false);
    expect(await inUse(other.id)).toBe(false);
  });

  it('are in use while the organization takes them by default', async () => {
    const organization = await on.organization();
    const pool = await addPool(on, organization);
    const defaults = { executionMode: 'agent', agentPoolId: pool.id } as const;
    await on.run((tx) => tx.organizations.setDefaults(organization.id, defaults));
    expect(await inUse(pool.id)).toBe(true);
    await on.run((tx) => tx.organizations.setDefaults(organization.id, organization.defaults));
    expect(await inUse(pool.id)).toBe(false);
  });

  it('are in use, and serve, while a project takes them by default', async () => {
    const organization = await on.organization();
    const pool = await addPool(on, organization);
    const project = aProject(organization, { executionMode: 'agent', agentPoolId: pool.id });
    await on.run((tx) => tx.projects.add(project));
    const user = await on.member(organization);
    const team = await on.team(organization, {}, [user]);
    const asked = async () => (await on.read((tx) => tx.agentPools.findFor(asUser(user), pool.id)))?.standing.pool;
    expect(await inUse(pool.id)).toBe(true);
    await on.workspace(organization, { projectId: project.id, executionMode: 'remote' });
    await on.workspace(organization);
    expect(await asked()).toEqual({ ...unnamed, named: true });
    const follower = await on.workspace(organization, { projectId: project.id });
    expect(follower.executionDefaults).toEqual({ executionMode: 'remote', agentPoolId: null });
    const stored = await on.read((tx) => tx.workspaces.find(follower.id));
    expect(stored?.executionDefaults).toEqual({ executionMode: 'agent', agentPoolId: pool.id });
    expect(await asked()).toEqual({ named: true, serving: true, servingElsewhere: true });
    await on.run((tx) => giveGrant(tx, team.id, follower.id, { access: 'admin' }));
    expect(await asked()).toEqual({ named: true, serving: true, servingElsewhere: false });
    await on.run((tx) => tx.projects.save({ ...project, executionMode: null, agentPoolId: null, revision: 1 }));
    expect(await inUse(pool.id)).toBe(false);
    expect(await asked()).toEqual(unnamed);
  });

  it('of the site have no organization, names of their own, and a list of their own', async () => {
    const user = await on.user();
    const pool = aSiteAgentPool();
    await on.run((tx) => tx.agentPools.add(pool));
    expect(await on.read((tx) => tx.agentPools.find(pool.id))).toEqual(pool);
    expect(await on.read((tx) => tx.agentPools.findFor(asUser(user), pool.id))).toBeUndefined();
    await expect(on.run((tx) => tx.agentPools.add(aSiteAgentPool({ name: pool.name })))).rejects.toEqual(taken('name'));
    await addPool(on, await on.organization(), { name: pool.name });
    const token = await addToken(on, pool);
    expect(await on.read((tx) => tx.agentTokens.findAgent(token.secretDigest))).toEqual({
      agent: { tokenId: token.id, poolId: pool.id, organizationId: null },
      token,
    });
    expect(await on.read((tx) => tx.agentTokens.page(pool.id, { number: 1, size: 20 }))).toMatchObject({ total: 1 });
    const listed = await on.read((tx) => tx.agentPools.page(null, { number: 1, size: 100 }));
    expect(listed.items).toContainEqual(pool);
    expect(listed.items.filter(({ organizationId }) => organizationId !== null)).toEqual([]);
    await on.run((tx) => tx.agentPools.remove(pool.id));
    expect(await on.read((tx) => tx.agentPools.find(pool.id))).toBeUndefined();
  });

  it('keep their scope, without workspaces that are gone', async () => {
    const organization = await on.organization();
    const workspaces = [await on.workspace(organization), await on.workspace(organization)];
    const ids = workspaces.map(({ id }) => id).sort();
    const [first = '', second = ''] = ids;
    const pool = await addPool(on, organization, { organizationScoped: false, allowedWorkspaceIds: ids });
    const stored = () => on.read((tx) => tx.agentPools.find(pool.id));
    expect(await stored()).toEqual(pool);
    expect((await found(organization, pool.id))?.subject).toEqual(pool);
    expect((await on.read((tx) => tx.agentPools.page(organization.id, { number: 1, size: 20 }))).items).toEqual([pool]);
    const changed = { ...pool, organizationScoped: true, allowedWorkspaceIds: [second], excludedWorkspaceIds: [first] };
    await on.run((tx) => tx.agentPools.save(changed));
    expect(await stored()).toEqual(changed);
    await on.run((tx) => tx.workspaces.remove(first, noon));
    expect(await stored()).toEqual({ ...changed, excludedWorkspaceIds: [] });
    await on.run((tx) => tx.removals.removeBatch({ kind: 'workspace', id: second }, 100));
    expect(await stored()).toEqual({ ...changed, allowedWorkspaceIds: [], excludedWorkspaceIds: [] });
  });

  it('list what names them, and whether the caller administers all that they serve', async () => {
    const organization = await on.organization();
    const pool = await addPool(on, organization);
    const user = await on.member(organization);
    const team = await on.team(organization, {}, [user]);
    const asked = async () => (await on.read((tx) => tx.agentPools.findFor(asUser(user), pool.id)))?.standing.pool;
    const naming = { executionMode: 'agent', agentPoolId: pool.id } as const;
    const give = (workspaceId: string, access: 'admin' | 'write') =>
      on.run((tx) => giveGrant(tx, team.id, workspaceId, { access }));
    await on.workspace(organization, { executionMode: 'agent' });
    expect(await asked()).toEqual(unnamed);
    const own = await on.workspace(organization, naming);
    await give(own.id, 'admin');
    expect(await asked()).toEqual({ named: true, serving: true, servingElsewhere: false });
    const other = await on.workspace(organization, naming);
    expect(await asked()).toEqual({ named: true, serving: true, servingElsewhere: true });
    await give(other.id, 'write');
    expect(await asked()).toEqual({ named: true, serving: true, servingElsewhere: true });
    for (const { id } of [own, other]) await on.run((tx) => tx.workspaces.remove(id, noon));
    expect(await asked()).toEqual(unnamed);
    await on.run((tx) => tx.organizations.setDefaults(organization.id, naming));
    expect(await asked()).toMatchObject({ named: true, serving: true, servingElsewhere: true });
    expect(await found(organization, pool.id)).toMatchObject({ standing: { pool: { servingElsewhere: true } } });
  });

  it('that are the default are named, and serve nothing where every workspace has a mode of its own', async () => {
    const organization = await on.organization();
    const pool = await addPool(on, organization);
    await on.workspace(organization, { executionMode: 'remote' });
    const naming = { executionMode: 'agent', agentPoolId: pool.id } as const;
    await on.run((tx) => tx.organizations.setDefaults(organization.id, naming));
    expect((await found(organization, pool.id))?.standing.pool).toEqual({ ...unnamed, named: true });
    const user = await on.member(organization);
    const team = await on.team(organization, {}, [user]);
    const follower = await on.workspace(organization);
    await on.run((tx) => giveGrant(tx, team.id, follower.id, { access: 'admin' }));
    const seen = await on.read((tx) => tx.agentPools.findFor(asUser(user), pool.id));
    expect(seen?.standing.pool).toEqual({ named: true, serving: true, servingElsewhere: false });
  });

  it('are in use while one of their agents executes a run', async () => {
    const organization = await on.organization();
    const [pool, other] = [await addPool(on, organization), await addPool(on, organization)];
    const workspace = await on.workspace(organization);
    const version = await on.version(workspace, { status: 'uploaded' });
    const lease = { poolId: pool.id, agent: 'one', digest: unique('lease'), expiresAt: afterNoon(60) };
    const run = { id: unique('run'), workspaceId: workspace.id, configurationVersionId: version.state.id };
    await on.seedRun({ ...run, status: 'planning', lease });
    expect([await inUse(pool.id), await inUse(other.id)]).toEqual([true, false]);
    await on.seedRun({ ...run, status: 'planned', lease: null });
    expect(await inUse(pool.id)).toBe(false);
  });

  it('are hidden with their organization, and so are their tokens', async () => {
    const organization = await on.organization();
    const pool = await addPool(on, organization);
    const token = await addToken(on, pool);
    const page = { number: 1, size: 20 };
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await found(organization, pool.id)).toBeUndefined();
    expect(await names(organization)).toMatchObject({ total: 0, items: [] });
    expect(await on.read((tx) => tx.agentTokens.findAgent(token.secretDigest))).toBeUndefined();
    expect(await on.read((tx) => tx.agentTokens.find(token.id))).toBeUndefined();
    expect(await on.read((tx) => tx.agentTokens.page(pool.id, page))).toMatchObject({ total: 0, items: [] });
  });
});

onEveryBackend('tokens of agents', (on) => {
  const found = (id: string) => on.read((tx) => tx.agentTokens.find(id));

  it('name who made them, each once', async () => {
    const organization = await on.organization();
    const [pool, other] = [await addPool(on, organization), await addPool(on, organization)];
    const [team, user] = [ownedBy('team', { id: 'team-1' }), ownedBy('user', { id: 'user-1' })];
    for (const createdBy of [user, team, null, user]) await addToken(on, pool, { createdBy });
    await addToken(on, other, { createdBy: ownedBy('user', { id: 'user-2' }) });
    expect(await on.read((tx) => tx.agentTokens.creatorsOf(pool.id))).toEqual([team, user]);
    expect(await on.read((tx) => tx.agentTokens.creatorsOf('apool-nobody'))).toEqual([]);
  });

  it('say by their digest who calls', async () => {
    const organization = await on.organization();
    const [pool, other] = [await addPool(on, organization), await addPool(on, organization)];
    const token = await addToken(on, pool);
    await addToken(on, other);
    expect(await on.read((tx) => tx.agentTokens.findAgent(token.secretDigest))).toEqual({
      agent: { tokenId: token.id, poolId: pool.id, organizationId: organization.id },
      token,
    });
    expect(await on.read((tx) => tx.agentTokens.findAgent('digest of nothing'))).toBeUndefined();
    await on.run((tx) => tx.agentTokens.remove(token.id));
    expect(await on.read((tx) => tx.agentTokens.findAgent(token.secretDigest))).toBeUndefined();
    expect(await found(token.id)).toBeUndefined();
  });

  it('are listed the newest first', async () => {
    const organization = await on.organization();
    const [pool, other] = [await addPool(on, organization), await addPool(on, organization)];
    const tokens: AgentToken[] = [];
    for (const seconds of [2, 3, 1, 2]) tokens.push(await addToken(on, pool, { createdAt: afterNoon(seconds) }));
    await addToken(on, other);
    const expected = tokens.toSorted((x, y) => (`${x.createdAt} ${x.id}` > `${y.createdAt} ${y.id}` ? -1 : 1));
    const page = (number: number) => on.read((tx) => tx.agentTokens.page(pool.id, { number, size: 3 }));
    expect(await page(1)).toEqual({ number: 1, size: 3, total: 4, items: expected.slice(0, 3) });
    expect(await page(2)).toEqual({ number: 2, size: 3, total: 4, items: expected.slice(3) });
    expect(await page(3)).toEqual({ number: 3, size: 3, total: 4, items: [] });
  });

  describe('when they are used', () => {
    it('remember the last time, and never one before it', async () => {
      const organization = await on.organization();
      const pool = await addPool(on, organization);
      const [a, b, untouched] = [await addToken(on, pool), await addToken(on, pool), await addToken(on, pool)];
      const lastUse = async ({ id }: AgentToken) => (await found(id))?.lastUsedAt;
      const mark = (...uses: (readonly [AgentToken, string])[]) =>
        on.run((tx) => tx.agentTokens.markUsed(new Map(uses.map(([{ id }, at]) => [id, at]))));
      await mark([a, afterNoon(5)], [b, afterNoon(1)]);
      expect([await lastUse(a), await lastUse(b), await lastUse(untouched)]).toEqual([
        afterNoon(5),
        afterNoon(1),
        null,
      ]);
      await mark([a, afterNoon(4)], [b, afterNoon(2)]);
      expect([await lastUse(a), await lastUse(b)]).toEqual([afterNoon(5), afterNoon(2)]);
      await on.run((tx) => tx.agentTokens.markUsed(new Map([['agt-nobody', noon]])));
      await on.run((tx) => tx.agentTokens.markUsed(new Map()));
      expect(await found('agt-nobody')).toBeUndefined();
    });
  });
});
