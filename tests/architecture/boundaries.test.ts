import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Cruise, cruise, reports, root } from './cruise.js';

const rules: readonly { readonly name: string }[] = createRequire(import.meta.url)(
  '../../.dependency-cruiser.cjs',
).forbidden;

describe('the layers', () => {
  let ours: Cruise;

  beforeAll(async () => {
    ours = await cruise(root);
  });

  it('import only what they may', () => {
    expect(reports(ours)).toEqual([]);
  });

  it('were really looked at', () => {
    expect(ours.modules.filter(({ source }) => source.startsWith('src/')).length).toBeGreaterThan(60);
  });
});

/** Every file below `folder`, by its path from the project root. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

const sourceOf = (file: string): Promise<string> => readFile(join(root, file), 'utf8');

/** Direct reads of time and chance, which the rules take as arguments instead. */
const hiddenInputs = [
  /\bDate\.now\(/,
  /\bDate\(\s*\)/,
  /\bMath\.random\(/,
  /\bcrypto\.\w+\(/,
  /\bperformance\.now\(/,
  /\bprocess\./,
];

const hiddenInputsIn = (source: string): readonly string[] =>
  hiddenInputs.map((pattern) => pattern.exec(source)?.[0]).filter((found) => found !== undefined);

describe('domain and use cases', () => {
  it.each(['src/domain', 'src/application'])('take time and chance from outside: %s', async (folder) => {
    for (const file of await filesBelow(folder)) {
      expect({ file, found: hiddenInputsIn(await sourceOf(file)) }).toEqual({ file, found: [] });
    }
  });

  it.each([
    ['const now = Date.now();', 'Date.now('],
    ['const now = new Date();', 'Date()'],
    ['const now = Date( );', 'Date( )'],
    ['Math.random() < 0.5', 'Math.random('],
    ['globalThis.crypto.randomUUID()', 'crypto.randomUUID('],
    ['performance.now()', 'performance.now('],
    ['process.env.HOME', 'process.'],
  ])('would not get away with %s', (source, found) => {
    expect(hiddenInputsIn(source)).toEqual([found]);
  });

  it('may compute with the time they are given', () => {
    expect(hiddenInputsIn('new Date(Date.parse(now) + 1000).toISOString()')).toEqual([]);
  });
});

describe('files', () => {
  it('are named after what is inside', async () => {
    const meaningless = /^(utils?|helpers?|common|types|interfaces)(\.|$)/;
    const files = (await Promise.all(['src', 'lab', 'tests'].map(filesBelow))).flat();
    expect(files.filter((file) => file.split('/').some((part) => meaningless.test(part)))).toEqual([]);
  });

  it('are short enough to be read at one go', async () => {
    // The published surfaces and the table of use cases are searched.
    const isRead = (file: string) => file.endsWith('.ts') && !/\/migrations\/|\/(index|use-cases)\.ts$/.test(file);
    const source = (await filesBelow('src')).filter(isRead);
    const ofConsole = (await filesBelow('web/console')).filter((file) => !file.endsWith('api/description.d.ts'));
    const lengths = await Promise.all(
      [...source, ...ofConsole].map(async (file) => [file, (await sourceOf(file)).split('\n').length - 1]),
    );
    expect(lengths.filter(([, lines]) => Number(lines) > 400)).toEqual([]);
  });

  it('of the console lie in folders of which each has a row in the table of imports', async () => {
    const entries = await readdir(join(root, 'web/console'), { withFileTypes: true });
    const folders = entries.flatMap((entry) => (entry.isDirectory() && entry.name !== 'styles' ? [entry.name] : []));
    const rows = rules.flatMap(({ name }) => /^console-(\w+)-imports-what-its-row-names$/.exec(name)?.[1] ?? []);
    expect(folders.sort()).toEqual(rows.sort());
  });

  it('called index are published surfaces and no other', async () => {
    const files = await filesBelow('src');
    expect(files.filter((file) => basename(file).startsWith('index.')).sort()).toEqual([
      'src/adapters/system/index.ts',
      'src/application/index.ts',
      'src/domain/index.ts',
    ]);
  });

  it('lie in areas that are called the same in every layer, the four the service exists for first', async () => {
    const four = ['configuration-versions', 'policy-outcomes', 'team-access', 'tokens'];
    const folders = async (folder: string): Promise<readonly string[]> => {
      const entries = await readdir(join(root, folder), { withFileTypes: true });
      return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
    };
    const [domain, application, http] = ['src/domain', 'src/application', 'src/adapters/http'] as const;
    const knex = 'src/adapters/persistence/knex/repositories';
    const beside = {
      [domain]: ['authorization', 'shared'],
      [application]: ['authorization', 'background', 'files', 'included', 'ports'],
      [knex]: ['authorization', 'background', 'files'],
      [http]: ['files', 'openapi', 'routing', 'server', 'service', 'web'],
    };
    for (const [layer, others] of Object.entries(beside)) {
      expect([layer, await folders(layer)]).toEqual([layer, [...others, ...four, 'supporting'].sort()]);
    }
    const known = await folders(`${application}/supporting`);
    const strange = (await Promise.all([domain, http, knex].map((layer) => folders(`${layer}/supporting`)))).flat();
    expect(strange.filter((area) => !known.includes(area))).toEqual([]);
  });

  it('have no links that leave the project', async () => {
    const beside = resolve(root, '..', 'shared');
    const files = (await Promise.all(['src', 'lab', 'tests', 'docs'].map(filesBelow))).flat();
    const astray: string[] = [];
    for (const file of files) {
      for (const [path] of (await sourceOf(file)).matchAll(/(?:\.\.\/)+shared\b/g)) {
        const target = resolve(root, dirname(file), path);
        const isOurs = (await stat(target).catch(() => undefined))?.isDirectory() === true;
        if (target === beside || (resolve(root, path) === beside && !isOurs)) astray.push(`${file}: ${path}`);
      }
    }
    expect(astray).toEqual([]);
  });
});
