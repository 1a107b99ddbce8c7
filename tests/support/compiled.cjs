const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

const cache = new Map();

/** The JavaScript of a TypeScript module. A process compiles each module once. */
function compiled(path) {
  if (!cache.has(path)) compileAs(path, readFileSync(path, 'utf8'));
  return cache.get(path).code;
}

/** Compiles `text` in place of what the file holds. */
function compileAs(path, text) {
  cache.set(
    path,
    transformSync(text, {
      filename: path,
      swcrc: false,
      sourceMaps: true,
      module: { type: 'es6' },
      jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    }),
  );
}

/** Compiles the file itself when it is next asked for. */
const forget = (path) => cache.delete(path);

const sourceMapOf = (path) => cache.get(path)?.map;

module.exports = { compiled, compileAs, forget, sourceMapOf };
