import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { S3BundleStore, s3Client } from '../../src/adapters/files/s3-bundle-store.js';
import { attemptSeconds, type BackingDataChange, type Transaction } from '../../src/application/index.js';
import type { Bundle } from '../../src/domain/index.js';
import { noise } from '../contracts/bundle-store.js';
import { objectIdOf, softDeleteDays, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { fc, runs } from '../support/properties.js';
import { RowsInMemory } from '../support/rows-in-memory.js';
import { type Fate, type S3Server, startS3Server } from '../support/s3-server.js';

const partBytes = 1_000;
const archives = await Promise.all(
  [0, 1, 2, 3].map((seed) => archiveOf({ 'main.tf': noise(seed === 0 ? 20 : 700 * seed, seed).toString('base64') })),
);
const day = 86_400;

/** A process dies before or after an event (a request or a commit), or just before a request takes effect. */
interface Death {
  readonly at: number;
  readonly moment: 'before' | 'after' | 'on the way';
}

type Ending = 'good' | 'bad' | 'broken off';

type Command =
  | { readonly kind: 'create version' }
  | {
      readonly kind: 'upload';
      readonly which: number;
      readonly archives: readonly number[];
      readonly ending: Ending;
      /** How long the process is frozen midway while another one sweeps. */
      readonly frozen: number;
    }
  | { readonly kind: 'backing data'; readonly which: number; readonly action: BackingDataChange | 'archive' }
  | { readonly kind: 'work' }
  | { readonly kind: 'time'; readonly seconds: number }
  | { readonly kind: 'sweep' };

interface Step {
  readonly command: Command;
  readonly death: Death | null;
  /** One event that fails without killing a process. */
  readonly fault: { readonly at: number; readonly fate: Fate } | null;
}

class DyingUnitOfWork extends RowsInMemory {
  life: Life | undefined;

  /** Those that committed rows refer to. */
  bundles: readonly Pick<Bundle, 'key' | 'sha256'>[] = [];

  override async run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    let then: Fate = 'serve';
    const result = await super.run(async (tx) => {
      const worked = await work(tx);
      then = this.life?.event() ?? 'serve';
      if (then === 'drop') throw new Error('the process died');
      return worked;
    });
    this.bundles = this.select(
      'select bundle_key as key, bundle_sha256 as sha256 from configuration_versions where bundle_key is not null',
    );
    if (then !== 'serve') throw new Error('the process died');
    return result;
  }
}

/** A service with its store; the service dies and restarts. */
class Life {
  private readonly versions: { readonly id: string }[] = [];
  private alive = true;
  private events = 0;
  private step: Step | undefined;
  private onTheWay = Promise.withResolvers<void>();
  private missed: unknown;
  deaths = 0;

  private constructor(
    readonly world: World,
    private readonly unitOfWork: DyingUnitOfWork,
    private readonly server: S3Server,
  ) {}

  static async begin(server: S3Server, store: S3BundleStore): Promise<Life> {
    server.objects.clear();
    server.uploads.clear();
    const unitOfWork = new DyingUnitOfWork();
    const life = new Life(await World.create({ unitOfWork, store: () => store }), unitOfWork, server);
    unitOfWork.life = life;
    return life;
  }

  /** The fate of the next request or change. */
  event(): Fate {
    this.look();
    if (!this.alive) return 'drop';
    const death = this.step?.death;
    const at = this.events;
    this.events += 1;
    if (death?.at === at) {
      this.alive = false;
      this.deaths += 1;
      if (death.moment === 'on the way') return { dropAndServeAfter: this.onTheWay.promise };
      return death.moment === 'before' ? 'drop' : 'serve then drop';
    }
    return 'serve';
  }

  request(): Fate {
    const fate = this.event();
    const fault = this.step?.fault;
    return fate === 'serve' && fault?.at === this.events - 1 ? fault.fate : fate;
  }

  get referredTo(): DyingUnitOfWork['bundles'] {
    return this.unitOfWork.bundles;
  }

  /** The bundle a version refers to exists at any time. */
  private look(): void {
    for (const { key } of this.referredTo) {
      if (!this.server.objects.has(`bundles/${key}`)) this.missed ??= `${key} is missing`;
    }
  }

  async take(step: Step): Promise<void> {
    this.step = step;
    this.events = 0;
    // Other suites check what a caller receives.
    await this.perform(step.command).catch(() => undefined);
    this.step = undefined;
    // A store does not keep a request waiting for long.
    this.onTheWay.resolve();
    this.onTheWay = Promise.withResolvers();
    await setImmediate();
    this.alive = true;
    this.look();
    if (this.missed !== undefined) throw new Error(String(this.missed));
  }

  private async perform(command: Command): Promise<unknown> {
    const { world } = this;
    switch (command.kind) {
      case 'create version':
        return this.versions.push(await world.newVersion());
      case 'upload': {
        const version = pick(this.versions, command.which);
        if (version === undefined) return undefined;
        const objectId = objectIdOf(world.urls.issue('upload', version.id, world.clock.now()));
        const bodies = command.archives.map((archive) => this.body(pick(archives, archive), command));
        const uploads = bodies.map((body) => world.useCases.uploadConfigurationBundle.execute(objectId, body));
        return Promise.allSettled(uploads);
      }
      case 'backing data': {
        const version = pick(this.versions, command.which);
        if (version === undefined) return undefined;
        return command.action === 'archive'
          ? world.useCases.archiveConfigurationVersion.execute(world.owner, version.id)
          : world.useCases.changeBackingData.execute(world.owner, version.id, command.action);
      }
      case 'work':
        return world.useCases.performEffects.execute('discards');
      case 'time':
        return world.clock.advance(command.seconds);
      case 'sweep':
        return world.useCases.sweepBundles.execute(attemptSeconds.abandoned);
    }
  }

