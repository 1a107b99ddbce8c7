const { dirname, join } = require('node:path');
const { runCLI } = require('jest');
const { change, restore } = require('./changed-modules.cjs');

/**
 * Runs one file of tests at a time, on the sources as they are or with one change, and reports what failed. It stays
 * alive: a new process would take seconds to load Jest, the packages and the sources.
 */

const [root] = process.argv.slice(2);
const fast = import('../../jest.config.js').then(({ default: { projects } }) => {
  const { globalSetup, globalTeardown, ...project } = projects[0];
  const setupFilesAfterEnv = [...project.setupFilesAfterEnv, '<rootDir>/lab/mutation/first-failure.cjs'];
  return { ...project, rootDir: root, setupFilesAfterEnv };
});

const options = {
  $0: 'jest',
  cacheDirectory: join(root, 'cache'),
  reporters: [],
  runInBand: true,
  runTestsByPath: true,
  silent: true,
  // One test measures how many requests are accepted at once: a busy machine fails it.
  testNamePattern: '^(?!.*nearly all of many)',
};

async function run(test) {
  // Jest lists all files below its roots before each run.
  const config = { ...(await fast), roots: [join(root, dirname(test))] };
  const { results } = await runCLI({ ...options, _: [test], config: JSON.stringify(config) }, [root]);
  if (results.success && results.numPassedTests === 0) throw new Error(`${test} ran no test`);
  const [file] = results.testResults;
  const failed = file.testResults.find(({ status }) => status === 'failed');
  return { passed: results.success, loads: failed !== undefined, by: failed?.fullName ?? file.failureMessage };
}

process.on('message', async ({ test, mutant }) => {
  try {
    if (mutant === undefined) restore();
    else change(mutant.path, mutant.text, mutant.dependents);
    process.send({ ...(await run(test)), memory: process.memoryUsage.rss() });
  } catch (error) {
    process.send({ passed: false, loads: false, by: String(error), memory: 0 });
  }
});
