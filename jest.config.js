import { globSync, readFileSync } from 'node:fs';

const timeout = '<rootDir>/tests/support/timeout.cjs';

const shared = {
  globalSetup: '<rootDir>/tests/support/global-setup.cjs',
  globalTeardown: '<rootDir>/tests/support/global-teardown.cjs',
  testRunner: '<rootDir>/tests/support/shared-modules.cjs',
  setupFilesAfterEnv: [timeout],
  // Node loads the sources.
  transform: {},
};

/**
 * `fast` needs nothing built; `slow` starts the built service; `full` needs more; `random` has all runs of the
 * properties, on examples of its own. `hostile` attacks the built service and measures it: its files run one after the
 * other, with nothing beside them.
 */
export default {
  maxWorkers: 2,
  // Only a leak takes so long: on a loaded machine the kernel alone may take a second to free a worker's memory.
  workerGracefulExitTimeout: 60_000,
  reporters: [
    'default',
    '<rootDir>/tests/support/logs-hold-no-secrets.cjs',
    '<rootDir>/tests/support/described-is-seen.cjs',
    '<rootDir>/tests/support/closing-line.cjs',
  ],
  projects: [
    {
      ...shared,
      displayName: 'fast',
      setupFilesAfterEnv: [timeout, '<rootDir>/tests/support/files-in-memory.cjs'],
      testMatch: ['<rootDir>/tests/{agent,domain,application,contracts,http,architecture,lab,web}/**/*.test.ts'],
      testPathIgnorePatterns: ['\\.full\\.test\\.ts$'],
    },
    { ...shared, displayName: 'slow', testMatch: ['<rootDir>/tests/e2e/**/*.e2e.test.ts'] },
    {
      ...shared,
      displayName: 'full',
      testMatch: ['<rootDir>/tests/**/*.full.test.ts'],
      testPathIgnorePatterns: ['/hostile-'],
    },
    {
      ...shared,
      displayName: 'hostile',
      testMatch: ['<rootDir>/tests/e2e/hostile-*.full.test.ts'],
      setupFilesAfterEnv: [timeout, '<rootDir>/tests/hostile/measured-again.cjs'],
    },
    {
      ...shared,
      displayName: 'random',
      testMatch: globSync('tests/**/*.test.ts', { cwd: import.meta.dirname })
        .filter((file) => !file.includes('.full.'))
        .filter((file) => /support\/properties\.js/.test(readFileSync(new URL(file, import.meta.url), 'utf8')))
        .map((file) => `<rootDir>/${file}`),
      setupFilesAfterEnv: [
        timeout,
        '<rootDir>/tests/support/files-in-memory.cjs',
        '<rootDir>/tests/support/random-properties.cjs',
      ],
    },
  ],
};
