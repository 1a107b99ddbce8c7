import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { whyNoPair } from '../../tests/support/postgres-pair.js';
import startPostgres from '../../tests/support/start-postgres.cjs';
import { type FaultName, faults } from './faults.js';
import { torture } from './torture.js';

const help = `npm run torture -- [--seconds 60] [--seed N] [--short] [--only FAULT]

Injects faults into three instances for --seconds, then checks that nothing was lost. Uses the Postgres that npm
installs, or TEST_POSTGRES_URL. --short leaves out faults that take minutes to be noticed. With haproxy on PATH
the database is a primary with a synchronous standby, and fails over. --only 'primary lost' injects that fault only.
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  if (values.help) return print(help);
  const only = values.only as FaultName | undefined;
  if (only !== undefined && !(only in faults))
    throw new Error(`--only takes one of: ${Object.keys(faults).join(', ')}`);
  if (whyNoPair !== undefined) print(`without failovers: ${whyNoPair}`);
  await startPostgres();
  const seed = Number(values.seed);
  const evidence = join(tmpdir(), `gatehouse-torture-${seed}`);
  try {
    const { violations, figures } = await torture({
      seed,
      seconds: Number(values.seconds),
      short: values.short,
      only,
      cluster: { standby: whyNoPair === undefined ? 'synchronous' : undefined },
      print,
      evidence,
    });
    print(JSON.stringify(figures, undefined, 2));
    if (violations.length === 0) return print('nothing was lost');
    for (const { rule, what } of violations.slice(0, 20)) print(`BROKEN: ${rule}: ${what}`);
    print(`${violations.length} rules are broken; the evidence is in ${evidence}`);
    process.exitCode = 1;
  } finally {
    await startPostgres.stop();
  }
}

await main();
