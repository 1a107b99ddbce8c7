const { existsSync } = require('node:fs');
const { registerHooks, SourceMap } = require('node:module');
const { join, sep } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
require('jest-circus');
const jestCircus = require('jest-circus/runner').default;
const { compiled, sourceMapOf } = require('./compiled.cjs');

/**
 * Runs a file of tests as Jest does, in modules that Node loads instead of Jest: a process loads `src` and the packages
 * once, and not for each file, which saves half of the time. Modules in `tests` and `lab` are loaded again for each file.
 */

const root = pathToFileURL(join(__dirname, '../..') + sep).href;
const loadedAgain = [`${root}tests/`, `${root}lab/`];
/** They keep compiled schemas, examples, the routes and databases without rows, and no state of the tests. */
const loadedOnce = ['idle-databases', 'kept-examples', 'past-files', 'published-description', 'walk-routes'].map(
  (name) => `${root}tests/support/${name}.ts`,
);

/** How many files this process has run. It makes their modules' addresses differ. */
let files = 0;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: `jest-globals:${files}`, format: 'module', shortCircuit: true };
    const found = next(inTypeScript(specifier, context.parentURL), context);
    const isOfTests = loadedAgain.some((folder) => found.url.startsWith(folder)) && found.url.endsWith('.ts');
    const anew = isOfTests && !loadedOnce.includes(found.url);
    return anew ? { ...found, url: `${found.url}?${files}` } : found;
  },
  load(url, context, next) {
    if (url.startsWith('jest-globals:')) return { format: 'module', source: jestGlobals, shortCircuit: true };
    const [address] = url.split('?', 1);
    if (!address.endsWith('.ts')) return next(url, context);
    return { format: 'module', source: compiled(fileURLToPath(address)), shortCircuit: true };
  },
});

const jestGlobals =
  'export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globalThis;';

/** The sources name each other as they are called when they are compiled. */
function inTypeScript(specifier, parent = '') {
  if (!/^\.{1,2}\/.*\.js$/.test(specifier) || !/\.ts(\?\d+)?$/.test(parent)) return specifier;
  const { href } = new URL(specifier.replace(/js$/, 'ts'), parent);
  return existsSync(fileURLToPath(href)) ? href : specifier;
}

/** Frames of a stack, at their places in the sources. Only what is printed is worth the time that it takes. */
const inSources = (stack) =>
  stack.replaceAll(/file:\/\/([^?:]+\.ts)(?:\?\d+)?:(\d+):(\d+)/g, (frame, path, line, column) => {
    const map = sourceMapOf(decodeURI(path));
    const found = map && new SourceMap(JSON.parse(map)).findEntry(line - 1, column - 1);
    return found?.originalLine === undefined ? frame : `${path}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });

function tellPlaces(errors) {
  for (const error of errors) {
    if (typeof error?.stack === 'string') error.stack = inSources(error.stack);
  }
}

/** Jest adds to this list for each file, and each event passes through all of it. */
const eventHandlers = globalThis[Symbol.for('EVENT_HANDLERS')];
const ownHandlers = eventHandlers.length;

function loadAnew(path) {
  delete require.cache[path];
  return require(path);
}

/** What Jest's test runner asks of the loader of modules. */
const loader = {
  requireInternalModule: loadAnew,
  requireModule: loadAnew,
  setGlobalsForRuntime(globals) {
    const setting = (name) => (value) => {
      globalThis[Symbol.for(name)] = value;
    };
    const retryTimes = setting('RETRY_TIMES');
    retryTimes(0);
    Object.assign(globalThis, globals, { jest: { setTimeout: setting('TEST_TIMEOUT_SYMBOL'), retryTimes } });
  },
  unstable_shouldLoadAsEsm: (path) => path.endsWith('.ts'),
  async unstable_importModule(path) {
    try {
      await import(`${pathToFileURL(path).href}?${files}`);
    } catch (error) {
      tellPlaces([error]);
      throw error;
    }
  },
};

const events = {
  handleTestEvent({ name, test }, { unhandledErrors }) {
    if (name === 'test_done') tellPlaces(test.errors.flat());
    if (name === 'run_finish') tellPlaces(unhandledErrors.flat());
  },
};

// Without the last argument, by which each test would be told of as it ends: that takes as long as many a test.
module.exports = async (globalConfig, config, environment, runtime, path) => {
  files += 1;
  const variables = { ...process.env };
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = undefined;
  Error.stackTraceLimit = 10;
  try {
    return await jestCircus(
      globalConfig,
      config,
      Object.assign(Object.create(environment), events),
      Object.assign(Object.create(runtime), loader),
      path,
    );
  } finally {
    eventHandlers.length = ownHandlers;
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
  }
};
