import { existsSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unclaimedSecret } from '../../generated-secrets.js';
import { size } from '../toolkit/output.js';
import { type Check, failed, ok, opened, warning } from './finding.js';

const { R_OK, W_OK, X_OK } = constants;

const allows = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

/** The directory itself, or its nearest existing ancestor. */
async function nearest(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) if (existsSync(at) || at === dirname(at)) return at;
}

export const dataDir: Check = {
  name: 'data directory',
  mend: 'set DATA_DIR to a directory on a local disk that the user of the service owns',
  run: async ({ DATA_DIR: path }) => {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) {
      const above = await nearest(dirname(path));
      return [
        (await allows(above, W_OK | X_OK))
          ? warning(
              `${path} does not exist yet`,
              'the service creates it when it starts; if it should already exist, check DATA_DIR',
            )
          : failed(
              `${path} does not exist and cannot be created in ${above}`,
              `create it, and make the user of the service its owner`,
            ),
      ];
    }
    if (!found.isDirectory()) return [failed(`${path} is not a directory`, 'set DATA_DIR to another path')];
    const user = process.getuid?.();
    const mode = opened(found.mode);
    return [
      (await allows(path, R_OK | W_OK | X_OK))
        ? ok(`${path} is writable`)
        : failed(`${path} is not writable for user ${user}`, `chown -R ${user} ${path}; chmod 700 ${path}`),
      user !== undefined &&
        found.uid !== user &&
        warning(
          `${path} belongs to user ${found.uid}, but this is user ${user}`,
          `run the command as the user of the service, or chown -R ${user} ${path} if this is the user of the service`,
        ),
      mode !== undefined &&
        failed(`${path} is accessible to other users (${mode}) and contains secrets`, `chmod 700 ${path}`),
    ];
  },
};

/** Keyed by Linux's file system magic numbers. */
const foreign: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
]);
const inMemory = 0x01021994;
const throughFuse = 0x65735546;

const lowSpace = 1_000_000_000;

export const disk: Check = {
  name: 'disk',
  mend: 'check DATA_DIR',
  run: async ({ DATA_DIR: path, MAX_ARCHIVE_BYTES: largest, DATABASE_URL, ARCHIVE_STORE }) => {
    const { bavail, bsize, type } = await statfs(await nearest(path));
    const free = bavail * bsize;
    const kind = process.platform === 'linux' ? type >>> 0 : 0;
    const needed = DATABASE_URL === undefined || ARCHIVE_STORE === 'file';
    const space = `${size(free)} free`;
    const room = 'free space, or move DATA_DIR to a larger disk';
    return [
      free < largest
        ? failed(`${space}, less than the largest upload`, room)
        : free < lowSpace
          ? warning(space, `${room}; ARCHIVE_AFTER_DAYS keeps archives from piling up`)
          : ok(space),
      needed &&
        foreign.has(kind) &&
        failed(
          `the file system is ${foreign.get(kind)}, a network file system`,
          'SQLite and archives require a local disk: move DATA_DIR to one, or use Postgres and a bucket',
        ),
      needed &&
        kind === throughFuse &&
        warning('the file system is a FUSE file system', 'make sure that it is a local disk with working file locks'),
      needed &&
        kind === inMemory &&
        warning('the file system is in memory', 'its content is lost on a restart: move DATA_DIR to a disk'),
    ];
  },
};

export const leftToken: Check = {
  name: 'first token',
  mend: 'check DATA_DIR',
  run: async ({ DATA_DIR: directory }) => {
    const left = join(directory, 'admin-token');
    const unclaimed = join(directory, unclaimedSecret);
    const found = [
      existsSync(left) &&
        warning(
          `the first administrator's token is still in ${left}`,
          'issue a token of your own, and delete the file',
        ),
      existsSync(unclaimed) &&
        warning(
          `the first start was interrupted before it handed over ${unclaimed}`,
          "if another token already works, delete the file; otherwise it contains the first administrator's token",
        ),
    ];
    return found.some(Boolean) ? found : [ok('no leftover token file')];
  },
};
