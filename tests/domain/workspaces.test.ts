import { describe, expect, it } from '@jest/globals';
import { executionModes, lockActions, type TokenOwner, type Workspace } from '../../src/domain/index.js';
import { checkRepository } from '../../src/domain/shared/linked-repository.js';
import { type FileTriggers, selectsPush } from '../../src/domain/supporting/workspaces/file-triggers.js';
import {
  checkSafeToDelete,
  checkSettings,
  defaultSettings,
  deletionOf,
  directoryOf,
} from '../../src/domain/supporting/workspaces/workspace.js';
import { anOrganization, aWorkspace } from '../support/builders.js';
import { cloneUrlsWithFitPaths, cloneUrlsWithUnfitPaths } from '../support/clone-urls.js';
import { fc } from '../support/properties.js';
import { later, noon, thrownBy } from './samples.js';

const alice: TokenOwner = { kind: 'user', id: 'user-alice' };
const bob: TokenOwner = { kind: 'user', id: 'user-bob' };

const unlocked = aWorkspace(anOrganization(), { revision: 2 });
const lockedByAlice: Workspace = { ...unlocked, lock: { by: alice, reason: 'upgrade', at: noon } };
const refusal = (message: string) => ({ code: 'workspace/lock-refused', message });

const by = (caller: TokenOwner, reason: string | null = null, workingRunId: string | null = null) => ({
  by: caller,
  now: later,
  reason,
  workingRunId,
});

describe('a workspace on which a run works', () => {
  const locked = 'workspace is locked by Run run-1: it is unlocked when the run ends, or is discarded or canceled';

  it.each([
    ['lock', 'workspace already locked'],
    ['unlock', locked],
    ['force-unlock', locked],
  ] as const)('refuses to %s', (action, sentence) => {
    const act = () => lockActions[action](unlocked, by(alice, null, 'run-1'));
    expect(thrownBy(act)).toMatchObject(refusal(sentence));
  });

  it('is unlocked by who locked it before', () => {
    expect(lockActions.unlock(lockedByAlice, by(alice, null, 'run-1')).lock).toBeNull();
  });
});

describe('a safe deletion', () => {
  const idle = { workingRunId: null, stateVersionId: null, resourceCount: null };
  const check =
    (workspace: Workspace, activity: Partial<typeof idle | Record<keyof typeof idle, string | number>>) => () =>
      checkSafeToDelete(workspace, { ...idle, ...activity } as typeof idle);

  it('is for a workspace without a state, or with a state without resources', () => {
    expect(check(unlocked, {})).not.toThrow();
    expect(check(unlocked, { stateVersionId: 'sv-1', resourceCount: 0 })).not.toThrow();
  });

  it.each([
    ['locked', lockedByAlice, {}, 'currently locked'],
    ['locked by a run', unlocked, { workingRunId: 'run-1' }, 'currently locked'],
    ['not read yet', unlocked, { stateVersionId: 'sv-1' }, 'still being processed'],
    ['managing resources', unlocked, { stateVersionId: 'sv-1', resourceCount: 1 }, 'still managing resources'],
  ])('is refused for one that is %s', (_, workspace, activity, words) => {
    expect(thrownBy(check(workspace, activity))).toMatchObject({
      code: 'workspace/not-safe-to-delete',
      message: expect.stringContaining(words),
    });
  });
});

describe('locking a workspace', () => {
  it('records who, why and when', () => {
    expect(lockActions.lock(unlocked, by(alice, 'upgrade'))).toEqual({
      ...unlocked,
      lock: { by: alice, reason: 'upgrade', at: later },
      updatedAt: later,
      revision: 3,
    });
    expect(lockActions.lock(unlocked, by(alice)).lock).toEqual({ by: alice, reason: null, at: later });
    expect(unlocked.lock).toBeNull();
  });

  it('is refused while it is locked, even by the same caller', () => {
    for (const caller of [alice, bob]) {
      expect(thrownBy(() => lockActions.lock(lockedByAlice, by(caller)))).toMatchObject(
        refusal('workspace already locked'),
      );
    }
  });
});

describe('unlocking a workspace', () => {
  it('is for the caller who locked it', () => {
    expect(lockActions.unlock(lockedByAlice, by(alice))).toEqual({
      ...unlocked,
      updatedAt: later,
      revision: 3,
    });
  });

  it('is refused to everybody else', () => {
    expect(thrownBy(() => lockActions.unlock(lockedByAlice, by(bob)))).toMatchObject(
      refusal('workspace is locked by User user-alice'),
    );
  });

  it('is refused while it is not locked', () => {
    expect(thrownBy(() => lockActions.unlock(unlocked, by(alice)))).toMatchObject(
      refusal('workspace already unlocked'),
    );
  });
});

