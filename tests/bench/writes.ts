import { among, contest, type Question, usualSpan } from './contest.js';
import type { BenchGroup, BenchOptions, Finding } from './finding.js';
import { Load } from './load.js';
import type { Sample } from './sample.js';
import { bareOnPostgres, bareOnSqlite, seededDatabase, seededDirectory, serviceOnPostgres } from './seeded.js';
import { Server } from './servers.js';

/** In many workspaces in turn: whoever writes to one only waits for whoever wrote to it before. */
export const newVersions = (place: string, { writable, writerToken, strangerToken }: Sample): Question => {
  const [first = '', ...rest] = writable.map((id) => `/workspaces/${id}/configuration-versions`);
  const document = { data: { type: 'configuration-version', attributes: { 'auto-queue-runs': false } } };
  return {
    name: `create a configuration version, ${place}`,
    method: 'POST',
    paths: [first, ...rest],
    token: writerToken,
    strangerToken,
    body: JSON.stringify(document),
  };
};

/** Each on a database of its own. */
async function* onSqlite(load: Load, options: BenchOptions): AsyncGenerator<Finding> {
  const { directory, sample } = await seededDirectory(options, 'writes');
  yield* among(
    () => Server.service(directory),
    async (manner) => bareOnSqlite(manner, (await seededDirectory(options, `writes-${manner}`)).directory, true),
    (contestants) =>
      contest(load, contestants, newVersions('SQLite', sample), { by: 'clock', bare: 0.4 }, usualSpan(options)),
  );
}

async function* onPostgres(load: Load, options: BenchOptions): AsyncGenerator<Finding> {
  const seeded = await seededDatabase(options);
  if (seeded === undefined) return;
  const url = await seeded.copy('writes');
  yield* among(
    () => serviceOnPostgres(options, 'writes', url),
    async (manner) => bareOnPostgres(options, manner, await seeded.copy(`writes_${manner}`)),
    (contestants) =>
      contest(load, contestants, newVersions('Postgres', seeded.sample), { by: 'clock' }, usualSpan(options)),
  );
}

export const writes: BenchGroup = {
  name: 'writes',
  title: 'Writes, each flushed before it is answered',
  async *run(options) {
    const load = Load.start();
    try {
      yield* onSqlite(load, options);
      // Held to nothing, so that the quick form can do without.
      if (!options.quick) yield* onPostgres(load, options);
    } finally {
      await load.stop();
    }
  },
};
