import { beforeEach, describe, expect, it } from '@jest/globals';
import { ArchiveOldVersions, type UnitOfWork } from '../../src/application/index.js';
import {
  type ConfigurationVersionId,
  completedRunStatuses,
  runStatusesInProgress,
  type Status,
} from '../../src/domain/index.js';
import { archiveAfterDays, missing, objectIdOf, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { someIngressAttributes } from '../support/builders.js';

const [files, others] = await Promise.all(['one', 'two'].map((name) => archiveOf({ 'main.tf': `# ${name}` })));
const age = archiveAfterDays * 86_400;

let world: World;
beforeEach(async () => {
  world = await World.create();
});

const statusOf = async (id: ConfigurationVersionId): Promise<Status> => (await world.stateOf(id)).status;
const archiveOld = () => world.useCases.archiveOldVersions.execute();
const uploaded = (given: object = { provisional: true }) => world.uploadedVersion(files as Buffer, given);

/** Versions once their period has ended, or a moment before. */
const versions: Readonly<Record<string, readonly [becomes: Status, make: () => Promise<ConfigurationVersionId>]>> = {
  'unused for long enough': [
    'archived',
    async () => {
      const { id } = await uploaded();
      world.clock.advance(age + 1);
      return id;
    },
  ],
  'a moment too young': [
    'uploaded',
    async () => {
      const { id } = await uploaded();
      world.clock.advance(age);
      return id;
    },
  ],
  'replaced as the current one': [
    'archived',
    async () => {
      const { id } = await uploaded({});
      world.clock.advance(age + 1);
      await uploaded({});
      return id;
    },
  ],
  current: [
    'uploaded',
    async () => {
      const { id } = await uploaded({});
      world.clock.advance(100 * age);
      return id;
    },
  ],
  'old, with newer bytes': [
    'uploaded',
    async () => {
      const { id, objectId } = await uploaded();
      world.clock.advance(1800);
      await world.upload({ objectId }, others as Buffer);
      world.clock.advance(age);
      return id;
    },
  ],
  'old, and restored of late': [
    'uploaded',
    async () => {
      const { id } = await uploaded();
      world.clock.advance(age);
      await world.useCases.changeBackingData.execute(world.owner, id, 'soft-delete');
      await world.useCases.changeBackingData.execute(world.owner, id, 'restore');
      world.clock.advance(1);
      return id;
    },
  ],
  'never uploaded': [
    'pending',
    async () => {
      const { id } = await world.newVersion({ provisional: true });
      world.clock.advance(100 * age);
      return id;
    },
  ],
  'softly deleted': [
    'backing_data_soft_deleted',
    async () => {
      const { id } = await uploaded();
      await world.useCases.changeBackingData.execute(world.owner, id, 'soft-delete');
      world.clock.advance(age + 1);
      return id;
    },
  ],
  'fetched from version control, and never run': [
    'archived',
    async () => {
      const id = await world.fetchedVersion(someIngressAttributes());
      world.clock.advance(age + 1);
      return id;
    },
  ],
};

describe('archiving old versions', () => {
  const cases = Object.entries(versions).map(([condition, [becomes, make]]) => [condition, becomes, make] as const);

  it.each(cases)('finds a version that is %s and leaves it %s', async (_, becomes, make) => {
    const id = await make();
    const archived = becomes === 'archived' ? 1 : 0;
    expect(await archiveOld()).toEqual({ archived });
    expect(await statusOf(id)).toBe(becomes);
    expect(await archiveOld()).toEqual({ archived: 0 });
  });

  it.each(runStatusesInProgress)('keeps what a run that is %s uses', async (status) => {
    const { id } = await uploaded();
    await world.run(id, status);
    world.clock.advance(100 * age);
    await world.keepsEverything(archiveOld);
  });

  it.each(completedRunStatuses)('does not wait for a run that is %s', async (status) => {
    const { id } = await uploaded();
    await world.run(id, status);
    world.clock.advance(age + 1);
    expect(await archiveOld()).toEqual({ archived: 1 });
    expect(await statusOf(id)).toBe('archived');
  });

  it('looks to readers like archiving by hand', async () => {
    const [byHand, byAge] = [await uploaded(), await uploaded()];
    world.clock.advance(age + 1);
    const downloadUrl = await world.useCases.locateBundle.execute(world.owner, { id: byAge.id });
    await world.useCases.archiveConfigurationVersion.execute(world.owner, byHand.id);
    await archiveOld();
    const [{ id: _, ...expected }, { id: __, ...found }] = [
      await world.stateOf(byHand.id),
      await world.stateOf(byAge.id),
    ];
    expect(found).toEqual(expected);
    await expect(world.useCases.locateBundle.execute(world.owner, { id: byAge.id })).rejects.toMatchObject(missing);
    await expect(world.useCases.readBundle.execute(objectIdOf(downloadUrl))).rejects.toMatchObject(missing);
    expect((await world.bundles()).size).toBe(2);
    await world.performEffects();
    expect((await world.bundles()).size).toBe(0);
  });

  it('leaves alone what is deleted with its workspace', async () => {
    await uploaded();
    world.clock.advance(age + 1);
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    expect(await archiveOld()).toEqual({ archived: 0 });
  });

  it('goes on where the batch before it ended, past those that are kept', async () => {
    for (let made = 0; made < 130; made += 1) {
      const { id } = await uploaded();
      if (made % 10 === 0) await world.run(id, 'planned').then(() => world.clock.advance(1));
    }
    world.clock.advance(age + 1);
    const first = await archiveOld();
    expect(first.next).toBeDefined();
    const second = await world.useCases.archiveOldVersions.execute(first.next);
    expect(second.next).toBeUndefined();
    expect(first.archived + second.archived).toBe(129);
    expect(await archiveOld()).toEqual({ archived: 0 });
  });

  it('says which failed first, and goes on behind it', async () => {
    const [broken, behind] = [await uploaded(), await uploaded()];
    world.clock.advance(age + 1);
    const failure = new Error('no');
    const failing: UnitOfWork = {
      read: (work) => world.unitOfWork.read(work),
      run: (work) =>
        world.unitOfWork.run((tx) => {
          const configurationVersions = Object.create(tx.configurationVersions, {
            find: {
              value: async (id: string) =>
                id === broken.id ? Promise.reject(failure) : tx.configurationVersions.find(id),
            },
          });
          return work({ ...tx, configurationVersions });
        }),
    };
    const archiveOldVersions = new ArchiveOldVersions(failing, world.clock, { archiveAfterDays });
    const first = await archiveOldVersions.execute();
    expect(first).toMatchObject({ archived: 0, failure });
    expect(await archiveOldVersions.execute(first.next)).toEqual({ archived: 1 });
    expect([await statusOf(broken.id), await statusOf(behind.id)]).toEqual(['uploaded', 'archived']);
  });

  it('is off when no age is set', async () => {
    await uploaded();
    world.clock.advance(100 * age);
    const off = new ArchiveOldVersions(world.unitOfWork, world.clock, { archiveAfterDays: 0 });
    await world.keepsEverything(async () => expect(await off.execute()).toEqual({ archived: 0 }));
  });
});
