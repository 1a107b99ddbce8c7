import { settingsTable } from '../../config.js';
import type { Command } from '../command.js';

export const serve: Command = {
  name: 'serve',
  does: 'serves, as npm start does',
  about: 'SIGTERM ends it, once requests in flight have finished.',
  more: () => `It is configured by environment variables:\n\n${settingsTable()}`,
  run: async () => {
    // The program of the service, which takes no words.
    process.argv.splice(2);
    await import('../../main.js');
    return undefined;
  },
};
