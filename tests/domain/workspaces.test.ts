import { describe, expect, it } from '@jest/globals';
import { executionModes, lockActions, type TokenOwner, type Workspace } from '../../src/domain/index.js';
import { checkRepository, checkSettings, defaultSettings } from '../../src/domain/supporting/workspaces/workspace.js';
import { cloneUrlsWithFitPaths, cloneUrlsWithUnfitPaths } from '../support/clone-urls.js';
import { fc } from '../support/properties.js';
import { later, noon, thrownBy } from './samples.js';

const alice: TokenOwner = { kind: 'user', id: 'user-alice' };
const bob: TokenOwner = { kind: 'user', id: 'user-bob' };

const unlocked: Workspace = {
  ...defaultSettings,
  name: 'production',
  id: 'ws-1',
  organizationId: 'org-1',
  organizationName: 'acme',
  organizationDefaults: { executionMode: 'remote', agentPoolId: null },
  lock: null,
  repository: null,
  currentConfigurationVersionId: null,
  createdAt: noon,
  updatedAt: noon,
  revision: 2,
};
const lockedByAlice: Workspace = { ...unlocked, lock: { by: alice, reason: 'upgrade', at: noon } };
const refusal = (message: string) => ({ code: 'workspace/lock-refused', message });

describe('locking a workspace', () => {
  it('records who, why and when', () => {
    expect(lockActions.lock(unlocked, alice, later, 'upgrade')).toEqual({
      ...unlocked,
      lock: { by: alice, reason: 'upgrade', at: later },
      updatedAt: later,
      revision: 3,
    });
    expect(lockActions.lock(unlocked, alice, later, null).lock).toEqual({ by: alice, reason: null, at: later });
    expect(unlocked.lock).toBeNull();
  });

  it('is refused while it is locked, even by the same caller', () => {
    for (const caller of [alice, bob]) {
      expect(thrownBy(() => lockActions.lock(lockedByAlice, caller, later, null))).toMatchObject(
        refusal('workspace already locked'),
      );
    }
  });
});

describe('unlocking a workspace', () => {
  it('is for the caller who locked it', () => {
    expect(lockActions.unlock(lockedByAlice, alice, later)).toEqual({
      ...unlocked,
      updatedAt: later,
      revision: 3,
    });
  });

  it('is refused to everybody else', () => {
    expect(thrownBy(() => lockActions.unlock(lockedByAlice, bob, later))).toMatchObject(
      refusal('workspace locked by another caller'),
    );
  });

  it('is refused while it is not locked', () => {
    expect(thrownBy(() => lockActions.unlock(unlocked, alice, later))).toMatchObject(
      refusal('workspace already unlocked'),
    );
  });
});

describe('force-unlocking a workspace', () => {
  it('does not ask who locked it', () => {
    for (const caller of [alice, bob]) {
      expect(lockActions['force-unlock'](lockedByAlice, caller, later)).toEqual({
        ...unlocked,
        updatedAt: later,
        revision: 3,
      });
    }
  });

  it('is refused while it is not locked', () => {
    expect(thrownBy(() => lockActions['force-unlock'](unlocked, bob, later))).toMatchObject(
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

  it.each(['', 'live', 'live/eu/production', 'live/', './live', 'a..b', '..a', 'a/...', 'with space'])(
    'may be %j',
    (path) => {
      expect(accepts(path)).toBe(true);
    },
  );

  it.each(['/', '/etc', '..', '../', '../other', 'live/..', 'live/../../etc', './..'])('may not be %j', (path) => {
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
        expect(new URL(path === '' ? '.' : path, root).href.startsWith(root)).toBe(true);
      }),
    );
  });
});

describe('the settings of a workspace', () => {
  it('are handed back as given', () => {
    const settings = { name: 'production', autoApply: true, workingDirectory: 'live' };
    expect(checkSettings(settings)).toBe(settings);
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
    });
    expect(executionModes).toEqual(['remote', 'local', 'agent']);
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
