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

// Whoever reads the output may have heard enough; but what was to be shown once, and was not, is lost.
process.stdout.on('error', () => process.exit(1));

// Loaded only now: on an old Node the database driver would end the process without a word.
const [{ commands }, { runCommandLine }] = await Promise.all([
  import('./commands.js'),
  import('./run-command-line.js'),
]);
process.exitCode = await runCommandLine(process.argv.slice(2), commands, {
  environment: process.env,
  out: process.stdout,
  err: process.stderr,
});
