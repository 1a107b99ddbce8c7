import type { ChildProcess } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { residentMiB } from '../../tests/support/resident-memory.js';
import { alternate, median, ratios, summary } from './alternate.js';
import type { Task, UploadResult } from './bare/upload-client.js';
import type { BenchGroup, BenchOptions, Finding } from './finding.js';
import { adminToken, cpuSeconds, end, launch, Server } from './servers.js';

const [KB, MB, MiB] = [1000, 1000 * 1000, 1024 * 1024];

/** The number of uploads in one measurement, and how many run concurrently. */
interface Load {
  readonly count: number;
  readonly atOnce: number;
}

interface ArchiveSize {
  readonly name: string;
  readonly bytes: number;
}

interface Size extends ArchiveSize {
  readonly loads: readonly Load[];
  readonly rounds: number;
}

const downloadsPerUpload = 3;

const sizesOf = (quick: boolean): readonly Size[] => {
  const sizes = [
    { name: '10 KB', bytes: 10 * KB, loads: [1, 8].map((atOnce) => ({ count: 300, atOnce })), rounds: 7 },
    { name: '1 MB', bytes: MB, loads: [1, 8].map((atOnce) => ({ count: 40, atOnce })), rounds: 7 },
    { name: '20 MB', bytes: 20 * MB, loads: [{ count: 4, atOnce: 1 }], rounds: 5 },
    { name: '200 MB', bytes: 200 * MB, loads: [{ count: 1, atOnce: 1 }], rounds: 5 },
    { name: '1 GB', bytes: 1000 * MB, loads: [{ count: 1, atOnce: 1 }], rounds: 3 },
  ];
  if (!quick) return sizes;
  const fewer = ({ count, atOnce }: Load): Load => ({ count: Math.ceil(count / 2), atOnce });
  return sizes.slice(0, 3).map((size) => ({ ...size, loads: size.loads.map(fewer), rounds: 3 }));
};

/** Lines that compress to about two fifths, like configuration with some noise. */
const text = (() => {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16));
  const noise = cipher.update(Buffer.alloc(MiB)).toString('hex');
  const lines: string[] = [];
  for (let at = 0; at < noise.length; at += 24) {
    lines.push(`resource "thing" "example_${at}" { value = "${noise.slice(at, at + 24)}" }\n`);
  }
  return Buffer.from(lines.join(''));
})();
const filesInArchive = 20;
const packedShare = 0.3;

function* textOf(from: number, size: number): Generator<Buffer> {
  for (let [at, left] = [from % text.length, size]; left > 0; at = 0) {
    const piece = text.subarray(at, at + left);
    left -= piece.length;
    yield piece;
  }
}

/** An archive of about `bytes` in several files. The text repeats beyond the window of the compression. */
async function makeArchive(path: string, bytes: number): Promise<void> {
  const tar = pack();
  const written = pipeline(tar, createGzip({ level: 1 }), createWriteStream(path));
  const size = Math.ceil(bytes / packedShare / filesInArchive);
  for (let file = 0; file < filesInArchive; file += 1) {
    await pipeline(Readable.from(textOf(file * size, size)), tar.entry({ name: `modules/part-${file}/main.tf`, size }));
  }
  tar.finalize();
  await written;
}

/** Only limits are raised; all other settings have their defaults. */
const limits = {
  MAX_ARCHIVE_BYTES: String(2 ** 32),
  MAX_UNPACKED_BYTES: String(2 ** 34),
  MAX_ARCHIVE_ENTRIES: '1000000',
};

/** Sends and reads from a process of its own. */
class Client {
  private readonly child: ChildProcess;

  constructor() {
    const program = ['--import', 'tsx', 'lab/bench/bare/upload-client.ts'];
    this.child = launch('load', program, {}, ['ignore', 'inherit', 'inherit', 'ipc']);
  }

  /** In milliseconds. */
  async run(task: Task): Promise<number> {
    const over = new AbortController();
    const told = once(this.child, 'message', over) as Promise<[UploadResult]>;
    const left = once(this.child, 'exit', over).then((): [UploadResult] => [{ fault: 'the client ended' }]);
    this.child.send(task);
    const [answer] = await Promise.race([told, left]).finally(() => over.abort());
    if ('fault' in answer) throw new Error(answer.fault);
    return answer.milliseconds;
  }

  end(): Promise<void> {
    return end(this.child, 'SIGTERM');
  }
}

