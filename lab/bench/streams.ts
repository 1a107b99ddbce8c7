import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { alternate, ratios, summary } from './alternate.js';
import { inWords, orderOf, throughputOf, usualSpan } from './contest.js';
import type { BenchGroup } from './finding.js';
import { Load, type LoadResult } from './load.js';
import { oneVersion } from './reads.js';
import { seededDirectory } from './seeded.js';
import { cpuSeconds, Server } from './servers.js';

/** The pages that people have open. */
const pages = 100;

async function opened(url: string, path: string, token: string): Promise<readonly ClientRequest[]> {
  const open = async (): Promise<ClientRequest> => {
    const sent = request(url + path, { headers: { Authorization: `Bearer ${token}` }, agent: false });
    sent.on('error', () => {}).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`a stream was answered ${answer.statusCode}`);
    answer.on('error', () => {}).resume();
    return sent;
  };
  return Promise.all(Array.from({ length: pages }, open));
}

export const streams: BenchGroup = {
  name: 'streams',
  title: 'Streams of changes',
  async *run(options) {
    const { directory, sample } = await seededDirectory(options, 'streams');
    const server = await Server.service(directory);
    const load = Load.start();
    const question = oneVersion('SQLite', sample);
    // The two differ by less than short rounds scatter.
    const span = { ...usualSpan(options), rounds: 15, seconds: 1 };
    let open: readonly ClientRequest[] = [];
    const follow = async (isFollowed: boolean): Promise<void> => {
      for (const stream of open) stream.destroy();
      open = isFollowed
        ? await opened(server.url, `/api/v2/workspaces/${sample.workspaceId}/changes`, sample.readerToken)
        : [];
    };
    try {
      await load.run({ ...orderOf([server], question, span.warmUp * 4), awake: true });
      const results: Record<'alone' | 'followed', LoadResult[]> = { alone: [], followed: [] };
      const measure = (name: keyof typeof results) => async () => {
        await follow(name === 'followed');
        // Opening and closing them is not what is measured.
        await pause(500);
        const result = await load.run({ ...orderOf([server], question, span.seconds), awake: true });
        results[name].push(result);
        return result.requests / (result.cpuSeconds ?? result.seconds);
      };
      const measured = await alternate(span.rounds, { alone: measure('alone'), followed: measure('followed') });
      yield {
        name: `${question.name}, with ${pages} open streams, of without`,
        unit: '×',
        ...summary(ratios(measured.followed, measured.alone)),
        target: { atLeast: 0.95 },
        note: `${inWords('with', throughputOf(results.followed))}; ${inWords('without', throughputOf(results.alone))}`,
      };
      await follow(true);
      const seconds = options.quick ? 30 : 60;
      const before = cpuSeconds(server.pid);
      await pause(seconds * 1_000);
      const after = cpuSeconds(server.pid);
      if (before === undefined || after === undefined) return;
      const share = ((after - before) / seconds) * 100;
      yield {
        name: `idle processor use with ${pages} open streams, SQLite`,
        unit: '%',
        measured: share,
        spread: [share, share],
        target: { atMost: 0.5 },
        note: 'of a core; each stream shows a sign of life every 25 seconds',
      };
    } finally {
      await follow(false);
      await load.stop();
      await server.stop();
    }
  },
};
