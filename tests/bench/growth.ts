import { randomBytes } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { randomText } from '../../src/adapters/system/random-ids.js';
import { residentMiB } from '../support/resident-memory.js';
import { alternate, median, ratios, summary } from './alternate.js';
import type { BenchGroup, Finding } from './finding.js';
import { type Ask, Connections, percentile } from './latencies.js';
import { type Seeded, type Size, seedPostgres, seedSqlite, sizeOf } from './seed-rows.js';
import { postgresUrl, Server } from './servers.js';

/** A service on a database of one size, and what is in it. */
interface World {
  readonly size: Size;
  readonly seeded: Seeded;
  readonly server: Server;
  /** Makes the system keep the database in memory, as it does where it is used all the time. */
  warm(): Promise<void>;
  /** The values of the first column. */
  column(sql: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

type Kind = 'show' | 'create' | 'first page' | 'any page';

interface Case {
  readonly name: string;
  readonly kind: Kind;
  /** One who is no owner, where it matters. */
  readonly as?: 'member';
  asks(world: World, count: number): Promise<readonly Ask[]> | readonly Ask[];
}

const api = '/api/v2';
const times = <Item>(count: number, item: () => Item): Item[] => Array.from({ length: count }, item);
const below = (limit: number): number => Math.floor(Math.random() * limit);
const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');

/** Ids of rows at random places of the table: each is the next one after an id that is none. */
const someIds = (
  world: World,
  table: string,
  prefix: string,
  count: number,
  { column = 'id', where = '' } = {},
): Promise<readonly string[]> => {
  const from = times(count, () => `('${prefix}-${randomBytes(8).toString('hex').toUpperCase()}')`);
  const next = (than: string) =>
    `(select t.${column} from ${table} as t where t.id > ${than} ${where} order by t.id limit 1)`;
  return world.column(
    `with p(place) as (values ${from.join(', ')}) select coalesce(${next('p.place')}, ${next(`'${prefix}-'`)}) from p`,
  );
};

const shown = (name: string, table: string, prefix: string, path: (id: string) => string): Case => ({
  name: `show ${name}`,
  kind: 'show',
  asks: async (world, count) =>
    (await someIds(world, table, prefix, count)).map((id) => ({ path: `${api}${path(id)}` })),
});

interface List {
  readonly name: string;
  path(seeded: Seeded): string;
  /** Absent where a page is a range of numbers. */
  rows?(world: World): number;
  readonly as?: 'member';
}

const listsByNumber: readonly List[] = [
  { name: 'configuration versions', path: ({ workspaceId }) => `/workspaces/${workspaceId}/configuration-versions?` },
  { name: 'runs', path: ({ workspaceId }) => `/workspaces/${workspaceId}/runs?` },
  {
    name: 'policy set outcomes',
    path: ({ evaluationId }) => `/policy-evaluations/${evaluationId}/policy-set-outcomes?`,
  },
];

/** Every fourth team is secret. */
const visiblePart = 0.75;

const listsByName: readonly List[] = [
  {
    name: 'team accesses of a workspace',
    path: ({ workspaceId }) => `/team-workspaces?filter[workspace][id]=${workspaceId}&`,
    rows: ({ size }) => size.accesses,
  },
  { name: 'teams', path: () => '/organizations/acme/teams?', rows: ({ size }) => size.teams },
  {
    name: 'teams, as a member',
    path: () => '/organizations/acme/teams?',
    rows: ({ size }) => Math.floor(size.teams * visiblePart),
    as: 'member',
  },
  { name: 'team tokens', path: () => '/organizations/acme/team-tokens?', rows: ({ size }) => size.teams },
  { name: 'workspaces', path: () => '/organizations/acme/workspaces?', rows: ({ size }) => size.workspaces },
  { name: 'members', path: () => '/organizations/acme/organization-memberships?', rows: ({ size }) => size.users },
];

/** As many rows as the small database has of each. */
const pageSize = 10;

const page = (list: List, { seeded }: World, number: number): Ask => ({
  path: `${api}${list.path(seeded)}page[number]=${number}&page[size]=${pageSize}`,
});

const firstPage = (list: List): Case => ({
  name: list.name,
  kind: 'first page',
  ...(list.as && { as: list.as }),
  asks: (world, count) => times(count, () => page(list, world, 1)),
});

const one = (type: string, id: string) => ({ data: { type, id } });

const cases: readonly Case[] = [
  shown('a configuration version', 'configuration_versions', 'cv', (id) => `/configuration-versions/${id}`),
  shown('a workspace', 'workspaces', 'ws', (id) => `/workspaces/${id}`),
  shown('a team access', 'team_workspaces', 'tws', (id) => `/team-workspaces/${id}`),
  shown('a team', 'teams', 'team', (id) => `/teams/${id}`),
  {
    name: 'show a team token',
    kind: 'show',
    asks: async (world, count) =>
      (await someIds(world, 'api_tokens', 'at', count, { column: 'team_id', where: 'and t.team_id is not null' })).map(
        (id) => ({ path: `${api}/teams/${id}/authentication-token` }),
      ),
  },
  shown('a member', 'organization_memberships', 'ou', (id) => `/organization-memberships/${id}`),
  shown('a run', 'runs', 'run', (id) => `/runs/${id}`),
  shown('a task stage', 'task_stages', 'ts', (id) => `/task-stages/${id}`),
  shown('a policy evaluation', 'policy_evaluations', 'poleval', (id) => `/policy-evaluations/${id}`),
  shown('a policy set outcome', 'policy_set_outcomes', 'psout', (id) => `/policy-set-outcomes/${id}`),
  {
    name: 'create a configuration version in the largest workspace',
    kind: 'create',
    asks: ({ seeded }, count) =>
      times(count, () => ({
        method: 'POST',
        path: `${api}/workspaces/${seeded.workspaceId}/configuration-versions`,
        body: { data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } } },
      })),
  },
  {
    name: 'create a configuration version in any workspace',
    kind: 'create',
    asks: async (world, count) =>
      (await someIds(world, 'workspaces', 'ws', count)).map((id) => ({
        method: 'POST',
        path: `${api}/workspaces/${id}/configuration-versions`,
        body: { data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } } },
      })),
  },
  {
    name: 'create a team access',
    kind: 'create',
    asks: async (world, count) => {
      // The owners have access to everything already.
      const teams = await someIds(world, 'teams', 'team', count * 2, { where: 'and not t.is_owners' });
      const workspaces = await someIds(world, 'workspaces', 'ws', count * 2);
      const pairs = new Set(teams.map((team, index) => `${team} ${workspaces[index]}`));
      const there = `select team_id || ' ' || workspace_id from team_workspaces where team_id in (${quoted(teams)})`;
      for (const pair of await world.column(there)) pairs.delete(pair);
      return [...pairs].slice(0, count).map((pair) => {
        const [team = '', workspace = ''] = pair.split(' ');
        const relationships = { workspace: one('workspaces', workspace), team: one('teams', team) };
        const body = { data: { type: 'team-workspaces', attributes: { access: 'read' }, relationships } };
        return { method: 'POST', path: `${api}/team-workspaces`, body };
      });
    },
  },
  {
    name: 'create a team token',
    kind: 'create',
    asks: async (world, count) =>
      (await someIds(world, 'teams', 'team', count)).map((id) => ({
        method: 'POST',
        path: `${api}/teams/${id}/authentication-token`,
      })),
  },
  ...['team', 'workspace'].map(
    (what): Case => ({
      name: `create a ${what}`,
      kind: 'create',
      asks: (_, count) =>
        times(count, () => ({
          method: 'POST',
          path: `${api}/organizations/acme/${what}s`,
          body: { data: { type: `${what}s`, attributes: { name: `bench-${randomText(16)}` } } },
        })),
    }),
  ),
  ...[...listsByNumber, ...listsByName].map(firstPage),
  {
    name: 'configuration versions',
    kind: 'any page',
    asks: (world, count) =>
      times(count, () => page(listsByNumber[0] as List, world, 1 + below(Math.floor(world.size.versions / pageSize)))),
  },
];

