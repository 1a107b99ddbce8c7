import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { SealedSecretBox } from '../../../adapters/system/sealed-secret-box.js';
import { dataDirectory, refuseOtherUsers } from '../../backup.js';
import type { Config } from '../../config.js';
import { secretsIn } from '../../generated-secrets.js';
import { inDatabase } from '../operator.js';
import { counted } from '../output.js';
import { type Check, failed, ok, opened, warning } from './finding.js';

const restored = 'put it back, from a backup or as SIGNING_SECRET; docs/operations.md says what to do when it is lost';

/** Whether the service would start with these secrets, as far as the database can be asked. */
async function fits(config: Config, secrets: readonly string[]): Promise<boolean> {
  if (config.DATABASE_URL === undefined && !existsSync(dataDirectory(config.DATA_DIR).database)) return true;
  const [first, ...others] = secrets;
  const fingerprints = first === undefined ? [] : new SealedSecretBox([first, ...others]).fingerprints;
  try {
    if (config.DATABASE_URL === undefined) await refuseOtherUsers(config, 'database');
    return await inDatabase(config, ({ unitOfWork }) => unitOfWork.read((tx) => tx.signingKeys.fits(fingerprints)));
  } catch {
    // What keeps it from answering is the database's own finding.
    return true;
  }
}

export const secret: Check = {
  name: 'signing secret',
  mend: 'see SIGNING_SECRET',
  look: async (config) => {
    const { signingSecret: path } = dataDirectory(config.DATA_DIR);
    const given = config.SIGNING_SECRET;
    if (given !== undefined) {
      return [
        (await fits(config, given))
          ? ok(`${counted(given.length, 'secret')} in SIGNING_SECRET`)
          : failed('the database was used with another secret than SIGNING_SECRET', restored),
      ];
    }
    const alone =
      config.DATABASE_URL !== undefined &&
      warning(
        'SIGNING_SECRET is not set, and other instances on the database must have the same',
        'give all of them the same SIGNING_SECRET',
      );
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) {
      return [
        alone,
        (await fits(config, []))
          ? ok('one is made at the first start')
          : failed(`there is no ${path}, and the database was used with one`, restored),
      ];
    }
    const mode = opened(found.mode);
    const kept = secretsIn(await readFile(path, 'utf8'));
    return [
      alone,
      kept.length === 0
        ? failed(`${path} has no secret in it`, 'put it back from a backup; if there never was one, remove the file')
        : (await fits(config, kept))
          ? ok(`it is in ${path}`)
          : failed(`the database was used with another secret than that in ${path}`, restored),
      mode !== undefined && failed(`${path} can be read by other users (${mode})`, `chmod 600 ${path}`),
    ];
  },
};
