import { beforeEach, describe, expect, it } from '@jest/globals';
import type { BackingDataChange } from '../../src/application/index.js';
import { type Actor, type ConfigurationVersionId, runStatusesInProgress, type Status } from '../../src/domain/index.js';
import { softDeleteDays, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { someIngressAttributes } from '../support/builders.js';
import { RunSteps } from '../support/run-steps.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });
const day = 86_400;

let world: World;
beforeEach(async () => {
  world = await World.create();
});

const change = (id: ConfigurationVersionId, action: BackingDataChange, actor: Actor = world.owner) =>
  world.useCases.changeBackingData.execute(actor, id, action);

const statusOf = async (id: ConfigurationVersionId): Promise<Status> => (await world.stateOf(id)).status;

const refusal = (done: string, because: string) => ({
  code: 'configuration-version/backing-data-unchanged',
  message: `configuration could not be ${done} because ${because}`,
});

const done: Readonly<Record<BackingDataChange, string>> = {
  'soft-delete': 'soft deleted',
  restore: 'restored',
  'permanently-delete': 'permanently deleted',
};

/** An uploaded version that is not the current one. */
const uploaded = async (): Promise<ConfigurationVersionId> =>
  (await world.uploadedVersion(files, { provisional: true })).id;

const softDeleted = async (): Promise<ConfigurationVersionId> => {
  const id = await uploaded();
  await change(id, 'soft-delete');
  return id;
};

const purgePasses = async (days: number): Promise<void> => {
  world.clock.advance(days * day);
  await world.performEffects();
};

/** A version in every status and condition the actions can meet. */
const versions: Readonly<Record<string, () => Promise<ConfigurationVersionId>>> = {
  pending: async () => (await world.newVersion({ provisional: true })).id,
  errored: async () => {
    const version = await world.newVersion({ provisional: true });
    await world.upload(version, Buffer.from('no archive')).catch(() => undefined);
    return version.id;
  },
  uploaded,
  archived: async () => {
    const id = await uploaded();
    await world.useCases.archiveConfigurationVersion.execute(world.owner, id);
    return id;
  },
  'soft-deleted': softDeleted,
  'permanently deleted': async () => {
    const id = await softDeleted();
    await change(id, 'permanently-delete');
    return id;
  },
  current: async () => (await world.uploadedVersion(files)).id,
  'used by a run that is over': async () => {
    const id = await uploaded();
    await world.run(id, 'applied');
    return id;
  },
  'used by a run in progress': async () => {
    const id = await uploaded();
    await world.run(id, 'planned_and_saved');
    return id;
  },
  'soft-deleted and current': async () => {
    const id = await softDeleted();
    await world.unitOfWork.run((tx) => tx.workspaces.promote(world.workspace.id, id));
    return id;
  },
  'fetched from version control': () => world.fetchedVersion(someIngressAttributes()),
  'fetched from version control and archived': async () => {
    const id = await world.fetchedVersion(someIngressAttributes());
    await world.fire(id, 'finish-runs');
    return id;
  },
};

/** The status each action leads to, or why it is refused. */
const promised: Readonly<Record<string, Readonly<Record<BackingDataChange, Status | `because ${string}`>>>> = {
  pending: {
    'soft-delete': 'because its status is pending',
    restore: 'because its status is pending',
    'permanently-delete': 'because its status is pending',
  },
  errored: {
    'soft-delete': 'because its status is errored',
    restore: 'because its status is errored',
    'permanently-delete': 'because its status is errored',
  },
  uploaded: {
    'soft-delete': 'backing_data_soft_deleted',
    restore: 'because its status is uploaded',
    'permanently-delete': 'because its status is uploaded',
  },
  archived: {
    'soft-delete': 'because its status is archived',
    restore: 'because its status is archived',
    'permanently-delete': 'because its status is archived',
  },
  'soft-deleted': {
    'soft-delete': 'because its status is backing_data_soft_deleted',
    restore: 'uploaded',
    'permanently-delete': 'backing_data_permanently_deleted',
  },
  'permanently deleted': {
    'soft-delete': 'because its status is backing_data_permanently_deleted',
    restore: 'because its status is backing_data_permanently_deleted',
    'permanently-delete': 'because its status is backing_data_permanently_deleted',
  },
  current: {
    'soft-delete': 'because it is current',
    restore: 'because its status is uploaded',
    'permanently-delete': 'because its status is uploaded',
  },
  'used by a run that is over': {
    'soft-delete': 'backing_data_soft_deleted',
    restore: 'because its status is uploaded',
    'permanently-delete': 'because its status is uploaded',
  },
  'used by a run in progress': {
    'soft-delete': 'because a run in progress uses it',
    restore: 'because its status is uploaded',
    'permanently-delete': 'because its status is uploaded',
  },
  'soft-deleted and current': {
    'soft-delete': 'because its status is backing_data_soft_deleted',
    restore: 'uploaded',
    'permanently-delete': 'because it is current',
  },
  'fetched from version control': {
    'soft-delete': 'because it was created from version control',
    restore: 'because its status is uploaded',
    'permanently-delete': 'because it was created from version control',
  },
  'fetched from version control and archived': {
    'soft-delete': 'because it was created from version control',
    restore: 'because its status is archived',
    'permanently-delete': 'because it was created from version control',
  },
};

const cases = Object.keys(versions).flatMap((condition) =>
  (Object.keys(done) as BackingDataChange[]).map(
    (action) => [action, condition, promised[condition]?.[action] ?? 'because it is not specified'] as const,
  ),
);

describe('the three actions on backing data', () => {
  it.each(cases)('%s of a version that is %s: %s', async (action, condition, outcome) => {
    await world.uploadedVersion(files);
    const id = (await versions[condition]?.()) ?? '';
    if (outcome.startsWith('because ')) {
      await world.refuses(() => change(id, action), refusal(done[action], outcome.slice('because '.length)));
      return;
    }
    await change(id, action);
    expect(await statusOf(id)).toBe(outcome);
  });

  it.each(runStatusesInProgress)('are refused while a run that is %s uses it', async (status) => {
    const id = await uploaded();
    await world.run(id, status);
    await world.refuses(() => change(id, 'soft-delete'), refusal('soft deleted', 'a run in progress uses it'));
  });

  it('stamp the version, and return when soft-deleted data is permanently deleted', async () => {
    const id = await uploaded();
    await change(id, 'soft-delete');
    expect(await world.stateOf(id)).toMatchObject({ purgeAt: '2030-01-08T00:00:00.000Z' });
    world.clock.advance(day);
    await change(id, 'restore');
    const { purgeAt, statusTimestamps } = await world.stateOf(id);
    expect(purgeAt).toBeNull();
    expect(statusTimestamps).toEqual({
      'uploaded-at': '2030-01-01T00:00:00.000Z',
      'soft-delete-backing-data-at': '2030-01-01T00:00:00.000Z',
      'restore-backing-data-at': '2030-01-02T00:00:00.000Z',
    });
  });
});

describe('a version without its backing data', () => {
  it('takes no upload and no run', async () => {
    const version = await world.uploadedVersion(files, { provisional: true });
    await change(version.id, 'soft-delete');
    const other = await archiveOf({ 'main.tf': 'locals {}' });
    await world.refuses(() => world.upload(version, other), { code: 'configuration-version/upload-refused' });
    const steps = await RunSteps.of(world);
    await world.refuses(() => steps.create({ configurationVersionId: version.id }), { code: 'attribute/invalid' });
  });

  it('discards its files when it is permanently deleted', async () => {
    const id = await softDeleted();
    await change(id, 'permanently-delete');
    expect(await world.stateOf(id)).toMatchObject({ bundle: null, purgeAt: null });
    await world.performEffects();
    expect(await world.bundles()).toEqual(new Map());
    await purgePasses(softDeleteDays);
    expect(world.ordered).toEqual([]);
    expect(await statusOf(id)).toBe('backing_data_permanently_deleted');
  });
});

describe('the purge', () => {
  it('leaves what was restored alone', async () => {
    const id = await softDeleted();
    await purgePasses(softDeleteDays - 1);
    await change(id, 'restore');
    await purgePasses(softDeleteDays);
    expect(await statusOf(id)).toBe('uploaded');
    expect((await world.bundles()).size).toBe(1);
    expect(world.ordered).toEqual([]);
  });

  it('restarts the days after a restore and a second soft delete: the older purge does nothing', async () => {
    const id = await softDeleted();
    await purgePasses(3);
    await change(id, 'restore');
    await change(id, 'soft-delete');
    await purgePasses(4);
    expect(await statusOf(id)).toBe('backing_data_soft_deleted');
    await purgePasses(2);
    expect(await statusOf(id)).toBe('backing_data_soft_deleted');
    await change(id, 'restore');
    await change(id, 'soft-delete');
    await purgePasses(6);
    expect(await statusOf(id)).toBe('backing_data_soft_deleted');
    await purgePasses(1);
    expect(await statusOf(id)).toBe('backing_data_permanently_deleted');
    expect(world.ordered).toEqual([]);
    const [newest] = await world.recorded();
    expect(newest).toMatchObject({ action: 'configuration-versions/purge', subject: id, actor: { kind: 'system' } });
  });

  it('holds up nothing else about the version while it waits', async () => {
    const id = await softDeleted();
    await change(id, 'restore');
    await world.useCases.archiveConfigurationVersion.execute(world.owner, id);
    await world.performEffects();
    expect(await world.bundles()).toEqual(new Map());
    await purgePasses(softDeleteDays);
    expect(await statusOf(id)).toBe('archived');
    expect(world.ordered).toEqual([]);
  });

  it('is done however late the worker comes', async () => {
    const ids = [await softDeleted(), await softDeleted(), await softDeleted()];
    await purgePasses(softDeleteDays * 10);
    for (const id of ids) expect(await statusOf(id)).toBe('backing_data_permanently_deleted');
    expect(await world.bundles()).toEqual(new Map());
  });

  it('finds nothing to do when the workspace is gone', async () => {
    const id = await softDeleted();
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await world.performEffects();
    await purgePasses(softDeleteDays);
    expect(world.remembers(id)).toBe(false);
    expect(await world.bundles()).toEqual(new Map());
    expect(world.ordered).toEqual([]);
  });
});
