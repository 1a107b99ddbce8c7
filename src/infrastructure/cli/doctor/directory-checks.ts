import { existsSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unclaimedSecret } from '../../generated-secrets.js';
import { size } from '../output.js';
import { type Check, failed, ok, opened, warning } from './finding.js';

const { R_OK, W_OK, X_OK } = constants;

const allows = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

/** The directory itself, or the first one above it that exists. */
async function nearest(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) if (existsSync(at) || at === dirname(at)) return at;
}

export const dataDir: Check = {
  name: 'data directory',
  mend: 'give DATA_DIR a directory on a local disk, which the user of the service owns',
  look: async ({ DATA_DIR: path }) => {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) {
      const above = await nearest(dirname(path));
      return [
        (await allows(above, W_OK | X_OK))
          ? warning(`there is no ${path} yet`, 'the service makes it at its start; if it should be there, see DATA_DIR')
          : failed(
              `there is no ${path}, and it cannot be made in ${above}`,
              `make it, and give it to the service's user`,
            ),
      ];
    }
    if (!found.isDirectory()) return [failed(`${path} is no directory`, 'give DATA_DIR another path')];
    const user = process.getuid?.();
    const mode = opened(found.mode);
    return [
      (await allows(path, R_OK | W_OK | X_OK))
        ? ok(`${path} can be written to`)
        : failed(`${path} cannot be written to by user ${user}`, `chown -R ${user} ${path}; chmod 700 ${path}`),
      user !== undefined &&
        found.uid !== user &&
        warning(
          `${path} belongs to user ${found.uid}, and this is user ${user}`,
          `run it as the user of the service, or chown -R ${user} ${path} where that is this one`,
        ),
      mode !== undefined &&
        failed(`${path} is open to other users (${mode}), and secrets are in it`, `chmod 700 ${path}`),
    ];
  },
};

/** By the magic numbers that Linux gives them. */
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
  mend: 'see DATA_DIR',
  look: async ({ DATA_DIR: path, MAX_ARCHIVE_BYTES: largest, DATABASE_URL, ARCHIVE_STORE }) => {
    const { bavail, bsize, type } = await statfs(await nearest(path));
    const free = bavail * bsize;
    const kind = process.platform === 'linux' ? type >>> 0 : 0;
    const needed = DATABASE_URL === undefined || ARCHIVE_STORE === 'file';
    const space = `${size(free)} free`;
    const room = 'make room, or give DATA_DIR a larger disk';
    return [
      free < largest
        ? failed(`${space}, less than one upload may have`, room)
        : free < lowSpace
          ? warning(space, `${room}; ARCHIVE_AFTER_DAYS keeps archives from piling up`)
          : ok(space),
      needed &&
        foreign.has(kind) &&
        failed(
          `the file system is ${foreign.get(kind)}, across a network`,
          'SQLite and archives need a local disk: give DATA_DIR one, or use Postgres and a bucket',
        ),
      needed &&
        kind === throughFuse &&
        warning('the file system is a FUSE one', 'make sure that it is a local disk, with locks that hold'),
      needed &&
        kind === inMemory &&
        warning('the file system is in memory', 'nothing in it outlives the machine: give DATA_DIR a disk'),
    ];
  },
};

export const leftToken: Check = {
  name: 'first token',
  mend: 'see DATA_DIR',
  look: async ({ DATA_DIR: directory }) => {
    const left = join(directory, 'admin-token');
    const unclaimed = join(directory, unclaimedSecret);
    const found = [
      existsSync(left) &&
        warning(`the first administrator's token lies in ${left}`, 'issue one of your own, and remove the file'),
      existsSync(unclaimed) &&
        warning(
          `the first start was broken off before it handed over ${unclaimed}`,
          'if the database is in use, and another token works, remove it; else it is the token',
        ),
    ];
    return found.some(Boolean) ? found : [ok('no token lies about')];
  },
};
