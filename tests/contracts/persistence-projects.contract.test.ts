import { expect, it } from '@jest/globals';
import {
  type Actor,
  defaultProjectId,
  defaultProjectName,
  type Organization,
  type Project,
  projectVisibility,
} from '../../src/domain/index.js';
import { afterNoon, aProject, asOrganization, asTeam, giveGrant, noon, unique } from '../support/builders.js';
import { onEveryBackend, refusal, taken } from './on-every-backend.js';

const stale = refusal('shared/stale-revision');
const everything = { number: 1, size: 100 };

onEveryBackend('projects', (on) => {
  const add = async (organization: Organization, given: Partial<Project> = {}) => {
    const project = aProject(organization, given);
    await on.run((tx) => tx.projects.add(project));
    return project;
  };
  const findFor = (actor: Actor, id: string) => on.read((tx) => tx.projects.findFor(actor, id));
  const found = async (organization: Organization, id: string) =>
    (await findFor(asOrganization(organization), id))?.subject;

  it('begin with the default one of each organization', async () => {
    const organization = await on.organization();
    const id = defaultProjectId(organization.id);
    expect(await found(organization, id)).toEqual({
      ...aProject(organization, { id, name: defaultProjectName, createdAt: organization.createdAt }),
      updatedAt: organization.createdAt,
    });
  });

  it('come back as they were added and saved', async () => {
    const organization = await on.organization();
    const whole = await add(organization, {
      description: 'Networks',
      createdAt: afterNoon(1),
      updatedAt: afterNoon(2),
    });
    expect(await found(organization, whole.id)).toEqual(whole);
    const next = { ...whole, name: unique('prj'), description: '', updatedAt: afterNoon(3), revision: 1 };
    await on.run((tx) => tx.projects.save(next));
    expect(await found(organization, whole.id)).toEqual(next);
    await expect(on.run((tx) => tx.projects.save(next))).rejects.toMatchObject(stale);
    expect(await on.read((tx) => tx.projects.among([whole.id, 'prj-nothing']))).toEqual([next]);
    expect(await on.read((tx) => tx.projects.among([]))).toEqual([]);
  });

  it('are looked at for scheduled destruction when their time has come, which may be postponed', async () => {
    const organization = await on.organization();
    const checkedAt = (nextCheckAt: string) =>
      add(organization, {
        autoDestroy: { activityDuration: '14d', since: noon, nextCheckAt, by: { kind: 'user', id: 'user-1' } },
      });
    const times = ['2001-01-02T00:00:00.000Z', '2001-01-01T00:00:00.000Z', '2001-01-03T00:00:00.000Z'] as const;
    const [second, first] = [await checkedAt(times[0]), await checkedAt(times[1]), await checkedAt(times[2])];
    await add(organization);
    const due = async (now: string, limit = 10) =>
      (await on.read((tx) => tx.projects.withDestructionDue(now, limit))).map(({ id }) => id);
    expect(await on.read((tx) => tx.projects.withDestructionDue(times[1], 10))).toEqual([first]);
    expect(await due('2000-12-31T00:00:00.000Z')).toEqual([]);
    expect(await due(times[0])).toEqual([first.id, second.id]);
    expect(await due(times[0], 1)).toEqual([first.id]);
    const postpone = (project: Project) => on.run((tx) => tx.projects.postponeDestructionCheck(project, noon));
    await postpone(first);
    expect(await due(times[0])).toEqual([second.id]);
    // The schedule was changed meanwhile.
    const { autoDestroy } = second;
    await on.run((tx) =>
      tx.projects.save({
        ...second,
        autoDestroy: autoDestroy && { ...autoDestroy, nextCheckAt: times[1] },
        revision: 1,
      }),
    );
    await postpone(second);
    expect(await due(times[1])).toEqual([second.id]);
  });

  it('have names of their own in an organization', async () => {
    const organization = await on.organization();
    const [one, other] = [await add(organization), await add(organization)];
    await expect(add(organization, { name: one.name })).rejects.toMatchObject(taken('name'));
    const renamed = { ...other, name: one.name, revision: 1 };
    await expect(on.run((tx) => tx.projects.save(renamed))).rejects.toMatchObject(taken('name'));
    await add(await on.organization(), { name: one.name });
  });

  it('are gone once removed, and hidden with their organization', async () => {
    const organization = await on.organization();
    const [gone, hidden] = [await add(organization), await add(organization)];
    await on.run((tx) => tx.projects.remove(gone.id));
    expect(await found(organization, gone.id)).toBeUndefined();
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await found(organization, hidden.id)).toBeUndefined();
    expect(await on.read((tx) => tx.projects.among([hidden.id]))).toEqual([]);
  });

  it('have the workspaces that are created in them or moved to them, until these are deleted', async () => {
    const organization = await on.organization();
    const [from, to] = [await add(organization), await add(organization)];
    const workspace = await on.workspace(organization, { projectId: from.id });
    const has = async () => {
      const both = [from, to].map(({ id }) => on.read((tx) => tx.projects.hasWorkspaces(id)));
      return Promise.all(both);
    };
    expect(await has()).toEqual([true, false]);
    await on.run((tx) => tx.workspaces.moveTo(to.id, [workspace.id], afterNoon(9)));
    expect(await has()).toEqual([false, true]);
    const moved = await on.read((tx) => tx.workspaces.find(workspace.id));
    const inheritedDestruction = { ...workspace.inheritedDestruction, since: afterNoon(9) };
    const after = { projectId: to.id, inheritedDestruction, updatedAt: afterNoon(9), revision: 1 };
    expect(moved).toEqual({ ...workspace, ...after });
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await has()).toEqual([false, false]);
  });

  it('show whether a team has access to a workspace in them', async () => {
    const organization = await on.organization();
    const [project, other] = [await add(organization), await add(organization)];
    const team = await on.team(organization);
    const workspace = await on.workspace(organization, { projectId: project.id });
    await on.run((tx) => giveGrant(tx, team.id, workspace.id, { access: 'read' }));
    const teams = async (id: string) => (await findFor(asTeam(team), id))?.standing.teams;
    const held = { teamId: team.id, owners: false, access: team.access };
    expect(await teams(project.id)).toEqual([{ ...held, inProject: true }]);
    expect(await teams(other.id)).toEqual([held]);
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await teams(project.id)).toEqual([held]);
  });

  it('are listed by name, in pages, within what the caller may see', async () => {
    const organization = await on.organization();
    await add(await on.organization(), { name: 'elsewhere' });
    const [beta, Alpha, gamma] = [
      await add(organization, { name: 'beta' }),
      await add(organization, { name: 'Alpha one' }),
      await add(organization, { name: 'gamma' }),
    ];
    const listed = async (actor: Actor, filter = {}, page = everything) => {
      const standing = (await on.read((tx) => tx.organizations.findFor(actor, organization.name)))?.standing;
      if (standing === undefined) throw new Error('no organization');
      const visibility = projectVisibility(standing);
      const found = await on.read((tx) => tx.projects.page(organization.id, standing, visibility, page, filter));
      return { total: found.total, names: found.items.map(({ subject }) => subject.name) };
    };
    const all = [Alpha.name, beta.name, defaultProjectName, gamma.name];
    const whole = asOrganization(organization);
    expect(await listed(whole)).toEqual({ total: 4, names: all });
    expect(await listed(whole, {}, { number: 2, size: 3 })).toEqual({ total: 4, names: [gamma.name] });
    const sort = { key: 'name', descending: true } as const;
    expect(await listed(whole, { sort })).toEqual({ total: 4, names: all.toReversed() });
    expect(await listed(whole, { search: 'PHA' })).toEqual({ total: 1, names: [Alpha.name] });
    expect(await listed(whole, { names: ['gamma', 'BETA', 'nothing'] })).toEqual({
      total: 2,
      names: ['beta', 'gamma'],
    });
    expect(await listed(whole, { names: [] })).toEqual({ total: 0, names: [] });

    const team = await on.team(organization);
    expect(await listed(asTeam(team))).toEqual({ total: 0, names: [] });
    for (const { id } of [gamma, gamma, beta]) {
      const workspace = await on.workspace(organization, { projectId: id });
      await on.run((tx) => giveGrant(tx, team.id, workspace.id, { access: 'read' }));
    }
    expect(await listed(asTeam(team))).toEqual({ total: 2, names: ['beta', 'gamma'] });
  });
});
