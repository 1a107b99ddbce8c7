import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { SealedSecretBox } from '../../../adapters/system/sealed-secret-box.js';
import { dataDirectory, refuseOtherUsers } from '../../backup.js';
import type { Config } from '../../config.js';
import { secretsIn } from '../../generated-secrets.js';
import { inDatabase } from '../toolkit/operator.js';
import { counted } from '../toolkit/output.js';
import { type Check, failed, ok, opened, warning } from './finding.js';

const restored =
  'restore it from a backup or set SIGNING_SECRET; docs/operations.md describes what to do if it is lost';

/** Whether the service would start with these secrets, as far as the database can be queried. */
async function fits(config: Config, secrets: readonly string[]): Promise<boolean> {
  if (config.DATABASE_URL === undefined && !existsSync(dataDirectory(config.DATA_DIR).database)) return true;
  const [first, ...others] = secrets;
  const fingerprints = first === undefined ? [] : new SealedSecretBox([first, ...others]).fingerprints;
  try {
    if (config.DATABASE_URL === undefined) await refuseOtherUsers(config, 'database');
    return await inDatabase(config, ({ unitOfWork }) => unitOfWork.read((tx) => tx.signingKeys.fits(fingerprints)));
  } catch {
    // A failing database is reported by its own check.
    return true;
  }
}

export const secret: Check = {
  name: 'signing secret',
  mend: 'check SIGNING_SECRET',
  run: async (config) => {
    const { signingSecret: path } = dataDirectory(config.DATA_DIR);
    const given = config.SIGNING_SECRET;
    if (given !== undefined) {
      return [
        (await fits(config, given))
          ? ok(`${counted(given.length, 'secret')} in SIGNING_SECRET`)
          : failed('the database was used with a secret other than SIGNING_SECRET', restored),
      ];
    }
    const alone =
      config.DATABASE_URL !== undefined &&
      warning(
        'SIGNING_SECRET is not set, but all instances on a database must have the same secret',
        'set the same SIGNING_SECRET for all instances',
      );
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) {
      return [
        alone,
        (await fits(config, []))
          ? ok('the first start generates one')
          : failed(`${path} does not exist, but the database was used with a signing secret`, restored),
      ];
    }
    const mode = opened(found.mode);
    const kept = secretsIn(await readFile(path, 'utf8'));
    return [
      alone,
      kept.length === 0
        ? failed(
            `${path} does not contain a secret`,
            'restore it from a backup; if it never contained a secret, delete the file',
          )
        : (await fits(config, kept))
          ? ok(`it is in ${path}`)
          : failed(`the database was used with a secret other than that in ${path}`, restored),
      mode !== undefined && failed(`${path} is readable by other users (${mode})`, `chmod 600 ${path}`),
    ];
  },
};
