import { among, contest, type Question, usualSpan } from './contest.js';
import type { BenchGroup, BenchOptions, Finding } from './finding.js';
import { Load } from './load.js';
import type { Sample } from './sample.js';
import { bareOnPostgres, bareOnSqlite, seededDatabase, seededDirectory, serviceOnPostgres } from './seeded.js';
import { Server } from './servers.js';

const get = (name: string, path: string, { readerToken, strangerToken }: Sample): Question => ({
  name,
  method: 'GET',
  paths: [path],
  token: readerToken,
  strangerToken,
});

export const oneVersion = (place: string, sample: Sample): Question =>
  get(`GET a configuration version, ${place}`, `/configuration-versions/${sample.versionId}`, sample);

const pages = (sample: Sample): readonly Question[] => {
  const { workspaceId, evaluationId } = sample;
  return [
    get('page of 20 configuration versions', `/workspaces/${workspaceId}/configuration-versions`, sample),
    get('page of 20 policy set outcomes', `/policy-evaluations/${evaluationId}/policy-set-outcomes`, sample),
    get('list of 100 team-workspaces', `/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${workspaceId}`, sample),
  ];
};

async function* onSqlite(load: Load, options: BenchOptions): AsyncGenerator<Finding> {
  const { directory, sample } = await seededDirectory(options, 'reads');
  const span = usualSpan(options);
  yield* among(
    () => Server.service(directory),
    (manner) => bareOnSqlite(manner, directory),
    async function* (contestants) {
      const targets = { by: 'processor', bare: 0.4, equal: 0.65 } as const;
      yield* contest(load, contestants, oneVersion('SQLite', sample), targets, span);
      const ofPages = { by: 'processor', bare: 0.5, equal: 0.7 } as const;
      for (const page of pages(sample)) yield* contest(load, contestants, page, ofPages, span);
    },
  );
}

async function* onPostgres(load: Load, options: BenchOptions): AsyncGenerator<Finding> {
  const seeded = await seededDatabase(options);
  if (seeded === undefined) return;
  const url = await seeded.copy('reads');
  yield* among(
    () => serviceOnPostgres(options, 'reads', url),
    (manner) => bareOnPostgres(options, manner, url),
    (contestants) =>
      contest(load, contestants, oneVersion('Postgres', seeded.sample), { by: 'clock', bare: 0.7 }, usualSpan(options)),
  );
}

export const reads: BenchGroup = {
  name: 'reads',
  title: 'Reads at saturation',
  async *run(options) {
    const load = Load.start();
    try {
      yield* onSqlite(load, options);
      yield* onPostgres(load, options);
    } finally {
      await load.stop();
    }
  },
};
