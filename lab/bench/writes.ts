import { setTimeout as pause } from 'node:timers/promises';
import { alternate, median, ratios, summary } from './alternate.js';
import { answerOf, inWords, orderOf, type Question, throughputOf, usualSpan } from './contest.js';
import type { BenchGroup, BenchOptions, Finding } from './finding.js';
import { Load, type LoadResult } from './load.js';
import { oneVersion } from './reads.js';
import type { Sample } from './sample.js';
import { bareOnPostgres, bareOnSqlite, seededDatabase, seededDirectory, serviceOnPostgres } from './seeded.js';
import { adminToken, cpuSeconds, Server } from './servers.js';

type Engine = 'SQLite' | 'Postgres';
type Contestant = 'ours' | 'bare' | 'naive';
/** The measurements of one round: writes of each contestant, and reads of two. */
type Measured = Contestant | 'shows' | 'bareShows';
type Servers = Readonly<Record<Contestant, Server>>;

const document = (type: string, attributes: object = {}, relationships: object = {}): string =>
  JSON.stringify({ data: { type, attributes, relationships } });

const one = (type: string, id: string) => ({ data: { type, id } });

const writing = (
  name: string,
  method: 'POST' | 'PATCH',
  [first = '', ...rest]: readonly string[],
  token: string,
  strangerToken: string,
  body: string,
): Question => ({ name, method, paths: [first, ...rest], token, strangerToken, body });

/** In many workspaces in turn: writes to one workspace are serialized by its lock. */
export const newVersions = (place: string, { writable, writerToken, strangerToken }: Sample): Question =>
  writing(
    `create a configuration version, ${place}`,
    'POST',
    writable.map((id) => `/workspaces/${id}/configuration-versions`),
    writerToken,
    strangerToken,
    document('configuration-version', { 'auto-queue-runs': false }),
  );

const newTokens = (place: string, { teams, strangerToken }: Sample): Question =>
  writing(
    `issue a team token, ${place}`,
    'POST',
    teams.map((id) => `/teams/${id}/authentication-token`),
    adminToken,
    strangerToken,
    document('authentication-token'),
  );

const onOne = (question: Question): Question => ({
  ...question,
  name: `${question.name}, all on one`,
  paths: [question.paths[0]],
});

/** The access of many teams to one workspace. */
async function changedAccess(place: string, url: string, { workspaceId, strangerToken }: Sample): Promise<Question> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const listed = await fetch(`${url}/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${workspaceId}`, { headers });
  const { data } = (await listed.json()) as { readonly data: readonly { readonly id: string }[] };
  return writing(
    `update team access, ${place}`,
    'PATCH',
    data.map(({ id }) => `/team-workspaces/${id}`),
    adminToken,
    strangerToken,
    document('team-workspaces', { access: 'read' }),
  );
}

/** All in one workspace: a document names it. */
const newRuns = (place: string, { workspaceId, versionId, strangerToken }: Sample): Question =>
  writing(
    `create a run, ${place}`,
    'POST',
    ['/runs'],
    adminToken,
    strangerToken,
    document(
      'runs',
      { 'plan-only': true },
      {
        workspace: one('workspaces', workspaceId),
        'configuration-version': one('configuration-version', versionId),
      },
    ),
  );

/** A question for all contestants, and its least share of what the service shows at 16 connections, on each engine. */
interface Compared {
  readonly question: Question;
  readonly connections: readonly number[];
  readonly ofShows?: Readonly<Record<Engine, number>>;
}

async function questions(
  { quick }: BenchOptions,
  engine: Engine,
  url: string,
  sample: Sample,
): Promise<readonly Compared[]> {
  const connections = quick ? [16] : [1, 16, 64];
  return [
    { question: newVersions(engine, sample), connections, ofShows: { Postgres: 0.4, SQLite: 0.5 } },
    { question: newTokens(engine, sample), connections, ofShows: { Postgres: 0.45, SQLite: 0.6 } },
    { question: await changedAccess(engine, url, sample), connections },
    { question: newRuns(engine, sample), connections },
  ];
}

interface Targets {
  readonly bare?: number;
  readonly naive?: number;
  /** The target for changes that the service shows immediately. */
  readonly shows?: number;
}

const held: Readonly<Record<Engine, (connections: number) => Targets>> = {
  Postgres: (connections) => {
    if (connections === 1) return { bare: 0.6 };
    return connections === 16 ? { bare: 0.5 } : {};
  },
  SQLite: (connections) => (connections === 16 ? { bare: 0.5, naive: 2 } : {}),
};

const maxTail = 4;

async function alike(servers: Servers, question: Question): Promise<void> {
  for (const token of [question.token, question.strangerToken, 'nobody']) {
    const answers = await Promise.all(Object.values(servers).map((server) => answerOf(server, { ...question, token })));
    const statuses = answers.map(({ status }) => status);
    if (new Set(statuses).size > 1) throw new Error(`${question.name} is answered with ${statuses.join(', ')}`);
  }
}

const tailsOf = (results: readonly LoadResult[]) => summary(results.map(({ p50, p99 }) => p99 / p50));

/** The ratio of p99 to median, over all rounds. The baseline's shows how much of it is the machine's. */
const tail = (name: string, results: readonly LoadResult[], bare: readonly LoadResult[]): Finding => ({
  name: `${name}, p99 of p50`,
  unit: '×',
  ...tailsOf(results),
  target: { atMost: maxTail },
  note: `p50 ${median(results.map(({ p50 }) => p50)).toFixed(2)} ms, p99 ${median(results.map(({ p99 }) => p99)).toFixed(2)} ms; bare ${tailsOf(bare).measured.toFixed(2)} ×`,
});

