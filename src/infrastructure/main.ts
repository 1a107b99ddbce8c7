import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keepFilesPrivate } from '../adapters/system/private-files.js';
import { type Config, ConfigError, helpPage, loadConfig } from './config.js';
import { consoleAddress } from './console-address.js';
import { type FirstToken, firstSteps } from './first-steps.js';
import { unclaimedSecret } from './generated-secrets.js';
import { logOutput } from './log-output.js';
import { nodeFault } from './node-version.js';
import type { RunningService } from './service.js';

const print = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const giveUp = (text: string): never => {
  print(text);
  process.exit(1);
};

/** The time in milliseconds for the last lines to be written and for connections to close. */
const exitTimeout = 1_000;

/** Exits even if the reader of standard output does not read it, which a normal exit would wait for. */
const end = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

/** Shows the first administrator's secret once: on a terminal, otherwise in a file only this user can read. */
async function handOver(
  service: RunningService,
  config: Config,
  log: { info(fields: object, text: string): void },
): Promise<FirstToken> {
  const unclaimed = join(config.DATA_DIR, unclaimedSecret);
  if (service.adminSecret === undefined) return { kind: 'known' };
  if (!service.adminSecretGenerated) return { kind: 'given' };
  if (process.stdout.isTTY) {
    await rm(unclaimed, { force: true });
    return { kind: 'shown', secret: service.adminSecret };
  }
  const path = join(config.DATA_DIR, 'admin-token');
  await rename(unclaimed, path);
  log.info({ path }, "the first site administrator's token is in this file");
  return { kind: 'in-file', path };
}

/** Whether npm runs a script of a checkout; a package and the image have the programs themselves. */
const inCheckout = /^(start|dev)$/.test(process.env.npm_lifecycle_event ?? '');

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
  // Loaded after the version check: on an old Node the database driver would crash the process without a message.
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
      .finally(() => setTimeout(end, exitTimeout).unref());
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  // Last, since a reader of this line may stop the service at once.
  print(
    firstSteps({
      publicUrl: service.publicUrl,
      consoleUrl: await consoleAddress(service, process.stdout.isTTY),
      token: await handOver(service, config, log),
      signsIn: config.OIDC_ISSUER !== undefined,
      commandLine: inCheckout ? 'npm run --silent gatehouse --' : 'gatehouse',
      agent: inCheckout ? 'npm run agent' : 'gatehouse-agent',
    }),
  );
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigError || (error instanceof Error && error.name === 'StartError');
  giveUp(known ? (error as Error).message : String((error as Error)?.stack ?? error));
});
