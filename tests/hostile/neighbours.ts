import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { adminToken } from '../support/process.js';
import type { Organization, World } from './world.js';

const MiB = 1024 * 1024;
const documents = 100;
const betweenDocuments = 100;
const longest = 90_000;

/** How a request ended that is repeated while it is refused for a time, as clients do. */
interface Arrival {
  readonly status: number;
  readonly first: number;
  readonly milliseconds: number;
}

/** The results of the requests that should succeed. */
export interface Arrivals {
  /** The number of documents, of 100, that succeeded within two seconds. */
  readonly withinTwoSeconds: number;
  /** The number of documents that were not refused even once. */
  readonly atFirst: number;
  readonly slowestMilliseconds: number;
  readonly stateSeconds: number;
  /** Organizations whose long text was accepted. */
  readonly organizations: number;
  /** The statuses of what was refused or failed, for the message of a failed test. */
  readonly refused: readonly number[];
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** Status 0 stands for a connection that failed. */
async function arrival(url: string, { method, path, token, body }: Sent): Promise<Arrival> {
  const begun = performance.now();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/vnd.api+json' };
  let first: number | undefined;
  for (;;) {
    const answer = await fetch(url + path, { method, headers, body, signal: AbortSignal.timeout(longest) }).then(
      async (response) => {
        await response.arrayBuffer();
        return response;
      },
      () => undefined,
    );
    const status = answer?.status ?? 0;
    first ??= status;
    const milliseconds = performance.now() - begun;
    if (status !== 429 || milliseconds > longest) return { status, first, milliseconds };
    await pause(1_000 * Number(answer?.headers.get('retry-after') ?? 1));
  }
}

const succeeded = ({ status }: Arrival): boolean => status >= 200 && status < 300;

/** A state of 12 MiB, as near as a document can hold it. */
export function stateDocument(): string {
  const text = JSON.stringify({ version: 4, serial: 1, lineage: 'of-a-neighbour', outputs: {}, resources: [] });
  const state = Buffer.from(text.padEnd(12 * MiB - 1_024, ' '));
  const md5 = createHash('md5').update(state).digest('hex');
  return JSON.stringify({
    data: {
      type: 'state-versions',
      attributes: { serial: 1, lineage: 'of-a-neighbour', md5, force: true, state: state.toString('base64') },
    },
  });
}

const description = (index: number): string =>
  JSON.stringify({ data: { type: 'workspaces', attributes: { description: `${index} `.padEnd(900, '.') } } });

/** A hundred documents, a state and eight long texts, sent while others attack. */
export class Neighbours {
  private readonly state = stateDocument();
  private readonly code = new Uint8Array(Buffer.alloc(MiB, '# a long policy\n'));

  constructor(private readonly world: World) {
    if (world.neighbours.length < 9) throw new Error('this takes nine neighbours');
  }

  /** Resolves once all has been answered. */
  async live(url: string): Promise<Arrivals> {
    const [writer, ...organizations] = this.world.neighbours as [Organization, ...Organization[]];
    const [small, state, long] = await Promise.all([
      this.documents(url),
      arrival(url, {
        method: 'POST',
        path: `/workspaces/${writer.workspaceId}/state-versions`,
        token: writer.token,
        body: this.state,
      }),
      pause(1_000).then(() =>
        Promise.all(
          organizations
            .slice(0, 8)
            .map(({ policyId, token }) =>
              arrival(url, { method: 'PUT', path: `/policies/${policyId}/upload`, token, body: this.code }),
            ),
        ),
      ),
    ]);
    const timely = small.filter((one) => succeeded(one) && one.milliseconds <= 2_000);
    return {
      withinTwoSeconds: timely.length,
      atFirst: small.filter(({ first }) => first >= 200 && first < 300).length,
      slowestMilliseconds: Math.round(Math.max(...small.map(({ milliseconds }) => milliseconds))),
      stateSeconds: succeeded(state) ? state.milliseconds / 1_000 : Number.POSITIVE_INFINITY,
      organizations: long.filter(succeeded).length,
      refused: [...small, state, ...long].filter((one) => !succeeded(one)).map(({ status }) => status),
    };
  }

  private async documents(url: string): Promise<readonly Arrival[]> {
    const sent: Promise<Arrival>[] = [];
    for (let index = 0; index < documents; index += 1) {
      const path = `/workspaces/${this.world.workspaceId}`;
      sent.push(arrival(url, { method: 'PATCH', path, token: adminToken, body: description(index) }));
      await pause(betweenDocuments);
    }
    return Promise.all(sent);
  }
}
