import { expect, it } from '@jest/globals';
import type { RunTriggerQuery } from '../../src/application/index.js';
import type { Workspace, WorkspaceRunTrigger } from '../../src/domain/index.js';
import { afterNoon, asTeam, asUser, noon } from '../support/builders.js';
import { aRunTrigger } from '../support/policy-builders.js';
import { type Ground, onEveryBackend, refusal } from './on-every-backend.js';

const stale = refusal('shared/stale-revision');
const everything = { number: 1, size: 100 };

async function workspacesOn(on: Ground, count: number) {
  const organization = await on.organization();
  const workspaces: Workspace[] = [];
  for (let n = 0; n < count; n += 1) workspaces.push(await on.workspace(organization));
  return { organization, workspaces: workspaces as [Workspace, Workspace, Workspace, ...Workspace[]] };
}

const connect = async (
  on: Ground,
  workspace: Workspace,
  source: Workspace,
  given: Partial<WorkspaceRunTrigger> = {},
): Promise<WorkspaceRunTrigger> => {
  const trigger = aRunTrigger(workspace, source, given);
  await on.run((tx) => tx.runTriggers.add(trigger));
  return trigger;
};

onEveryBackend('run triggers', (on) => {
  const page = (query: Omit<RunTriggerQuery, 'visibility'> & Partial<RunTriggerQuery>, size = 100, number = 1) =>
    on.read((tx) => tx.runTriggers.page({ visibility: 'all', ...query }, { number, size }));

  it('are listed from each side, in the order in which they were created', async () => {
    const { workspaces } = await workspacesOn(on, 3);
    const [target, first, second] = workspaces;
    const later = await connect(on, target, first, { createdAt: afterNoon(2) });
    const sooner = await connect(on, target, second, { createdAt: afterNoon(1) });
    const back = await connect(on, first, target);
    const inbound = { workspaceId: target.id, type: 'inbound' } as const;
    expect(await page(inbound)).toEqual({ ...everything, total: 2, items: [sooner, later] });
    expect(await page(inbound, 1, 2)).toMatchObject({ total: 2, items: [later] });
    expect((await page({ workspaceId: target.id, type: 'outbound' })).items).toEqual([back]);
    expect((await page({ workspaceId: second.id, type: 'outbound' })).items).toEqual([sooner]);
    expect((await page({ workspaceId: second.id, type: 'inbound' })).total).toBe(0);
    expect(await on.read((tx) => tx.runTriggers.countSources(target.id))).toBe(2);
  });

  it('are listed as far as the other workspace is visible', async () => {
    const { organization, workspaces } = await workspacesOn(on, 3);
    const [target, hidden, visible] = workspaces;
    const team = await on.team(organization);
    await on.grant(team, visible, { access: 'read' });
    const visibility = { throughTeams: [team.id] };
    await connect(on, target, hidden);
    const shown = await connect(on, target, visible);
    expect(await page({ workspaceId: target.id, type: 'inbound', visibility })).toMatchObject({
      total: 1,
      items: [shown],
    });
    await connect(on, hidden, target);
    const out = await connect(on, visible, target);
    expect((await page({ workspaceId: target.id, type: 'outbound', visibility })).items).toEqual([out]);
  });

  it('are found with the standing of the caller on the workspace whose runs they queue', async () => {
    const { organization, workspaces } = await workspacesOn(on, 3);
    const [target, source] = workspaces;
    const trigger = await connect(on, target, source);
    const [team, other] = [await on.team(organization), await on.team(organization)];
    const grant = { access: 'admin' } as const;
    await on.grant(team, target, grant);
    await on.grant(other, source, grant);
    const find = (actor = asTeam(team)) => on.read((tx) => tx.runTriggers.findFor(actor, trigger.id));
    expect(await find()).toMatchObject({ subject: trigger, standing: { teams: [{ teamId: team.id, grant }] } });
    expect((await find(asTeam(other)))?.standing.teams).toEqual([expect.not.objectContaining({ grant })]);
    expect((await find(asUser(await on.user())))?.standing.member).toBe(false);
    expect(await on.read((tx) => tx.runTriggers.find(trigger.id))).toEqual(trigger);
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await find()).toBeUndefined();
  });

  it.each(['target', 'source'] as const)('are missing once the %s is deleted', async (side) => {
    const { workspaces } = await workspacesOn(on, 3);
    const [target, source] = workspaces;
    const { id } = await connect(on, target, source);
    await on.run((tx) => tx.workspaces.remove({ target, source }[side].id, noon));
    expect(await on.read((tx) => tx.runTriggers.find(id))).toBeUndefined();
    expect((await page({ workspaceId: target.id, type: 'inbound' })).total).toBe(0);
    expect((await page({ workspaceId: source.id, type: 'outbound' })).total).toBe(0);
    expect(await on.read((tx) => tx.runTriggers.countSources(target.id))).toBe(0);
  });

  it('are followed from their source, by id and in parts', async () => {
    const { workspaces } = await workspacesOn(on, 4);
    const [source, ...targets] = workspaces;
    const after = (id: string, limit: number) => on.read((tx) => tx.runTriggers.after(source.id, id, limit));
    const has = (one: Workspace) => on.read((tx) => tx.runTriggers.hasTargets(one.id));
    expect([await has(source), await after('', 10)]).toEqual([false, []]);
    const made = [];
    for (const target of targets) made.push((await connect(on, target, source)).id);
    const [first = '', second, third] = made.sort();
    expect([await has(source), await has(targets[0] ?? source)]).toEqual([true, false]);
    expect(await after('', 2)).toEqual([first, second]);
    expect(await after(first, 10)).toEqual([second, third]);
  });

  it('exist once for two workspaces, and are removed once', async () => {
    const { workspaces } = await workspacesOn(on, 3);
    const [target, source] = workspaces;
    const { id } = await connect(on, target, source);
    await expect(connect(on, target, source)).rejects.toEqual(refusal('attribute/taken'));
    const remove = () => on.run((tx) => tx.runTriggers.remove(id));
    await remove();
    await expect(remove()).rejects.toEqual(stale);
    await connect(on, target, source);
  });
});
