import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runAgent } from '../agent.js';
import { bareEnvironment } from '../programs/environment.js';
import { findOpa, opaFrom } from '../programs/find-programs.js';
import type { Dependencies } from '../run/execute-job.js';
import { loadSettings } from '../settings.js';
import { FirstTryError } from './first-try-error.js';
import { LocalService } from './local-service.js';
import { organization, provision } from './provision.js';

type Environment = Readonly<Record<string, string | undefined>>;

const example = fileURLToPath(new URL('../../../examples/terraform', import.meta.url));
/** A label that connects the example with the CLI configuration; it is never resolved. */
const host = 'gatehouse.example';
/** The workspace that the example names. */
const workspace = 'network';

const isLoopback = (name: string): boolean => /^(localhost|\[?::1\]?|127(\.\d+){3})$/.test(name);

/** Starts the service and an agent on this machine, with the resources a first plan needs. Stops both at the end. */
export async function withServer(
  environment: Environment,
  dependencies: Pick<Dependencies, 'stopping' | 'killing' | 'print'>,
): Promise<void> {
  refuseWhatOthersUse(environment);
  // The defaults differ from those of a service running on the same machine.
  const dataDirectory = resolve(environment.DATA_DIR || './data/first-try');
  const place = environment.DATA_DIR ? join(dataDirectory, 'first-try') : dataDirectory;
  await mkdir(place, { recursive: true, mode: 0o700 });
  await chmod(place, 0o700);
  const ofService = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('AGENT_')));
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  dependencies.stopping.addEventListener('abort', stop);
  if (dependencies.stopping.aborted) return;
  const service = await LocalService.start(
    {
      ...ofService,
      HOST: environment.HOST || '127.0.0.1',
      PORT: environment.PORT || '0',
      DATA_DIR: dataDirectory,
    },
    join(place, 'service.log'),
  );
  let ended = false;
  service.onEnd(() => {
    ended = true;
    stopping.abort();
  });
  try {
    if (stopping.signal.aborted) return;
    // The token is not known yet; all other settings are checked before anything is created.
    const unprovisioned = { ...environment, GATEHOUSE_URL: service.url };
    const settings = loadSettings({ ...unprovisioned, AGENT_TOKEN: 'x'.repeat(16), AGENT_TOKEN_FILE: '' });
    const opa = await findOpa(settings, bareEnvironment(environment, tmpdir(), tmpdir()));
    const tokens = await provision(service, place, opa && join(example, 'policies'));
    const configFile = join(place, 'terraformrc');
    await writeFile(configFile, cliConfiguration(await service.discovered(), tokens.userToken), { mode: 0o600 });
    await chmod(configFile, 0o600);
    if (stopping.signal.aborted && !ended) return;
    process.stderr.write(welcome(service.url, { configFile, tokenFile: tokens.userTokenFile }, opa !== undefined));
    await runAgent(settings, tokens.agentToken, { ...dependencies, environment, stopping: stopping.signal });
    if (ended) throw new FirstTryError(`the service exited; its log is ${join(place, 'service.log')}`);
  } finally {
    await service.stop();
  }
}

/** Any client that can reach the service can execute code on this machine. */
function refuseWhatOthersUse({ HOST, PUBLIC_URL, DATABASE_URL }: Environment): void {
  const faults = [
    ...(HOST && !isLoopback(HOST) ? ['HOST is not a loopback address'] : []),
    ...(PUBLIC_URL && !isLoopback(URL.parse(PUBLIC_URL)?.hostname ?? '') ? ['PUBLIC_URL is not a loopback URL'] : []),
    ...(DATABASE_URL ? ['DATABASE_URL is set, so that other services may use the same database'] : []),
  ];
  if (faults.length > 0) {
    throw new FirstTryError(
      `--with-server is for a first try on this machine only: ${faults.join('; ')}. Start the service separately, and the agents on machines of their own (docs/agents.md).`,
    );
  }
}

const cliConfiguration = (services: Readonly<Record<string, string>>, token: string): string =>
  [
    'disable_checkpoint = true',
    `host "${host}" {\n  services = {\n${Object.entries(services)
      .map(([name, address]) => `    "${name}" = "${address}"\n`)
      .join('')}  }\n}`,
    `credentials "${host}" {\n  token = "${token}"\n}`,
    '',
  ].join('\n\n');

interface Files {
  readonly configFile: string;
  readonly tokenFile: string;
}

function welcome(url: string, { configFile, tokenFile }: Files, withPolicies: boolean): string {
  const folder = relative(process.cwd(), example) || '.';
  return [
    '',
    `Gatehouse serves at ${url}. An agent executes the runs of the organization ${organization} and of every organization you create.`,
    `Configurations run as ${userInfo().username} on this machine: plan only configurations that you would run yourself.`,
    '',
    'In another terminal, run:',
    '',
    `  export TF_CLI_CONFIG_FILE='${configFile}'`,
    `  terraform -chdir='${folder}' init`,
    `  terraform -chdir='${folder}' apply`,
    '',
    `init creates the workspace. Follow its runs at ${url}/app/${organization}/workspaces/${workspace};`,
    `the token to sign in with is in ${tokenFile}.`,
    `terraform prints addresses at https://${host}, which is an alias in its configuration: a browser does not find it.`,
    '',
    withPolicies
      ? 'Two policies check the plan, and one of them fails. Press Ctrl-C to stop the service and the agent.'
      : `opa was not found, so policies do not check the plan. To see policies, install opa (${opaFrom}) and start again. Press Ctrl-C to stop the service and the agent.`,
    '',
    '',
  ].join('\n');
}
