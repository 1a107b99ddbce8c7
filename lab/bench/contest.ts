import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { alternate, median, ratios, summary } from './alternate.js';
import type { BenchOptions, Finding } from './finding.js';
import { connections, type Load, type LoadOrder, type LoadResult } from './load.js';
import type { Server } from './servers.js';

/** A request that every server receives. */
export interface Question {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Paths with queries, requested in turn on each connection. */
  readonly paths: readonly [string, ...string[]];
  readonly token: string;
  /** The token of a member without the right. */
  readonly strangerToken: string;
  readonly body?: string;
}

/** The service and its baselines. */
export interface Contestants {
  readonly ours: Server;
  readonly bare: Server;
  readonly equal: Server;
}

/** Starts all contestants for `measure`, and stops them afterwards. */
export async function* among(
  service: () => Promise<Server>,
  baseline: (manner: 'bare' | 'equal') => Promise<Server>,
  measure: (contestants: Contestants) => AsyncIterable<Finding>,
): AsyncGenerator<Finding> {
  const started: Server[] = [];
  const start = async (starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    started.push(server);
    return server;
  };
  try {
    const ours = await start(service());
    yield* measure({ ours, bare: await start(baseline('bare')), equal: await start(baseline('equal')) });
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
}

export interface ContestTargets {
  readonly bare?: number;
  readonly equal?: number;
}

const headersOf = ({ token, body }: Question): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(body === undefined ? {} : { 'content-type': 'application/vnd.api+json' }),
});

/** The placeholder for values that differ in every response. */
const passing: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/[^"]*\/v1\/object\/[^"]*/g, 'URL'],
  [/\bcv-[0-9A-Za-z]{16}\b/g, 'cv-ID'],
];
const passingFields = new Set(['time', 'pid', 'ms', 'request']);
const passingHeaders = new Set(['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset']);

export async function answerOf(server: Server, question: Question) {
  const { method, body } = question;
  const [path] = question.paths;
  const headers = headersOf(question);
  const response = await fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  let text = await response.text();
  if (method === 'POST') for (const [pattern, word] of passing) text = text.replaceAll(pattern, word);
  const kept = [...response.headers].filter(([name]) => !passingHeaders.has(name));
  // A created version's address has the server's port in it, which may be shorter.
  const told = kept.filter(([name]) => method !== 'POST' || name !== 'content-length');
  return { status: response.status, text, headers: told.map((header) => header.join(': ')).sort() };
}

/** Names and values of the log's last line, without those that no two requests share. */
async function noted({ logFile }: Server): Promise<string> {
  // Log lines are written in batches, after the response.
  await pause(200);
  const log = await open(logFile);
  try {
    const { size } = await log.stat();
    const tail = Buffer.alloc(Math.min(size, 4_096));
    await log.read(tail, 0, tail.length, size - tail.length);
    const fields = Object.entries(JSON.parse(tail.toString().trimEnd().split('\n').at(-1) ?? ''));
    return JSON.stringify(fields.filter(([name]) => !passingFields.has(name)));
  } finally {
    await log.close();
  }
}

/**
 * Throws unless all return the same bytes, those that do equal work also the same headers and log line, and all
 * refuse callers without the right or without a token alike.
 */
export async function sameAnswers(contestants: Contestants, question: Question): Promise<void> {
  const ours = await answerOf(contestants.ours, question);
  if (ours.status >= 300) throw new Error(`${question.name} answered ${ours.status}: ${ours.text}`);
  const line = await noted(contestants.ours);
  const others = [question.strangerToken, 'nobody'].map((token) => ({ ...question, token }));
  const judged = await Promise.all(others.map((other) => answerOf(contestants.ours, other)));
  for (const manner of ['bare', 'equal'] as const) {
    const theirs = await answerOf(contestants[manner], question);
    expectSame(`${question.name}: the status of ${manner}`, theirs.status, ours.status);
    expectSame(`${question.name}: the body of ${manner}`, theirs.text, ours.text);
    if (manner === 'equal') {
      expectSame(`${question.name}: the headers of ${manner}`, theirs.headers.join('\n'), ours.headers.join('\n'));
      expectSame(`${question.name}: the log line of ${manner}`, await noted(contestants[manner]), line);
    }
    for (const [index, other] of others.entries()) {
      const { status } = await answerOf(contestants[manner], other);
      expectSame(`${question.name}: what ${manner} says to others`, status, judged[index]?.status);
    }
  }
}

