import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { ConfigurationVersionSummary, RunScope, WorkspaceOfRun } from '../../src/application/index.js';
import {
  type ConfigurationVersionState,
  defaultProjectId,
  type RunStatus,
  type Standing,
  type Workspace,
  type WorkspaceVisibility,
} from '../../src/domain/index.js';
import { nothingInherited } from '../../src/domain/supporting/workspaces/auto-destroy.js';
import {
  aBundle,
  aConfigurationVersion,
  aCustomGrant,
  afterNoon,
  aProject,
  aRepository,
  aStateVersion,
  asOrganization,
  aWorkspace,
  changed,
  noon,
  someIngressAttributes,
  unique,
} from '../support/builders.js';
import { type Ground, onEveryBackend, refusal, taken } from './on-every-backend.js';

const summaryOf = (version: ConfigurationVersionState): ConfigurationVersionSummary => {
  const { workspaceId, origin, bundle, purgeAt, createdBy, createdAt, revision, ...summary } = version;
  return summary;
};

onEveryBackend('workspaces', (on) => {
  /** The ids of all versions: as many as their numbers reach to. */
  const listed = async ({ id }: Pick<Workspace, 'id'>): Promise<readonly string[]> => {
    const page = await on.read((tx) => tx.configurationVersions.page(id, { number: 1, size: 100 }));
    expect(page.items).toHaveLength(page.total);
    return page.items.map((version) => version.id);
  };

  it('are due for destruction once their time has come, the earliest first, while they exist', async () => {
    const organization = await on.organization();
    const due = (now: string, limit = 10) => on.read((tx) => tx.workspaces.dueForDestruction(now, limit));
    const by = { kind: 'user', id: 'user-1' } as const;
    const destroyedAt = async (at: string | null): Promise<Workspace> => {
      const workspace = await on.workspace(organization);
      const autoDestroy = { at, activityDuration: '2d', by };
      const next = { ...workspace, autoDestroy, revision: workspace.revision + 1 };
      await on.run((tx) => tx.workspaces.save(next));
      return next;
    };
    const times = ['2001-01-02T00:00:00.000Z', '2001-01-01T00:00:00.000Z', '2001-01-03T00:00:00.000Z'] as const;
    const [second, first, third, gone] = [
      await destroyedAt(times[0]),
      await destroyedAt(times[1]),
      await destroyedAt(times[2]),
      await destroyedAt(times[1]),
    ];
    await destroyedAt(null);
    await on.workspace(organization);
    await on.run((tx) => tx.workspaces.remove(gone.id, noon));
    expect(await due('2000-12-31T00:00:00.000Z')).toEqual([]);
    expect(await due(times[0])).toEqual([first.id, second.id]);
    expect(await due(times[0], 1)).toEqual([first.id]);
    expect(await due(times[2])).toEqual([first.id, second.id, third.id]);
    for (const one of [first, second, third]) {
      await on.run((tx) => tx.workspaces.save({ ...one, autoDestroy: null, revision: one.revision + 1 }));
    }
    expect(await due(times[2])).toEqual([]);
  });

  it('are due in their project once it passed since their state, or since they began to inherit', async () => {
    const organization = await on.organization();
    const by = { kind: 'user', id: 'user-1' } as const;
    const autoDestroy = { activityDuration: '14d', since: noon, nextCheckAt: afterNoon(3), by };
    const project = aProject(organization, { autoDestroy });
    await on.run((tx) => tx.projects.add(project));
    const withState = async (createdAt: string, projectId = project.id): Promise<Workspace> => {
      const workspace = await on.workspace(organization, { projectId });
      const state = aStateVersion({ workspaceId: workspace.id, id: unique('run') }, { runId: null, createdAt });
      await on.run(async (tx) => {
        await tx.stateVersions.add(state, []);
        await tx.stateVersions.finalize(state, aBundle());
      });
      return workspace;
    };
    const due = (beganBy: string, limit = 10) =>
      on.read((tx) => tx.workspaces.dueInProject(project.id, beganBy, limit));
    const first = () => on.read((tx) => tx.workspaces.firstInheriting(project.id));
    const save = async ({ id }: Workspace, change: Partial<Workspace>) => {
      const stored = await on.read((tx) => tx.workspaces.find(id));
      if (stored === undefined) throw new Error('it is gone');
      await on.run((tx) => tx.workspaces.save({ ...stored, ...change, revision: stored.revision + 1 }));
    };
    expect(await first()).toBeNull();
    const [late, early] = [await withState(afterNoon(2)), await withState(afterNoon(1))];
    const moved = await withState(noon, defaultProjectId(organization.id));
    await on.run((tx) => tx.workspaces.moveTo(project.id, [moved.id], afterNoon(3)));
    await on.workspace(organization, { projectId: project.id });
    const [own, ignoring, done, gone] = [
      await withState(noon),
      await withState(noon),
      await withState(noon),
      await withState(noon),
    ];
    await save(own, { autoDestroy: { at: null, activityDuration: '2d', by } });
    await save(ignoring, { inheritedDestruction: { ...nothingInherited, ignored: true } });
    await save(done, { inheritedDestruction: { ...nothingInherited, doneFor: noon } });
    await on.run((tx) => tx.workspaces.remove(gone.id, noon));
    expect(await due(noon)).toEqual([]);
    expect(await due(afterNoon(2))).toEqual([early.id, late.id]);
    expect(await due(afterNoon(2), 1)).toEqual([early.id]);
    expect(await due(afterNoon(3))).toEqual([early.id, late.id, moved.id]);
    expect(await first()).toBe(afterNoon(1));
    const { inheritedDestruction } = (await on.read((tx) => tx.workspaces.find(moved.id))) ?? {};
    expect(inheritedDestruction).toEqual({
      ...{ ignored: false, since: afterNoon(3), doneFor: null, lastStateAt: noon },
      project: autoDestroy,
    });
  });

  it('are found for a run of another one in their organization, and say whether they share their state', async () => {
    const organization = await on.organization();
    const reader = await on.workspace(organization);
    const seen = async (sought: WorkspaceOfRun, by = reader) => {
      const found = await on.read((tx) => tx.workspaces.findForRun(by.id, sought));
      return found && [found.subject.id, found.standing.actor, found.standing.sharesState];
    };
    const [shy, friendly, open] = [
      await on.workspace(organization),
      await on.workspace(organization),
      await on.workspace(organization, { globalRemoteState: true }),
    ];
    const consumers = { removed: [], added: [reader.id] };
    await on.run((tx) => tx.workspaces.changeStateConsumers(friendly.id, consumers));
    for (const [workspace, shares] of [
      [shy, false],
      [friendly, true],
      [open, true],
      [reader, false],
    ] as const) {
      const answer = [workspace.id, 'run', shares];
      expect(await seen({ id: workspace.id })).toEqual(answer);
      expect(await seen({ organizationName: organization.name, name: workspace.name })).toEqual(answer);
      expect(await seen({ organizationName: 'another', name: workspace.name })).toBeUndefined();
    }
    expect(await seen({ id: friendly.id }, shy)).toEqual([friendly.id, 'run', false]);
    const foreign = await on.workspace(await on.organization(), { globalRemoteState: true });
    expect(await seen({ id: foreign.id })).toBeUndefined();
    expect(await seen({ id: open.id }, foreign)).toBeUndefined();
    expect(await seen({ id: 'ws-nobody' })).toBeUndefined();
    await on.run((tx) => tx.workspaces.remove(open.id, noon));
    expect(await seen({ id: open.id })).toBeUndefined();
  });

  it('are told apart, among some ids, from what is gone, elsewhere or hidden', async () => {
    const organization = await on.organization();
    const [a, b, gone] = [
      await on.workspace(organization),
      await on.workspace(organization),
      await on.workspace(organization),
    ];
    const foreign = await on.workspace(await on.organization());
    await on.run((tx) => tx.workspaces.remove(gone.id, noon));
    const team = await on.team(organization);
    await on.grant(team, b, { access: 'read' });
    await on.grant(team, gone, { access: 'read' });
    const among = (visibility: WorkspaceVisibility, ...ids: string[]) =>
      on.read((tx) => tx.workspaces.visibleAmong(organization.id, ids, visibility));
    expect(await among('all', b.id, a.id, gone.id, foreign.id, 'ws-nobody', a.id)).toEqual([a.id, b.id].sort());
    expect(await among('all')).toEqual([]);
    expect(await among({ throughTeams: [team.id] }, b.id, a.id, gone.id)).toEqual([b.id]);
    expect(await among({ throughTeams: [] }, b.id, a.id)).toEqual([]);
  });

  it('share their state with hundreds of consumers at once', async () => {
    const organization = await on.organization();
    const { id } = await on.workspace(organization);
    const nobody: Standing = { actor: 'user', siteAdministrator: false, member: true, teams: [] };
    const consumers = Array.from({ length: 501 }, () => aWorkspace(organization));
    const added = consumers.map((one) => one.id);
    await on.run(async (tx) => {
      for (const one of consumers) await tx.workspaces.add(one);
    });
    const total = () => on.read((tx) => tx.workspaces.stateConsumers(id, nobody, 'all', { number: 1, size: 1 }));
    for (const removed of [[], 'all'] as const) {
      await on.run((tx) => tx.workspaces.changeStateConsumers(id, { removed, added }));
      expect((await total()).total).toBe(added.length);
    }
    await on.run((tx) => tx.workspaces.changeStateConsumers(id, { removed: added, added: [] }));
    expect((await total()).total).toBe(0);
  });

  it('lose those of their consumers that a caller can see', async () => {
    const organization = await on.organization();
    const [{ id }, hidden, seen, added] = [
      await on.workspace(organization),
      await on.workspace(organization),
      await on.workspace(organization),
      await on.workspace(organization),
    ];
    const team = await on.team(organization);
    await on.grant(team, seen, { access: 'read' });
    const consumers = async () => {
      const nobody: Standing = { actor: 'user', siteAdministrator: false, member: true, teams: [] };
      const found = await on.read((tx) => tx.workspaces.stateConsumers(id, nobody, 'all', { number: 1, size: 10 }));
      return found.items.map(({ subject }) => subject.id).sort();
    };
    const change = (removed: WorkspaceVisibility, ...ids: readonly string[]) =>
      on.run((tx) => tx.workspaces.changeStateConsumers(id, { removed, added: ids }));
    await change({ throughTeams: [] }, hidden.id, seen.id);
    await change({ throughTeams: [] });
    expect(await consumers()).toEqual([hidden.id, seen.id].sort());
    await change({ throughTeams: [team.id] }, added.id);
    expect(await consumers()).toEqual([hidden.id, added.id].sort());
    await change('all');
    expect(await consumers()).toEqual([]);
  });

  it('finds a workspace by id and by name', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization, { repository: aRepository(), revision: 3 });
    const actor = asOrganization(organization);
    const byId = await on.read((tx) => tx.workspaces.findFor(actor, workspace.id));
    const byName = await on.read((tx) => tx.workspaces.findByNameFor(actor, organization.name, workspace.name));
    expect(byId?.subject).toEqual(workspace);
    expect(byName).toEqual(byId);
    expect(await on.read((tx) => tx.workspaces.find(workspace.id))).toEqual(workspace);
    expect(await on.read((tx) => tx.workspaces.find('ws-nobody'))).toBeUndefined();
    expect(await on.read((tx) => tx.workspaces.findFor(actor, 'ws-nobody'))).toBeUndefined();
    expect(await on.read((tx) => tx.workspaces.findByNameFor(actor, organization.name, 'nobody'))).toBeUndefined();
    expect(await on.read((tx) => tx.workspaces.findByNameFor(actor, 'nobody', workspace.name))).toBeUndefined();
  });

  it('keeps the current version and the counter when settings are saved', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const current = aConfigurationVersion(workspace);
    await on.run((tx) => tx.configurationVersions.add(current, true));
    await on.run((tx) => tx.workspaces.save({ ...workspace, revision: 1 }));
    const seen = await on.read((tx) => tx.workspaces.findFor(asOrganization(organization), workspace.id));
    expect(seen?.subject.currentConfigurationVersionId).toBe(current.state.id);
    const next = await on.version(workspace);
    expect(await listed(workspace)).toEqual([next.state.id, current.state.id]);
  });

  it('has one living workspace of an organization by a name', async () => {
    const organization = await on.organization();
    const { name } = await on.workspace(organization);
    const other = await on.workspace(organization);
    await expect(on.workspace(organization, { name })).rejects.toEqual(taken('name'));
    await expect(on.run((tx) => tx.workspaces.save({ ...other, name, revision: 1 }))).rejects.toEqual(taken('name'));
    await on.workspace(await on.organization(), { name });
  });

  it('frees the name of a workspace that is removed', async () => {
    const organization = await on.organization();
    const { id, name } = await on.workspace(organization);
    await on.run((tx) => tx.workspaces.remove(id, noon));
    const heir = await on.workspace(organization, { name });
    const actor = asOrganization(organization);
    const seen = await on.read((tx) => tx.workspaces.findByNameFor(actor, organization.name, name));
    expect(seen?.subject).toEqual(heir);
  });

  it('lists versions in the order in which they were added, and points at the one that becomes current', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const current = async () =>
      (await on.read((tx) => tx.workspaces.findFor(asOrganization(organization), workspace.id)))?.subject
        .currentConfigurationVersionId;
    const older = await on.version(workspace);
    expect(await current()).toBeNull();
    const becoming = aConfigurationVersion(workspace);
    await on.run((tx) => tx.configurationVersions.add(becoming, true));
    expect(await current()).toBe(becoming.state.id);
    const newer = await on.version(workspace);
    expect(await current()).toBe(becoming.state.id);
    expect(await listed(workspace)).toEqual([newer, becoming, older].map(({ state }) => state.id));
  });

  it('lists every version once, however many are added at once', async () => {
    const workspace = await on.workspace(await on.organization());
    const versions = await Promise.all(Array.from({ length: 20 }, () => on.version(workspace)));
    const ids = await listed(workspace);
    expect(new Set(ids)).toEqual(new Set(versions.map(({ state }) => state.id)));
    expect(ids).toHaveLength(20);
  });

  it('gets no version when it is missing or removed', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    const removed = await on.organization();
    const elsewhere = await on.workspace(removed);
    await on.run((tx) => tx.organizations.remove(removed.id, noon));
    for (const place of [workspace, elsewhere, { id: 'ws-nobody' }]) {
      const version = aConfigurationVersion(place);
      const adding = on.run((tx) => tx.configurationVersions.add(version, true));
      await expect(adding).rejects.toEqual(refusal('resource/not-found'));
    }
  });

  it('finds the workspace of a webhook while it lives and is linked', async () => {
    const organization = await on.organization();
    const repository = aRepository();
    const workspace = await on.workspace(organization, { repository });
    await on.workspace(organization, { repository: aRepository() });
    await on.workspace(organization);
    const find = (id: string) => on.read((tx) => tx.workspaces.findByWebhook(id));
    expect(await find(repository.webhookId)).toEqual(workspace);
    expect(await find('webhook-nobody')).toBeUndefined();

    const relinked = { ...workspace, repository: aRepository(), revision: 1 };
    await on.run((tx) => tx.workspaces.save(relinked));
    expect(await find(repository.webhookId)).toBeUndefined();
    expect(await find(relinked.repository.webhookId)).toEqual(relinked);
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await find(relinked.repository.webhookId)).toBeUndefined();
    expect(await on.read((tx) => tx.workspaces.find(workspace.id))).toBeUndefined();

    const orphan = await on.workspace(organization, { repository: aRepository() });
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await find(orphan.repository?.webhookId ?? '')).toBeUndefined();
    expect(await on.read((tx) => tx.workspaces.find(orphan.id))).toBeUndefined();
  });

  it('promotes a version, unless the current one is newer', async () => {
    const organization = await on.organization();
    const [workspace, neighbour] = [await on.workspace(organization), await on.workspace(organization)];
    const [older, newer] = [await on.version(workspace), await on.version(workspace)];
    const promote = (id: string) => on.run((tx) => tx.workspaces.promote(workspace.id, id));
    const current = async (id = workspace.id) =>
      (await on.read((tx) => tx.workspaces.find(id)))?.currentConfigurationVersionId;
    await promote(older.state.id);
    expect(await current()).toBe(older.state.id);
    await promote(newer.state.id);
    expect(await current()).toBe(newer.state.id);
    await promote(newer.state.id);
    await promote(older.state.id);
    expect(await current()).toBe(newer.state.id);
    expect(await current(neighbour.id)).toBeNull();
    expect((await on.read((tx) => tx.workspaces.find(workspace.id)))?.revision).toBe(0);
  });

  it('lets the newest win, however many are promoted at once', async () => {
    const workspace = await on.workspace(await on.organization());
    const versions = [];
    for (let n = 0; n < 6; n += 1) versions.push(await on.version(workspace));
    await Promise.all(versions.map(({ state }) => on.run((tx) => tx.workspaces.promote(workspace.id, state.id))));
    const found = await on.read((tx) => tx.workspaces.find(workspace.id));
    expect(found?.currentConfigurationVersionId).toBe(versions.at(-1)?.state.id);
  });

  it('lets one alone lock its row: of two that look before they act, the second sees what the first did', async () => {
    const workspace = await on.workspace(await on.organization(), { description: '' });
    const append = (letter: string) =>
      on.run(async (tx) => {
        await tx.workspaces.lockRow(workspace.id);
        const found = await tx.workspaces.find(workspace.id);
        if (found === undefined) throw new Error('the workspace is there');
        await setImmediate();
        await tx.workspaces.save({
          ...found,
          description: `${found.description}${letter}`,
          revision: found.revision + 1,
        });
      });
    const letters = [...'abcdef'];
    await Promise.all(letters.map(append));
    const found = await on.read((tx) => tx.workspaces.find(workspace.id));
    expect([...(found?.description ?? '')].sort()).toEqual(letters);
  });

  it('changes nothing when a turn is taken, and does not mind a workspace that is not there', async () => {
    const workspace = await on.workspace(await on.organization());
    for (const id of [workspace.id, 'ws-nobody']) await on.run((tx) => tx.workspaces.lockRow(id));
    expect(await on.read((tx) => tx.workspaces.find(workspace.id))).toEqual(workspace);
  });

  it('lists workspaces by name whatever its case, each with the grants on it', async () => {
    const organization = await on.organization();
    const [reader, writer] = [await on.team(organization), await on.team(organization)];
    const workspaces = [];
    for (const name of ['c', 'B', 'a']) workspaces.unshift(await on.workspace(organization, { name }));
    const [a, b, c] = workspaces;
    if (!a || !b || !c) throw new Error('three workspaces were made');
    await on.grant(reader, a, { access: 'read' });
    await on.grant(writer, a, aCustomGrant({ runs: 'apply' }));
    await on.grant(writer, c, { access: 'write' });
    const standing: Standing = {
      actor: 'user',
      siteAdministrator: false,
      member: true,
      teams: [reader, writer].map(({ id }) => ({ teamId: id, owners: false, access: new Set() })),
    };
    const page = (number: number, size: number) =>
      on.read((tx) => tx.workspaces.page(organization.id, standing, 'all', { number, size }));
    const standingWith = (...grants: (object | undefined)[]) => ({
      ...standing,
      teams: standing.teams.map((team, n) => ({ ...team, ...(grants[n] && { grant: grants[n] }) })),
    });
    const [onA, onB, onC] = [
      standingWith({ access: 'read' }, aCustomGrant({ runs: 'apply' })),
      standingWith(),
      standingWith(undefined, { access: 'write' }),
    ];
    expect(await page(1, 2)).toEqual({
      number: 1,
      size: 2,
      total: 3,
      items: [
        { subject: a, standing: onA },
        { subject: b, standing: onB },
      ],
    });
    expect(await page(2, 2)).toEqual({ number: 2, size: 2, total: 3, items: [{ subject: c, standing: onC }] });
    expect(await page(3, 2)).toEqual({ number: 3, size: 2, total: 3, items: [] });
  });

  it('lists only what is reached through some teams, where not all may be seen', async () => {
    const organization = await on.organization();
    const [mine, yours] = [await on.team(organization), await on.team(organization)];
    const [a, b, c] = [
      await on.workspace(organization, { name: 'a' }),
      await on.workspace(organization, { name: 'b' }),
      await on.workspace(organization, { name: 'c' }),
    ];
    await on.grant(mine, a, { access: 'read' });
    await on.grant(yours, a, { access: 'read' });
    await on.grant(yours, b, { access: 'admin' });
    await on.grant(mine, c, { access: 'plan' });
    const standing = { actor: 'user', siteAdministrator: false, member: true, teams: [] } as const;
    const page = async (...throughTeams: string[]) => {
      const all = { number: 1, size: 20 };
      const found = await on.read((tx) => tx.workspaces.page(organization.id, standing, { throughTeams }, all));
      return { total: found.total, names: found.items.map(({ subject }) => subject.name) };
    };
    expect(await page(mine.id)).toEqual({ total: 2, names: ['a', 'c'] });
    expect(await page(mine.id, yours.id)).toEqual({ total: 3, names: ['a', 'b', 'c'] });
    expect(await page()).toEqual({ total: 0, names: [] });
  });
});

