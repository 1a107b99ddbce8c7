#!/usr/bin/env node
import { keepFilesPrivate } from '../../adapters/system/private-files.js';
import { nodeFault } from '../node-version.js';

const fault = nodeFault(process.versions.node);
if (fault !== undefined) {
  process.stderr.write(
    `${fault}. Install a newer version; in a checkout, "npm run gatehouse --" uses the right one.\n`,
  );
  process.exit(1);
}

keepFilesPrivate();

// A reader may close the pipe early; but a secret that is shown once, and was not printed, is lost.
process.stdout.on('error', () => process.exit(1));

// Loaded after the version check: on an old Node the database driver would crash the process without a message.
const [{ commands }, { runCommandLine }] = await Promise.all([
  import('./commands.js'),
  import('./run-command-line.js'),
]);
process.exitCode = await runCommandLine(process.argv.slice(2), commands, {
  environment: process.env,
  out: process.stdout,
  err: process.stderr,
});
