import { glob } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import compiling from '../../tests/support/compiled.cjs';

/** The modules that a process loads once for all files of tests. */
const loadedOnce = ['src/**/*.ts', 'tests/support/published-description.ts'];

/** The paths of the modules that import `path`, directly or not, and `path` itself. */
export async function dependentsIn(root) {
  const importers = new Map();
  for await (const file of glob(loadedOnce, { cwd: root })) {
    const path = join(root, file);
    // Imports of types alone are gone once it is compiled.
    for (const { fileName } of ts.preProcessFile(compiling.compiled(path), true, true).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const imported = resolve(dirname(path), fileName.replace(/\.js$/, '.ts'));
      importers.set(imported, [...(importers.get(imported) ?? []), path]);
    }
  }
  return (path) => {
    const found = new Set([path]);
    // A set goes on to what is added to it meanwhile.
    for (const one of found) for (const importer of importers.get(one) ?? []) found.add(importer);
    return [...found];
  };
}
