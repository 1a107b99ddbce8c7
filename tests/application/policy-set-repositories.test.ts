import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicySetChange } from '../../src/application/index.js';
import { DomainError, type PolicySet, type PolicySetVersion } from '../../src/domain/index.js';
import { firstPage, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';

const filesOf = (...names: readonly string[]) => ({
  'policies.hcl': names.map((name) => `policy "${name}" {\n  query = "data.${name}.deny"\n}\n`).join('\n'),
  'rules.rego': 'package rules\n',
});
const one = await archiveOf(filesOf('owners'));
const two = await archiveOf(filesOf('owners', 'size'));

const cloneUrl = 'https://git.example/acme/policies.git';
const ours = { cloneUrl, branch: 'main', credential: null };

let world: World;
beforeEach(async () => {
  world = await World.create();
});

const linked = async (): Promise<PolicySet> => {
  const kept = { policyToolVersion: null, agentEnabled: false, updatePatterns: [], policiesPath: null };
  const settings = { name: 'linked', description: null, kind: 'opa', policies: [], ...kept } as const;
  const set = { ...settings, global: false, overridable: false, repository: ours };
  return world.useCases.createPolicySet.execute(world.owner, 'acme', set);
};

const change = ({ id }: PolicySet, changed: PolicySetChange) =>
  world.useCases.updatePolicySet.execute(world.owner, id, changed);

const shown = async ({ id }: PolicySet) => world.useCases.showPolicySet.execute(world.owner, id);

const newest = async (set: PolicySet): Promise<PolicySetVersion> => {
  const id = (await shown(set)).versions?.newest.id ?? '';
  return (await world.useCases.showPolicySetVersion.execute(world.owner, id)).version;
};

const namesIn = async (set: PolicySet) => (await shown(set)).policies.map(({ name }) => name);

/** Performs the fetch that is due, and `meanwhile` after it began and before the files are there. */
async function whileFetching(sha: string, meanwhile: () => Promise<unknown>): Promise<void> {
  let come: (value?: unknown) => void = () => {};
  world.repositories.delays.set(sha, new Promise((resolve) => (come = resolve)));
  const askedBefore = world.repositories.asked.length;
  const performed = world.useCases.performEffects.execute('fetches');
  while (world.repositories.asked.length === askedBefore) await setImmediate();
  await meanwhile();
  come();
  await performed;
}

describe('fetching the files of a policy set', () => {
  it.each([new Error('the disk is full'), new DomainError('service/storage-full', 'the disk is full')])(
    'is retried where this machine is at fault (%s)',
    async (fault) => {
      world.repositories.push(cloneUrl, 'main', one);
      world.repositories.broken = fault;
      const set = await linked();
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        await world.performEffects();
        expect((await newest(set)).status).toBe('pending');
        const { items } = await world.useCases.listFailingEffects.execute(world.administrator, firstPage);
        expect(items).toMatchObject([{ kind: 'fetch-policies', attempts: attempt, lastError: String(fault) }]);
        world.clock.advance(600);
      }
      world.repositories.broken = undefined;
      await world.performEffects();
      expect((await newest(set)).status).toBe('ready');
      expect(world.ordered).toEqual([]);
    },
  );

  it.each<[string, PolicySetChange]>([
    ['the link is removed', { repository: null }],
    ['another branch is linked', { repository: { ...ours, branch: 'next' } }],
    ['the path is changed', { policiesPath: 'elsewhere' }],
  ])('gives no policies, and keeps no files, if %s meanwhile', async (_, changed) => {
    const sha = world.repositories.push(cloneUrl, 'main', one);
    const set = await linked();
    const { id } = await newest(set);
    await whileFetching(sha, () => change(set, changed));
    const { version } = await world.useCases.showPolicySetVersion.execute(world.owner, id);
    expect(version).toMatchObject({
      status: 'errored',
      failure: {
        error: 'fetch-failed',
        errorMessage: 'the link to the repository was changed while the files were fetched',
      },
    });
    expect(await namesIn(set)).toEqual([]);
    expect(await world.bundles()).toEqual(new Map());
  });

  it('is dropped with the set', async () => {
    const sha = world.repositories.push(cloneUrl, 'main', one);
    const set = await linked();
    await whileFetching(sha, () => world.useCases.removePolicySet.execute(world.owner, set.id));
    expect(await world.bundles()).toEqual(new Map());
    expect(world.ordered).toEqual([]);
  });

  it('is done once by several workers, in the order of the versions', async () => {
    world.repositories.push(cloneUrl, 'main', one);
    const set = await linked();
    world.repositories.push(cloneUrl, 'next', two);
    await change(set, { repository: { ...ours, branch: 'next' } });
    await Promise.all([1, 2, 3].map(() => world.performEffects()));
    await world.performEffects();
    const { status, bundle, sequence } = await newest(set);
    expect([status, sequence]).toEqual(['ready', 2]);
    expect(await namesIn(set)).toEqual(['owners', 'size']);
    expect((await world.bundles()).has(bundle?.key ?? '')).toBe(true);
    world.clock.advance(60);
    expect(await world.useCases.sweepBundles.execute(0)).toBe(0);
  });

  it('is refused to an organization that has reached its quota, and the version says so', async () => {
    world = await World.create({ maxOrganizationBytes: one.length });
    world.repositories.push(cloneUrl, 'main', one);
    const set = await linked();
    await world.performEffects();
    expect((await newest(set)).status).toBe('ready');
    await change(set, { repository: { ...ours, credential: 'other' } });
    await world.performEffects();
    const { status, failure } = await newest(set);
    expect([status, failure?.errorMessage]).toEqual(['errored', expect.stringContaining('MAX_ORGANIZATION_BYTES')]);
    expect(await namesIn(set)).toEqual(['owners']);
  });

  it('discards the archives that a later commit replaced', async () => {
    world.repositories.push(cloneUrl, 'main', one);
    const set = await linked();
    await world.performEffects();
    world.repositories.push(cloneUrl, 'next', two);
    await change(set, { repository: { ...ours, branch: 'next' } });
    await world.performEffects();
    expect((await world.bundles()).size).toBe(2);
    world.clock.advance(24 * 3600);
    expect(await world.useCases.discardPolicyArchives.execute()).toBe(1);
    await world.performEffects();
    expect([...(await world.bundles()).values()]).toEqual([two]);
  });
});
