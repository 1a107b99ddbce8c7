import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { migrationSource } from '../../src/adapters/persistence/knex/migration-source.js';

const folder = new URL('../../src/adapters/persistence/knex/migrations/', import.meta.url);
const shared = ['columns', 'computed-columns', 'fills', 'indexes', 'lock-tables', 'triggers'].map(
  (name) => `shared/${name}.ts`,
);

const filesIn = async (url: URL): Promise<readonly string[]> =>
  (await readdir(url, { withFileTypes: true })).flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();

describe('the migration files', () => {
  it('are all listed in migrations.ts, and named by time', async () => {
    const files = await filesIn(folder);
    expect(await migrationSource.getMigrations([])).toEqual(files);
    for (const file of files) expect(file).toMatch(/^\d{14}_[a-z0-9_]+\.ts$/);
  });

  it("import Knex's types and the modules that they share, and not each other", async () => {
    expect(shared).toEqual((await filesIn(new URL('shared/', folder))).map((file) => `shared/${file}`));
    const allowed = [
      "import type { Knex } from 'knex'",
      ...shared.map((file) => `from './${file.replace('.ts', '.js')}'`),
      ...shared.map((file) => `from './${file.replace('shared/', '').replace('.ts', '.js')}'`),
    ];
    for (const file of [...shared, ...(await filesIn(folder))]) {
      const text = await readFile(new URL(file, folder), 'utf8');
      const imports =
        text.match(/^(import|export) type .* from .*|\bfrom '.*'|^import '.*|\bimport\(.*|\brequire\(.*/gm) ?? [];
      const others = imports.filter((words) => !allowed.includes(words.replace(/;$/, '')));
      expect([file, others]).toEqual([file, []]);
    }
  });
});
