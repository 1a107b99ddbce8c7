import { settingsTable } from '../../config.js';
import type { Command } from '../toolkit/command.js';

export const serve: Command = {
  name: 'serve',
  does: 'starts the service, as npm start does',
  about: 'On SIGTERM, it finishes requests in progress and exits.',
  more: () => `Configured by environment variables:\n\n${settingsTable()}`,
  run: async () => {
    // The service's program takes no arguments.
    process.argv.splice(2);
    await import('../../main.js');
    return undefined;
  },
};
