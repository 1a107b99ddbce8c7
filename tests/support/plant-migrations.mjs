// Loaded before the built service with `--import`: the process then has the planted migrations, as the release to come has its own.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';

const files = new URL('planted-files.ts', import.meta.url);
const built = new URL('../../dist/', import.meta.url).href;
const list = `${built}adapters/persistence/knex/migrations.js`;
const names = [...readFileSync(files, 'utf8').matchAll(/^ {2}'(\d+_\w+\.ts)':/gm)].map(([, name]) => name);

registerHooks({
  load(url, context, next) {
    if (url === files.href) {
      const source = stripTypeScriptTypes(readFileSync(files, 'utf8')).replaceAll("'../../src/", `'${built}`);
      return { format: 'module', source, shortCircuit: true };
    }
    if (url !== list) return next(url, context);
    const loaded = next(url, context);
    const planted = names.map((name, n) => `const m${n} = plantedFiles['${name}']; export { m${n} as '${name}' };`);
    const source = `${loaded.source}\nimport { plantedFiles } from '${files.href}';\n${planted.join('\n')}\n`;
    return { ...loaded, source };
  },
});