/** For one measurement, in milliseconds. */
const patience = 3_000;

const mostRatio = 1.5;
const mostPerThousandSkipped = 25;
const mostPerThousandSearched = 500;
const mostAtDepth = 100;
/** Of fewer rows, a request costs more than what is skipped or searched. */
const enough = 10_000;

class Comparison {
  constructor(
    private readonly full: World,
    private readonly small: World,
    private readonly engine: string,
    private readonly quick: boolean,
  ) {}

  /** The latencies of one case in both databases, on one connection and on eight: what is told is the worse of the two. */
  async *ratiosOf(given: Case): AsyncIterable<Finding> {
    const found: Record<'p50' | 'p99', (readonly number[])[]> = { p50: [], p99: [] };
    const from: Record<string, unknown> = { full: this.full.size, small: this.small.size };
    for (const connections of [1, 8]) {
      let least = this.quick ? 40 : 400;
      const take = async (world: World, count: number) => {
        const asks = await given.asks(world, count);
        const open = await Connections.to(world.server.url, world.seeded[given.as ?? 'owner'], connections);
        // The first on each connection also makes it.
        await open.ask(times(connections, () => ({ path: `${api}/account/details` })));
        const took = await open.ask(asks);
        open.close();
        return took;
      };
      for (const world of [this.small, this.full]) {
        await world.warm();
        const [first = 0] = await take(world, connections);
        // What is slow is measured with fewer.
        least = Math.min(least, Math.max(20, Math.round((patience * connections) / first)));
        await take(world, least);
      }
      const took: Record<'full' | 'small', (readonly number[])[]> = { full: [], small: [] };
      const measured = await alternate(this.quick ? 2 : 5, {
        full: async () => {
          const values = await take(this.full, least);
          took.full.push(values);
          return median(values);
        },
        small: async () => {
          const values = await take(this.small, least);
          took.small.push(values);
          return median(values);
        },
      });
      // A round alone has too few for its slowest hundredth: of all that were measured, and of either half for the spread.
      const slowest = (values: readonly (readonly number[])[]) => {
        const all = values.flat();
        const half = Math.ceil(values.length / 2);
        return [values.slice(0, half).flat(), all, values.slice(half).flat()].map((some) => percentile(some, 99));
      };
      const p99 = { full: slowest(took.full), small: slowest(took.small) };
      const [former = Number.NaN, all = Number.NaN, latter = Number.NaN] = ratios(p99.full, p99.small);
      found.p50.push(ratios(measured.full, measured.small));
      found.p99.push([Math.min(former, latter, all), all, Math.max(former, latter, all)]);
      from[`on ${connections}`] = { requests: least, p50: measured, p99 };
    }
    for (const [name, each] of Object.entries(found)) {
      const [values = []] = each.toSorted((a, b) => median(b) - median(a));
      yield {
        name: `${this.engine}: ${given.kind === 'show' || given.kind === 'create' ? '' : `${given.kind} of `}${given.name}, ${name}`,
        unit: '×',
        ...summary(values),
        // Of few requests, the slowest is nobody's fault.
        ...(name === 'p99' && this.quick ? {} : { target: { atMost: mostRatio } }),
        from,
      };
    }
  }

