import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { takeLock } from '../../src/adapters/persistence/knex/engine/sqlite-lock.js';
import { migrate, postgresConfig, sqliteConfig } from '../../src/adapters/persistence/knex/migrate.js';
import { migrationSource } from '../../src/adapters/persistence/knex/migration-source.js';
import { freshSchema, skipPostgres } from '../support/databases.js';
import { inTemporaryDirectory } from '../support/process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
/** The command of `npm run knex`. */
const [, ...script] = (manifest.scripts.knex as string).split(' ');

const knex = async (
  environment: Readonly<Record<string, string>>,
  command: string,
  { folder = root, program = [process.execPath, ...script] }: { folder?: string; program?: readonly string[] } = {},
): Promise<string> => {
  const [file = '', ...words] = program;
  const { PATH = '', HOME = '' } = process.env;
  const options = { cwd: folder, env: { PATH, HOME, NO_COLOR: '1', ...environment } };
  return (await promisify(execFile)(file, [...words, ...command.split(' ')], options)).stdout.trim();
};

const names = await migrationSource.getMigrations([]);
const [last = ''] = names.slice(-1);

const databases = [
  {
    name: 'the SQLite in DATA_DIR',
    skip: false,
    use: (work: (environment: Readonly<Record<string, string>>, own: () => Promise<void>) => Promise<void>) =>
      inTemporaryDirectory((directory) =>
        work({ DATA_DIR: directory }, () => migrate(sqliteConfig(join(directory, 'gatehouse.sqlite')))),
      ),
  },
  {
    name: 'the Postgres of DATABASE_URL',
    skip: skipPostgres,
    use: async (work: (environment: Readonly<Record<string, string>>, own: () => Promise<void>) => Promise<void>) => {
      const { url, drop } = await freshSchema();
      await work({ DATABASE_URL: url }, () => migrate(postgresConfig(url))).finally(drop);
    },
  },
];

describe('the command line of Knex', () => {
  for (const { name, skip, use } of databases) {
    (skip ? it.skip : it)(`goes up and down on ${name}, and has nothing to do after the service`, async () => {
      await use(async (environment, serviceMigrates) => {
        await serviceMigrates();
        expect(await knex(environment, 'migrate:latest')).toBe('Already up to date');
        expect(await knex(environment, 'migrate:status')).toBe(
          `Found ${names.length} Completed Migration file/files.\n${names.join('\n')}\nNo Pending Migration files Found.`,
        );
        expect(await knex(environment, 'migrate:down')).toMatch(new RegExp(`rolled back .*:\n${last}$`));
        expect(await knex(environment, 'migrate:status')).toMatch(
          new RegExp(`Found 1 Pending Migration file/files\\.\n${last}$`),
        );
        expect(await knex(environment, 'migrate:latest')).toMatch(/^Batch \d+ run: 1 migrations$/);
        await serviceMigrates();
      });
    });
  }

  it('makes what the service needs in an empty directory, and is `npx knex` too', () =>
    inTemporaryDirectory(async (directory) => {
      const DATA_DIR = join(directory, 'data');
      expect(await knex({ DATA_DIR }, 'migrate:latest')).toBe(`Batch 1 run: ${names.length} migrations`);
      await migrate(sqliteConfig(join(DATA_DIR, 'gatehouse.sqlite')));
      const status = await knex({ DATA_DIR }, 'migrate:status', { program: ['npx', '--no', 'knex'] });
      expect(status).toMatch(/No Pending Migration files Found\.$/);
    }));

  it('leaves the SQLite of a running service alone, and still shows its status', () =>
    inTemporaryDirectory(async (DATA_DIR) => {
      await migrate(sqliteConfig(join(DATA_DIR, 'gatehouse.sqlite')));
      const release = takeLock(join(DATA_DIR, 'service.lock'));
      await expect(knex({ DATA_DIR }, 'migrate:down')).rejects.toMatchObject({
        code: 1,
        stderr: `a running service uses ${DATA_DIR} and migrated it when it started. Stop the service to migrate by hand\n`,
      });
      expect(await knex({ DATA_DIR }, 'migrate:status')).toMatch(/No Pending Migration files Found\.$/);
      release?.();
    }));

  it('creates a migration in the directory of the others, and lists it', () =>
    inTemporaryDirectory(async (directory) => {
      const tree = join(directory, 'tree');
      await mkdir(tree);
      for (const file of ['src', 'scripts', 'knexfile.ts', 'package.json', 'tsconfig.json']) {
        await cp(join(root, file), join(tree, file), { recursive: true });
      }
      await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
      const folder = join(tree, 'src/adapters/persistence/knex/migrations');
      const before = await readdir(folder);
      await knex({}, 'migrate:make new_things', { folder: tree });
      const [made = '', ...more] = (await readdir(folder)).filter((file) => !before.includes(file));
      expect(made).toMatch(/^\d{14}_new_things\.ts$/);
      expect(more).toEqual([]);
      expect(await readFile(`${folder}.ts`, 'utf8')).toContain(`export * as '${made}' from`);
      expect(await readFile(join(folder, made), 'utf8')).toBe(
        await readFile(join(tree, 'scripts/migration.stub'), 'utf8'),
      );
    }));
});
