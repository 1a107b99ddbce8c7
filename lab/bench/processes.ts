import { availableParallelism } from 'node:os';
import { alternate, ratios, summary } from './alternate.js';
import { inWords, orderOf, type Question, throughputOf, usualSpan } from './contest.js';
import type { BenchGroup, BenchOptions, Finding } from './finding.js';
import { Load, type LoadResult } from './load.js';
import { oneVersion } from './reads.js';
import { seededDatabase, serviceOnPostgres } from './seeded.js';
import { postgresUrl, type Server } from './servers.js';
import { newVersions } from './writes.js';

const coresNeeded = 6;

/** The throughput of two instances relative to one alone, each with the same number of connections. */
async function* twoAgainstOne(
  load: Load,
  both: readonly [Server, Server],
  question: Question,
  options: BenchOptions,
): AsyncGenerator<Finding> {
  const { rounds, seconds, warmUp } = usualSpan(options);
  for (const server of both) await load.run(orderOf([server], question, warmUp));
  const results: Record<'one' | 'two', LoadResult[]> = { one: [], two: [] };
  const asked = (name: 'one' | 'two', servers: readonly Server[]) => async () => {
    const result = await load.run(orderOf(servers, question, seconds));
    results[name].push(result);
    return result.requests / result.seconds;
  };
  const { one, two } = await alternate(rounds, { one: asked('one', both.slice(0, 1)), two: asked('two', both) });
  const [alone, together] = [throughputOf(results.one), throughputOf(results.two)];
  const cores = availableParallelism();
  const said = `${inWords('one', alone)}; ${inWords('two', together)}`;
  yield {
    name: `two processes of one: ${question.name}`,
    unit: '×',
    ...summary(ratios(two, one)),
    ...(cores >= coresNeeded
      ? { target: { atLeast: 1.7 }, note: said }
      : {
          note: `with ${cores} cores, which Postgres and the load share with them, the figure shows nothing; ${said}`,
        }),
    from: { one: alone, two: together },
  };
}

export const processes: BenchGroup = {
  name: 'processes',
  title: 'Two processes on one Postgres',
  async *run(options) {
    const seeded = await seededDatabase(options);
    if (seeded === undefined) return;
    // Neither Postgres nor the load is pinned to a core.
    await postgresUrl('any');
    const load = Load.start('any');
    const started: Server[] = [];
    try {
      const url = await seeded.copy('processes');
      const first = await serviceOnPostgres(options, 'process-1', url, 'any');
      started.push(first);
      const second = await serviceOnPostgres(options, 'process-2', url, 'any');
      started.push(second);
      yield* twoAgainstOne(load, [first, second], oneVersion('Postgres', seeded.sample), options);
      yield* twoAgainstOne(load, [first, second], newVersions('Postgres', seeded.sample), options);
    } finally {
      await Promise.all([load.stop(), ...started.map((server) => server.stop())]);
      await postgresUrl();
    }
  },
};
