import { beforeEach, describe, expect, it } from '@jest/globals';
import { attemptSeconds, type CommitRequest, type ForgeEvent } from '../../src/application/index.js';
import {
  type Actor,
  type ConfigurationVersionId,
  type ConfigurationVersionState,
  DomainError,
  type RepositorySettings,
  type Workspace,
} from '../../src/domain/index.js';
import { firstPage, limits, missing, UncertainUnitOfWork, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { aCommit, unique } from '../support/builders.js';
import { RunSteps } from '../support/run-steps.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });
const otherFiles = await archiveOf({ 'main.tf': 'locals {}' });
const tooMany = await archiveOf(
  Object.fromEntries(Array.from({ length: limits.maxArchiveEntries + 1 }, (_, index) => [`${index}.tf`, ''])),
);

const cloneUrl = 'https://git.example/acme/network.git';
const elsewhere = 'https://git.example/acme/storage.git';
const ours = { cloneUrl, branch: 'main', credential: 'ours' };

let world: World;
let steps: RunSteps;
beforeEach(async () => {
  world = await World.create();
  steps = await RunSteps.of(world);
});

const link = (
  repository: RepositorySettings | null,
  actor: Actor = world.owner,
  { id }: Pick<Workspace, 'id'> = world.workspace,
) => world.useCases.updateWorkspace.execute(actor, { id }, { repository, queueAllRuns: true });

const workspace = async (): Promise<Workspace> =>
  (await world.useCases.showWorkspace.execute(world.owner, { id: world.workspace.id })).subject;

const webhookId = async (): Promise<string> => (await workspace()).repository?.webhookId ?? '';

/** A push to the linked branch as a forge reports it, with `given` in place of the defaults. */
const push = (
  commitSha: string,
  given: Partial<Omit<ForgeEvent, 'commit'>> & { commit?: Partial<ForgeEvent['commit']> } = {},
): ForgeEvent => ({
  forge: 'github',
  repositoryUrls: ['https://git.example/acme/network'],
  defaultBranch: 'main',
  ref: 'refs/heads/main',
  changedFiles: null,
  ...given,
  commit: aCommit({ commitSha, ...given.commit }),
});

const pullRequest = (commitSha: string, given: Partial<Omit<ForgeEvent, 'commit'>> = {}): ForgeEvent =>
  push(commitSha, {
    ref: 'refs/pull/7/head',
    baseBranch: 'main',
    fromFork: false,
    ...given,
    commit: { branch: 'subnets', isPullRequest: true, pullRequestNumber: 7, pullRequestTitle: 'Subnets' },
  });

/** A delivery with a valid signature. */
async function deliver(event: ForgeEvent | null, id: string | null = unique('delivery')): Promise<boolean> {
  return world.useCases.receiveWebhook.execute(await webhookId(), () => ({ id, event }));
}

const listed = async (): Promise<readonly ConfigurationVersionState[]> => {
  const { items } = await world.useCases.listConfigurationVersions.execute(world.owner, {
    workspaceId: world.workspace.id,
    page: firstPage,
    include: new Set(),
  });
  const versions = await world.unitOfWork.read((tx) =>
    Promise.all(items.map(({ id }) => tx.configurationVersions.find(id))),
  );
  return versions.flatMap((version) => version?.state ?? []);
};

const newest = async (): Promise<ConfigurationVersionState> => {
  const [version] = await listed();
  if (version === undefined) throw new Error('there is no version');
  return version;
};

const commitOf = (id: ConfigurationVersionId) => world.useCases.showIngressAttributes.execute(world.owner, id);

const recordedOf = async (id: string): Promise<readonly string[]> =>
  (await world.recorded()).filter(({ subject }) => subject === id).map(({ action }) => action);

/** Pushes, reports and fetches a commit. */
async function pushed(archive = files, event: (sha: string) => ForgeEvent = push): Promise<ConfigurationVersionState> {
  expect(await deliver(event(world.repositories.push(cloneUrl, 'main', archive)))).toBe(true);
  await world.performEffects();
  return newest();
}

/** The same, with its run complete. */
async function archived(archive = files, event?: (sha: string) => ForgeEvent): Promise<ConfigurationVersionState> {
  const { id } = await pushed(archive, event);
  await steps.plan(false);
  await world.performEffects();
  expect((await world.stateOf(id)).status).toBe('archived');
  return world.stateOf(id);
}

const lastAsked = (): CommitRequest | undefined => world.repositories.asked.at(-1);

const runsOf = async (id: ConfigurationVersionId) =>
  (await world.useCases.listRuns.execute(world.owner, world.workspace.id, firstPage)).items
    .map(({ run }) => run)
    .filter(({ configurationVersionId }) => configurationVersionId === id);

describe('linking a workspace to a repository', () => {
  it('keeps the webhook while the repository is the same, whatever else changes', async () => {
    const { subject } = await link(ours);
    const administrator = await world.holderOf('manage-workspaces', 'manage-vcs-settings');
    const again = await link({ cloneUrl, branch: 'develop', credential: null }, administrator);
    expect(again.webhookKey).toBeUndefined();
    expect(again.subject.repository).toEqual({
      ...subject.repository,
      branch: 'develop',
      credential: null,
      linkedBy: { kind: 'user', id: administrator.userId },
    });
  });

  it('gives another repository another webhook, and the old one reports into the void', async () => {
    const first = await link(ours);
    const second = await link({ ...ours, cloneUrl: elsewhere });
    expect(second.webhookKey).toMatch(/^whsec_/);
    expect(second.webhookKey).not.toBe(first.webhookKey);
    const old = first.subject.repository?.webhookId ?? '';
    expect(await webhookId()).not.toBe(old);
    await world.refuses(() => world.useCases.receiveWebhook.execute(old, () => ({ id: null, event: null })), missing);
    const back = await link(ours);
    expect([first.webhookKey, second.webhookKey]).not.toContain(back.webhookKey);
    await world.refuses(() => world.useCases.receiveWebhook.execute(old, () => ({ id: null, event: null })), missing);
  });

  it('is undone by a null, and stays as it is when nothing is said of it', async () => {
    const { subject } = await link(ours);
    await world.useCases.updateWorkspace.execute(world.owner, { id: world.workspace.id }, { name: 'renamed' });
    expect((await workspace()).repository).toEqual(subject.repository);
    const id = await webhookId();
    await link(null);
    expect((await workspace()).repository).toBeNull();
    await world.refuses(() => world.useCases.receiveWebhook.execute(id, () => ({ id: null, event: null })), missing);
  });
});

describe('what a forge reports', () => {
  beforeEach(async () => {
    await link(ours);
  });

  const without: Readonly<Record<string, ForgeEvent | null>> = {
    'an event that is ignored': null,
    'another branch': push('a1', { commit: { branch: 'develop' } }),
    'a branch of another case': push('a1', { commit: { branch: 'Main' } }),
    'another repository': push('a1', {
      repositoryUrls: ['https://git.example/acme/storage', 'ssh://git@git.example/x'],
    }),
    'a repository below ours': push('a1', { repositoryUrls: ['https://git.example/acme/network/sub'] }),
    'no repository': push('a1', { repositoryUrls: [] }),
    'a pull request to another branch': pullRequest('a1', { baseBranch: 'develop' }),
    'a pull request of a fork': pullRequest('a1', { fromFork: true }),
  };
  it.each(Object.keys(without))('makes nothing of %s', async (what) => {
    await world.keepsEverything(async () => expect(await deliver(without[what] ?? null)).toBe(false));
  });

  it.each([
    'https://git.example/acme/network',
    'https://GIT.EXAMPLE/Acme/Network.git',
    'https://other-name.example/acme/network.git/',
    'ssh://git@git.example:22/acme/network.git',
  ])('knows the repository as %s, too', async (url) => {
    expect(await deliver(push('a1', { repositoryUrls: ['https://git.example/acme/other', url] }))).toBe(true);
  });

  it('without a linked branch, that is the default branch', async () => {
    await link({ ...ours, branch: null });
    const onDevelop = { defaultBranch: 'develop', commit: { branch: 'develop' } };
    expect(await deliver(push('a1', onDevelop))).toBe(true);
    expect((await commitOf((await newest()).id)).onDefaultBranch).toBe(true);
    expect(await deliver(push('a2', { defaultBranch: 'develop' }))).toBe(false);
    expect(await deliver(push('a3', { defaultBranch: null }))).toBe(false);
    expect(await deliver(pullRequest('a4', { defaultBranch: 'develop' }))).toBe(false);
    expect(await deliver(pullRequest('a5', { defaultBranch: 'develop', baseBranch: 'develop' }))).toBe(true);
  });

  it('is missing for the webhook of a workspace that is gone', async () => {
    const id = await webhookId();
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await world.refuses(
      () => world.useCases.receiveWebhook.execute(id, () => ({ id: null, event: push('a1') })),
      missing,
    );
  });

  it('makes one version of a commit on a branch, however many deliveries report it', async () => {
    const { status } = await pushed();
    expect(status).toBe('uploaded');
    const [version] = await listed();
    const { commitSha } = await commitOf(version?.id ?? '');
    await world.keepsEverything(async () => {
      expect(await deliver(push(commitSha))).toBe(false);
      expect(await deliver(push(commitSha), null)).toBe(false);
    });
    await steps.plan(false);
    await world.performEffects();
    expect((await newest()).status).toBe('archived');
    await world.keepsEverything(async () => expect(await deliver(push(commitSha))).toBe(false));
    expect(await deliver(push('another commit'))).toBe(true);
  });

  it.each(['first', 'second'])(
    'makes a new version of a commit whose version is errored, at the %s delivery',
    async (again) => {
      expect(await deliver(push('not-pushed-yet'), 'first')).toBe(true);
      await world.performEffects();
      expect((await newest()).status).toBe('errored');
      expect(await deliver(push('not-pushed-yet'), again)).toBe(true);
      expect(await listed()).toHaveLength(2);
      // Its fetch may still succeed.
      await world.keepsEverything(async () => {
        expect(await deliver(push('not-pushed-yet'), again)).toBe(false);
        expect(await deliver(push('said later'), again)).toBe(false);
      });
    },
  );

  it('makes a new version of the same commit in another repository the workspace was linked to', async () => {
    expect(await deliver(push('a1'))).toBe(true);
    await link({ ...ours, cloneUrl: elsewhere });
    const there = push('a1', { repositoryUrls: [elsewhere] });
    expect(await deliver(there)).toBe(true);
    expect((await commitOf((await newest()).id)).cloneUrl).toBe(elsewhere);
    expect(await deliver(there)).toBe(false);
    await link(ours);
    expect(await deliver(push('a1'))).toBe(false);
    expect(await listed()).toHaveLength(2);
  });

  it('makes no second version when the branch is put back to an earlier commit', async () => {
    for (const sha of ['a1', 'a2']) expect(await deliver(push(sha))).toBe(true);
    await world.keepsEverything(async () => expect(await deliver(push('a1'))).toBe(false));
  });

  it('takes the commit of a pull request and of a push apart', async () => {
    const sha = 'a1';
    expect(await deliver(pullRequest(sha))).toBe(true);
    expect(await deliver(push(sha, { commit: { branch: 'main' } }))).toBe(true);
    expect(await deliver(pullRequest(sha))).toBe(false);
    expect(await deliver(push(sha))).toBe(false);
  });

  it('makes one version of deliveries that arrive at once', async () => {
    const same = await Promise.all([1, 2, 3, 4, 5].map(() => deliver(push('a1'), 'same')));
    expect(same.filter(Boolean)).toHaveLength(1);
    const different = await Promise.all([1, 2, 3, 4, 5].map((number) => deliver(push('a2'), `number-${number}`)));
    expect(different.filter(Boolean)).toHaveLength(1);
    expect(await listed()).toHaveLength(2);
  });

  it('makes one version for each workspace that is linked to the repository', async () => {
    const other = await world.newWorkspace('storage');
    const { subject } = await link(ours, world.owner, other);
    expect(await deliver(push('a1'), 'same')).toBe(true);
    const receive = () =>
      world.useCases.receiveWebhook.execute(subject.repository?.webhookId ?? '', () => ({
        id: 'same',
        event: push('a1'),
      }));
    expect(await receive()).toBe(true);
    expect(await receive()).toBe(false);
  });
});

describe('fetching what a branch holds now', () => {
  const fetchNow = (actor: Actor = world.owner) => world.useCases.fetchCommit.execute(actor, world.workspace.id);

  it('is of the default branch when none is linked', async () => {
    await link({ ...ours, branch: null, credential: null });
    const sha = world.repositories.push(cloneUrl, 'trunk', files);
    const { id } = await fetchNow();
    await world.performEffects();
    expect(lastAsked()).toEqual({ cloneUrl, credential: null, ref: null, commitSha: null });
    expect(await commitOf(id)).toMatchObject({ branch: 'trunk', onDefaultBranch: true, commitSha: sha });
  });

  it('makes a version each time it is asked', async () => {
    await link(ours);
    world.repositories.push(cloneUrl, 'main', files);
    await fetchNow();
    await fetchNow();
    await world.performEffects();
    expect((await listed()).map(({ status }) => status)).toEqual(['uploaded', 'uploaded']);
    expect((await world.bundles()).size).toBe(2);
  });
});

describe('fetching a reported commit', () => {
  beforeEach(async () => {
    await link(ours);
  });

  it('fetches its files, and queues one run on behalf of the user who linked the repository', async () => {
    const version = await pushed();
    expect(version).toMatchObject({ status: 'uploaded', failure: null, bundle: { bytes: files.length } });
    expect(Object.keys(version.statusTimestamps)).toEqual(['fetching-at', 'uploaded-at']);
    expect([...(await world.bundles()).values()]).toEqual([files]);
    expect(await runsOf(version.id)).toMatchObject([
      {
        status: 'plan_queued',
        planOnly: false,
        source: 'tfe-configuration-version',
        createdBy: { kind: 'user', id: world.owner.userId },
      },
    ]);
    await world.performEffects();
    expect(await runsOf(version.id)).toHaveLength(1);
    expect(await (await steps.claimed()).files()).toEqual(files);
    expect(await recordedOf(version.id)).toContain('configuration-versions/fetch');
  });

  it('fetches it again when storing its files took too long', async () => {
    const sha = world.repositories.push(cloneUrl, 'main', files);
    await deliver(push(sha));
    let thaw: (value?: unknown) => void = () => {};
    const frozen = new Promise((resolve) => (thaw = resolve));
    world.repositories.delays.set(
      sha,
      frozen.then(() => world.clock.advance(attemptSeconds.taken + 1)),
    );
    const askedBefore = world.repositories.asked.length;
    const performed = world.useCases.performEffects.execute('fetches');
    while (world.repositories.asked.length === askedBefore) await new Promise((resolve) => setImmediate(resolve));
    thaw();
    await performed;
    expect((await listed())[0]?.status).toBe('fetching');
    world.clock.advance(attemptSeconds.abandoned + 1);
    await world.performEffects();
    await world.useCases.sweepBundles.execute(attemptSeconds.abandoned);
    expect((await listed())[0]?.status).toBe('uploaded');
    expect([...(await world.bundles()).values()]).toEqual([files]);
  });

  it('queues the runs in the order of the pushes, also when the first commit is slow to come', async () => {
    const shas = [files, otherFiles, files].map((archive) => world.repositories.push(cloneUrl, 'main', archive));
    for (const sha of shas) await deliver(push(sha));
    let come: (value?: unknown) => void = () => {};
    world.repositories.delays.set(shas[0] ?? '', new Promise((resolve) => (come = resolve)));
    const slow = world.performEffects();
    // A second worker finds nothing to start before the first commit is fetched.
    await world.performEffects();
    come();
    await slow;
    await world.performEffects();
    const queued = (await world.useCases.listRuns.execute(world.owner, world.workspace.id, firstPage)).items;
    const versions = queued.map(({ run }) => run.configurationVersionId);
    expect(versions).toEqual((await listed()).map(({ id }) => id));
    expect(versions).toHaveLength(3);
    expect(world.ordered).toEqual([]);
  });

  it('does not hold up the fetches of other workspaces while one is slow', async () => {
    const other = await world.newWorkspace('storage');
    await link(ours, world.owner, other);
    const sha = world.repositories.push(cloneUrl, 'main', files);
    await deliver(push(sha));
    let come: (value?: unknown) => void = () => {};
    world.repositories.delays.set(sha, new Promise((resolve) => (come = resolve)));
    const performed = world.performEffects();
    world.repositories.push(cloneUrl, 'main', otherFiles);
    const { id } = await world.useCases.fetchCommit.execute(world.owner, other.id);
    await world.useCases.performEffects.execute('quick');
    const beside = world.useCases.performEffects.execute('fetches');
    while ((await world.stateOf(id)).status !== 'uploaded') await new Promise((resolve) => setImmediate(resolve));
    expect((await newest()).status).toBe('fetching');
    come();
    await Promise.all([performed, beside]);
    await world.performEffects();
    expect((await newest()).status).toBe('uploaded');
  });

  it('plans a pull request only', async () => {
    const { id } = await pushed(files, pullRequest);
    expect(await runsOf(id)).toMatchObject([{ planOnly: true }]);
    expect(lastAsked()?.ref).toBe('refs/pull/7/head');
    expect(await steps.plan(true)).toBe('planned_and_finished');
  });

  it.each([
    new Error('the disk is full'),
    new DomainError('service/storage-full', 'the disk is full'),
    new DomainError('service/unavailable', 'the store is unavailable'),
  ])('keeps on trying where this machine is at fault (%s), and says so to the administrator', async (fault) => {
    const sha = world.repositories.push(cloneUrl, 'main', files);
    await deliver(push(sha));
    world.repositories.broken = fault;
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await world.performEffects();
      expect((await newest()).status).toBe('fetching');
      const { items } = await world.useCases.listFailingEffects.execute(world.administrator, firstPage);
      expect(items).toMatchObject([{ kind: 'fetch-commit', attempts: attempt, lastError: String(fault) }]);
      world.clock.advance(600);
    }
    world.repositories.broken = undefined;
    await world.performEffects();
    const version = await newest();
    expect(version.status).toBe('uploaded');
    expect(await runsOf(version.id)).toHaveLength(1);
    expect(world.ordered).toEqual([]);
  });

  it.each<[string, () => Buffer, RegExp]>([
    ['is no archive', () => Buffer.from('no archive'), /./],
    ['has too many entries', () => tooMany, /MAX_ARCHIVE_ENTRIES/],
  ])('makes the version errored with the reason when what was fetched %s', async (_what, archive, reason) => {
    const version = await pushed(archive());
    expect(version).toMatchObject({ status: 'errored', bundle: null, failure: { error: 'fetch-failed' } });
    expect(version.failure?.errorMessage).toMatch(reason);
    expect(await runsOf(version.id)).toEqual([]);
    expect(await world.bundles()).toEqual(new Map());
    expect(world.ordered).toEqual([]);
  });

  it('makes the version errored with the reason when there is no such commit', async () => {
    await deliver(push('nowhere'));
    await world.performEffects();
    expect(await newest()).toMatchObject({
      status: 'errored',
      failure: { error: 'fetch-failed', errorMessage: 'refs/heads/main does not exist in the repository' },
    });
    expect(await recordedOf((await newest()).id)).toContain('configuration-versions/fail');
    await expect(steps.create()).rejects.toMatchObject({
      message: 'Configuration version cannot be used because its status is errored',
    });
  });

  it('is done once by two workers at once, and leaves no second copy', async () => {
    const sha = world.repositories.push(cloneUrl, 'main', files);
    await deliver(push(sha));
    await Promise.all([1, 2, 3].map(() => world.performEffects()));
    await world.performEffects();
    const version = await newest();
    expect([...(await world.bundles()).keys()]).toEqual([version.bundle?.key]);
    expect(await runsOf(version.id)).toHaveLength(1);
    world.clock.advance(60);
    expect(await world.useCases.sweepBundles.execute(0)).toBe(0);
  });

  it.each(['before it is kept', 'after it is kept'] as const)(
    'leaves no bytes over and loses none when the change that takes them fails %s',
    async (moment) => {
      const unitOfWork = new UncertainUnitOfWork();
      world = await World.create({ unitOfWork });
      steps = await RunSteps.of(world);
      await link(ours);
      const dieWhileFetching = async () => {
        const die = () => {
          unitOfWork.failing = moment;
          return undefined;
        };
        Object.defineProperty(world.repositories, 'broken', { configurable: true, get: die });
        await expect(world.performEffects()).rejects.toThrow('the connection was lost');
        Object.defineProperty(world.repositories, 'broken', { configurable: true, value: undefined });
        unitOfWork.failing = undefined;
        world.clock.advance(600);
        await world.useCases.sweepBundles.execute(599);
        await world.performEffects();
      };
      const sha = world.repositories.push(cloneUrl, 'main', files);
      await deliver(push(sha));
      await dieWhileFetching();
      const { id, bundle } = await newest();
      expect([...(await world.bundles()).keys()]).toEqual([bundle?.key]);
      expect(await runsOf(id)).toHaveLength(1);
      await steps.plan(false);
      await world.performEffects();
      const run = await steps.create();
      await dieWhileFetching();
      expect([...(await world.bundles()).keys()]).toEqual([(await steps.stateOf(run.id)).ownFiles?.key]);
      expect(await (await steps.claimed()).files()).toEqual(files);
      expect(world.ordered).toEqual([]);
    },
  );

  it('uses the repository and the credential it was ordered with, also when the link changed since', async () => {
    const sha = world.repositories.push(cloneUrl, 'main', files);
    await deliver(push(sha));
    await link({ cloneUrl: elsewhere, branch: 'main', credential: 'theirs' });
    await world.performEffects();
    expect(world.repositories.asked).toEqual([
      { cloneUrl, credential: 'ours', ref: 'refs/heads/main', commitSha: sha },
    ]);
    expect((await newest()).status).toBe('uploaded');
  });

  it('comes to nothing when the workspace is gone by then', async () => {
    const sha = world.repositories.push(cloneUrl, 'main', files);
    await deliver(push(sha));
    const { id } = await newest();
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await world.performEffects();
    expect(world.repositories.asked).toEqual([]);
    expect(world.ordered).toEqual([]);
    expect(world.remembers(id)).toBe(false);
    expect(await world.bundles()).toEqual(new Map());
  });
});

