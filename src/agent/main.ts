#!/usr/bin/env node
import { runAgent } from './agent.js';
import { putBack } from './put-back.js';
import { ServiceRefused } from './service/service-client.js';
import { helpPage, loadSettings, SettingsError } from './settings.js';
import { tokenOf } from './token.js';

const print = (line: string): void => {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
};

// The reader may be gone, such as a closed terminal.
process.stderr.on('error', () => undefined);

const oldestNode = [22, 15] as const;

async function main(words: readonly string[]): Promise<void> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    const needed = `Gatehouse requires Node ${oldestNode.join('.')} or later; this is ${process.versions.node}`;
    process.stderr.write(`${needed}. Install a newer version, or start the agent with npm run agent.\n`);
    process.exit(1);
  }
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(helpPage());
    return;
  }
  if (words[0] === 'put-back') return putBack(words.slice(1), process.env, print);
  const [unknown] = words.filter((word) => word !== '--with-server');
  if (unknown !== undefined) throw new SettingsError([`unknown argument ${unknown}; see --help`]);

  const settings = words.includes('--with-server') ? undefined : loadSettings(process.env);
  // First, because this may replace the process.
  const token = settings && tokenOf(settings);

  const stopping = new AbortController();
  const killing = new AbortController();
  const stop = () => {
    if (!stopping.signal.aborted) {
      print('stopping; a second signal kills running programs');
      stopping.abort();
    } else if (!killing.signal.aborted) killing.abort();
    else process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
  // A closing terminal may send it twice, which must not kill programs.
  process.on('SIGHUP', () => stopping.signal.aborted || stop());
  const dependencies = { stopping: stopping.signal, killing: killing.signal, print };

  if (settings === undefined || token === undefined) {
    const { withServer } = await import('./first-try/with-server.js');
    await withServer(process.env, dependencies);
  } else {
    await runAgent(settings, token, { ...dependencies, environment: process.env });
  }
  print('stopped');
}

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: Error) => {
    const refused = error instanceof ServiceRefused && error.status === 401;
    const known = error instanceof SettingsError || error.name === 'FirstTryError';
    if (refused && process.argv[2] !== 'put-back')
      print(
        'the service rejected the agent token: it was revoked, belongs to another service, or is not an agent token',
      );
    else process.stderr.write(`${known || error instanceof ServiceRefused ? error.message : error.stack}\n`);
    process.exit(1);
  },
);
