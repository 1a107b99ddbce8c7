import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { inOneTransaction } from '../../src/adapters/persistence/knex/engine/open-snapshots.js';
import { useCases as table } from '../../src/application/use-cases.js';
import { loadConfig } from '../../src/infrastructure/config.js';
import { buildContainer } from '../../src/infrastructure/container/build-container.js';
import { resolve } from '../../src/infrastructure/container/provide.js';
import type { Provided } from '../../src/infrastructure/container/provided.js';
import { startService } from '../../src/infrastructure/service.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';
import { RowsInMemory } from '../support/rows-in-memory.js';

const build = () =>
  buildContainer({
    config: loadConfig({}),
    unitOfWork: new RowsInMemory(),
    snapshots: inOneTransaction(new RowsInMemory()),
    bundleStore: new MemoryBundleStore(),
    publicUrl: 'http://gatehouse.test',
    signingSecrets: ['a secret for tests that is long enough'],
    log: { info: () => {}, error: () => {} },
    ready: async () => {},
    readOnly: async () => false,
    stopping: new AbortController().signal,
    stopped: new AbortController().signal,
  });

const names: Readonly<Record<keyof Provided, true>> = {
  unitOfWork: true,
  snapshots: true,
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
  notifier: true,
  settings: true,
  meters: true,
  exposition: true,
  useCases: true,
  rates: true,
  app: true,
};

const bound = [...Object.keys(names), ...Object.values(table).map(({ Class }) => Class.name)];
const container = build();

it.each(Object.keys(names) as (keyof Provided)[])('the container makes %s, once', (name) => {
  expect(resolve(container, name)).toBeDefined();
  expect(resolve(container, name)).toBe(resolve(container, name));
});

it('the app is made with everything that is bound', () => {
  const starting = build();
  const made = new Set<string>();
  for (const name of bound) {
    starting.onActivation(name, (_, object) => {
      made.add(name);
      return object;
    });
  }
  resolve(starting, 'app');
  expect(bound.filter((name) => !made.has(name))).toEqual([]);
});

it.each([...Object.keys(names), 'CreateTeam', 'RunProgress'])('the app is not made without %s', (name) => {
  const incomplete = build();
  incomplete.unbind(name);
  expect(() => resolve(incomplete, 'app')).toThrow(`No bindings found for service: "${name}"`);
});

it('the service does not start while the table needs what is not bound', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'gatehouse-container-'));
  Object.assign(table, { planted: { Class: class Planted {}, from: ['missing'] } });
  try {
    await expect(startService(loadConfig({ DATA_DIR, PORT: '0' }), pino({ level: 'silent' }))).rejects.toThrow(
      'No bindings found for service: "missing"',
    );
  } finally {
    Reflect.deleteProperty(table, 'planted');
    await rm(DATA_DIR, { recursive: true });
  }
});
