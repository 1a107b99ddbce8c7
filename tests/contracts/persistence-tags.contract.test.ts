import { expect, it } from '@jest/globals';
import type { TagFilter, WorkspaceFilter } from '../../src/application/index.js';
import type {
  KeyValue,
  Organization,
  OrganizationId,
  TagBinding,
  TagBindingOwner,
  Workspace,
  WorkspaceVisibility,
} from '../../src/domain/index.js';
import {
  afterNoon,
  aProject,
  asOrganization,
  asUser,
  aUser,
  giveProjectGrant,
  noon,
  unique,
} from '../support/builders.js';
import { type Ground, onEveryBackend } from './on-every-backend.js';

const nobody = { actor: 'user', siteAdministrator: false, member: false, teams: [] } as const;
const page = { number: 1, size: 20 };

const give = (on: Ground, { id }: Organization, workspaces: readonly Workspace[], ...names: readonly string[]) =>
  on.run((tx) =>
    tx.tags.give(
      id,
      workspaces.map((workspace) => workspace.id),
      names.map((name) => ({ id: unique('tag'), name })),
      noon,
    ),
  );

type Values = Readonly<Record<string, string>>;

const bindingsOf = (owner: TagBindingOwner, organizationId: OrganizationId, values: Values): readonly TagBinding[] =>
  Object.entries(values).map(([key, value]) => ({
    id: unique('tb'),
    organizationId,
    owner,
    key,
    value,
    createdAt: noon,
  }));

const ofWorkspace = ({ id }: Workspace) => ({ kind: 'workspace', id }) as const;

const bind = (on: Ground, workspace: Workspace, values: Values) =>
  on.run((tx) =>
    tx.tagBindings.bind(ofWorkspace(workspace), bindingsOf(ofWorkspace(workspace), workspace.organizationId, values)),
  );

