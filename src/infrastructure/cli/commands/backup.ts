import { backUp, OperatorError, refuseOtherUsers } from '../../backup.js';
import type { Command } from '../command.js';
import { counted } from '../output.js';

export const backup: Command = {
  name: 'backup',
  does: 'copies SQLite and archives into a new directory, which serves as a DATA_DIR',
  about: 'Postgres and buckets have tools of their own: docs/operations.md says how they are copied.',
  words: ['DIRECTORY'],
  run: async (call) => {
    const { config, progress } = call;
    const directory = call.word(0);
    if (config.DATABASE_URL !== undefined || config.ARCHIVE_STORE !== 'file') {
      throw new OperatorError(
        'this copies SQLite and files; docs/operations.md says how to copy Postgres and a bucket',
      );
    }
    await refuseOtherUsers(config, 'database', 'bundles');
    const archives = await backUp(config.DATA_DIR, directory, (copied) => progress.say(`${copied} archives copied`));
    return {
      json: { directory, archives },
      text: `${directory} holds the database and ${counted(archives, 'archive')}`,
    };
  },
};