interface Made {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A server that takes uploads. */
interface Receiver {
  readonly pid: number;
  /** Returns `count` URLs that each take one upload. */
  toPut(count: number): Promise<readonly string[]>;
  /** Returns a URL that serves the upload to the last of those. */
  toGet(): Promise<string>;
  end(): Promise<void>;
}

async function ours(directory: string): Promise<Receiver & { restart(): Promise<void> }> {
  let server = await Server.service(directory, limits);
  const headers = { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/vnd.api+json' };
  const ask = async (method: string, path: string, type: string, attributes: object): Promise<Made> => {
    const body = JSON.stringify({ data: { type, attributes } });
    const response = await fetch(server.url + path, { method, headers, body });
    if (response.status !== 201) throw new Error(`${method} ${path} was answered ${response.status}`);
    return ((await response.json()) as { data: Made }).data;
  };
  await ask('POST', '/organizations', 'organizations', { name: 'acme', email: 'ops@example.com' });
  const workspace = await ask('POST', '/organizations/acme/workspaces', 'workspaces', { name: 'api' });
  let last = '';
  const make = async (): Promise<string> => {
    // No run follows an upload, as in the baseline.
    const version = await ask('POST', `/workspaces/${workspace.id}/configuration-versions`, 'configuration-version', {
      'auto-queue-runs': false,
    });
    last = version.id;
    return String(version.attributes['upload-url']);
  };
  return {
    get pid() {
      return server.pid;
    },
    restart: async () => {
      await server.stop();
      server = await Server.service(directory, limits);
    },
    toPut: async (count) => {
      const urls: string[] = [];
      while (urls.length < count) urls.push(await make());
      return urls;
    },
    toGet: async () => {
      const path = `/configuration-versions/${last}/download`;
      const answer = await fetch(server.url + path, { headers, redirect: 'manual' });
      return answer.headers.get('location') ?? '';
    },
    end: () => server.stop(),
  };
}

async function bare(directory: string): Promise<Receiver> {
  await mkdir(directory, { recursive: true });
  const environment = { DIRECTORY: directory, VERSIONS: '20000' };
  const server = await Server.bare('bare uploads', 'upload-server.ts', environment, `${directory}.log`);
  let last = 0;
  const next = () => {
    last += 1;
    return `${server.url}/${last}`;
  };
  return {
    pid: server.pid,
    toPut: async (count) => Array.from({ length: count }, next),
    toGet: async () => `${server.url}/${last}`,
    end: () => server.stop(),
  };
}

interface Both {
  readonly ours: Receiver;
  readonly bare: Receiver;
}

interface Measured {
  readonly ratio: Pick<Finding, 'measured' | 'spread'>;
  readonly from: Readonly<Record<string, unknown>>;
}

/** Runs the same task on both in alternation. Tasks are prepared before the clock starts. */
async function compare(
  both: Both,
  client: Client,
  { rounds, count }: { readonly rounds: number; readonly count: number },
  taskFor: (server: Receiver) => Promise<Task>,
): Promise<Measured> {
  const cpu = { ours: [] as number[], bare: [] as number[] };
  const measure = (name: 'ours' | 'bare') => async () => {
    const server = both[name];
    const task = await taskFor(server);
    const before = cpuSeconds(server.pid) ?? Number.NaN;
    const milliseconds = await client.run(task);
    cpu[name].push(((cpuSeconds(server.pid) ?? Number.NaN) - before) * 1000);
    return milliseconds / count;
  };
  const times = await alternate(rounds, { ours: measure('ours'), bare: measure('bare') });
  return {
    ratio: summary(ratios(times.bare, times.ours)),
    from: {
      'ms each': { ours: median(times.ours), bare: median(times.bare) },
      'CPU ms each': { ours: median(cpu.ours) / count, bare: median(cpu.bare) / count },
      'CPU ratio': median(ratios(cpu.bare, cpu.ours)),
    },
  };
}

/** Throws unless both return the uploaded bytes and refuse a truncated upload. */
async function bothCheck({ both, file }: { readonly both: Both; readonly file: string }): Promise<void> {
  const whole = await readFile(file);
  for (const server of [both.ours, both.bare]) {
    const [url = '', other = ''] = await server.toPut(2);
    const statusOf = async (to: string, body: Buffer) => (await fetch(to, { method: 'PUT', body })).status;
    const statuses = [await statusOf(url, whole.subarray(0, whole.length / 2)), await statusOf(other, whole)];
    const given = Buffer.from(await (await fetch(await server.toGet())).arrayBuffer());
    if (statuses.join() !== '422,200' || !given.equals(whole)) throw new Error(`uploads were answered ${statuses}`);
  }
}

async function* compared(
  { print, directory, quick }: BenchOptions,
  client: Client,
  archiveOf: (size: ArchiveSize) => Promise<string>,
): AsyncGenerator<Finding> {
  const both = { ours: await ours(join(directory, 'ours')), bare: await bare(join(directory, 'bare')) };
  try {
    await bothCheck({ both, file: await archiveOf({ name: '10 KB', bytes: 10 * KB }) });
    for (const size of sizesOf(quick)) {
      const file = await archiveOf(size);
      const { size: bytes } = await stat(file);
      for (const kind of ['upload', 'download'] as const) {
        for (const { count: sent, atOnce } of size.loads) {
          const count = kind === 'upload' ? sent : sent * downloadsPerUpload;
          const name = `${kind} of ${size.name}${atOnce > 1 ? `, ${atOnce} at once` : ''}`;
          const taskFor = async (server: Receiver): Promise<Task> =>
            kind === 'upload'
              ? { kind: 'put', urls: await server.toPut(count), file, atOnce }
              : { kind: 'get', urls: Array(count).fill(await server.toGet()), bytes, atOnce };
          print(name);
          if (size.bytes <= MB) for (const server of [both.ours, both.bare]) await client.run(await taskFor(server));
          const { ratio, from } = await compare(both, client, { rounds: size.rounds, count }, taskFor);
          yield { name, unit: '×', ...ratio, target: { atLeast: 0.8 }, from: { bytes, ...from } };
        }
      }
    }
  } finally {
    await Promise.all([both.ours.end(), both.bare.end()]);
  }
}

/** Peak memory in MiB above idle. If the kernel's peak cannot be reset, resident memory is polled. */
async function peakOf(pid: number, work: () => Promise<unknown>): Promise<{ idle: number; above: number }> {
  const idle = await residentMiB(pid, 'VmRSS');
  let over = false;
  const lowered = writeFile(`/proc/${pid}/clear_refs`, '5').then(() => residentMiB.bind(undefined, pid, 'VmHWM'));
  const peak = await lowered.catch(() => {
    const watched = (async () => {
      let highest = idle;
      for (; !over; await pause(5)) highest = Math.max(highest, await residentMiB(pid, 'VmRSS'));
      return highest;
    })();
    return () => watched;
  });
  await work().finally(() => {
    over = true;
  });
  return { idle, above: (await peak()) - idle };
}

async function* memory(
  { print, directory, quick }: BenchOptions,
  client: Client,
  archiveOf: (size: ArchiveSize) => Promise<string>,
): AsyncGenerator<Finding> {
  const common = { name: '20 MB', bytes: 20 * MB };
  const cases = [
    { name: '8 slow downloads at once', size: common, count: 8, slowly: true },
    { name: '8 uploads of 20 MB at once', size: common, count: 8, slowly: false },
    { name: '8 uploads of 200 MB at once', size: { name: '200 MB', bytes: 200 * MB }, count: 8, slowly: false },
    { name: 'one upload of 1 GB', size: { name: '1 GB', bytes: 1000 * MB }, count: 1, slowly: false },
  ];
  const medians: number[] = [];
  for (const { name, size, count, slowly } of cases.slice(0, quick ? 2 : cases.length)) {
    const file = await archiveOf(size);
    const found: { idle: number; above: number }[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      print(`memory of ${name}`);
      const data = join(directory, 'memory');
      const put = (urls: readonly string[]) => client.run({ kind: 'put', urls, file, atOnce: urls.length });
      const server = await ours(data);
      try {
        let urls = await server.toPut(slowly ? 1 : count);
        if (slowly) {
          // A fresh server, so that only downloads are measured.
          await put(urls);
          await server.restart();
          urls = Array(count).fill(await server.toGet());
        }
        const work = () => (slowly ? client.run({ kind: 'get slowly', urls, seconds: 3 }) : put(urls));
        found.push(await peakOf(server.pid, work));
      } finally {
        await server.end();
        await rm(data, { recursive: true });
      }
    }
    const above = summary(found.map((peak) => peak.above));
    medians.push(above.measured);
    const from = { idle: median(found.map(({ idle }) => idle)) };
    yield { name: `memory above idle of ${name}`, unit: 'MiB', ...above, target: { atMost: 64 }, from };
  }
  const [, small = Number.NaN, ...larger] = medians;
  if (larger.length === 0) return;
  const more = Math.max(...larger) - small;
  const name = 'memory that larger uploads take more than those of 20 MB';
  yield { name, unit: 'MiB', measured: more, spread: [more, more], target: { atMost: 16 } };
}

export const uploads: BenchGroup = {
  name: 'uploads',
  title: 'Uploads and downloads of archives',
  async *run(options) {
    const client = new Client();
    const archives = new Map<number, Promise<string>>();
    const archiveOf = ({ name, bytes }: ArchiveSize): Promise<string> => {
      const path = join(options.directory, `${bytes}.tar.gz`);
      const made =
        archives.get(bytes) ??
        makeArchive(path, bytes).then(() => {
          options.print(`made an archive of ${name}`);
          return path;
        });
      archives.set(bytes, made);
      return made;
    };
    try {
      yield* compared(options, client, archiveOf);
      if (process.platform === 'linux') yield* memory(options, client, archiveOf);
    } finally {
      await client.end();
    }
  },
};
