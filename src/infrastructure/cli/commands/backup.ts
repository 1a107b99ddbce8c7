import { backUp, OperatorError, refuseOtherUsers } from '../../backup.js';
import type { Command } from '../toolkit/command.js';
import { counted } from '../toolkit/output.js';

export const backup: Command = {
  name: 'backup',
  does: 'copies the SQLite database and the archives to a new directory, which can be used as DATA_DIR',
  about: 'Use their own tools to back up Postgres and buckets, as described in docs/operations.md.',
  args: ['DIRECTORY'],
  run: async (call) => {
    const { config, progress } = call;
    const directory = call.arg(0);
    if (config.DATABASE_URL !== undefined || config.ARCHIVE_STORE !== 'file') {
      throw new OperatorError(
        'this command copies SQLite and files only; docs/operations.md describes how to back up Postgres and a bucket',
      );
    }
    await refuseOtherUsers(config, 'database', 'bundles');
    const archives = await backUp(config.DATA_DIR, directory, (copied) => progress.print(`${copied} archives copied`));
    return {
      json: { directory, archives },
      text: `${directory} contains the database and ${counted(archives, 'archive')}`,
    };
  },
};