describe('force-unlocking a workspace', () => {
  it('does not ask who locked it', () => {
    for (const caller of [alice, bob]) {
      expect(lockActions['force-unlock'](lockedByAlice, by(caller))).toEqual({
        ...unlocked,
        updatedAt: later,
        revision: 3,
      });
    }
  });

  it('is refused while it is not locked', () => {
    expect(thrownBy(() => lockActions['force-unlock'](unlocked, by(bob)))).toMatchObject(
      refusal('workspace already unlocked'),
    );
  });
});

describe('the working directory', () => {
  const accepts = (workingDirectory: string) => {
    try {
      checkSettings({ workingDirectory });
      return true;
    } catch {
      return false;
    }
  };

  it.each(['', 'live', 'live/eu/production', 'live/', './live', 'a..b', '..a', 'a/...', 'with space', '/', '/live'])(
    'may be %j',
    (path) => {
      expect(accepts(path)).toBe(true);
    },
  );

  it.each(['..', '../', '/..', '../other', 'live/..', 'live/../../etc', './..'])('may not be %j', (path) => {
    expect(thrownBy(() => checkSettings({ workingDirectory: path }))).toMatchObject({
      code: 'attribute/invalid',
      message: 'Working directory must be a path below the configuration root',
      details: { attribute: 'workingDirectory' },
    });
  });

  it('never leaves the root, however it is written', () => {
    const anyPath = fc
      .array(fc.constantFrom('a', 'b', '.', '..', ''), { maxLength: 6 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(anyPath, (path) => {
        if (!accepts(path)) return;
        const root = 'file:///root/';
        const below = directoryOf({ workingDirectory: path });
        expect(new URL(below === '' ? '.' : below, root).href.startsWith(root)).toBe(true);
      }),
    );
  });
});

describe('the settings of a workspace', () => {
  it('are handed back as given', () => {
    const settings = { name: 'production', autoApply: true, workingDirectory: '/live', terraformVersion: '~> 1.9.0' };
    expect(checkSettings(settings)).toEqual(settings);
  });

  it.each(['latest', '1.11.4', '1.12.0-rc1', '~> 1.9', '>= 1.5.0, < 2.0.0', '= 1.5.7', '1.5'])(
    'may name the version %j',
    (terraformVersion) => expect(checkSettings({ terraformVersion })).toEqual({ terraformVersion }),
  );

  it.each(['', 'newest', 'v1.9.0', '1.9.0.1', '~> latest', '>= 1.0 < 2.0', '1.9.0,'])(
    'may not name the version %j',
    (terraformVersion) =>
      expect(thrownBy(() => checkSettings({ terraformVersion }))).toMatchObject({
        code: 'attribute/invalid',
        details: { attribute: 'terraformVersion' },
      }),
  );

  it('have prefixes or patterns as triggers, and each clears the other', () => {
    const [triggerPrefixes, triggerPatterns] = [['modules'], ['**/*.tf']];
    expect(checkSettings({ triggerPrefixes })).toEqual({ triggerPrefixes, triggerPatterns: [] });
    expect(checkSettings({ triggerPatterns, triggerPrefixes: [] })).toEqual({ triggerPatterns, triggerPrefixes: [] });
    expect(checkSettings({ triggerPatterns: [] })).toEqual({ triggerPatterns: [], triggerPrefixes: [] });
    expect(checkSettings({ triggerPrefixes: [] })).toEqual({ triggerPatterns: [], triggerPrefixes: [] });
    const off = { fileTriggersEnabled: false };
    for (const refused of [
      () => checkSettings({ triggerPatterns }, off),
      () => checkSettings({ triggerPatterns, ...off }),
    ]) {
      expect(thrownBy(refused)).toMatchObject({
        message: 'Trigger patterns require file triggers enabled to be true',
        details: { attribute: 'triggerPatterns' },
      });
    }
    expect(checkSettings({ triggerPatterns, fileTriggersEnabled: true }, off)).toMatchObject({ triggerPatterns });
    expect(checkSettings({ triggerPrefixes }, off)).toMatchObject({ triggerPrefixes });
    expect(thrownBy(() => checkSettings({ triggerPrefixes, triggerPatterns }))).toMatchObject({
      code: 'attribute/invalid',
      details: { attribute: 'triggerPatterns' },
    });
  });

  it('may leave out whatever does not change', () => {
    expect(checkSettings({})).toEqual({});
    expect(checkSettings({ description: null })).toEqual({ description: null });
  });

  it('are refused with a name that cannot stand in a URL', () => {
    expect(thrownBy(() => checkSettings({ name: 'a/b' }))).toMatchObject({
      code: 'attribute/invalid',
      details: { attribute: 'name' },
    });
  });

  it('follow the organization, without auto-apply, at the root of the configuration', () => {
    expect(defaultSettings).toEqual({
      description: null,
      autoApply: false,
      executionMode: null,
      terraformVersion: 'latest',
      workingDirectory: '',
      agentPoolId: null,
      allowDestroyPlan: true,
      queueAllRuns: false,
      speculativeEnabled: true,
      fileTriggersEnabled: true,
      triggerPrefixes: [],
      triggerPatterns: [],
      globalRemoteState: false,
      sourceName: null,
      sourceUrl: null,
      structuredRunOutputEnabled: false,
      assessmentsEnabled: false,
      autoApplyRunTrigger: false,
    });
    expect(executionModes).toEqual(['remote', 'local', 'agent']);
  });
});

describe('the files of a push', () => {
  const all = { fileTriggersEnabled: true, triggerPrefixes: [], triggerPatterns: [] };
  const select = (given: Partial<FileTriggers>, directory: string, ...files: readonly string[]) =>
    selectsPush({ ...all, ...given }, directory, files);

  it('select every push without triggers and in the root', () => {
    expect(select({}, '', 'README.md')).toBe(true);
    expect(select({}, '/', 'README.md')).toBe(true);
    expect(select({ fileTriggersEnabled: false }, 'live', 'README.md')).toBe(true);
    expect(select({ fileTriggersEnabled: false, triggerPatterns: ['*.tf'] }, '', 'README.md')).toBe(true);
  });

  it.each([
    ['live/main.tf', true],
    ['live/eu/main.tf', true],
    ['modules/vpc/main.tf', true],
    ['live-too/main.tf', false],
    ['modules/main.tf', false],
    ['live', true],
    ['main.tf', false],
  ])('select a push by directory: %s', (file, selected) => {
    expect(select({ triggerPrefixes: ['/modules/vpc/'] }, 'live', 'README.md', file)).toBe(selected);
  });

  it('select no push of other directories than the prefixes when the working directory is the root', () => {
    expect(select({ triggerPrefixes: ['modules'] }, '', 'main.tf')).toBe(false);
    expect(select({ triggerPrefixes: ['modules'] }, '', 'modules/a.tf')).toBe(true);
  });

  it.each([
    ['**/*.tf', 'main.tf', true],
    ['**/*.tf', 'a/b/main.tf', true],
    ['**/*.tf', 'a/b/main.tf.json', false],
    ['/**/networking/**/*', 'live/networking/eu/main.tf', true],
    ['/**/networking/**/*', 'networking/main.tf', true],
    ['/**/networking/**/*', 'live/networking', false],
    ['live/*', 'live/main.tf', true],
    ['live/*', 'live/eu/main.tf', false],
    ['live/**', 'live/eu/main.tf', true],
    ['live/m?in.tf', 'live/main.tf', true],
    ['live/*a*n*f', 'live/main.tf', true],
    ['live/*a*n*x', 'live/main.tf', false],
    ['live/main.[tx]f', 'live/main.tf', false],
    ['live/*', 'live', false],
    [`${'*a'.repeat(400)}b`, 'a'.repeat(1000), false],
    [`${'**/'.repeat(300)}b`, 'a/'.repeat(1000), false],
  ])('select a push by pattern: %s of %s', (pattern, file, selected) => {
    expect(select({ triggerPatterns: [pattern] }, 'elsewhere', file)).toBe(selected);
  });
});

describe('the repository of a workspace', () => {
  const repository = { cloneUrl: 'https://git.example/acme/app.git', branch: 'main', credential: 'deploy' };
  const refused = (attribute: string) => ({
    code: 'attribute/invalid',
    details: { attribute: `vcsRepo/${attribute}` },
  });

  it.each(cloneUrlsWithFitPaths)('may be at %s', (cloneUrl) => {
    const settings = { ...repository, cloneUrl };
    expect(checkRepository(settings)).toBe(settings);
  });

  it.each([...cloneUrlsWithUnfitPaths, 'https://git.example/a\u0085b'])('is not at %j', (cloneUrl) => {
    expect(thrownBy(() => checkRepository({ ...repository, cloneUrl }))).toMatchObject(refused('cloneUrl'));
  });

  it.each([null, 'main', 'feature/refs/heads/x', 'references', 'a@b', '@a', 'x'.repeat(200)])(
    'may be linked by its branch %j',
    (branch) => expect(checkRepository({ ...repository, branch }).branch).toBe(branch),
  );

  it.each(['', '@', 'refs/heads/main', 'refs/pull/7/head', 'refs/x', '--upload-pack=x', 'a..b', 'x'.repeat(201)])(
    'is not linked by the branch %j',
    (branch) => expect(thrownBy(() => checkRepository({ ...repository, branch }))).toMatchObject(refused('branch')),
  );
});

it.each([
  [null, null, 'workspaces/delete'],
  ['sv-1', 0, 'workspaces/delete'],
  ['sv-1', 1, 'workspaces/force-delete'],
  ['sv-1', null, 'workspaces/force-delete'],
] as const)(
  'the deletion of a workspace with state %s of %s resources takes %s',
  (stateVersionId, resourceCount, action) => {
    expect(deletionOf({ stateVersionId, resourceCount })).toBe(action);
  },
);