  /** What a row costs that comes before the page, and how long a page takes in the middle and at the end. */
  async *depthOf(list: List): AsyncIterable<Finding> {
    const total = list.rows?.(this.full) ?? 0;
    const last = Math.floor(total / pageSize);
    const count = this.quick ? 20 : 40;
    const open = await Connections.to(this.full.server.url, this.full.seeded[list.as ?? 'owner'], 1);
    const at = (number: number) => async () =>
      median(await open.ask(times(count, () => page(list, this.full, number))));
    const middle = Math.floor(last / 2);
    const took = await alternate(this.quick ? 3 : 7, { first: at(1), middle: at(middle), last: at(last) });
    open.close();
    const [first, ...deeper] = [took.first, took.middle, took.last];
    const perThousand = (deep: readonly number[], number: number) =>
      deep.map((value, round) => ((value - (first[round] ?? 0)) * 1_000_000) / (number * pageSize));
    // Whichever costs more: a page may be reached from either end of its list.
    const [costlier = []] = [perThousand(took.middle, middle), perThousand(took.last, last)].sort(
      (a, b) => median(b) - median(a),
    );
    yield {
      name: `${this.engine}: ${list.name}, for each 1,000 rows skipped`,
      unit: 'µs',
      ...summary(costlier),
      ...(total < enough ? {} : { target: { atMost: mostPerThousandSkipped } }),
      from: { rows: total, ...took },
    };
    yield {
      name: `${this.engine}: ${list.name}, deepest page of ${total.toLocaleString('en')} rows`,
      unit: 'ms',
      ...summary(deeper[0] !== undefined && median(deeper[0]) > median(took.last) ? deeper[0] : took.last),
      target: { atMost: mostAtDepth },
      from: { rows: total, ...took },
    };
  }

