import { describe, expect, it } from '@jest/globals';
import { MemoryBundleStore } from '../../src/adapters/bundles/memory-bundle-store.js';
import { MemoryUnitOfWork } from '../../src/adapters/persistence/memory/memory-unit-of-work.js';
import * as application from '../../src/application/index.js';
import { loadConfig } from '../../src/infrastructure/config.js';
import { buildContainer } from '../../src/infrastructure/container/build-container.js';
import { resolve } from '../../src/infrastructure/container/provide.js';
import { Port } from '../../src/infrastructure/container/tokens.js';

const container = buildContainer({
  config: loadConfig({}),
  unitOfWork: new MemoryUnitOfWork(),
  bundleStore: new MemoryBundleStore(),
  publicUrl: 'http://gatehouse.test',
  signingSecrets: ['a secret for tests that is long enough'],
  log: { info: () => {}, error: () => {} },
  ready: async () => {},
  stopping: new AbortController().signal,
  stopped: new AbortController().signal,
});

/** Every class the application layer publishes, but the decorator that surrounds the unit of work. */
const classes = Object.entries(application).filter(
  ([name, member]) => /^class\s/.test(String(member)) && name !== 'RetryingUnitOfWork',
);

describe('the container', () => {
  it.each(Object.keys(Port) as (keyof typeof Port)[])('resolves the port %s', (name) => {
    expect(resolve<unknown>(container, Port[name])).toBeDefined();
  });

  it.each(classes)('resolves the use case %s, once', (_name, member) => {
    const key = member as new () => object;
    expect(resolve(container, key)).toBeInstanceOf(key);
    expect(resolve(container, key)).toBe(resolve(container, key));
  });

  it('gives the HTTP adapter every use case that a request can reach', () => {
    const byTheWorker = [
      'ArchiveOldVersions',
      'ForgetAuditEvents',
      'PerformEffects',
      'ReclaimLostRuns',
      'StoredSecrets',
      'SweepBundles',
      'TokenUses',
    ];
    const partsOfOthers = [
      'ByteQuota',
      'CommitFiles',
      'EffectPerformers',
      'ExchangeRequestRates',
      'FetchedVersions',
      'RepositoryLinks',
      'RunProgress',
      'TakeStock',
      'TokenIssuer',
    ];
    const byTheCommandLine = ['RemoveLeftovers'];
    const background = [...byTheWorker, ...byTheCommandLine, ...partsOfOthers];
    const published = classes.map(([name]) => name);
    expect(published).toEqual(expect.arrayContaining(background));
    const names = published.filter((name) => !background.includes(name));
    const given = Object.values(resolve(container, Port.useCases)).map((useCase) => useCase.constructor.name);
    expect(given.sort()).toEqual(names.sort());
  });
});
