import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FileBundleStore, flush } from '../adapters/files/file-bundle-store.js';
import { takeLock } from '../adapters/persistence/knex/engine/sqlite-lock.js';
import { snapshot } from '../adapters/persistence/knex/engine/sqlite-snapshot.js';
import { openSqlite } from '../adapters/persistence/knex/knex-database.js';
import type { Config } from './config.js';
import { storedBytes } from './stored-bundles.js';

/** The layout of a data directory. */
export const dataDirectory = (path: string) => ({
  database: join(path, 'gatehouse.sqlite'),
  bundles: join(path, 'bundles'),
  signingSecret: join(path, 'signing-secret'),
  /** Locked by a process that copies the directory. */
  backupLock: join(path, 'backup.lock'),
});

type DataDirectory = ReturnType<typeof dataDirectory>;

/** An error the operator can fix. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/**
 * Throws `OperatorError` if a path to open in the data directory belongs to another user: files that this process
 * creates there, even temporary ones of the open database, would be unwritable for the service.
 */
export async function refuseOtherUsers(
  { DATA_DIR, DATABASE_URL }: Config,
  ...opened: readonly ('database' | 'bundles')[]
): Promise<void> {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const paths = dataDirectory(DATA_DIR);
  const refuse = (path: string, owner: number | undefined) => {
    if (owner === undefined || owner === user) return;
    throw new OperatorError(
      `${path} belongs to user ${owner}, but this is user ${user}. Run the command as the user of the service, for example with sudo -u '#${owner}'`,
    );
  };
  // A missing path is created by the owner of its directory. A directory may belong to root although others write to
  // it, as volumes do; only root has to check the owner.
  const instead = [...(DATABASE_URL === undefined ? [paths.database] : []), ...(user === 0 ? [DATA_DIR] : [])];
  try {
    for (const name of opened) {
      for (const path of [paths[name], ...instead]) {
        const owner = await ownerOf(path);
        refuse(path, owner);
        if (owner !== undefined) break;
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') refuse(DATA_DIR, await ownerOf(DATA_DIR));
    throw error;
  }
}

/** Undefined if the file does not exist. */
const ownerOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ uid }) => uid,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );

/**
 * Copies a SQLite data directory, which a service may be using, to the new directory `to`: a service started on it sees
 * a snapshot of a single moment. The directory appears complete or not at all. Returns the number of archives; calls
 * `copied` after each.
 */
export async function backUp(
  dataDir: string,
  to: string,
  copied: (archives: number) => void = () => {},
): Promise<number> {
  const from = dataDirectory(dataDir);
  if (await exists(to)) throw new OperatorError(`${to} already exists`);
  if (!(await exists(from.database))) throw new OperatorError(`${from.database} does not exist`);
  const releaseLock = takeLock(from.backupLock);
  if (releaseLock === undefined) throw new OperatorError(`another backup of ${dataDir} is in progress`);
  try {
    return await makeWhole(resolve(to), async (draft) => {
      const copy = dataDirectory(draft);
      const bundles = await copyAtOneMoment(from, copy, copied);
      if (await exists(from.signingSecret)) await copyFile(from.signingSecret, copy.signingSecret);
      return bundles;
    });
  } finally {
    releaseLock();
  }
}

/** Releases the discarded bundles that a killed backup kept back. */
export async function forgetKilledBackup(dataDir: string): Promise<void> {
  const { backupLock, bundles } = dataDirectory(dataDir);
  const releaseLock = takeLock(backupLock);
  if (releaseLock === undefined) return;
  const store = new FileBundleStore(bundles);
  await store.forgetSetAside().finally(releaseLock);
}

/** Fills a draft directory with `fill`, then renames it to its target once it is complete and on disk. */
async function makeWhole<Result>(target: string, fill: (draft: string) => Promise<Result>): Promise<Result> {
  await mkdir(dirname(target), { recursive: true });
  const draft = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
  try {
    const result = await fill(draft);
    await flushTree(draft);
    await rename(draft, target);
    await flush(dirname(target));
    return result;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Bundles discarded from here on remain available to the copy, since database and files cannot be copied at the same
 * moment.
 */
async function copyAtOneMoment(
  from: DataDirectory,
  to: DataDirectory,
  copied: (archives: number) => void,
): Promise<number> {
  const store = new FileBundleStore(from.bundles);
  const copy = new FileBundleStore(to.bundles);
  await store.setDiscardedAside();
  try {
    snapshot(from.database, to.database);
    const database = openSqlite(to.database);
    let bundles = 0;
    try {
      for await (const { of, key } of storedBytes(database.unitOfWork)) {
        if (!(await store.shareWith(copy, key))) {
          throw new OperatorError(`the archive of ${of} is missing. Run gatehouse verify to list all missing archives`);
        }
        bundles += 1;
        copied(bundles);
      }
    } finally {
      await database.close();
    }
    return bundles;
  } finally {
    await store.forgetSetAside();
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function flushTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    await (entry.isDirectory() ? flushTree(path) : flush(path));
  }
  await flush(directory);
}
