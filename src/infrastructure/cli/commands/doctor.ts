import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { OperatorError } from '../../backup.js';
import { type Config, ConfigError } from '../../config.js';
import { nodeFault } from '../../node-version.js';
import { address, port } from '../doctor/address-checks.js';
import { database } from '../doctor/database-check.js';
import { dataDir, disk, leftToken } from '../doctor/directory-checks.js';
import { type Check, type CheckResults, type Finding, failed, ok, sentenceOf, warning } from '../doctor/finding.js';
import { recount } from '../doctor/kept-data.js';
import { secret } from '../doctor/secret-check.js';
import { store } from '../doctor/store-check.js';
import type { Call, Command } from '../toolkit/command.js';
import { counted, table } from '../toolkit/output.js';

const git: Check = {
  name: 'git',
  mend: 'install git, unless no workspace is linked to a repository',
  run: async () => {
    const version = await promisify(execFile)('git', ['--version']).catch(() => undefined);
    return version === undefined
      ? [warning('git is not installed', 'install git if workspaces are linked to repositories')]
      : [ok(version.stdout.trim())];
  },
};

const checks: readonly Check[] = [dataDir, disk, database, store, secret, address, port, leftToken, git];

/** All findings, in the order in which they must be fixed. */
async function findings(call: Call): Promise<readonly Finding[]> {
  const fault = nodeFault(process.versions.node);
  const node: Finding =
    fault === undefined
      ? { check: 'Node', ...ok(process.versions.node) }
      : {
          check: 'Node',
          ...failed(fault, 'install a newer version; in a checkout, npm run gatehouse -- uses the right one'),
        };
  let config: Config;
  try {
    config = call.config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = 'run gatehouse serve --help for the allowed values; the other checks run once this is fixed';
    return [node, ...error.faults.map((found) => ({ check: 'configuration', ...failed(found, mend) }))];
  }
  const found: Finding[] = [node, { check: 'configuration', ...ok('every setting is valid') }];
  for (const { name, run, mend } of checks) {
    const seen = await run(config, call).catch(
      (error: unknown): CheckResults => [
        failed(sentenceOf(error), error instanceof OperatorError ? 'run the command as that user' : mend),
      ],
    );
    found.push(...seen.filter((one) => typeof one === 'object').map((one) => ({ check: name, ...one })));
  }
  return found;
}

export const doctor: Command = {
  name: 'doctor',
  does: 'checks the environment of the service and prints what is wrong and how to fix it',
  about:
    'It checks the configuration, data directory, disk, database, archive store, clocks, secrets, address and port. Run it before the first start or while the service runs, as the same user and with the same environment. It writes a small archive to the store and deletes it. The exit code is 1 if a check failed; warnings do not count.',
  options: {
    [recount]: { about: 'corrects storage counters that differ from the stored data' },
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
        ...(mends.length === 0 ? [] : ['', 'To fix:', '', ...mends]),
        '',
        `${failures} failed, ${counted(warnings, 'warning')}`,
      ].join('\n'),
      failed: failures > 0,
    };
  },
};
