import { writeFileSync } from 'node:fs';
import { residentMiB } from '../../tests/support/resident-memory.js';
import { alternate, median, ratios, summary } from './alternate.js';
import type { BenchGroup, Finding } from './finding.js';
import {
  api,
  type Case,
  cases,
  deepLists,
  type List,
  page,
  pageSize,
  type Search,
  searches,
  times,
  type World,
} from './growth-cases.js';
import { Connections, percentile, type Request } from './latencies.js';
import { organizationOf, sizeOf } from './seed-rows.js';
import { onBothEngines } from './worlds.js';

/** The time for one measurement, in milliseconds. */
const budget = 3_000;

const maxRatio = 1.5;
/** For an organization ten times as large. */
const maxRatioOfTen = 2;
/** In milliseconds, alone. On SQLite all other requests wait meanwhile. */
const maxAlone = 50;
/** In MiB, for any number of readers of whole lists: V8's young generation, and a little for each. */
const maxForLists = 48;
const maxPerThousandSkipped = 25;
const maxPerThousandSearched = 500;
const maxPerThousandRead = 10_000;
const maxAtDepth = 100;
/** With fewer rows, the request itself costs more than the rows skipped or searched. */
const enough = 10_000;

class Comparison {
  constructor(
    private readonly full: World,
    private readonly small: World,
    private readonly engine: string,
    private readonly quick: boolean,
    private readonly most = maxRatio,
  ) {}

