import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build, type Rolldown } from 'vite';
import { filesIn } from '../support/archives.js';
import { packageOf } from '../support/packages.js';
import { temporaryDirectory } from '../support/process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const published: readonly string[] = manifest.files.filter((name: string) => !name.startsWith('!'));

let directory: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the packed package, unpacked into a project that has nothing else', () => {
  let project: string;
  let files: Readonly<Record<string, string>>;

  const node = async (...words: readonly string[]): Promise<string> =>
    (await run(process.execPath, words, { cwd: project })).stdout.trim();

  const inProject = (name: string, content: string | object): Promise<void> =>
    writeFile(join(project, name), typeof content === 'string' ? content : JSON.stringify(content));

  beforeAll(async () => {
    const tree = join(directory, 'tree');
    for (const name of ['package.json', 'scripts', ...published]) {
      await cp(join(root, name), join(tree, name), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
    const print = (script: string, into: string) =>
      run(process.execPath, ['--import', 'tsx', script, join(tree, into)], { cwd: root });
    await Promise.all([print('scripts/print-docs.ts', 'docs'), print('scripts/api-reports.ts', 'docs/api')]);
    const setManifest = (as: 'slim' | 'whole') =>
      run(process.execPath, ['scripts/published-manifest.mjs', as], { cwd: tree });
    const before = await readdir(tree);
    await setManifest('slim');
    const packed = await packageOf(tree, directory, ['--ignore-scripts']);
    await setManifest('whole');
    expect(await readdir(tree)).toEqual(before);
    expect(await readFile(join(tree, 'package.json'))).toEqual(await readFile(join(root, 'package.json')));

    files = await filesIn(await readFile(packed));
    project = join(directory, 'project');
    for (const [name, text] of Object.entries(files)) {
      const path = join(project, 'node_modules/gatehouse-tf', name.replace(/^package\//, ''));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    await inProject('package.json', { type: 'module' });
  });

  it('holds what it publishes, and nothing that is of use only here', () => {
    const top = new Set(Object.keys(files).map((name) => name.split('/')[1]));
    expect([...top].sort()).toEqual(['package.json', ...published].sort());
    expect(published).toContain('LICENSE');
    const targets = Object.values<string | Record<string, string>>(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target),
    );
    expect(targets.filter((target) => !(target.replace('./', 'package/') in files))).toEqual([]);
    expect(Object.keys(files).filter((name) => /tsbuildinfo|node_modules/.test(name))).toEqual([]);
    const { name, version, dependencies, exports } = manifest;
    const packed = JSON.parse(files['package/package.json'] ?? '');
    expect(packed).toMatchObject({ name, version, dependencies, exports });
    for (const member of ['devDependencies', 'optionalDependencies', 'overrides', 'allowScripts', 'scripts']) {
      expect(packed).not.toHaveProperty(member);
    }
  });

  it('holds the description of the API, as the service serves it', () => {
    const { info, paths } = JSON.parse(files['package/docs/openapi.json'] ?? '{}');
    expect(info.version).toBe(manifest.version);
    expect(paths).toHaveProperty(['/api/v2/workspaces/{workspaceId}/configuration-versions']);
  });

  it('holds a report of the types of each entry, which has everything that the entry exports', async () => {
    const entries = Object.entries<{ readonly default: string }>(manifest.exports).filter(
      ([path]) => !/json$/.test(path),
    );
    expect(entries.length).toBe(4);
    for (const [path, target] of entries) {
      const report = files[`package/docs/api/${path.replace('./', '')}.md`] ?? '';
      const names = Object.keys(await import(join(root, target.default)));
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !new RegExp(`^export [\\w ]*\\b${name}\\b`, 'm').test(report))).toEqual([]);
    }
  });

  it('holds the pages, the console, and of Swagger UI what they need, with the licences', async () => {
    const pages = (await readdir(join(root, 'web'))).filter((name) => /\.(?:js|html|css|svg)$/.test(name));
    const web = 'package/dist/adapters/http/web/';
    const held = Object.keys(files).filter((name) => name.startsWith(web) && !/\.d\.ts$|\/web\/[^/]+$/.test(name));
    const names = held.map((name) => name.slice(web.length));
    const [ofConsole, others] = [true, false].map((is) => names.filter((name) => name.startsWith('console/') === is));
    expect(ofConsole).toEqual(expect.arrayContaining(['console/index.html', 'console/licenses.md']));
    expect(ofConsole?.filter((name) => !/\/assets\/console\/[\w-]+\.(?:js|css)$|\.(?:html|md)$/.test(name))).toEqual(
      [],
    );
    expect(others?.sort()).toEqual([
      ...pages.map((name) => `pages/${name}`).sort(),
      'swagger-ui/LICENSE',
      'swagger-ui/NOTICE',
      'swagger-ui/swagger-ui-bundle.js',
      'swagger-ui/swagger-ui-bundle.js.LICENSE.txt',
      'swagger-ui/swagger-ui.css',
    ]);
  });

  it('is imported with no dependency installed: domain, application and system; by CommonJS too', async () => {
    const entries = ['domain', 'application', 'system'];
    const load = (how: (name: string) => string): string =>
      `console.log(typeof [${entries.map((name) => how(`'gatehouse-tf/${name}'`))}][1].RetryingUnitOfWork)`;
    await inProject(
      'esm.mjs',
      load((name) => `await import(${name})`),
    );
    await inProject(
      'cjs.cjs',
      load((name) => `require(${name})`),
    );
    expect(await node('esm.mjs')).toBe('function');
    expect(await node('cjs.cjs')).toBe('function');
  });

  it('has types that strict compilers resolve in every way, and that need no other types', async () => {
    await inProject(
      'consumer.ts',
      `import * as domain from 'gatehouse-tf/domain';
       import * as application from 'gatehouse-tf/application';
       import { openDatabase } from 'gatehouse-tf/persistence';
       export const retrying: Promise<application.UnitOfWork> = openDatabase(':memory:').then(
         ({ unitOfWork }) => new application.RetryingUnitOfWork(unitOfWork),
       );
       export const statuses: readonly domain.Status[] = domain.statuses;
       // @ts-expect-error not a status
       export const wrong: domain.Status = 'elsewhere';`,
    );
    await cp(join(project, 'node_modules/gatehouse-tf/examples/embedding/main.ts'), join(project, 'main.ts'));
    const strict = {
      strict: true,
      target: 'es2023',
      lib: ['es2023'],
      types: [],
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    };
    // The only variables that the example reads.
    await inProject(
      'dependencies.d.ts',
      'declare const console: { log(text: string): void }; declare const crypto: { randomUUID(): string };',
    );
    const projects = {
      nodenext: { module: 'nodenext' },
      node16: { module: 'node16' },
      bundler: { module: 'esnext', moduleResolution: 'bundler' },
    };
    for (const [name, options] of Object.entries(projects)) {
      const compilerOptions = { ...strict, ...options, outDir: `out/${name}` };
      await inProject(`${name}.json`, { compilerOptions, files: ['consumer.ts', 'main.ts', 'dependencies.d.ts'] });
    }
    const words = Object.keys(projects).map((name) => `${name}.json`);
    await expect(node(join(root, 'node_modules/typescript/bin/tsc'), '-b', ...words)).resolves.toBe('');
    expect((await node('out/nodenext/main.js')).split('\n')).toEqual([
      'ada: version 1 is pending',
      'ben: resource/not-found: not authorized: requires runs: plan',
      'eve: resource/not-found: resource not found',
    ]);
  });

  const guideOf = () => readFile(join(project, 'node_modules/gatehouse-tf/docs/embedding.md'), 'utf8');

  it('decides with each aggregate alone as its guide says, with no dependency installed', async () => {
    const section = /## One aggregate alone.*?```ts\n(.*?)```.*?```text\n(.*?)```/s;
    const [, program = '', printed = ''] = section.exec(await guideOf()) ?? [];
    await inProject('alone.ts', program);
    expect(await node('alone.ts')).toBe(printed.trim());
    await inProject('console.d.ts', 'declare const console: { log(value: unknown): void };');
    const strict = { strict: true, noEmit: true, target: 'es2023', lib: ['es2023'], module: 'nodenext', types: [] };
    await inProject('alone.json', { compilerOptions: strict, files: ['alone.ts', 'console.d.ts'] });
    await expect(node(join(root, 'node_modules/typescript/bin/tsc'), '-p', 'alone.json')).resolves.toBe('');
  });

  it('has a domain of the size that its guide says, in a bundle', async () => {
    const installed = join(project, 'node_modules/gatehouse-tf');
    const built = await build({
      configFile: false,
      logLevel: 'error',
      root: project,
      build: { write: false, minify: true, lib: { entry: join(installed, 'dist/domain/index.js'), formats: ['es'] } },
    });
    const { code } = ([built].flat()[0] as Rolldown.RolldownOutput).output[0];
    const [, ...said] = /domain (\d+) KB minified, which are (\d+) KB compressed/.exec(await guideOf()) ?? [];
    const kilobytes = [Buffer.byteLength(code), gzipSync(code).length].map((bytes) => bytes / 1000);
    for (const [index, size] of kilobytes.entries()) {
      expect(Math.abs(Number(said[index]) / size - 1)).toBeLessThan(0.05);
    }
  });

  it('has a clock and ids for tests, as its guide says', async () => {
    const [, program = ''] = /## In your tests.*?```ts\n(.*?)```/s.exec(await guideOf()) ?? [];
    await inProject('in-tests.ts', program);
    await expect(node('in-tests.ts')).resolves.toBe('');
  });

  it('walks as its guide says, on a database', async () => {
    const guide = await guideOf();
    const [, program = ''] = /## On the database of the service.*?```ts\n(.*?)```/s.exec(guide) ?? [];
    const [, printed] = /It prints `(.*?)`/.exec(guide) ?? [];
    await inProject('walk.ts', program);
    const dependencies = join(project, 'node_modules/gatehouse-tf/node_modules');
    await symlink(join(root, 'node_modules'), dependencies);
    try {
      expect(await node('walk.ts')).toBe(printed);
      const strict = { strict: true, noEmit: true, target: 'es2023', module: 'nodenext', types: ['node'] };
      const typeRoots = [join(root, 'node_modules/@types')];
      await inProject('walk.json', { compilerOptions: { ...strict, typeRoots }, files: ['walk.ts'] });
      await expect(node(join(root, 'node_modules/typescript/bin/tsc'), '-p', 'walk.json')).resolves.toBe('');
    } finally {
      await rm(dependencies);
    }
  });
});
