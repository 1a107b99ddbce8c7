import { expect, it } from '@jest/globals';
import type { RunScope } from '../../src/application/index.js';
import type { ConfigurationVersionState, RunStatus, Standing } from '../../src/domain/index.js';
import {
  aBundle,
  aConfigurationVersion,
  aCustomGrant,
  afterNoon,
  asOrganization,
  changed,
  noon,
  ownedBy,
  someIngressAttributes,
  unique,
} from '../support/builders.js';
import { onEveryBackend, refusal } from './on-every-backend.js';

onEveryBackend('workspaces', (on) => {
  it('gives back a workspace as it was stored, by id and by name', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization, {
      description: 'Networks',
      autoApply: true,
      executionMode: 'agent',
      terraformVersion: '1.9.0',
      workingDirectory: 'modules/network',
      lock: { by: { kind: 'team', id: 'team-1' }, reason: 'upgrade', at: noon },
      updatedAt: afterNoon(1),
      revision: 3,
    });
    const actor = asOrganization(organization);
    const byId = await on.read((tx) => tx.workspaces.findFor(actor, workspace.id));
    const byName = await on.read((tx) => tx.workspaces.findByNameFor(actor, organization.name, workspace.name));
    expect(byId?.subject).toEqual(workspace);
    expect(byName).toEqual(byId);
    expect(await on.read((tx) => tx.workspaces.findFor(actor, 'ws-nobody'))).toBeUndefined();
    expect(await on.read((tx) => tx.workspaces.findByNameFor(actor, organization.name, 'nobody'))).toBeUndefined();
    expect(await on.read((tx) => tx.workspaces.findByNameFor(actor, 'nobody', workspace.name))).toBeUndefined();
  });

  it('gives back settings and lock as they were saved', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const find = async () =>
      (await on.read((tx) => tx.workspaces.findFor(asOrganization(organization), workspace.id)))?.subject;
    const locked = {
      ...workspace,
      name: `${workspace.name}-renamed`,
      description: 'Networks',
      autoApply: true,
      executionMode: 'local',
      terraformVersion: '1.9.0',
      workingDirectory: 'network',
      lock: { by: ownedBy('user', { id: 'user-1' }), reason: null, at: afterNoon(1) },
      updatedAt: afterNoon(1),
      revision: 1,
    } as const;
    await on.run((tx) => tx.workspaces.save(locked));
    expect(await find()).toEqual(locked);
    const unlocked = { ...locked, lock: null, updatedAt: afterNoon(2), revision: 2 };
    await on.run((tx) => tx.workspaces.save(unlocked));
    expect(await find()).toEqual(unlocked);
  });

  it('keeps the current version and the counter when settings are saved', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    await on.run((tx) => tx.workspaces.takeSequence(workspace.id, 'cv-current', true));
    await on.run((tx) => tx.workspaces.save({ ...workspace, revision: 1 }));
    const seen = await on.read((tx) => tx.workspaces.findFor(asOrganization(organization), workspace.id));
    expect(seen?.subject.currentConfigurationVersionId).toBe('cv-current');
    expect(await on.run((tx) => tx.workspaces.takeSequence(workspace.id, 'cv-next', false))).toBe(2);
  });

  it('has one living workspace of an organization by a name', async () => {
    const organization = await on.organization();
    const { name } = await on.workspace(organization);
    const other = await on.workspace(organization);
    const taken = refusal('attribute/taken', {
      details: { attribute: 'name' },
      message: 'Name has already been taken',
    });
    await expect(on.workspace(organization, { name })).rejects.toEqual(taken);
    await expect(on.run((tx) => tx.workspaces.save({ ...other, name, revision: 1 }))).rejects.toEqual(taken);
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

  it('gives out sequence numbers from 1, without a gap, and points at the version that becomes current', async () => {
    const organization = await on.organization();
    const workspace = await on.workspace(organization);
    const take = (versionId: string, becomesCurrent: boolean) =>
      on.run((tx) => tx.workspaces.takeSequence(workspace.id, versionId, becomesCurrent));
    const current = async () =>
      (await on.read((tx) => tx.workspaces.findFor(asOrganization(organization), workspace.id)))?.subject
        .currentConfigurationVersionId;
    expect(await take('cv-a', false)).toBe(1);
    expect(await current()).toBeNull();
    expect(await take('cv-b', true)).toBe(2);
    expect(await current()).toBe('cv-b');
    expect(await take('cv-c', false)).toBe(3);
    expect(await current()).toBe('cv-b');
  });

  it('gives out every number once, however many are taken at once', async () => {
    const workspace = await on.workspace(await on.organization());
    const versions = await Promise.all(Array.from({ length: 20 }, () => on.version(workspace)));
    const sequences = versions.map(({ state }) => state.sequence).sort((a, b) => a - b);
    expect(sequences).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  it('gives no number of a workspace that is missing or removed', async () => {
    const workspace = await on.workspace(await on.organization());
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    for (const id of [workspace.id, 'ws-nobody']) {
      const taken = on.run((tx) => tx.workspaces.takeSequence(id, 'cv-never', true));
      await expect(taken).rejects.toEqual(refusal('resource/not-found'));
    }
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
    ['uploaded', { status: 'uploaded', bundle: aBundle(), statusTimestamps: { 'uploaded-at': noon } }],
    ['larger than 4 GiB', { status: 'uploaded', bundle: { ...aBundle(), bytes: 5_000_000_000 } }],
    ['errored', { status: 'errored', failure: { error: 'bad-archive', errorMessage: 'not a gzip stream' } }],
    [
      'from version control',
      { origin: 'version-control', source: 'github', ingressAttributesId: 'ia-1', status: 'archived' },
    ],
    ['speculative', { autoQueueRuns: false, speculative: true }],
    ['provisional', { provisional: true, createdAt: afterNoon(7), revision: 9 }],
  ];

  it.each(states)('gives back a version as it was stored: %s', async (_, given) => {
    const organization = await on.organization();
    const version = await on.version(await on.workspace(organization), given);
    const found = await on.read((tx) => tx.configurationVersions.find(version.state.id));
    const seen = await on.read((tx) =>
      tx.configurationVersions.findFor(asOrganization(organization), version.state.id),
    );
    expect(found?.state).toEqual(version.state);
    expect(seen?.subject.state).toEqual(version.state);
  });

  it.each(states)('gives back a version as it was saved: %s', async (_, change) => {
    const version = await on.version(await on.workspace(await on.organization()), {
      bundle: aBundle(),
      failure: { error: 'e', errorMessage: 'm' },
      origin: change.origin ?? 'api',
      source: change.source ?? 'terraform',
      createdAt: change.createdAt ?? noon,
    });
    const next = changed(version, { bundle: null, failure: null, ...change });
    const saved = aConfigurationVersion({ id: next.state.workspaceId }, { ...next.state, revision: 1 });
    await on.run((tx) => tx.configurationVersions.save(saved));
    const found = await on.read((tx) => tx.configurationVersions.find(version.state.id));
    expect(found?.state).toEqual(saved.state);
  });

  it('misses a version nobody made', async () => {
    const organization = await on.organization();
    expect(await on.read((tx) => tx.configurationVersions.find('cv-nobody'))).toBeUndefined();
    const seen = on.read((tx) => tx.configurationVersions.findFor(asOrganization(organization), 'cv-nobody'));
    expect(await seen).toBeUndefined();
  });

  it('lists versions newest first, on any page', async () => {
    const workspace = await on.workspace(await on.organization());
    const versions: ConfigurationVersionState[] = [];
    for (let n = 0; n < 7; n += 1) versions.unshift((await on.version(workspace)).state);
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
    const refers = (key: string) => on.read((tx) => tx.configurationVersions.refersTo(key));
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
    const [older, newer] = [await on.version(workspace), await on.version(workspace)];
    await on.run((tx) => tx.workspaces.takeSequence(workspace.id, newer.state.id, true));
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

  it('knows where a run is in progress: by organization, workspace and creator', async () => {
    const creator = unique('user');
    const { organization, workspace } = await run('apply_queued', creator);
    const quiet = await run('planned_and_finished', creator);
    const neighbour = await on.workspace(organization);
    const any = (scope: RunScope) => on.read((tx) => tx.runs.anyInProgress(scope));
    expect(await any({ organizationId: organization.id })).toBe(true);
    expect(await any({ workspaceId: workspace.id })).toBe(true);
    expect(await any({ createdBy: creator })).toBe(true);
    expect(await any({ organizationId: quiet.organization.id })).toBe(false);
    expect(await any({ workspaceId: quiet.workspace.id })).toBe(false);
    expect(await any({ workspaceId: neighbour.id })).toBe(false);
    expect(await any({ createdBy: 'user-nobody' })).toBe(false);
  });

  it('forgets the runs of a workspace that is removed', async () => {
    const creator = unique('user');
    const { organization, workspace } = await run('planning', creator);
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect(await on.read((tx) => tx.runs.anyInProgress({ organizationId: organization.id }))).toBe(false);
    expect(await on.read((tx) => tx.runs.anyInProgress({ createdBy: creator }))).toBe(false);
  });
});
