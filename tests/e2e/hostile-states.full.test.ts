import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Report } from '../hostile/report.js';
import { type Seen, Watch } from '../hostile/watch.js';
import { attacked, makeWorld, type World } from '../hostile/world.js';
import { newName } from '../support/api.js';
import { type ServiceProcess, temporaryDirectory } from '../support/process.js';
import { ServiceSteps, until } from '../support/service-steps.js';

const million = 1_000_000;
const probe = fileURLToPath(new URL('../hostile/loop-probe.mjs', import.meta.url));
const present = process.platform === 'linux';
const reason = present ? '' : ' (skipped: reads /proc, which only Linux has)';

let directory = '';
let world: World;
const report = new Report('States, under --max-old-space-size=128');

const head = '{"version":4,"terraform_version":"1.11.0","serial":1,"lineage":"hostile",';
const resource =
  '{"mode":"managed","type":"null_resource","name":"wide","provider":"provider[\\"example.com/a/null\\"]"';

interface Case {
  readonly state: string;
  readonly bytes: () => Buffer;
  /** The outputs that are shown. */
  readonly outputs: number;
  /** Whether the service says that something of the state is not shown. */
  readonly warns: boolean;
}

/** Repeats `part` between two texts, without a string of that length. */
const around = (before: string, part: string, count: number, last: string, after: string): Buffer =>
  Buffer.concat([Buffer.from(before), Buffer.alloc(part.length * count, part), Buffer.from(last + after)]);

function manyOutputs(count: number): Buffer {
  const parts = Array.from({ length: count / 1_000 }, (_, thousand) =>
    Buffer.from(
      Array.from(
        { length: 1_000 },
        (_, one) => `"o${String(thousand * 1_000 + one).padStart(7, '0')}":{"value":1,"type":"number"},`,
      ).join(''),
    ),
  );
  return Buffer.concat([
    Buffer.from(`${head}"outputs":{`),
    ...parts,
    Buffer.from('"last":{"value":1}},"resources":[]}'),
  ]);
}

const cases: readonly Case[] = [
  {
    state: 'of seven million empty outputs',
    bytes: () => around(`${head}"outputs":{`, '"":{},', 7 * million, '"":{}', '},"resources":[]}'),
    outputs: 0,
    warns: true,
  },
  {
    state: 'with a resource of five million members',
    bytes: () => around(`${head}"outputs":{},"resources":[${resource},`, '"":0,', 5 * million, '"":0', '}]}'),
    outputs: 0,
    warns: false,
  },
  {
    state: 'with a resource of five million instances',
    bytes: () => around(`${head}"outputs":{},"resources":[${resource},"instances":[`, '{},', 5 * million, '{}', ']}]}'),
    outputs: 0,
    warns: false,
  },
  { state: 'with 1.5 million outputs', bytes: () => manyOutputs(1.5 * million), outputs: 1_000, warns: true },
];

const open = (): Promise<ServiceProcess> =>
  attacked(world, 128, {
    NODE_OPTIONS: `--max-old-space-size=128 --import=${probe}`,
    LOOP_PROBE: join(directory, 'held'),
    RATE_LIMIT_PER_SECOND: '0',
  });

/** In milliseconds: by the work of the service, and with what it waited for. */
interface Held {
  readonly worked: number;
  readonly held: number;
}

/** The longest time for which the loop was held since `begin`. */
class LoopProbe {
  constructor(
    private readonly file: string,
    private readonly service: ServiceProcess,
  ) {}

  async begin(): Promise<void> {
    await rm(this.file, { force: true });
    this.service.child.kill('SIGUSR2');
    const begun = () =>
      this.max().then(
        () => true,
        () => false,
      );
    await until('the probe begins', begun, 5_000);
  }

  async max(): Promise<Held> {
    return JSON.parse(await readFile(this.file, 'utf8'));
  }
}

interface Measured<Result> extends Seen {
  readonly loop: Held;
  readonly seconds: number;
  readonly result: Result | undefined;
}

