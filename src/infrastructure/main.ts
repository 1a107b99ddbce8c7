import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keepFilesPrivate } from '../adapters/system/private-files.js';
import { type Config, ConfigError, helpPage, loadConfig } from './config.js';
import { unclaimedSecret } from './generated-secrets.js';
import { logOutput } from './log-output.js';
import { nodeFault } from './node-version.js';
import type { RunningService } from './service.js';

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const giveUp = (text: string): never => {
  say(text);
  process.exit(1);
};

/** The address, and what to try first. */
const welcome = ({ publicUrl }: RunningService, tokenHint: string): string => {
  const curl = `curl -s -H "Authorization: Bearer $TOKEN"`;
  const json = `-H 'Content-Type: application/vnd.api+json'`;
  const body = (type: string, attributes: object) => `-d '${JSON.stringify({ data: { type, attributes } })}'`;
  return [
    '',
    `Gatehouse serves at ${publicUrl}`,
    '',
    tokenHint,
    'Then try:',
    '',
    `  ${curl} ${publicUrl}/account/details`,
    `  ${curl} ${json} ${body('organizations', { name: 'acme', email: 'you@example.com' })} ${publicUrl}/organizations`,
    `  ${curl} ${json} ${body('workspaces', { name: 'api' })} ${publicUrl}/organizations/acme/workspaces`,
    '',
  ].join('\n');
};

/** How long, in milliseconds, the last lines get to be written, and connections to end by themselves. */
const lastWord = 1_000;

/** Even where somebody holds standard output and does not read it, which an exit would wait for. */
const end = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

/** Hands the first administrator's secret over once: on a terminal, otherwise in a file of this user's. */
async function handOver(service: RunningService, config: Config, log: { info(fields: object, text: string): void }) {
  const unclaimed = join(config.DATA_DIR, unclaimedSecret);
  if (service.adminSecret === undefined) return "Set TOKEN to a user's API token.";
  if (!service.adminSecretGenerated) return "Set TOKEN to the site administrator's token, as given in ADMIN_TOKEN.";
  if (process.stdout.isTTY) {
    await rm(unclaimed, { force: true });
    return `The first site administrator's token is shown only once:\n\n  TOKEN=${service.adminSecret}\n`;
  }
  const path = join(config.DATA_DIR, 'admin-token');
  await rename(unclaimed, path);
  log.info({ path }, "the first site administrator's token is in this file");
  return `The first site administrator's token is in ${path}:\n\n  TOKEN=$(cat ${path})\n`;
}

async function main(): Promise<void> {
  const fault = nodeFault(process.versions.node);
  if (fault !== undefined) giveUp(`${fault}. Start it with npm start.`);
  keepFilesPrivate();
  const words = process.argv.slice(2);
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(helpPage());
    return;
  }
  if (words.length > 0) giveUp(`unknown argument ${words[0]}; see npm start -- --help`);

  const config = loadConfig(process.env);
  // Loaded only now: on an old Node the database driver would end the process without a word.
  const [{ startService }, { pino }] = await Promise.all([import('./service.js'), import('pino')]);
  const log = pino({ level: config.LOG_LEVEL }, logOutput(process.stdout.fd));
  const service = await startService(config, log);

  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) end();
    stopping = true;
    log.info({ signal }, 'stopping');
    service
      .stop()
      .then(
        () => log.info({}, 'stopped'),
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed');
          process.exitCode = 1;
        },
      )
      .finally(() => setTimeout(end, lastWord).unref());
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  // Whoever reads it may stop the service at once.
  say(welcome(service, await handOver(service, config, log)));
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigError || (error instanceof Error && error.name === 'StartError');
  giveUp(known ? (error as Error).message : String((error as Error)?.stack ?? error));
});