onEveryBackend('tags', (on) => {
  const listed = async ({ id }: Organization, visibility: WorkspaceVisibility = 'all', filter: TagFilter = {}) => {
    const found = await on.read((tx) => tx.tags.page(id, visibility, page, filter));
    expect(found.total).toBe(found.items.length);
    return found.items.map(({ name, workspaces }) => `${name} ${workspaces}`);
  };

  const namesOn = async ({ id }: Workspace) => (await on.read((tx) => tx.workspaces.find(id)))?.tagNames;

  it('exist as long as a workspace has them, and keep their id', async () => {
    const organization = await on.organization();
    const [a, b] = [await on.workspace(organization), await on.workspace(organization)];
    await give(on, organization, [a, b], 'net', 'app');
    await give(on, organization, [a], 'net', 'zone_1');
    expect(await namesOn(a)).toEqual(['app', 'net', 'zone_1']);
    expect(await namesOn(b)).toEqual(['app', 'net']);
    expect(await listed(organization)).toEqual(['app 2', 'net 2', 'zone_1 1']);
    expect(await listed(await on.organization())).toEqual([]);
    const [app, net] = (await on.read((tx) => tx.tags.page(organization.id, 'all', page))).items;
    expect(app).toMatchObject({
      organizationId: organization.id,
      organizationName: organization.name,
      createdAt: noon,
    });
    await on.run(async (tx) => {
      await tx.tags.takeFrom(a.id, ['app', 'nothing']);
      await tx.tags.takeFrom(b.id, 'all');
    });
    expect(await namesOn(a)).toEqual(['net', 'zone_1']);
    expect(await namesOn(b)).toEqual([]);
    expect(await listed(organization)).toEqual(['net 1', 'zone_1 1']);
    await on.run((tx) => tx.tags.takeFromAll([net?.id ?? '']));
    expect(await namesOn(a)).toEqual(['zone_1']);
    await give(on, organization, [b], 'app');
    const again = await on.read((tx) => tx.tags.page(organization.id, 'all', page));
    expect(again.items[0]?.id).toBe(app?.id);
  });

  it('are counted and shown only for workspaces within the visibility', async () => {
    const organization = await on.organization();
    const [seen, hidden, gone] = [
      await on.workspace(organization),
      await on.workspace(organization),
      await on.workspace(organization),
    ];
    await give(on, organization, [seen, hidden, gone], 'both');
    await give(on, organization, [hidden, gone], 'secret');
    await give(on, organization, [gone], 'old');
    await on.run((tx) => tx.workspaces.remove(gone.id, noon));
    const team = await on.team(organization);
    for (const workspace of [seen, gone]) await on.grant(team, workspace, { access: 'read' });
    const throughTeams = [team.id];
    expect(await listed(organization)).toEqual(['both 2', 'secret 1']);
    expect(await listed(organization, { throughTeams })).toEqual(['both 1']);
    const ofProject = await on.team(organization);
    await on.run((tx) => giveProjectGrant(tx, ofProject.id, hidden.projectId, { access: 'read' }));
    expect(await listed(organization, { throughTeams: [ofProject.id] })).toEqual(['both 2', 'secret 1']);
    expect(await listed(organization, { throughTeams: [] })).toEqual([]);
    const ids = (await on.read((tx) => tx.tags.page(organization.id, 'all', page))).items.map(({ id }) => id);
    const among = async (visibility: WorkspaceVisibility) =>
      (await on.read((tx) => tx.tags.among(organization.id, visibility, [...ids, 'tag-nobody']))).map(
        ({ name }) => name,
      );
    expect(await among('all')).toEqual(['both', 'secret']);
    expect(await among({ throughTeams })).toEqual(['both']);
    // The tags of a hidden workspace stay: the rest would show them.
    const exceptWorkspaceId = hidden.id;
    expect(await listed(organization, 'all', { exceptWorkspaceId })).toEqual([]);
    expect(await listed(organization, { throughTeams }, { exceptWorkspaceId })).toEqual(['both 1']);
    expect(await listed(organization, 'all', { exceptWorkspaceId: seen.id })).toEqual(['secret 1']);
    expect(await listed(organization, 'all', { exceptWorkspaceId: String(ids[0]) })).toEqual(['both 2', 'secret 1']);
    expect(await listed(organization, 'all', { workspaceId: seen.id })).toEqual(['both 2']);
    expect(await listed(organization, 'all', { search: 'ECR' })).toEqual(['secret 1']);
    expect(await listed(organization, 'all', { search: '_' })).toEqual([]);
  });

  it('are found with the standing on their organization, also when no workspace has them', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    await give(on, organization, [workspace], 'net');
    const [tag] = (await on.read((tx) => tx.tags.page(organization.id, 'all', page))).items;
    const id = tag?.id ?? '';
    await on.run((tx) => tx.tags.takeFromAll([id]));
    const found = await on.read((tx) => tx.tags.findFor(asOrganization(organization), id));
    expect(found).toMatchObject({ subject: { name: 'net' }, standing: { member: true } });
    const strangers = await on.read((tx) => tx.tags.findFor(asUser(aUser()), id));
    expect(strangers?.standing.member).toBe(false);
    expect(await on.read((tx) => tx.tags.findFor(asOrganization(organization), 'tag-nobody'))).toBeUndefined();
  });

  it('have values, one for each key of a workspace', async () => {
    const organization = await on.organization();
    const [a, b] = [await on.workspace(organization), await on.workspace(organization)];
    const of = (workspace: Workspace) => on.read((tx) => tx.tagBindings.of(ofWorkspace(workspace)));
    await bind(on, a, { env: 'prod', 'cost+center': '', Env: 'x' });
    await bind(on, b, { env: 'test' });
    const before = await of(a);
    expect(before).toMatchObject([{ key: 'Env' }, { key: 'cost+center', value: '' }, { key: 'env', value: 'prod' }]);
    expect(before[0]).toEqual({ ...bindingsOf(ofWorkspace(a), organization.id, { Env: 'x' })[0], id: before[0]?.id });
    await bind(on, a, { env: 'test', zone: '1' });
    expect(await of(a)).toMatchObject([{}, {}, { ...before[2], value: 'test' }, { key: 'zone' }]);
    await on.run((tx) => tx.tagBindings.unbindAll(ofWorkspace(a)));
    expect(await of(a)).toEqual([]);
    await on.run((tx) => tx.workspaces.remove(b.id, noon));
    expect(await of(b)).toEqual([]);
    expect(await on.read((tx) => tx.tagBindings.effectiveOf('workspace', [b.id]))).toEqual([]);
  });

  it('have the values of the project, unless the workspace has its own', async () => {
    const organization = await on.organization();
    const project = aProject(organization);
    const ofProject = { kind: 'project', id: project.id } as const;
    await on.run(async (tx) => {
      await tx.projects.add(project);
      await tx.tagBindings.bind(ofProject, bindingsOf(ofProject, organization.id, { env: 'prod', team: 'net' }));
    });
    const inside = { projectId: project.id };
    const [a, b] = [
      await on.workspace(organization, { ...inside, name: 'a' }),
      await on.workspace(organization, { ...inside, name: 'b' }),
    ];
    await on.workspace(organization, { name: 'c' });
    await bind(on, a, { env: 'test', zone: '1' });
    const effective = await on.read((tx) => tx.tagBindings.effectiveOf('workspace', [a.id, b.id]));
    const brief = ({ id }: Workspace) =>
      effective
        .filter(({ appliesTo }) => appliesTo === id)
        .map(({ key, value, inheritedFrom }) => `${key}=${value}${inheritedFrom === project.id ? ' inherited' : ''}`);
    expect(brief(a)).toEqual(['env=test', 'team=net inherited', 'zone=1']);
    expect(brief(b)).toEqual(['env=prod inherited', 'team=net inherited']);
    expect(await on.read((tx) => tx.tagBindings.of(ofProject))).toMatchObject([{ key: 'env' }, { owner: ofProject }]);
    const found = async (...bindings: readonly Partial<KeyValue>[]) => {
      const all = await on.read((tx) => tx.workspaces.page(organization.id, nobody, 'all', page, { bindings }));
      expect(all.total).toBe(all.items.length);
      return all.items.map(({ subject }) => subject.name).join('');
    };
    expect(await found({ key: 'env' })).toBe('ab');
    expect(await found({ key: 'env', value: 'prod' })).toBe('b');
    expect(await found({ key: 'team', value: 'net' }, { key: 'zone' })).toBe('a');
    expect(await found({ value: 'net' })).toBe('ab');
    const having = async (filter: WorkspaceFilter) => {
      const all = await on.read((tx) => tx.workspaces.page(organization.id, nobody, 'all', page, filter));
      return all.items.map(({ subject }) => subject.name).join('');
    };
    expect(await having({ tags: ['team', 'env'] })).toBe('ab');
    expect(await having({ tags: ['zone', 'team'] })).toBe('a');
    expect(await having({ excludedTags: ['team'] })).toBe('c');
    const own = await on.read((tx) => tx.tagBindings.of(ofProject));
    const [other, elsewhere] = [aProject(organization), aProject(await on.organization())];
    for (const one of [other, elsewhere]) {
      const owner = { kind: 'project', id: one.id } as const;
      await on.run(async (tx) => {
        await tx.projects.add(one);
        await tx.tagBindings.bind(owner, bindingsOf(owner, one.organizationId, { env: 'test' }));
      });
    }
    const ofEach = await on.read((tx) => tx.tagBindings.effectiveOf('project', [project.id, other.id, 'prj-nothing']));
    const expected = own.map(({ id, key, value }) => ({ id, key, value, appliesTo: project.id, inheritedFrom: null }));
    expect(ofEach.filter(({ appliesTo }) => appliesTo === project.id)).toEqual(expected);
    expect(ofEach.filter(({ appliesTo }) => appliesTo !== project.id)).toMatchObject([
      { key: 'env', value: 'test', appliesTo: other.id },
    ]);
    const projects = async (...bindings: readonly Partial<KeyValue>[]) => {
      const all = await on.read((tx) => tx.projects.page(organization.id, nobody, 'all', page, { bindings }));
      expect(all.total).toBe(all.items.length);
      return new Set(all.items.map(({ subject }) => subject.id));
    };
    expect(await projects({ key: 'env' })).toEqual(new Set([project.id, other.id]));
    expect(await projects({ key: 'env', value: 'test' })).toEqual(new Set([other.id]));
    expect(await projects({ value: 'prod' }, { key: 'team' })).toEqual(new Set([project.id]));
    expect(await projects({ key: 'env' }, { key: 'zone' })).toEqual(new Set());
    expect(await projects({ key: 'ENV' })).toEqual(new Set());
    await on.run((tx) => tx.tagBindings.unbindAll(ofProject));
    expect(await found({ key: 'team' })).toBe('');
  });

  it('select workspaces', async () => {
    const [organization, other] = [await on.organization(), await on.organization()];
    const workspaces = new Map<string, Workspace>();
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      workspaces.set(
        name,
        await on.workspace(organization, { name, createdAt: afterNoon(at), updatedAt: afterNoon(at) }),
      );
    }
    const elsewhere = await on.workspace(other, { name: 'elsewhere' });
    const at = (name: string) => workspaces.get(name) as Workspace;
    await give(on, organization, [at('a'), at('b')], 'net');
    await give(on, organization, [at('b')], 'app');
    await give(on, other, [elsewhere], 'app');
    await bind(on, at('a'), { env: 'prod', zone: '1' });
    await bind(on, at('b'), { env: 'test' });
    await bind(on, elsewhere, { env: 'prod' });
    const team = await on.team(organization);
    await on.grant(team, at('a'), { access: 'read' });
    const found = async (filter: WorkspaceFilter, visibility: WorkspaceVisibility = 'all') => {
      const { items, total } = await on.read((tx) =>
        tx.workspaces.page(organization.id, nobody, visibility, page, filter),
      );
      expect(total).toBe(items.length);
      return items.map(({ subject }) => subject.name).join('');
    };
    const bound = (...bindings: readonly Partial<KeyValue>[]) => ({ bindings });
    for (const [filter, expected] of [
      [{ tags: ['net'] }, 'ab'],
      [{ tags: ['net', 'app'] }, 'b'],
      [{ tags: ['nothing'] }, ''],
      [{ tags: ['net'], sort: { key: 'name', descending: true } }, 'ba'],
      [{ tags: ['net'], sort: { key: 'latest-change-at', descending: false } }, 'ab'],
      [{ tags: ['NET', 'net'] }, 'ab'],
      // Keys of bindings are searched along with names.
      [{ tags: ['env'] }, 'ab'],
      [{ tags: ['net', 'zone'] }, 'a'],
      [{ tags: ['Env'] }, ''],
      [{ tags: ['Env', 'env', 'NET'] }, 'ab'],
      [{ excludedTags: ['zone'] }, 'bc'],
      [{ excludedTags: ['app'] }, 'ac'],
      [{ excludedTags: ['app', 'net'] }, 'c'],
      [{ tags: ['net'], excludedTags: ['app'] }, 'a'],
      [bound({ key: 'env' }), 'ab'],
      [bound({ key: 'env', value: 'prod' }), 'a'],
      [bound({ value: '1' }), 'a'],
      [bound({ key: 'env' }, { key: 'zone' }), 'a'],
      [bound({ key: 'ENV' }), ''],
      [{ tags: [], excludedTags: [], bindings: [] }, 'abc'],
    ] as const satisfies readonly (readonly [WorkspaceFilter, string])[]) {
      expect([filter, await found(filter)]).toEqual([filter, expected]);
      const through = await found(filter, { throughTeams: [team.id] });
      expect([filter, through]).toEqual([filter, expected.includes('a') ? 'a' : '']);
    }
  });
});
