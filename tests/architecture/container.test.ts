import { expect, it } from '@jest/globals';
import { loadConfig } from '../../src/infrastructure/config.js';
import { buildContainer } from '../../src/infrastructure/container/build-container.js';
import { resolve } from '../../src/infrastructure/container/provide.js';
import type { Provided } from '../../src/infrastructure/container/provided.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';
import { RowsInMemory } from '../support/rows-in-memory.js';

const container = buildContainer({
  config: loadConfig({}),
  unitOfWork: new RowsInMemory(),
  bundleStore: new MemoryBundleStore(),
  publicUrl: 'http://gatehouse.test',
  signingSecrets: ['a secret for tests that is long enough'],
  log: { info: () => {}, error: () => {} },
  ready: async () => {},
  stopping: new AbortController().signal,
  stopped: new AbortController().signal,
});

const names: Readonly<Record<keyof Provided, true>> = {
  unitOfWork: true,
  memory: true,
  clock: true,
  ids: true,
  secrets: true,
  secretBox: true,
  capabilityUrls: true,
  bundleInspector: true,
  bundleStore: true,
  commitFetcher: true,
  identityProvider: true,
  runTaskCaller: true,
  settings: true,
  meters: true,
  exposition: true,
  useCases: true,
  rates: true,
  app: true,
};

it.each(Object.keys(names) as (keyof Provided)[])('the container makes %s, once', (name) => {
  expect(resolve(container, name)).toBeDefined();
  expect(resolve(container, name)).toBe(resolve(container, name));
});