  private async *body(
    archive: Buffer | undefined,
    { ending, frozen }: { readonly ending: Ending; readonly frozen: number },
  ): AsyncGenerator<Uint8Array> {
    const bytes = archive ?? Buffer.alloc(0);
    const middle = Math.floor(bytes.length / 2);
    yield bytes.subarray(0, middle);
    if (frozen > 0 && this.alive) {
      this.world.clock.advance(frozen);
      await this.perform({ kind: 'sweep' }).catch(() => undefined);
    }
    if (ending === 'broken off') throw new Error('the client went away');
    yield ending === 'bad' ? Buffer.alloc(partBytes * 2) : bytes.subarray(middle);
  }

  /** Ends all faults and performs everything that can be performed. */
  async comeToRest(): Promise<void> {
    const { world } = this;
    await world.performEffects();
    world.clock.advance(softDeleteDays * day);
    await world.performEffects();
    world.clock.advance(attemptSeconds.abandoned + 2);
    await this.perform({ kind: 'sweep' });
    world.clock.advance(1);
    await world.performEffects();
  }
}

const pick = <Item>(items: readonly Item[], which: number): Item | undefined =>
  items.length === 0 ? undefined : items[which % items.length];

const which = fc.nat({ max: 5 });
const { taken, abandoned } = attemptSeconds;

const aCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('create version' as const) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('upload' as const),
      which,
      archives: fc.array(which, { minLength: 1, maxLength: 2 }),
      ending: fc.constantFrom<Ending>('good', 'good', 'good', 'bad', 'broken off'),
      frozen: fc.constantFrom(0, 0, 0, 0, 0, 60, taken, taken + 1, abandoned + 2),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('backing data' as const),
      which,
      action: fc.constantFrom('archive', 'soft-delete', 'soft-delete', 'restore', 'permanently-delete'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('work' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.constantFrom(1, 600, abandoned + 2, day) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('sweep' as const) }) },
);

const seldom = <Thing>(arbitrary: fc.Arbitrary<Thing>): fc.Arbitrary<Thing | null> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const at = fc.nat({ max: 9 });

const aStep: fc.Arbitrary<Step> = fc.record({
  command: aCommand,
  death: seldom(fc.record({ at, moment: fc.constantFrom<Death['moment']>('before', 'after', 'on the way') })),
  fault: seldom(fc.record({ at, fate: fc.constantFrom<Fate>('refuse', 'drop', 'serve then drop') })),
});

/** Leaves an upload in parts open, whatever the random steps come to. */
const dyingBetweenParts: Step = {
  command: { kind: 'upload', which: 0, archives: [2], ending: 'good', frozen: 0 },
  death: { at: 4, moment: 'after' },
  fault: null,
};

describe('bundles in an object store, wherever the process dies', () => {
  let server: S3Server;
  let store: S3BundleStore;
  let life: Life | undefined;
  const client = () => s3Client({ endpoint: server.endpoint, region: server.region });

  beforeAll(async () => {
    server = await startS3Server({
      before: () => life?.request() ?? 'serve',
      now: () => Date.parse(life?.world.clock.now() ?? new Date().toISOString()),
      partMinimum: partBytes,
      pageSize: 3,
    });
    const signing = client();
    signing.config.credentials = async () => server;
    const timeouts = { answer: 2_000, transfer: 2_000, pause: 0 };
    store = new S3BundleStore({ client: signing, bucket: server.bucket, partBytes, timeouts });
  });

  afterAll(() => server.close());

  it('are those that versions refer to, no more and no fewer', async () => {
    const met = { deaths: 0, held: 0, open: 0, marked: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 5, maxLength: 25 }), async (steps) => {
        life = await Life.begin(server, store);
        const beginning = { command: { kind: 'create version' }, death: null, fault: null } as const;
        for (const step of [beginning, beginning, ...steps]) await life.take(step);
        met.deaths += life.deaths;
        met.open += server.uploads.size;
        met.marked += [...server.objects.keys()].filter((name) => name.startsWith('unsettled/')).length;
        await life.comeToRest();
        const expected = life.referredTo.map(({ key, sha256 }) => [`bundles/${key}`, sha256]);
        const held = [...server.objects].map(([name, { bytes }]) => [
          name,
          createHash('sha256').update(bytes).digest('hex'),
        ]);
        expect(held.sort()).toEqual(expected.sort());
        expect(server.uploads.size).toBe(0);
        met.held += held.length;
        await life.world.unitOfWork.close();
        life = undefined;
      }),
      { numRuns: runs(120), examples: [[[dyingBetweenParts]]] },
    );
    // A case that never occurred was not tested.
    for (const [what, times] of Object.entries(met)) expect([what, times > 0]).toEqual([what, true]);
  });
});