  /** A search looks at the name of every team. */
  async *search(): AsyncIterable<Finding> {
    const { teams } = this.full.size;
    const open = await Connections.to(this.full.server.url, this.full.seeded.owner, 1);
    const asking = (text: string) => async () =>
      median(
        await open.ask(
          times(this.quick ? 10 : 20, () => ({ path: `${api}/organizations/acme/team-tokens?q=${text}` })),
        ),
      );
    const found = await alternate(this.quick ? 2 : 5, {
      none: asking('nowhere'),
      some: asking('77'),
      all: asking('tEaM'),
    });
    open.close();
    for (const [name, took] of Object.entries(found)) {
      const perThousand = took.map((value) => (value * 1000 * 1000) / teams);
      yield {
        name: `${this.engine}: q that ${name} of the teams match, for each 1,000 rows searched`,
        unit: 'µs',
        ...summary(perThousand),
        ...(teams < enough ? {} : { target: { atMost: mostPerThousandSearched } }),
        from: { teams, took },
      };
      yield {
        name: `${this.engine}: q that ${name} of ${teams.toLocaleString('en')} teams match`,
        unit: 'ms',
        ...summary(took),
        target: { atMost: mostAtDepth },
        from: { teams, took },
      };
    }
  }

  /** The lists without pages: what a row of them costs, and how much memory they take. */
  async *wholeLists(): AsyncIterable<Finding> {
    const { size, seeded, server } = this.full;
    const lists = [...seeded.listed, { id: seeded.workspaceId, rows: size.accesses }]
      .filter(({ rows }, index, all) => all.findIndex((other) => other.rows === rows) === index)
      .sort((a, b) => b.rows - a.rows);
    const path = (id: string): Ask => ({ path: `${api}/team-workspaces?filter[workspace][id]=${id}` });
    const open = await Connections.to(server.url, seeded.owner, 1);
    const took = await alternate(
      this.quick ? 3 : 7,
      Object.fromEntries(
        lists.map(({ id, rows }) => [
          String(rows),
          async () => median(await open.ask(times(Math.max(3, 2000 / rows), () => path(id)))),
        ]),
      ),
    );
    open.close();
    const perRow = lists.map(({ rows }) => (took[String(rows)] ?? []).map((value) => (value * 1000) / rows));
    for (const [index, { rows }] of lists.entries()) {
      yield {
        name: `${this.engine}: a row of a whole list of ${rows.toLocaleString('en')} team accesses`,
        unit: 'µs',
        ...summary(perRow[index] ?? []),
      };
    }
    const [largest = lists[0], smaller] = lists;
    yield {
      name: `${this.engine}: a row of the longest list against one of the next`,
      unit: '×',
      ...summary(ratios(perRow[0] ?? [], perRow[1] ?? [])),
      target: { atMost: mostRatio },
      from: { rows: [largest?.rows, smaller?.rows] },
    };
    if (largest === undefined) return;
    for (const connections of [1, 8]) {
      const several = await Connections.to(server.url, seeded.owner, connections);
      if (!forgetPeak(server.pid)) return several.close();
      const before = await residentMiB(server.pid, 'VmRSS');
      await several.ask(times(connections * 4, () => path(largest.id)));
      several.close();
      const peak = await residentMiB(server.pid, 'VmHWM');
      yield {
        name: `${this.engine}: memory above idle while ${connections} read ${largest.rows.toLocaleString('en')} team accesses`,
        unit: 'MiB',
        ...summary([peak - before]),
        from: { before, peak },
      };
    }
  }
}