function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what} is\n${actual}\nand not\n${expected}`);
}

export interface Throughput {
  readonly perSecond: readonly number[];
  /** Processor time by request; median of the rounds. Absent if the system does not report it. */
  readonly cpuMicroseconds?: number;
  /** The share of a core that the server used; from 0.95 it was the bottleneck. */
  readonly busy?: number;
  /** The share of a core that the load used. */
  readonly loadBusy: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export const throughputOf = (results: readonly LoadResult[]): Throughput => {
  const cpu = results.flatMap(({ cpuSeconds }) => cpuSeconds ?? []);
  const rounded = (value: number, digits: number) => Number(value.toFixed(digits));
  return {
    perSecond: results.map(({ requests, seconds }) => Math.round(requests / seconds)),
    ...(cpu.length < results.length
      ? {}
      : {
          cpuMicroseconds: rounded(
            median(results.map(({ cpuSeconds = 0, requests }) => (cpuSeconds / requests) * 1e6)),
            1,
          ),
          busy: rounded(median(results.map(({ cpuSeconds = 0, seconds }) => cpuSeconds / seconds)), 2),
        }),
    loadBusy: rounded(median(results.map(({ busy }) => busy)), 2),
    p50: rounded(median(results.map(({ p50 }) => p50)), 2),
    p99: rounded(median(results.map(({ p99 }) => p99)), 2),
  };
};

export const inWords = (name: string, { perSecond, cpuMicroseconds, busy }: Throughput): string =>
  [
    `${name} ${Math.round(median(perSecond)).toLocaleString('en')}/s`,
    ...(cpuMicroseconds === undefined ? [] : [`at ${cpuMicroseconds.toFixed(0)} µs CPU`]),
    ...(busy === undefined || busy >= 0.95 ? [] : [`(${Math.round(busy * 100)} % of a core)`]),
  ].join(' ');

export interface Span {
  readonly rounds: number;
  /** The duration of each measurement, in seconds. */
  readonly seconds: number;
  readonly warmUp: number;
}

export const usualSpan = ({ quick }: BenchOptions): Span =>
  quick ? { rounds: 3, seconds: 0.4, warmUp: 0.6 } : { rounds: 7, seconds: 2, warmUp: 3 };

export const orderOf = (
  servers: readonly Server[],
  question: Question,
  seconds: number,
  each = connections,
): LoadOrder => ({
  urls: servers.map(({ url }) => url),
  paths: question.paths,
  method: question.method,
  headers: headersOf(question),
  ...(question.body === undefined ? {} : { body: question.body }),
  connections: each * servers.length,
  seconds,
  pids: servers.map(({ pid }) => pid),
});

/** Servers that are warm: V8 has compiled the code that all requests share. */
const warm = new WeakSet<Server>();
const coldFactor = 4;

/**
 * The throughput of the service relative to the others, measured in turn with all of them running. By `processor`, it is
 * per second of processor time, which excludes a load that is too slow for the fastest server and other work on the
 * machine. By `clock`, it is per second of wall-clock time.
 */
export async function* contest(
  load: Load,
  contestants: Contestants,
  question: Question,
  { by, ...targets }: ContestTargets & { readonly by: 'processor' | 'clock' },
  { rounds, seconds, warmUp }: Span,
): AsyncGenerator<Finding> {
  await sameAnswers(contestants, question);
  const awake = by === 'processor';
  const servers = Object.entries(contestants) as (readonly [keyof Contestants, Server])[];
  for (const [, server] of servers) {
    await load.run({ ...orderOf([server], question, warm.has(server) ? warmUp : coldFactor * warmUp), awake });
    warm.add(server);
  }
  const results: Record<keyof Contestants, LoadResult[]> = { ours: [], bare: [], equal: [] };
  const measures = Object.fromEntries(
    servers.map(([name, server]) => [
      name,
      async () => {
        const result = await load.run({ ...orderOf([server], question, seconds), awake });
        results[name].push(result);
        return result.requests / (by === 'processor' ? (result.cpuSeconds ?? result.seconds) : result.seconds);
      },
    ]),
  ) as Record<keyof Contestants, () => Promise<number>>;
  const measured = await alternate(rounds, measures);
  const ours = throughputOf(results.ours);
  for (const [name, words] of [
    ['bare', 'bare'],
    ['equal', 'equal work'],
  ] as const) {
    const theirs = throughputOf(results[name]);
    yield {
      name: `${question.name}, of ${words}`,
      unit: '×',
      ...summary(ratios(measured.ours, measured[name])),
      ...(targets[name] === undefined ? {} : { target: { atLeast: targets[name] } }),
      note: `${inWords('ours', ours)}; ${inWords(words, theirs)}`,
      from: { ours, [name]: theirs },
    };
  }
}