/** Watches the service until `work` ends or the service does. */
async function during<Result>(service: ServiceProcess, work: () => Promise<Result>): Promise<Measured<Result>> {
  const probe = new LoopProbe(join(directory, 'held'), service);
  await probe.begin();
  const begun = performance.now();
  const watch = new Watch(service);
  let failure: unknown;
  const result = await work().catch((error: unknown) => {
    failure = error;
    return undefined;
  });
  const seen = await watch.stop();
  if (failure !== undefined && seen.ended === undefined) throw failure;
  const seconds = (performance.now() - begun) / 1_000;
  return { ...seen, loop: await probe.max(), seconds, result };
}

/** Writes a state as the holder of its lock. Returns its id. */
async function write(service: ServiceProcess, workspaceId: string, state: Buffer, serial: number): Promise<string> {
  const md5 = createHash('md5').update(state).digest('hex');
  const created = await new ServiceSteps(service).ask('POST', `/workspaces/${workspaceId}/state-versions`, {
    data: { type: 'state-versions', attributes: { serial, lineage: 'hostile', md5 } },
  });
  const url = created.attributes['hosted-state-upload-url'];
  const upload = await fetch(url, { method: 'PUT', body: new Uint8Array(state) });
  if (upload.status !== 200) throw new Error(`the upload answered ${upload.status}: ${await upload.text()}`);
  return created.id;
}

/** The state version once its outputs are read. */
const read = (service: ServiceProcess, id: string) =>
  until('the state is read', async () => {
    const version = await new ServiceSteps(service).ask('GET', `/state-versions/${id}`);
    return version.attributes['resources-processed'] && version;
  });

beforeAll(async () => {
  if (!present) return;
  directory = await temporaryDirectory();
  world = await makeWorld(directory);
});

afterAll(async () => {
  report.print();
  if (directory !== '') await rm(directory, { recursive: true, force: true });
});

describe(`a state made to end the service${reason}`, () => {
  (present ? it.each(cases) : it.skip.each(cases))(
    '$state is kept whole, and read without holding up anything, also after a restart',
    async ({ state, bytes, outputs, warns }) => {
      let service = await open();
      try {
        const content = bytes();
        const workspaceId = await new ServiceSteps(service).workspace(newName('state'), {}, 'home');
        await new ServiceSteps(service).ask('POST', `/workspaces/${workspaceId}/actions/lock`);
        const first = await during(service, async () => {
          const id = await write(service, workspaceId, content, 1);
          return (await read(service, id)).attributes;
        });
        report.add({
          state,
          MiB: Math.round(content.length / 1024 / 1024),
          'read in s': first.seconds.toFixed(1),
          'loop held ms': first.loop.worked,
          'with waiting': first.loop.held,
          'RSS MiB': first.residentMiB,
          '/healthz ms': first.healthMilliseconds,
          warnings: (first.result?.['processing-warnings'] ?? []).join('; '),
        });
        expect(first).toMatchObject({ ended: undefined });
        expect(first.loop.worked).toBeLessThan(50);
        expect(first.healthMilliseconds).toBeLessThan(1_000);
        expect((first.result['processing-warnings'] ?? []).length > 0).toBe(warns);

        // Killed before it has read the next one, it comes back and reads it.
        const second = await write(service, workspaceId, content, 2);
        await service.end('SIGKILL');
        service = await open();
        const again = await during(service, () => read(service, second));
        report.add({
          state: 'the same after a restart',
          'read in s': again.seconds.toFixed(1),
          'loop held ms': again.loop.worked,
          'with waiting': again.loop.held,
          'RSS MiB': again.residentMiB,
          '/healthz ms': again.healthMilliseconds,
        });
        expect(again).toMatchObject({ ended: undefined, result: { attributes: { status: 'finalized' } } });
        expect(again.loop.worked).toBeLessThan(50);
        const listed = await service.api('GET', `/state-versions/${second}/outputs?page[size]=1`);
        expect(listed.json.meta.pagination['total-count']).toBe(outputs);
        const kept = await fetch(again.result.attributes['hosted-state-download-url']);
        expect(Buffer.from(await kept.arrayBuffer()).equals(content)).toBe(true);
      } finally {
        await service.end('SIGKILL');
        // A state that ended the service would end that of the next case too.
        if (service.printed.includes('heap out of memory'))
          world = await makeWorld(await mkdtemp(join(directory, 'next-')));
      }
    },
  );
});