  /** Compares the latencies of one case in both databases, on one connection and mostly on eight; reports the worse. */
  async *ratiosOf(given: Case): AsyncIterable<Finding> {
    let alone: readonly number[] = [];
    const found: Record<'p50' | 'p99', { values: readonly number[]; of: string }[]> = { p50: [], p99: [] };
    // Enough rounds that other load falls on both. Creations make the small database larger.
    const rounds = this.quick ? 2 : given.kind === 'create' ? 5 : 10;
    const from: Record<string, unknown> = { full: this.full.size, small: this.small.size };
    for (const connections of given.minor ? [1] : [1, 8]) {
      let least = (this.quick ? 40 : 400) / (given.minor ? (this.quick ? 4 : 2) : 1);
      const take = async (world: World, count: number) => {
        const asks = await given.requests(world, count);
        const open = await Connections.to(world.server.url, world.seeded[given.as ?? 'owner'], connections);
        // The first request on each connection also opens it.
        await open.send(times(connections, () => ({ path: `${api}/account/details` })));
        const took = await open.send(asks);
        open.close();
        return took;
      };
      for (const world of [this.small, this.full]) {
        await world.warm();
        const [first = 0] = await take(world, connections);
        // Slow requests are measured with fewer.
        least = Math.min(least, Math.max(20, Math.round((budget * connections) / first)));
        await take(world, least);
      }
      const took: Record<'full' | 'small', (readonly number[])[]> = { full: [], small: [] };
      const measured = await alternate(rounds, {
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
      // One round has too few values for a p99: it is taken over all rounds, and over each half for the spread.
      const slowest = (values: readonly (readonly number[])[]) => {
        const all = values.flat();
        const half = Math.ceil(values.length / 2);
        return [values.slice(0, half).flat(), all, values.slice(half).flat()].map((some) => percentile(some, 99));
      };
      const p99 = { full: slowest(took.full), small: slowest(took.small) };
      const [former = Number.NaN, all = Number.NaN, latter = Number.NaN] = ratios(p99.full, p99.small);
      const requests = least * rounds;
      if (connections === 1) alone = measured.full;
      const of = `of ${requests.toLocaleString('en')} requests, ${connections} at a time`;
      found.p50.push({ values: ratios(measured.full, measured.small), of });
      found.p99.push({ values: [Math.min(former, latter, all), all, Math.max(former, latter, all)], of });
      from[`on ${connections}`] = { requests, p50: measured, p99 };
    }
    const about = `${given.kind === 'show' || given.kind === 'create' ? '' : `${given.kind} of `}${given.name}`;
    yield {
      name: `${this.engine}: ${about}, p50 alone`,
      unit: 'ms',
      ...summary(alone),
      target: { atMost: maxAlone },
    };
    for (const [name, each] of Object.entries(found)) {
      const [{ values, of } = { values: [], of: '' }] = each.toSorted((a, b) => median(b.values) - median(a.values));
      yield {
        name: `${this.engine}: ${about}, ${name}`,
        unit: '×',
        ...summary(values),
        // With few requests, the slowest says nothing.
        ...(name === 'p99' && this.quick ? {} : { target: { atMost: this.most } }),
        ...(name === 'p99' && { note: of }),
        from,
      };
    }
  }

  /** The cost of each row before the page, and the latency of a page in the middle and at the end. */
  async *depthOf(list: List): AsyncIterable<Finding> {
    const total = list.rows?.(this.full) ?? 0;
    const last = Math.floor(total / pageSize);
    const count = this.quick ? 20 : 40;
    const open = await Connections.to(this.full.server.url, this.full.seeded[list.as ?? 'owner'], 1);
    const at = (number: number) => async () =>
      median(await open.send(times(count, () => page(list, this.full, number))));
    const [quarter, middle] = [Math.floor(last / 4), Math.floor(last / 2)];
    const took = await alternate(this.quick ? 3 : 7, {
      first: at(1),
      quarter: at(quarter),
      middle: at(middle),
      last: at(last),
    });
    open.close();
    const microseconds = (some: readonly number[], than: readonly number[]) =>
      some.map((value, round) => (value - (than[round] ?? 0)) * 1000);
    // Between two deep pages, so that the cost of colder memory, which both pay once, cancels out.
    const perThousand = microseconds(took.middle, took.quarter).map(
      (more) => (more * 1000) / ((middle - quarter) * pageSize),
    );
    const skipped = (median(perThousand) * middle * pageSize) / 1000;
    yield {
      name: `${this.engine}: ${list.name}, for each 1,000 rows skipped`,
      unit: 'µs',
      ...summary(perThousand),
      note: `and ${(median(microseconds(took.middle, took.first)) - skipped).toFixed(0)} µs once`,
      ...(total < enough ? {} : { target: { atMost: maxPerThousandSkipped } }),
      from: { rows: total, ...took },
    };
    yield {
      name: `${this.engine}: ${list.name}, deepest page of ${total.toLocaleString('en')} rows`,
      unit: 'ms',
      ...summary(median(took.middle) > median(took.last) ? took.middle : took.last),
      target: { atMost: maxAtDepth },
      from: { rows: total, ...took },
    };
  }

  /** The cost of each row that is examined, returned or not. */
  async *search({ name, path, rows, readsRows }: Search): AsyncIterable<Finding> {
    const { server, seeded, size } = this.full;
    const total = rows(size);
    const open = await Connections.to(server.url, seeded.owner, 1);
    const asks = times(this.quick ? 5 : 20, () => ({ path: `${api}${path(seeded, size)}` }));
    await open.send(asks);
    const took: number[] = [];
    for (let round = 0; round < (this.quick ? 2 : 5); round += 1) took.push(median(await open.send(asks)));
    open.close();
    yield {
      name: `${this.engine}: ${name}, for each 1,000 rows searched`,
      unit: 'µs',
      ...summary(took.map((value) => (value * 1000 * 1000) / total)),
      ...(total < enough ? {} : { target: { atMost: readsRows ? maxPerThousandRead : maxPerThousandSearched } }),
      from: { rows: total, took },
    };
    yield {
      name: `${this.engine}: ${name}, of ${total.toLocaleString('en')} rows`,
      unit: 'ms',
      ...summary(took),
      ...(readsRows ? {} : { target: { atMost: maxAtDepth } }),
      from: { rows: total, took },
    };
  }

  /** Unpaginated lists: the cost of a row, and their memory. */
  async *wholeLists(): AsyncIterable<Finding> {
    const { size, seeded, server } = this.full;
    const lists = [...seeded.listed, { id: seeded.workspaceId, rows: size.accesses }]
      .filter(({ rows }, index, all) => all.findIndex((other) => other.rows === rows) === index)
      .sort((a, b) => b.rows - a.rows);
    const path = (id: string): Request => ({ path: `${api}/team-workspaces?filter[workspace][id]=${id}` });
    const open = await Connections.to(server.url, seeded.owner, 1);
    const took = await alternate(
      this.quick ? 3 : 7,
      Object.fromEntries(
        lists.map(({ id, rows }) => [
          String(rows),
          async () => median(await open.send(times(Math.max(3, 2000 / rows), () => path(id)))),
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
      target: { atMost: maxRatio },
      from: { rows: [largest?.rows, smaller?.rows] },
    };
    if (largest === undefined) return;
    for (const connections of [1, 8]) {
      const several = await Connections.to(server.url, seeded.owner, connections);
      if (!forgetPeak(server.pid)) return several.close();
      const before = await residentMiB(server.pid, 'VmRSS');
      await several.send(times(connections * 4, () => path(largest.id)));
      several.close();
      const peak = await residentMiB(server.pid, 'VmHWM');
      yield {
        name: `${this.engine}: memory above idle while ${connections} read ${largest.rows.toLocaleString('en')} team accesses`,
        unit: 'MiB',
        ...summary([peak - before]),
        target: { atMost: maxForLists },
        from: { before, peak },
      };
    }
  }
}

/** Resets the kernel's record of a process's peak memory. Returns false if the system cannot. */
const forgetPeak = (pid: number): boolean => {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return true;
  } catch {
    return false;
  }
};

async function* compared(full: World, small: World, engine: string, quick: boolean): AsyncIterable<Finding> {
  const comparison = new Comparison(full, small, engine, quick);
  const creates = ({ kind }: Case) => kind === 'create';
  for (const given of cases.filter((each) => !creates(each))) yield* comparison.ratiosOf(given);
  for (const list of deepLists) yield* comparison.depthOf(list);
  for (const each of searches) yield* comparison.search(each);
  yield* comparison.wholeLists();
  // The small database does not stay small.
  for (const given of cases.filter(creates)) yield* comparison.ratiosOf(given);
}

const small = sizeOf(0.001);
const large = { full: sizeOf(1), small };
const quickly = { full: sizeOf(0.01), small };

/** Seeding ten million versions takes too long on Postgres: it has a tenth of those and all other rows. */
const largeOnPostgres = { full: { ...large.full, versions: 100_000, versionsInEach: 9 }, small };

export const growth: BenchGroup = {
  name: 'growth',
  title: 'Growth: a large database against a small one',
  run: (options) =>
    onBothEngines(
      options,
      'growth',
      options.quick ? { sqlite: quickly, postgres: quickly } : { sqlite: large, postgres: largeOnPostgres },
      (...worlds) => compared(...worlds, options.quick),
    ),
};

/** Requests that a large organization may make slow: its lists, searches of all of it, and a run, for its policy sets. */
const ofOrganization: readonly Case[] = [
  ...Object.entries({
    workspaces: 'workspaces?',
    'workspaces by their current runs': 'workspaces?sort=-current-run.created-at&',
    'workspaces by the status of their current runs': 'workspaces?filter[current-run][status]=applied&',
    'workspaces by their latest change': 'workspaces?sort=-latest-change-at&',
    'workspaces by a part of their names': 'workspaces?search[name]=77&',
    'workspaces with a tag': 'workspaces?search[tags]=network&',
    'workspaces of a project without any': 'workspaces?filter[project][id]=prj-nothing&',
    teams: 'teams?',
    runs: 'runs?',
    'members by a part of their names': 'organization-memberships?q=77&',
  }).map(([name, path]): Case => {
    const [resource = ''] = path.split('?');
    const request = { path: `${api}/organizations/acme/${path}page[size]=20` };
    return {
      route: `get /organizations/:organization/${resource}`,
      name,
      kind: 'first page',
      minor: true,
      requests: (_, count) => times(count, () => request),
    };
  }),
  ...cases.filter(({ name }) => name === 'create a run'),
];

export const organization: BenchGroup = {
  name: 'organization',
  title: 'A large organization against a tenth of it',
  run: (options) => {
    const scale = options.quick ? 0.02 : 1;
    const sizes = { full: organizationOf(scale), small: organizationOf(scale / 10) };
    return onBothEngines(options, 'organization', { sqlite: sizes, postgres: sizes }, async function* (...worlds) {
      const comparison = new Comparison(...worlds, options.quick, maxRatioOfTen);
      for (const given of ofOrganization) yield* comparison.ratiosOf(given);
    });
  },
};
