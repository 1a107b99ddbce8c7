import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync } from 'node:fs';
import { chown, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { gatehouse } from '../support/command-line.js';
import { freePort, inTemporaryDirectory, ServiceProcess } from '../support/process.js';
import { usable } from '../support/programs.js';
import { ServiceSteps, until } from '../support/service-steps.js';
import { sha256, UploadLoad } from '../support/upload-load.js';

/** The directory of the newest Postgres programs. */
const binaries = [...globSync('/usr/lib/postgresql/*/bin/pg_dump'), ...onPath('pg_dump')]
  .map((path) => dirname(path))
  .filter((directory) => existsSync(join(directory, 'postgres')))
  .at(-1);
const suite = usable('pg_dump', binaries !== undefined) ? describe : describe.skip;
const reason = binaries === undefined ? ' (skipped: no Postgres with pg_dump on this machine)' : '';

function onPath(program: string): readonly string[] {
  const found = spawnSync('which', [program], { encoding: 'utf8' });
  return found.status === 0 ? [found.stdout.trim()] : [];
}

/** Postgres refuses to be run by root. */
const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const run = (program: string, ...words: readonly string[]): void => {
  const { status, stderr } = spawnSync(join(binaries as string, program), words, { ...owner, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
};

/** Runs `work` with a server that has an empty database `first`; `of` returns the URL of a database. */
async function onPostgres(directory: string, work: (of: (database: string) => string) => Promise<void>): Promise<void> {
  if (owner.uid !== undefined) await chown(directory, owner.uid, owner.gid);
  const data = join(directory, 'postgres');
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  const port = await freePort();
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'];
  const server = spawn(
    join(binaries as string, 'postgres'),
    ['-D', data, '-p', String(port), '-k', directory, ...settings],
    { ...owner, stdio: 'ignore' },
  );
  const of = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  try {
    await until('Postgres answers', async () => {
      const words = ['--dbname', of('postgres'), '--command', 'create database first'];
      return spawnSync(join(binaries as string, 'psql'), words).status === 0;
    });
    await work(of);
  } finally {
    const exited = once(server, 'exit');
    server.kill('SIGINT');
    await exited;
  }
}

suite('a backup of Postgres and archives', () => {
  it(`taken under load, as the documents say, is restored with every acknowledged version${reason}`, async () => {
    await inTemporaryDirectory(async (directory) => {
      await onPostgres(directory, async (of) => {
        const [dataDir, copy] = [join(directory, 'data'), join(directory, 'copy')];
        const signed = { SIGNING_SECRET: 'a-secret-that-both-instances-have-in-common' };
        const service = await ServiceProcess.start({ DATA_DIR: dataDir, DATABASE_URL: of('first'), ...signed });
        const copyArchives = () =>
          until('the archives are copied', async () => {
            try {
              cpSync(join(dataDir, 'bundles/kept'), join(copy, 'bundles/kept'), { recursive: true, force: false });
              return true;
            } catch (error) {
              // Discarded after the listing and before the copy, also in the background after the last request.
              if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
              return false;
            }
          });
        let kept: ReadonlyMap<string, string>;
        try {
          const steps = new ServiceSteps(service);
          const load = new UploadLoad(steps, [await service.provision(), await steps.workspace('second')]);
          await until('there is something to lose', async () => load.kept.size > 10);
          kept = new Map(load.kept);
          await copyArchives();
          run('pg_dump', '--format=custom', `--file=${join(directory, 'gatehouse.dump')}`, of('first'));
          await load.stop();
          await copyArchives();
        } finally {
          await service.end();
        }
        await rm(dataDir, { recursive: true });

        run('createdb', '--maintenance-db', of('postgres'), 'restored');
        run(
          'pg_restore',
          '--no-owner',
          '--exit-on-error',
          '--dbname',
          of('restored'),
          join(directory, 'gatehouse.dump'),
        );
        const restored = { DATA_DIR: copy, DATABASE_URL: of('restored'), ...signed };
        const again = await ServiceProcess.start(restored);
        try {
          for (const [id, digest] of kept) expect(sha256(await again.download(id))).toBe(digest);
        } finally {
          await again.end();
        }
        const { json } = await gatehouse(['verify'], restored);
        // Only an archive that lived shorter than the dump took may be missing: its version was archived a moment later.
        expect(json.good).toBeGreaterThanOrEqual(kept.size);
        const faults: readonly { of: string; what: string }[] = json.faults;
        expect(faults.filter(({ of, what }) => what !== 'missing' || kept.has(of))).toEqual([]);
      });
    });
  });
});
