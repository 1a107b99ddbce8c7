import { parseArgs } from 'node:util';
import startPostgres from '../../tests/support/start-postgres.cjs';
import { fuzz } from './fuzz.js';
import { textOfFinding } from './walk.js';

const help = `npm run fuzz -- [--requests 100000] [--seed N] [--backend sqlite|postgres]

Sends --requests requests to the operations of the API's description, most valid and some malformed, and checks each
response. The same seed sends the same requests.
`;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    backend: { type: 'string', default: 'sqlite' },
    help: { type: 'boolean', default: false },
  },
});

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  if (values.help) return print(help);
  const onPostgres = values.backend === 'postgres';
  if (onPostgres) await startPostgres();
  try {
    // Imported late: the backends read the URL of the started Postgres.
    const { backends } = await import('../../tests/support/backends.js');
    const backend = backends.find(({ name }) => name.toLowerCase() === values.backend);
    if (backend === undefined) throw new Error(`there is no backend ${values.backend}`);
    const seed = Number(values.seed);
    const begun = performance.now();
    print(`seed ${seed}, ${values.requests} requests, ${backend.name}`);
    const fuzzed = await fuzz({ seed, requests: Number(values.requests), backend, print });
    for (const [operation, byStatus] of fuzzed.counts) {
      const told = [...byStatus].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
      print(`${operation}: ${told.join(', ')}`);
    }
    print(`never done what they are for: ${fuzzed.unanswered.join(', ') || 'none'}`);
    for (const finding of fuzzed.findings) print(`FOUND: ${textOfFinding(finding)}`);
    const seconds = Math.round((performance.now() - begun) / 1000);
    print(`${fuzzed.requests} requests, ${fuzzed.findings.length} findings, ${seconds} s`);
    if (fuzzed.findings.length > 0) process.exitCode = 1;
  } finally {
    if (onPostgres) await startPostgres.stop();
  }
}

await main();
