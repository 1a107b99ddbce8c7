import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** The domain compiled with nothing but the language, in a folder that holds it, `package.json` and nothing else. */
async function pack(folder: string): Promise<void> {
  const project = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: join(root, 'src/domain'),
      outDir: join(folder, 'dist/domain'),
      types: [],
      incremental: false,
      tsBuildInfoFile: null,
      sourceMap: false,
    },
    include: [join(root, 'src/domain')],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  await rm(join(folder, 'tsconfig.json'));
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
}

const journey = `
  import { ConfigurationVersion, isDomainError } from 'gatehouse-tf/domain';

  const version = ConfigurationVersion.create({
    id: 'cv-1', workspaceId: 'ws-1', sequence: 1, origin: 'api', source: 'tfe-api', autoQueueRuns: true,
    speculative: false, provisional: false, ingressAttributesId: null, createdAt: '2026-03-01T12:00:00.000Z',
  });
  const facts = { isCurrent: false, runsInProgress: false, usedByRun: false };
  const { next } = version.fire('upload', facts, '2026-03-01T12:00:01.000Z', {
    bundle: { key: 'bundle-1', bytes: 3, sha256: 'abc' },
  });
  try {
    version.fire('archive', facts, '2026-03-01T12:00:02.000Z');
  } catch (error) {
    const { code, message } = error;
    console.log(JSON.stringify({ status: next.state.status, known: isDomainError(error), code, message }));
  }
`;

const undeclared = `await import('gatehouse-tf/domain/supporting/teams/team.js').catch(({ code }) => console.log(code));`;

describe('the domain in a folder of its own, without node_modules', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-domain-'));
    await pack(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const evaluate = async (script: string): Promise<string> => {
    const file = join(folder, 'journey.mjs');
    await writeFile(file, script);
    return (await run(process.execPath, [file], { cwd: folder })).stdout.trim();
  };

  const emitted = async (): Promise<readonly { file: string; text: string }[]> => {
    const files = await readdir(join(folder, 'dist'), { recursive: true });
    return Promise.all(
      files
        .filter((file) => file.endsWith('.js') || file.endsWith('.d.ts'))
        .map(async (file) => ({ file, text: await readFile(join(folder, 'dist', file), 'utf8') })),
    );
  };

  it('is all there', async () => {
    const files = (await emitted()).map(({ file }) => file);
    expect(files).toEqual(expect.arrayContaining(['domain/index.js', 'domain/index.d.ts']));
    expect(files.length).toBeGreaterThan(30);
  });

  it('is imported by its published name and keeps its rules', async () => {
    expect(JSON.parse(await evaluate(journey))).toEqual({
      status: 'uploaded',
      known: true,
      code: 'configuration-version/not-archivable',
      message: 'configuration could not be archived because its status is pending',
    });
  });

  it('publishes its surface only', async () => {
    expect(await evaluate(undeclared)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('imports no package and no part of Node, in code or in types', async () => {
    // A keyword in quotes is text of the service's own.
    const imported = /(?<!['"])(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"]+)\1/g;
    const foreign = (await emitted()).flatMap(({ file, text }) =>
      [...text.matchAll(imported)].map(([, , name]) => `${file}: ${name}`).filter((line) => !/: \.\.?\//.test(line)),
    );
    expect(foreign).toEqual([]);
  });
});
