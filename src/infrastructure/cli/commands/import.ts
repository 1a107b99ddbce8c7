import { readFile } from 'node:fs/promises';
import { OperatorError } from '../../backup.js';
import { type End, FamilyClient } from '../import/family-client.js';
import { Importing, type Work } from '../import/importing.js';
import { Report } from '../import/report.js';
import { stepsOf } from '../import/steps.js';
import { type Call, type Command, UsageError } from '../toolkit/command.js';

/** The environment variable and the option with the token of each side. */
const tokens = {
  source: { option: 'from-token-file', variable: 'IMPORT_FROM_TOKEN' },
  target: { option: 'to-token-file', variable: 'IMPORT_TO_TOKEN' },
} as const;

async function tokenOf(call: Call, side: End['side']): Promise<string> {
  const { option, variable } = tokens[side];
  const file = call.option(option);
  const token = (file === undefined ? call.environment[variable] : await readFile(file, 'utf8'))?.trim();
  if (token === undefined || token === '') {
    throw new UsageError(`the token of the ${side} is missing: set ${variable}, or --${option} to a file with it`);
  }
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new OperatorError(`the token of the ${side} has characters that no token has`);
  return token;
}

/** Only the origin counts: the path of the API is the same on all servers. */
function urlOf(call: Call, option: 'from' | 'to'): URL {
  const given = call.required(option);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    throw new UsageError(`--${option} must be an http or https URL, without a user`);
  }
  if (!['/', '/api/v2', '/api/v2/'].includes(url.pathname)) {
    throw new UsageError(`--${option} must not have a path: the API is expected at /api/v2`);
  }
  return new URL(url.origin);
}

const endOf = async (call: Call, side: End['side']): Promise<End> => ({
  side,
  url: urlOf(call, side === 'source' ? 'from' : 'to'),
  token: await tokenOf(call, side),
});

/** Runs `work` until a signal; then what is locked is unlocked. A second signal ends the process at once. */
async function untilInterrupted(work: (stopping: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(new OperatorError('interrupted. Run the command again to continue'));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    await work(stopping.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

export const importCommand: Command = {
  name: 'import',
  does: 'copies organizations from Terraform Enterprise, HCP Terraform, OTF or another Gatehouse',
  about:
    'Without --apply, it shows what would come and what cannot. It uses the APIs of both servers, and no settings of the service. docs/import.md describes the steps.',
  options: {
    from: { value: 'URL', about: 'required; the source' },
    to: { value: 'URL', about: 'required; the target, a running Gatehouse' },
    organization: {
      value: 'NAME',
      about: 'only this organization; may be repeated',
      isList: true,
    },
    apply: { about: 'write to the target' },
    'all-states': { about: 'copy all state versions, not only the current ones' },
    'from-token-file': { value: 'FILE', about: `the token of the source; otherwise ${tokens.source.variable}` },
    'to-token-file': { value: 'FILE', about: `the token of the target; otherwise ${tokens.target.variable}` },
  },
  run: async (call) => {
    const [from, to] = [await endOf(call, 'source'), await endOf(call, 'target')];
    if (from.url.origin === to.url.origin) throw new UsageError('--from and --to must be different servers');
    const applies = call.switch('apply');
    const report = new Report(from.url.origin, to.url.origin, applies);
    await untilInterrupted(async (stopping) => {
      const work: Work = {
        source: new FamilyClient(from, stopping),
        target: new FamilyClient(to, stopping),
        report,
        applies,
        allStates: call.switch('all-states'),
      };
      await new Importing(work, stepsOf(work), (text) => call.progress.print(text)).run([
        ...new Set(call.list('organization')),
      ]);
    });
    return report.answer();
  },
};