onEveryBackend('configuration versions', (on) => {
  const states: readonly (readonly [string, Partial<ConfigurationVersionState>])[] = [
    ['pending', {}],
    ['larger than 4 GiB', { status: 'uploaded', bundle: { ...aBundle(), bytes: 5_000_000_000 } }],
    ['provisional', { autoQueueRuns: false, provisional: true, createdAt: afterNoon(7), revision: 9 }],
    ['softly deleted', { status: 'backing_data_soft_deleted', bundle: aBundle(), purgeAt: afterNoon(600) }],
  ];

  it.each(states)('finds a version, its state and what is listed of it: %s', async (_, given) => {
    const organization = await on.organization();
    const version = await on.version(await on.workspace(organization), given);
    const found = await on.read((tx) => tx.configurationVersions.find(version.state.id));
    const reader = asOrganization(organization);
    const seen = await on.read((tx) => tx.configurationVersions.findFor(reader, version.state.id));
    const summary = await on.read((tx) => tx.configurationVersions.findSummaryFor(reader, version.state.id));
    expect(found?.state).toEqual(version.state);
    expect(seen?.subject.state).toEqual(version.state);
    expect(summary?.subject).toEqual(summaryOf(version.state));
  });

  it('does not find a version that was never made', async () => {
    const organization = await on.organization();
    expect(await on.read((tx) => tx.configurationVersions.find('cv-nobody'))).toBeUndefined();
    const seen = on.read((tx) => tx.configurationVersions.findFor(asOrganization(organization), 'cv-nobody'));
    expect(await seen).toBeUndefined();
  });

  it('lists versions newest first, on any page', async () => {
    const workspace = await on.workspace(await on.organization());
    const versions: ConfigurationVersionSummary[] = [];
    for (let n = 0; n < 7; n += 1) versions.unshift(summaryOf((await on.version(workspace)).state));
    await on.version(await on.workspace(await on.organization()));
    const page = (number: number, size: number) =>
      on.read((tx) => tx.configurationVersions.page(workspace.id, { number, size }));
    expect(await page(1, 3)).toEqual({ number: 1, size: 3, total: 7, items: versions.slice(0, 3) });
    expect(await page(2, 3)).toEqual({ number: 2, size: 3, total: 7, items: versions.slice(3, 6) });
    expect(await page(3, 3)).toEqual({ number: 3, size: 3, total: 7, items: versions.slice(6) });
    expect(await page(4, 3)).toEqual({ number: 4, size: 3, total: 7, items: [] });
    expect(await page(1, 7)).toEqual({ number: 1, size: 7, total: 7, items: versions });
    expect(await page(2, 7)).toEqual({ number: 2, size: 7, total: 7, items: [] });
    expect(await page(1, 100)).toEqual({ number: 1, size: 100, total: 7, items: versions });
    expect(await page(90_000_000_000_000, 100)).toMatchObject({ total: 7, items: [] });
  });

  it('lists no version of a workspace without one, or of none', async () => {
    const workspace = await on.workspace(await on.organization());
    for (const id of [workspace.id, 'ws-nobody']) {
      const page = { number: 1, size: 20 };
      const found = await on.read((tx) => tx.configurationVersions.page(id, page));
      expect(found).toEqual({ ...page, total: 0, items: [] });
    }
  });

  it('knows whether a version refers to a bundle, a hidden version too', async () => {
    const organization = await on.organization();
    const [kept, dropped] = [aBundle(), aBundle()];
    const workspace = await on.workspace(organization);
    await on.version(workspace, { status: 'uploaded', bundle: kept });
    const emptied = await on.version(workspace, { status: 'uploaded', bundle: dropped });
    const refers = (key: string) => on.read((tx) => tx.storedFiles.refersTo(key));
    expect(await refers(kept.key)).toBe(true);
    expect(await refers(dropped.key)).toBe(true);
    expect(await refers('bundle-nobody')).toBe(false);
    await on.run((tx) => tx.configurationVersions.save(changed(emptied, { bundle: null })));
    expect(await refers(dropped.key)).toBe(false);
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await refers(kept.key)).toBe(true);
  });

  it('gives back the commits that versions come from, and keeps the first that was recorded', async () => {
    const workspace = await on.workspace(await on.organization());
    const [pulled, pushed, bare] = [
      await on.version(workspace),
      await on.version(workspace),
      await on.version(workspace),
    ];
    const ids = [pulled, pushed, bare].map(({ state }) => state.id);
    const first = someIngressAttributes();
    const second = someIngressAttributes({
      commitMessage: null,
      isPullRequest: false,
      onDefaultBranch: true,
      pullRequestNumber: null,
      pullRequestBody: null,
      tag: 'v1',
    });
    await on.run((tx) => tx.configurationVersions.addIngressAttributes(pulled.state.id, first));
    await on.run((tx) => tx.configurationVersions.addIngressAttributes(pushed.state.id, second));
    await on.run((tx) => tx.configurationVersions.addIngressAttributes(pulled.state.id, someIngressAttributes()));
    expect(await on.read((tx) => tx.configurationVersions.ingressAttributes(ids))).toEqual(
      new Map([
        [pulled.state.id, first],
        [pushed.state.id, second],
      ]),
    );
    expect(await on.read((tx) => tx.configurationVersions.ingressAttributes([]))).toEqual(new Map());
  });
});

