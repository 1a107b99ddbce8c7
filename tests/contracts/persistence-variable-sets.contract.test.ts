import { expect, it } from '@jest/globals';
import { SealedSecretBox } from '../../src/adapters/system/sealed-secret-box.js';
import type { Organization, SetVariable, VariableSet } from '../../src/domain/index.js';
import { aProject, aSetVariable, asTeam, asUser, aVariable, aVariableSet, noon } from '../support/builders.js';
import { onEveryBackend, onFreshGround, refusal, taken } from './on-every-backend.js';

const box = new SealedSecretBox(['a secret for tests that is long enough']);
const page = { number: 1, size: 10 };
const everything = { ofOrganization: true, ofProjects: true };

onEveryBackend('variable sets', (on) => {
  const place = async () => {
    const organization = await on.organization();
    const project = aProject(organization);
    await on.run((tx) => tx.projects.add(project));
    const workspace = await on.workspace(organization, { projectId: project.id });
    return { organization, project, workspace, elsewhere: await on.workspace(organization) };
  };

  const add = async (organization: Organization, given: Partial<VariableSet> = {}, keys: readonly string[] = []) => {
    const set = aVariableSet(organization, given);
    const variables = keys.map((key) => aSetVariable(set, { key }));
    await on.run(async (tx) => {
      await tx.variableSets.add(set);
      for (const variable of variables) await tx.setVariables.add(variable);
    });
    return { ...set, variableIds: variables.map(({ id }) => id).sort() };
  };

  const find = async (set: VariableSet) => {
    const outsider = asUser(await on.user());
    return (await on.read((tx) => tx.variableSets.findFor(outsider, set.id)))?.subject;
  };

  it('are found with the standing of the caller', async () => {
    const { organization, project, workspace } = await place();
    const team = await on.team(organization);
    await on.grant(team, workspace, { access: 'read' });
    for (const projectId of [null, project.id]) {
      const set = await add(organization, { projectId });
      const seen = await on.read((tx) => tx.variableSets.findFor(asTeam(team), set.id));
      expect(seen?.subject).toEqual(set);
      expect(seen?.standing.member).toBe(true);
      expect(seen?.standing.teams[0]?.inProject).toBe(projectId === null ? undefined : true);
    }
    expect(await on.read((tx) => tx.variableSets.findFor(asTeam(team), 'varset-nobody'))).toBeUndefined();
  });

  it('have one name for each owner', async () => {
    const { organization, project } = await place();
    const set = await add(organization, { name: 'shared' });
    await expect(add(organization, { name: 'shared' })).rejects.toEqual(taken('name'));
    const owned = await add(organization, { name: 'shared', projectId: project.id });
    await expect(add(organization, { name: 'shared', projectId: project.id })).rejects.toEqual(taken('name'));
    await add(await on.organization(), { name: 'shared' });
    const other = await add(organization, { name: 'Shared' });
    const renamed = on.run((tx) => tx.variableSets.save({ ...other, name: 'shared', revision: 1 }));
    await expect(renamed).rejects.toEqual(taken('name'));
    await on.run((tx) => tx.variableSets.save({ ...set, description: 'its own name stays', revision: 1 }));
    const stale = on.run((tx) => tx.variableSets.save({ ...owned, revision: 2 }));
    await expect(stale).rejects.toEqual(refusal('shared/stale-revision'));
  });

  it('replace what they are attached to, and lose what is deleted or moved away', async () => {
    const { organization, project, workspace, elsewhere } = await place();
    const set = await add(organization, { workspaceIds: [workspace.id], projectIds: [project.id] }, ['a', 'b']);
    expect(await find(set)).toEqual(set);
    const next = { ...set, workspaceIds: [elsewhere.id, workspace.id].sort(), projectIds: [], revision: 1 };
    await on.run((tx) => tx.variableSets.save(next));
    expect(await find(set)).toEqual(next);
    const owned = await add(organization, { projectId: project.id, workspaceIds: [workspace.id] });
    await on.run((tx) => tx.workspaces.remove(elsewhere.id, noon));
    expect((await find(set))?.workspaceIds).toEqual([workspace.id]);
    const other = aProject(organization);
    await on.run(async (tx) => {
      await tx.projects.add(other);
      await tx.workspaces.moveTo(other.id, [workspace.id], noon);
    });
    expect((await find(owned))?.workspaceIds).toEqual([]);
    expect((await find(set))?.workspaceIds).toEqual([workspace.id]);
    expect(await on.read((tx) => tx.variables.applyingTo(workspace.id))).toEqual([
      ...['a', 'b'].map((key) => expect.objectContaining({ variable: expect.objectContaining({ key }) })),
    ]);
  });

  it('are listed by name, for an owner, a workspace and a project', async () => {
    const { organization, project, workspace, elsewhere } = await place();
    await add(organization, { name: 'plain' });
    await add(organization, { name: 'Global', global: true });
    await add(organization, { name: 'of workspace', workspaceIds: [workspace.id] });
    await add(organization, { name: 'to project', projectIds: [project.id], workspaceIds: [workspace.id] });
    await add(organization, { name: 'owned', projectId: project.id, projectIds: [project.id] });
    await add(await on.organization(), { name: 'another', global: true });
    const names = async (list: Promise<{ items: readonly VariableSet[]; total: number }>) => {
      const { items, total } = await list;
      expect(total).toBe(items.length);
      return items.map(({ name }) => name);
    };
    const all = (visibility: typeof everything, filter = {}) =>
      names(on.read((tx) => tx.variableSets.page(organization.id, visibility, page, filter)));
    expect(await all(everything)).toEqual(['Global', 'of workspace', 'owned', 'plain', 'to project']);
    expect(await all({ ofOrganization: true, ofProjects: false })).toEqual([
      'Global',
      'of workspace',
      'plain',
      'to project',
    ]);
    expect(await all({ ofOrganization: false, ofProjects: true })).toEqual(['owned']);
    expect(await all(everything, { search: 'PROJ' })).toEqual(['to project']);
    const applying = (id: string, filter = {}) =>
      names(on.read((tx) => tx.variableSets.pageOfWorkspace(id, page, filter)));
    expect(await applying(workspace.id)).toEqual(['Global', 'of workspace', 'owned', 'to project']);
    expect(await applying(workspace.id, { search: 'glob' })).toEqual(['Global']);
    expect(await applying(elsewhere.id)).toEqual(['Global']);
    const ofProject = (id: string) => names(on.read((tx) => tx.variableSets.pageOfProject(id, page)));
    expect(await ofProject(project.id)).toEqual(['Global', 'owned', 'to project']);
    expect(await ofProject(elsewhere.projectId)).toEqual(['Global']);
    expect(await ofProject('prj-nobody')).toEqual([]);
    const second = await on.read((tx) => tx.variableSets.page(organization.id, everything, { number: 2, size: 2 }));
    expect(second.items.map(({ name }) => name)).toEqual(['owned', 'plain']);
    expect(second.total).toBe(5);
  });

  it('give a workspace their variables with the reason next to its own', async () => {
    const { organization, project, workspace, elsewhere } = await place();
    const own = aVariable(workspace, { key: 'own', sensitive: true });
    await on.run((tx) => tx.variables.add(own));
    await add(organization, { name: 'global', global: true, priority: true }, ['g']);
    await add(organization, { name: 'both', projectIds: [project.id], workspaceIds: [workspace.id] }, ['b']);
    await add(organization, { name: 'owned', projectId: project.id, workspaceIds: [workspace.id] }, ['o']);
    await add(organization, { name: 'elsewhere', workspaceIds: [elsewhere.id] }, ['e']);
    await add(organization, { name: 'plain' }, ['p']);
    const applying = async (id: string) =>
      (await on.read((tx) => tx.variables.applyingTo(id)))
        .map(({ variable, set }) =>
          [variable.key, ...(set === null ? [] : [set.name, set.priority, set.owner, set.scope])].join(' '),
        )
        .sort();
    expect(await applying(workspace.id)).toEqual([
      'b both false organization project',
      'b both false organization workspace',
      'g global true organization global',
      'o owned false project workspace',
      'own',
    ]);
    expect(await applying(elsewhere.id)).toEqual([
      'e elsewhere false organization workspace',
      'g global true organization global',
    ]);
    const { workspaceId: _, ...stored } = own;
    const found = await on.read((tx) => tx.variables.applyingTo(workspace.id));
    expect(found).toContainEqual({ variable: stored, set: null });
    expect(await applying('ws-nobody')).toEqual([]);
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await applying(workspace.id)).toEqual([]);
  });

  it('are removed with their variables, alone and with their project', async () => {
    const { organization, project, elsewhere } = await place();
    const set = await add(organization, { workspaceIds: [elsewhere.id] }, ['a']);
    await on.run((tx) => tx.variableSets.remove(set.id));
    expect(await find(set)).toBeUndefined();
    const empty = aProject(organization);
    await on.run((tx) => tx.projects.add(empty));
    const owned = await add(organization, { projectId: empty.id, projectIds: [empty.id] }, ['a']);
    const kept = await add(organization, { projectIds: [empty.id, project.id].sort() });
    await on.run((tx) => tx.projects.remove(empty.id));
    expect(await find(owned)).toBeUndefined();
    expect((await find(kept))?.projectIds).toEqual([project.id]);
    expect(await on.read((tx) => tx.setVariables.totalsOf(organization.id))).toEqual({ count: 0, bytes: 0 });
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await find(kept)).toBeUndefined();
  });
});

