require('../../tests/support/shared-modules.cjs');
const { registerHooks } = require('node:module');
const { pathToFileURL } = require('node:url');
const { compileAs, forget } = require('../../tests/support/compiled.cjs');

/**
 * Puts a change of one module in place without starting a process: that module and those that import it, directly or not,
 * are loaded again under addresses of their own, and all others stay. The hook runs before that of `shared-modules.cjs`.
 */

let changed;
/** The addresses of the modules that are loaded again. */
let affected = new Set();
let generation = 0;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return affected.has(found.url) ? { ...found, url: `${found.url}?${generation}` } : found;
  },
});

/** Restores the module that was changed before. */
function restore() {
  if (changed !== undefined) forget(changed);
  changed = undefined;
  affected = new Set();
}

/** `dependents` are the paths of all modules to load again, `path` among them. */
function change(path, text, dependents) {
  restore();
  changed = path;
  compileAs(path, text);
  affected = new Set(dependents.map((one) => pathToFileURL(one).href));
  generation += 1;
}

module.exports = { change, restore };