describe('a version from version control', () => {
  beforeEach(async () => {
    await link(ours);
  });

  it('is archived when the last of its runs is over', async () => {
    const { id } = await pushed();
    const [second, third] = [await steps.create(), await steps.create({ planOnly: true })];
    await steps.change('run-1', 'cancel');
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('uploaded');
    await steps.change(second.id, 'cancel');
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('uploaded');
    await steps.change(third.id, 'cancel');
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('archived');
  });

  it('is not archived while one of its runs waits with a saved plan', async () => {
    const { id } = await pushed();
    await steps.plan(false);
    const saved = await steps.create({ savePlan: true });
    await world.performEffects();
    expect(await steps.plan()).toBe('planned_and_saved');
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('uploaded');
    await steps.change(saved.id, 'discard');
    await world.performEffects();
    expect((await world.stateOf(id)).status).toBe('archived');
  });

  it('is usable once archived: its files are fetched again for that run alone', async () => {
    const version = await archived();
    const { commitSha } = await commitOf(version.id);
    world.repositories.push(cloneUrl, 'main', otherFiles);
    const run = await steps.create();
    expect(run.status).toBe('fetching');
    expect(await steps.claim()).toBeUndefined();
    await world.performEffects();
    expect(lastAsked()).toEqual({ cloneUrl, credential: 'ours', ref: 'refs/heads/main', commitSha });
    expect(await world.stateOf(version.id)).toEqual(version);
    const held = await steps.claimed();
    expect(await held.files()).toEqual(files);
    const { ownFiles } = await steps.stateOf(run.id);
    expect([...(await world.bundles()).keys()]).toEqual([ownFiles?.key]);
    await world.refuses(() => world.useCases.locateBundle.execute(world.owner, { id: version.id }), missing);
  });

  it('fetches for each run apart, and discards what each had when it is over', async () => {
    const version = await archived();
    const first = await steps.create();
    const planOnly = await steps.create({ planOnly: true });
    await world.performEffects();
    expect((await world.bundles()).size).toBe(2);
    await steps.change(planOnly.id, 'cancel');
    await world.performEffects();
    expect([...(await world.bundles()).keys()]).toEqual([(await steps.stateOf(first.id)).ownFiles?.key]);
    await steps.plan();
    await steps.change(first.id, 'apply');
    const applier = await steps.claimed();
    expect(await applier.files()).toEqual(files);
    await applier.applied();
    await world.performEffects();
    expect(await world.bundles()).toEqual(new Map());
    expect(await steps.stateOf(first.id)).toMatchObject({ status: 'applied', ownFiles: null });
    expect(await world.stateOf(version.id)).toEqual(version);
    expect(world.ordered).toEqual([]);
  });

  it('keeps a run’s own files when its agent is lost while it plans', async () => {
    await archived();
    await steps.create();
    await world.performEffects();
    await steps.claimed();
    world.clock.advance(60);
    await world.useCases.reclaimLostRuns.execute();
    await world.performEffects();
    expect(await (await steps.claimed()).files()).toEqual(files);
  });

  it('waits for the lock on the row before it fetches', async () => {
    await archived();
    const [first, second] = [await steps.create(), await steps.create()];
    expect(await steps.statusesOf(first, second)).toEqual(['fetching', 'pending']);
    await world.performEffects();
    expect(await steps.statusesOf(first, second)).toEqual(['plan_queued', 'pending']);
    await steps.plan(false);
    expect(await steps.statusesOf(first, second)).toEqual(['planned_and_finished', 'fetching']);
    await world.performEffects();
    expect(await steps.statusOf(second.id)).toBe('plan_queued');
  });

  it('makes the run errored with the reason when its files are not to be had any more, and lets others go on', async () => {
    const version = await archived();
    const doomed = await steps.create();
    const uploaded = await world.uploadedVersion(otherFiles);
    const waiting = await steps.create({ configurationVersionId: uploaded.id });
    (Reflect.get(world.repositories, 'commits') as Map<string, unknown>).clear();
    await world.performEffects();
    expect(await steps.stateOf(doomed.id)).toMatchObject({
      status: 'errored',
      failure: 'refs/heads/main does not exist in the repository',
      ownFiles: null,
    });
    expect(await recordedOf(doomed.id)).toContain('runs/fail');
    expect(await steps.statusOf(waiting.id)).toBe('plan_queued');
    expect(await world.stateOf(version.id)).toEqual(version);
    expect(world.ordered).toEqual([]);
  });

  it('keeps the run fetching while this machine is at fault', async () => {
    await archived();
    const run = await steps.create();
    world.repositories.broken = new Error('the disk is full');
    await world.performEffects();
    expect(await steps.statusOf(run.id)).toBe('fetching');
    world.repositories.broken = undefined;
    world.clock.advance(1);
    await world.performEffects();
    expect(await steps.statusOf(run.id)).toBe('plan_queued');
  });

  it('fetches nothing for a run that was canceled before', async () => {
    await archived();
    const run = await steps.create();
    await steps.change(run.id, 'cancel');
    const asked = world.repositories.asked.length;
    await world.performEffects();
    expect(world.repositories.asked).toHaveLength(asked);
  });

  it.each([
    ['that come', undefined],
    ['that are refused', new DomainError('repository/fetch-failed', 'the repository is gone')],
  ])('leaves nothing of files %s for a run that was canceled meanwhile', async (_, refusal) => {
    const { commitSha } = await commitOf((await archived()).id);
    const run = await steps.create();
    let come: (late?: Promise<never>) => void = () => undefined;
    const delay = new Promise<unknown>((resolve) => {
      come = resolve;
    });
    world.repositories.delays.set(commitSha, delay);
    const asked = world.repositories.asked.length;
    const performed = world.useCases.performEffects.execute('fetches');
    while (world.repositories.asked.length === asked) await new Promise((resolve) => setImmediate(resolve));
    await steps.change(run.id, 'cancel');
    come(refusal && Promise.reject(refusal));
    expect(await performed).toMatchObject({ done: 1, failures: [] });
    await world.performEffects();
    expect(await steps.statusOf(run.id)).toBe('canceled');
    expect(await world.bundles()).toEqual(new Map());
    expect(world.ordered).toEqual([]);
  });

  it.each<[string, RepositorySettings | null, string | null]>([
    ['to another repository', { cloneUrl: elsewhere, branch: 'main', credential: 'theirs' }, null],
    [
      'to another repository with the same credential',
      { cloneUrl: elsewhere, branch: 'main', credential: 'ours' },
      null,
    ],
    ['to a repository whose URL begins alike', { ...ours, cloneUrl: `${cloneUrl}.evil` }, null],
    ['to nothing', null, null],
    ['with another credential', { ...ours, credential: 'renewed' }, 'renewed'],
    ['with no credential', { ...ours, credential: null }, null],
  ])(
    'is fetched again from where it came, with the link’s credential only if that is the link: now %s',
    async (...given) => {
      const [, repository, credential] = given;
      await archived();
      await link(repository);
      const run = await steps.create();
      await world.performEffects();
      expect(lastAsked()).toMatchObject({ cloneUrl, credential });
      expect(await steps.statusOf(run.id)).toBe('plan_queued');
    },
  );

  it.each([
    ['github', 'refs/pull/7/head'],
    ['gitlab', 'refs/merge-requests/7/head'],
  ])('of a pull request at %s is fetched again from %s', async (forge, ref) => {
    const version = await archived(files, (sha) => pullRequest(sha, { forge }));
    await steps.create({ configurationVersionId: version.id });
    await world.performEffects();
    expect(lastAsked()).toMatchObject({ ref, commitSha: (await commitOf(version.id)).commitSha });
  });
});