async function* compared(
  load: Load,
  options: BenchOptions,
  engine: Engine,
  servers: Servers,
  sample: Sample,
): AsyncGenerator<Finding> {
  const { rounds, seconds, warmUp } = usualSpan(options);
  const ask = (server: Server, question: Question, connections: number, span = seconds) =>
    load.run(orderOf([server], question, span, connections));
  const show = oneVersion(engine, sample);
  await ask(servers.ours, show, 16, warmUp);
  for (const { question, connections: counts, ofShows } of await questions(options, engine, servers.ours.url, sample)) {
    await alike(servers, question);
    for (const server of Object.values(servers)) await ask(server, question, 16, 2 * warmUp);
    for (const connections of counts) {
      for (const asked of question.paths.length > 1 ? [question, onOne(question)] : [onOne(question)]) {
        const name = `${asked.name}, ${connections} at once`;
        const results: Record<Measured, LoadResult[]> = { ours: [], bare: [], naive: [], shows: [], bareShows: [] };
        const measure = (of: Measured, server: Server, what: Question) => async () => {
          const result = await ask(server, what, connections);
          results[of].push(result);
          return result.requests / result.seconds;
        };
        const shows = connections === 16 && asked === question ? ofShows?.[engine] : undefined;
        const measures: Partial<Record<Measured, () => Promise<number>>> = {
          ours: measure('ours', servers.ours, asked),
          bare: measure('bare', servers.bare, asked),
          naive: measure('naive', servers.naive, asked),
          ...(shows !== undefined && {
            shows: measure('shows', servers.ours, show),
            bareShows: measure('bareShows', servers.bare, show),
          }),
        };
        const measured: Partial<Record<Measured, readonly number[]>> = await alternate(
          rounds,
          measures as Required<typeof measures>,
        );
        const targets: Targets = { ...held[engine](connections), ...(shows !== undefined && { shows }) };
        for (const [one, other, words] of [
          ['ours', 'bare', 'of bare'],
          ['ours', 'naive', 'of naive'],
          ['ours', 'shows', 'of its shows'],
          ['bare', 'bareShows', 'bare of its shows'],
        ] as const) {
          const [ones, others] = [measured[one], measured[other]];
          if (ones === undefined || others === undefined) continue;
          const target = other === 'bareShows' ? undefined : targets[other];
          const from = { [one]: throughputOf(results[one]), [other]: throughputOf(results[other]) };
          yield {
            name: `${name}, ${words}`,
            unit: '×',
            ...summary(ratios(ones, others)),
            ...(target === undefined ? {} : { target: { atLeast: target } }),
            note: Object.entries(from)
              .map(([of, throughput]) => inWords(of, throughput))
              .join('; '),
            from,
          };
        }
        yield tail(name, results.ours, results.bare);
      }
    }
  }
}

const idleSeconds = 10;

/** The share of a core that the idle service uses. */
async function idleCost(engine: Engine, { quick }: BenchOptions, server: Server): Promise<Finding | undefined> {
  // Earlier requests leave token uses to be recorded, and garbage.
  await pause(quick ? 2_000 : 20_000);
  const before = cpuSeconds(server.pid);
  await pause(idleSeconds * 1_000);
  const after = cpuSeconds(server.pid);
  if (before === undefined || after === undefined) return undefined;
  const measured = ((after - before) / idleSeconds) * 100;
  return {
    name: `idle processor use, ${engine}`,
    unit: '%',
    measured,
    spread: [measured, measured],
    target: { atMost: 0.3 },
    note: 'of a core',
  };
}

async function* measured(
  load: Load,
  options: BenchOptions,
  engine: Engine,
  sample: Sample,
  starting: readonly [ours: () => Promise<Server>, bare: () => Promise<Server>, naive: () => Promise<Server>],
): AsyncGenerator<Finding> {
  const started: Server[] = [];
  try {
    for (const start of starting) started.push(await start());
    const [ours, bare, naive] = started as [Server, Server, Server];
    yield* compared(load, options, engine, { ours, bare, naive }, sample);
    const idle = await idleCost(engine, options, ours);
    if (idle !== undefined) yield idle;
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
}

/** Each has its own database. */
async function* onSqlite(load: Load, options: BenchOptions): AsyncGenerator<Finding> {
  const copy = async (name: string) => (await seededDirectory(options, `writes-${name}`)).directory;
  const { sample } = await seededDirectory(options, 'writes');
  yield* measured(load, options, 'SQLite', sample, [
    async () => Server.service(await copy('ours')),
    async () => bareOnSqlite('together', await copy('bare'), true),
    async () => bareOnSqlite('naive', await copy('naive'), true),
  ]);
}

async function* onPostgres(load: Load, options: BenchOptions): AsyncGenerator<Finding> {
  const seeded = await seededDatabase(options);
  if (seeded === undefined) return;
  yield* measured(load, options, 'Postgres', seeded.sample, [
    async () => serviceOnPostgres(options, 'writes', await seeded.copy('writes')),
    async () => bareOnPostgres(options, 'bare', await seeded.copy('writes_bare')),
    async () => bareOnPostgres(options, 'naive', await seeded.copy('writes_naive')),
  ]);
}

export const writes: BenchGroup = {
  name: 'writes',
  title: 'Writes, each flushed before it is answered',
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