onEveryBackend('variables of variable sets', (on) => {
  const place = async () => {
    const organization = await on.organization();
    const sets = [aVariableSet(organization), aVariableSet(organization)] as const;
    await on.run(async (tx) => {
      for (const set of sets) await tx.variableSets.add(set);
    });
    return { organization, sets };
  };

  const add = async (set: VariableSet, given: Partial<SetVariable> = {}) => {
    const variable = aSetVariable(set, given);
    await on.run((tx) => tx.setVariables.add(variable));
    return variable;
  };

  it('are found in their set, and listed by key and category', async () => {
    const { organization, sets } = await place();
    const [set, other] = sets;
    const b = await add(set, { key: 'b', size: 3 });
    const a = await add(set, { key: 'a', size: 4 });
    const ofEnvironment = await add(set, { key: 'a', category: 'env', size: 0 });
    const foreign = await add(other, { key: 'aa' });
    const ofSets = (ids: readonly string[]) => on.read((tx) => tx.setVariables.ofSets(ids));
    expect(await ofSets([set.id])).toEqual([ofEnvironment, a, b]);
    expect(await ofSets(sets.map(({ id }) => id))).toEqual([ofEnvironment, a, foreign, b]);
    expect(await ofSets([])).toEqual([]);
    const found = (setId: string, id: string) => on.read((tx) => tx.setVariables.find(setId, id));
    expect(await found(set.id, a.id)).toEqual(a);
    expect(await found(other.id, a.id)).toBeUndefined();
    expect(await found(set.id, 'var-nobody')).toBeUndefined();
    const totals = () => on.read((tx) => tx.setVariables.totalsOf(organization.id));
    expect(await totals()).toEqual({ count: 4, bytes: 7 + foreign.size });
    expect(await on.run((tx) => tx.setVariables.remove(foreign.id))).toBe(true);
    expect(await on.run((tx) => tx.setVariables.remove(foreign.id))).toBe(false);
    expect(await totals()).toEqual({ count: 3, bytes: 7 });
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await ofSets([set.id])).toEqual([]);
    expect(await found(set.id, a.id)).toBeUndefined();
  });

  it('are one of a key in a category', async () => {
    const { sets } = await place();
    const [set, other] = sets;
    const first = await add(set, { key: 'region' });
    await expect(add(set, { key: 'region' })).rejects.toEqual(taken('key'));
    await add(other, { key: 'region' });
    const ofEnvironment = await add(set, { key: 'region', category: 'env' });
    const moved = { ...ofEnvironment, category: 'terraform', revision: 1 } as const;
    await expect(on.run((tx) => tx.setVariables.save(moved))).rejects.toEqual(taken('key'));
    const stale = on.run((tx) => tx.setVariables.save({ ...first, revision: 2 }));
    await expect(stale).rejects.toEqual(refusal('shared/stale-revision'));
    await on.run((tx) => tx.setVariables.save({ ...first, description: 'its own key stays', revision: 1 }));
  });

  it('report which of them are sealed with another key, a part at a time', async () => {
    await onFreshGround(on.backend, async (fresh) => {
      const set = aVariableSet(await fresh.organization());
      const another = new SealedSecretBox(['another secret for tests']);
      const [fingerprint] = another.fingerprints;
      const old = [box.seal('a'), 'v1.sealed', box.seal('b')].map((sealedValue) => aSetVariable(set, { sealedValue }));
      await fresh.run(async (tx) => {
        await tx.variableSets.add(set);
        for (const one of [...old, aSetVariable(set, { sealedValue: another.seal('a') })])
          await tx.setVariables.add(one);
      });
      const [first, second, third] = old.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const part = (after: string) => fresh.read((tx) => tx.setVariables.sealedWithOtherKeys(fingerprint, after, 2));
      expect(await part('')).toEqual([first, second]);
      expect(await part(second?.id ?? '')).toEqual([third]);
      expect(await part(third?.id ?? '')).toEqual([]);
      const anew = { ...(first as SetVariable), sealedValue: another.seal('a'), revision: 1 };
      await fresh.run((tx) => tx.setVariables.save(anew));
      expect(await part('')).toEqual([second, third]);
    });
  });
});
