import { join } from 'node:path';
import { alternate, summary } from './alternate.js';
import { orderOf, type Question, usualSpan } from './contest.js';
import type { BenchGroup } from './finding.js';
import { Load } from './load.js';
import { seededDirectory } from './seeded.js';
import { Server } from './servers.js';

/** The processor time of a request as layers are added one by one. */
export const layers: BenchGroup = {
  name: 'layers',
  title: 'The cost of each layer',
  async *run(options) {
    const { directory, sample } = await seededDirectory(options, 'layers');
    const quiet = await seededDirectory(options, 'layers-silent');
    const span = usualSpan(options);
    const load = Load.start();
    const servers: Server[] = [];
    const started = async (starting: Promise<Server>): Promise<Server> => {
      const server = await starting;
      servers.push(server);
      return server;
    };
    try {
      const hello = await started(Server.bare('hello', 'hello.ts', {}, join(options.directory, 'hello.log')));
      const silent = await started(Server.service(quiet.directory, { LOG_LEVEL: 'silent' }));
      const ours = await started(Server.service(directory));
      const get = (path: string, token = sample.readerToken): Question => ({
        name: path,
        method: 'GET',
        paths: [path],
        token,
        strangerToken: token,
      });
      const steps: readonly (readonly [string, Server, Question])[] = [
        ['node:http', hello, get('/healthz')],
        ['Express, the headers, the watch over slow clients', silent, get('/healthz')],
        ['the log line', ours, get('/healthz')],
        [
          'the credential, the rate, a version, what the caller may do to it, its document',
          ours,
          get(`/configuration-versions/${sample.versionId}`),
        ],
      ];
      const ask = (server: Server, question: Question, seconds: number) =>
        load.run({ ...orderOf([server], question, seconds), awake: true });
      for (const [, server, question] of steps) await ask(server, question, 2 * span.warmUp);
      const measured = await alternate(
        span.rounds,
        Object.fromEntries(
          steps.map(([name, server, question]) => [
            name,
            async () => {
              const { requests, cpuSeconds = Number.NaN } = await ask(server, question, span.seconds);
              return (cpuSeconds / requests) * 1e6;
            },
          ]),
        ),
      );
      for (const [name] of steps) {
        yield {
          name: `up to ${name}`,
          unit: 'µs',
          ...summary(measured[name] ?? []),
          note: 'of the processor, a request',
        };
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
      await load.stop();
    }
  },
};