/** Whether the system tells how much memory a process ever had, and begins anew when it is told to. */
const forgetPeak = (pid: number): boolean => {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return true;
  } catch {
    return false;
  }
};

export async function readThrough(file: string): Promise<void> {
  for await (const _ of createReadStream(file, { highWaterMark: 1 << 20 }));
}

/** A service on a database that is seeded. */
async function onSqlite(directory: string, size: Size): Promise<World> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, 'gatehouse.sqlite');
  const seeded = await seedSqlite(file, size);
  const server = await Server.service(directory);
  const reader = new Database(file, { readonly: true });
  return {
    size,
    seeded,
    server,
    warm: () => readThrough(file),
    column: async (sql) => reader.prepare(sql).pluck().all() as readonly string[],
    close: async () => {
      reader.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function onPostgres(directory: string, size: Size, url: string): Promise<World> {
  const name = `growth_${randomText(8).toLowerCase()}`;
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await server.query(`create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const seeded = await seedPostgres(own.href, size);
  await mkdir(directory, { recursive: true });
  const service = await Server.service(directory, { DATABASE_URL: own.href, SIGNING_SECRET: randomText(48) });
  const reader = new pg.Client({ connectionString: own.href });
  await reader.connect();
  return {
    size,
    seeded,
    server: service,
    // Its own buffers and the system's were filled as it was seeded.
    warm: async () => {},
    column: async (sql) => (await reader.query({ text: sql, rowMode: 'array' })).rows.map(([first]) => first as string),
    close: async () => {
      await reader.end();
      await service.stop();
      await server.query(`drop database ${name}`);
      await server.end();
    },
  };
}

async function* compared(full: World, small: World, engine: string, quick: boolean): AsyncIterable<Finding> {
  const comparison = new Comparison(full, small, engine, quick);
  const creates = ({ kind }: Case) => kind === 'create';
  for (const given of cases.filter((each) => !creates(each))) yield* comparison.ratiosOf(given);
  for (const list of listsByName) yield* comparison.depthOf(list);
  yield* comparison.search();
  yield* comparison.wholeLists();
  // The small database does not stay small.
  for (const given of cases.filter(creates)) yield* comparison.ratiosOf(given);
}

const smallest = sizeOf(0.001);

/** Postgres takes too long to be filled with ten million versions: it has all else, and a tenth of those. */
const largest = { sqlite: sizeOf(1), postgres: { ...sizeOf(1), versions: 100_000, versionsInEach: 9 } };

export const growth: BenchGroup = {
  name: 'growth',
  title: 'Growth: a large database against a small one',
  async *run({ quick, directory, say }) {
    const worlds = async function* (engine: string, size: Size, world: (name: string, size: Size) => Promise<World>) {
      const opened: World[] = [];
      try {
        const small = await world('small', smallest);
        opened.push(small);
        const full = await world('full', size);
        opened.push(full);
        say(
          `  ${engine}: ${describe(full.size)}, seeded in ${full.seeded.seconds.toFixed(0)} s; small: ${describe(small.size)}`,
        );
        yield* compared(full, small, engine, quick);
      } finally {
        for (const each of opened) await each.close();
      }
    };
    yield* worlds('SQLite', quick ? sizeOf(0.01) : largest.sqlite, (name, size) =>
      onSqlite(join(directory, `growth-${name}`), size),
    );
    const url = await postgresUrl();
    if (url === undefined) return say('  no Postgres for this machine: what needs one is left out');
    yield* worlds('Postgres', quick ? sizeOf(0.01) : largest.postgres, (name, size) =>
      onPostgres(join(directory, `growth-postgres-${name}`), size, url),
    );
  },
};

const describe = ({ versions, workspaces, versionsInEach, teams }: Size): string =>
  [
    `${(versions + workspaces * versionsInEach).toLocaleString('en')} configuration versions`,
    `${workspaces.toLocaleString('en')} workspaces`,
    `${teams.toLocaleString('en')} teams`,
  ].join(', ');
