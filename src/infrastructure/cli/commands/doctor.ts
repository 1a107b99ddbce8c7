import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { OperatorError } from '../../backup.js';
import { type Config, ConfigError } from '../../config.js';
import { nodeFault } from '../../node-version.js';
import type { Call, Command } from '../command.js';
import { address, port } from '../doctor/address-checks.js';
import { agentPools, database } from '../doctor/database-check.js';
import { dataDir, disk, leftToken } from '../doctor/directory-checks.js';
import { type Check, type Finding, failed, type Looked, ok, sentenceOf, warning } from '../doctor/finding.js';
import { recount } from '../doctor/kept-data.js';
import { secret } from '../doctor/secret-check.js';
import { store } from '../doctor/store-check.js';
import { counted, table } from '../output.js';

const git: Check = {
  name: 'git',
  mend: 'install git, or do not link workspaces to repositories',
  look: async () => {
    const version = await promisify(execFile)('git', ['--version']).catch(() => undefined);
    return version === undefined
      ? [warning('there is no git', 'install it where configurations come from repositories')]
      : [ok(version.stdout.trim())];
  },
};

const checks: readonly Check[] = [dataDir, disk, database, agentPools, store, secret, address, port, leftToken, git];

/** Everything there is to find, in the order in which it is to be mended. */
async function findings(call: Call): Promise<readonly Finding[]> {
  const fault = nodeFault(process.versions.node);
  const node: Finding =
    fault === undefined
      ? { check: 'Node', ...ok(process.versions.node) }
      : { check: 'Node', ...failed(fault, 'install a newer one; in a checkout, npm run gatehouse -- brings its own') };
  let config: Config;
  try {
    config = call.config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = 'gatehouse serve --help lists what each setting may be; the rest is looked at once this is mended';
    return [node, ...error.faults.map((found) => ({ check: 'configuration', ...failed(found, mend) }))];
  }
  const found: Finding[] = [node, { check: 'configuration', ...ok('every setting can be used') }];
  for (const { name, look, mend } of checks) {
    const seen = await look(config, call).catch(
      (error: unknown): Looked => [
        failed(sentenceOf(error), error instanceof OperatorError ? 'run it as that user' : mend),
      ],
    );
    found.push(...seen.filter((one) => typeof one === 'object').map((one) => ({ check: name, ...one })));
  }
  return found;
}

export const doctor: Command = {
  name: 'doctor',
  does: 'looks at everything the service stands on, and says what is wrong and how to mend it',
  about:
    'Configuration, data directory, disk, database, agent pools, archive store, clocks, secrets, address and port. It may be run before the first start and beside a running service, as its user and in its environment; it writes a small archive into the store and removes it. It ends with 1 when something failed; a warning is no failure.',
  options: {
    [recount]: { about: 'sets counters of kept bytes that differ from the rows to the sum of the rows' },
  },
  run: async (call) => {
    const found = await findings(call);
    const failures = found.filter(({ state }) => state === 'failed').length;
    const warnings = found.filter(({ state }) => state === 'warning').length;
    const rows = found.map(({ check, state, found: what }) => [state, check, what]);
    const mends = found.flatMap((one) => (one.state === 'ok' ? [] : [`${one.check}: ${one.found}\n  ${one.mend}`]));
    return {
      json: {
        state: failures > 0 ? 'failed' : warnings > 0 ? 'warning' : 'ok',
        findings: found.map((one) => ({ ...one, mend: one.state === 'ok' ? null : one.mend })),
      },
      text: [
        table(['state', 'what', 'found'], rows),
        ...(mends.length === 0 ? [] : ['', 'To mend:', '', ...mends]),
        '',
        `${failures} failed, ${counted(warnings, 'warning')}`,
      ].join('\n'),
      failed: failures > 0,
    };
  },
};
