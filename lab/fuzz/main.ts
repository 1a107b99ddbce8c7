import { parseArgs } from 'node:util';
import startPostgres from '../../tests/support/start-postgres.cjs';
import { fuzz } from './fuzz.js';
import { toldIn } from './walk.js';

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

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  if (values.help) return say(help);
  const onPostgres = values.backend === 'postgres';
  if (onPostgres) await startPostgres();
  try {
    // Imported late: the backends read the URL of the started Postgres.
    const { backends } = await import('../../tests/support/backends.js');
    const backend = backends.find(({ name }) => name.toLowerCase() === values.backend);
    if (backend === undefined) throw new Error(`there is no backend ${values.backend}`);
    const seed = Number(values.seed);
    const begun = performance.now();
    say(`seed ${seed}, ${values.requests} requests, ${backend.name}`);
    const fuzzed = await fuzz({ seed, requests: Number(values.requests), backend, say });
    for (const [operation, byStatus] of fuzzed.counts) {
      const told = [...byStatus].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
      say(`${operation}: ${told.join(', ')}`);
    }
    say(`never done what they are for: ${fuzzed.unanswered.join(', ') || 'none'}`);
    for (const finding of fuzzed.findings) say(`FOUND: ${toldIn(finding)}`);
    const seconds = Math.round((performance.now() - begun) / 1000);
    say(`${fuzzed.requests} requests, ${fuzzed.findings.length} findings, ${seconds} s`);
    if (fuzzed.findings.length > 0) process.exitCode = 1;
  } finally {
    if (onPostgres) await startPostgres.stop();
  }
}

await main();