onEveryBackend('commits that a forge reports', (on) => {
  /** A workspace with a version of this commit, and a query for it. */
  const reported = async (ground: Ground) => {
    const organization = await ground.organization();
    const workspace = await ground.workspace(organization);
    const version = await ground.version(workspace, { origin: 'version-control', status: 'fetching' });
    const commit = { cloneUrl, branch: 'main', commitSha: unique('sha'), isPullRequest: false };
    const attributes = someIngressAttributes(commit);
    await ground.run((tx) => tx.configurationVersions.addIngressAttributes(version.state.id, attributes));
    const isKnown = (given: object = {}) =>
      ground.read((tx) =>
        tx.configurationVersions.isKnown({ workspaceId: workspace.id, delivery: null, ...commit, ...given }),
      );
    return { organization, workspace, version, isKnown };
  };
  const cloneUrl = 'https://git.example/acme/network.git';
  const elsewhere = { branch: 'other' };

  it('are known by repository, branch and commit, of a pull request apart from those of the branch', async () => {
    const { organization, isKnown } = await reported(on);
    expect(await isKnown()).toBe(true);
    expect(await isKnown({ delivery: 'delivery-new' })).toBe(true);
    expect(await isKnown(elsewhere)).toBe(false);
    expect(await isKnown({ commitSha: 'sha-other' })).toBe(false);
    expect(await isKnown({ cloneUrl: 'https://git.example/acme/storage.git' })).toBe(false);
    expect(await isKnown({ isPullRequest: true })).toBe(false);
    expect(await isKnown({ workspaceId: (await on.workspace(organization)).id })).toBe(false);
    expect(await isKnown({ workspaceId: 'ws-nobody' })).toBe(false);
  });

  it('of pull requests are known as such', async () => {
    const workspace = await on.workspace(await on.organization());
    const version = await on.version(workspace);
    const commit = { cloneUrl, branch: 'main', commitSha: unique('sha'), isPullRequest: true };
    await on.run((tx) =>
      tx.configurationVersions.addIngressAttributes(version.state.id, someIngressAttributes(commit)),
    );
    const report = { workspaceId: workspace.id, delivery: null, ...commit };
    expect(await on.read((tx) => tx.configurationVersions.isKnown(report))).toBe(true);
    const pushed = { ...report, isPullRequest: false };
    expect(await on.read((tx) => tx.configurationVersions.isKnown(pushed))).toBe(false);
  });

  it('may be tried again once their version is errored, and are known again after that', async () => {
    const { workspace, version, isKnown } = await reported(on);
    await on.run((tx) => tx.configurationVersions.save(changed(version, { status: 'errored' })));
    expect(await isKnown()).toBe(false);
    const again = await on.version(workspace);
    const found = await on.read((tx) => tx.configurationVersions.ingressAttributes([version.state.id]));
    const attributes = someIngressAttributes({ ...found.get(version.state.id), id: unique('ia') });
    await on.run((tx) => tx.configurationVersions.addIngressAttributes(again.state.id, attributes));
    expect(await isKnown()).toBe(true);
  });

  it('are known by their delivery, whatever it is about, while the last version it made is not errored', async () => {
    const { organization, workspace, version, isKnown } = await reported(on);
    const delivery = unique('delivery');
    expect(await isKnown({ ...elsewhere, delivery })).toBe(false);
    const { id } = version.state;
    await on.run((tx) => tx.configurationVersions.addDelivery(workspace.id, delivery, id));
    await on.run((tx) => tx.configurationVersions.addDelivery(workspace.id, delivery, id));
    expect(await isKnown({ ...elsewhere, delivery })).toBe(true);
    expect(await isKnown(elsewhere)).toBe(false);
    expect(await isKnown({ ...elsewhere, delivery: 'delivery-other' })).toBe(false);
    const neighbour = await on.workspace(organization);
    expect(await isKnown({ ...elsewhere, delivery, workspaceId: neighbour.id })).toBe(false);
    await on.run((tx) => tx.configurationVersions.save(changed(version, { status: 'errored' })));
    expect(await isKnown({ ...elsewhere, delivery })).toBe(false);
    expect(await isKnown({ delivery })).toBe(false);
    const again = await on.version(workspace);
    await on.run((tx) => tx.configurationVersions.addDelivery(workspace.id, delivery, again.state.id));
    expect(await isKnown({ ...elsewhere, delivery })).toBe(true);
    expect(await isKnown({ ...elsewhere, delivery, workspaceId: neighbour.id })).toBe(false);
    await on.run((tx) => tx.configurationVersions.save(changed(again, { status: 'errored' })));
    expect(await isKnown({ ...elsewhere, delivery })).toBe(false);
  });

  it('make one version, however many deliveries of one push there are at once', async () => {
    const workspace = await on.workspace(await on.organization());
    const commit = { cloneUrl, branch: 'main', commitSha: unique('sha'), isPullRequest: false };
    const deliver = () =>
      on.run(async (tx) => {
        await tx.workspaces.lockRow(workspace.id);
        const delivery = unique('delivery');
        if (await tx.configurationVersions.isKnown({ workspaceId: workspace.id, delivery, ...commit })) return 0;
        const version = aConfigurationVersion(workspace, { origin: 'version-control' });
        await tx.configurationVersions.add(version);
        await tx.configurationVersions.addIngressAttributes(version.state.id, someIngressAttributes(commit));
        await tx.configurationVersions.addDelivery(workspace.id, delivery, version.state.id);
        return 1;
      });
    const made = await Promise.all(Array.from({ length: 6 }, deliver));
    expect(made.filter((versions) => versions === 1)).toHaveLength(1);
  });

  it('of a workspace that is removed are not known', async () => {
    const { workspace, version, isKnown } = await reported(on);
    const delivery = unique('delivery');
    await on.run((tx) => tx.configurationVersions.addDelivery(workspace.id, delivery, version.state.id));
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await isKnown({ delivery })).toBe(false);
  });
});

