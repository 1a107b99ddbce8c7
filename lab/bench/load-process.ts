import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import type { LoadOrder, LoadResult } from './load.js';
import { cpuSeconds } from './servers.js';

/** Connections are opened and warmed up before counting starts. */
const settleMilliseconds = 100;

/** The minimum number of responses: a busy machine may stall, so fewer are not significant. */
const fewest = 50;
const maxMilliseconds = 10_000;

/** The total of all processes; undefined if one is unknown. */
const cpuOf = (pids: readonly number[]): number | undefined => {
  const times = pids.map(cpuSeconds).filter((time) => time !== undefined);
  return times.length < pids.length ? undefined : times.reduce((sum, time) => sum + time, 0);
};

async function carryOut(order: LoadOrder): Promise<LoadResult> {
  const { urls, paths, method, headers, body, connections, seconds, pids } = order;
  const durations: number[] = [];
  let answered = 0;
  let refused = 0;
  let lost = 0;
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const requests = paths.map((path) => ({ method, path, headers, ...(body === undefined ? {} : { body }) }));
  // autocannon accepts several URLs; its types do not.
  const url = urls as unknown as string;
  const load = autocannon({ url, requests, connections, duration: seconds + 60, sampleInt: 50 }, (error) =>
    error ? reject(error) : resolve(),
  );
  load.on('response', (_client, status, _bytes, milliseconds) => {
    answered += 1;
    if (status < 200 || status > 299) refused += 1;
    durations.push(milliseconds);
  });
  load.on('reqError', () => {
    lost += 1;
  });
  let awake = order.awake === true;
  const stayAwake = () => {
    if (awake) setImmediate(stayAwake);
  };
  stayAwake();
  await pause(settleMilliseconds);
  durations.length = 0;
  const begun = { at: performance.now(), answered, cpu: cpuOf(pids), own: process.cpuUsage() };
  do await pause(seconds * 1_000);
  while (answered - begun.answered < fewest && performance.now() - begun.at < maxMilliseconds);
  const elapsed = (performance.now() - begun.at) / 1_000;
  const cpu = cpuOf(pids);
  const own = process.cpuUsage(begun.own);
  const counted = answered - begun.answered;
  const sorted = durations.toSorted((a, b) => a - b);
  awake = false;
  load.stop();
  await ended;
  return {
    requests: counted,
    seconds: elapsed,
    failed: refused + lost,
    busy: (own.user + own.system) / 1e6 / elapsed,
    ...(cpu === undefined || begun.cpu === undefined ? {} : { cpuSeconds: cpu - begun.cpu }),
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
  };
}

process.on('disconnect', () => process.exit());
process.on('message', (order: LoadOrder) => {
  carryOut(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ fault: String(error) }),
  );
});