onEveryBackend('run facts', (on) => {
  const run = async (status: RunStatus, createdBy: string | null = null) => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const version = await on.version(workspace);
    const configurationVersionId = version.state.id;
    await on.seedRun({ id: unique('run'), workspaceId: workspace.id, configurationVersionId, status, createdBy });
    return { organization, workspace, version };
  };
  const about = (id: string) => on.read((tx) => tx.runs.aboutVersion(id));

  it('knows of a version whether it is current', async () => {
    const workspace = await on.workspace(await on.organization());
    const older = await on.version(workspace);
    const newer = aConfigurationVersion(workspace);
    await on.run((tx) => tx.configurationVersions.add(newer, true));
    const unused = { runsInProgress: false, usedByRun: false };
    expect(await about(newer.state.id)).toEqual({ isCurrent: true, ...unused });
    expect(await about(older.state.id)).toEqual({ isCurrent: false, ...unused });
    expect(await about('cv-nobody')).toEqual({ isCurrent: false, ...unused });
  });

  it('knows of a version whether a run uses it, and whether one has', async () => {
    const { version: running } = await run('planning');
    expect(await about(running.state.id)).toEqual({ isCurrent: false, runsInProgress: true, usedByRun: true });
    const { version: over, workspace } = await run('applied');
    expect(await about(over.state.id)).toEqual({ isCurrent: false, runsInProgress: false, usedByRun: true });
    const neighbour = await on.version(workspace);
    expect(await about(neighbour.state.id)).toMatchObject({ runsInProgress: false, usedByRun: false });
  });

  it('knows where a run is applied: by organization and workspace', async () => {
    const { organization, workspace } = await run('applying');
    const quiet = await run('apply_queued');
    const neighbour = await on.workspace(organization);
    const any = (scope: RunScope) => on.read((tx) => tx.runs.anyApplying(scope));
    expect(await any({ organizationId: organization.id })).toBe(true);
    expect(await any({ workspaceId: workspace.id })).toBe(true);
    expect(await any({ organizationId: quiet.organization.id })).toBe(false);
    expect(await any({ workspaceId: quiet.workspace.id })).toBe(false);
    expect(await any({ workspaceId: neighbour.id })).toBe(false);
  });

  it('forgets the runs of a workspace that is removed', async () => {
    const { organization, workspace } = await run('applying');
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await on.read((tx) => tx.runs.anyApplying({ organizationId: organization.id }))).toBe(false);
  });
});
