import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NotificationDraft } from '../../src/application/index.js';
import {
  type NotificationConfiguration,
  type NotificationSubject,
  notificationLimits,
  notificationWaits,
} from '../../src/domain/index.js';
import { firstPage, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { answered } from '../support/memory-notifier.js';
import { RunSteps } from '../support/run-steps.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });

let world: World;
let steps: RunSteps;
beforeEach(async () => {
  world = await World.create();
  steps = await RunSteps.of(world);
  await world.upload(await world.newVersion({ autoQueueRuns: false }), files);
});

const webhook: NotificationDraft = {
  name: 'Our channel',
  enabled: true,
  destinationType: 'generic',
  url: 'https://hooks.example/1',
  token: null,
  triggers: ['run:created', 'run:planning', 'run:needs_attention', 'run:applying', 'run:completed', 'run:errored'],
  emailAddresses: [],
  userIds: [],
};

const ofWorkspace = (): NotificationSubject => ({ kind: 'workspace', id: world.workspace.id });

/** A configuration whose receiver has been verified. */
const configured = async (
  given: Partial<NotificationDraft> = {},
  subject: NotificationSubject = ofWorkspace(),
): Promise<NotificationConfiguration> => {
  const draft = { ...webhook, ...given };
  const created = await world.useCases.createNotificationConfiguration.execute(world.owner, subject, draft);
  world.notifier.sent.length = 0;
  return created;
};

const shown = ({ id }: NotificationConfiguration) =>
  world.useCases.showNotificationConfiguration.execute(world.owner, id);

/** The statuses that receivers were notified of. */
const told = () => world.notifier.sent.map(({ news }) => news && [news.event.trigger, news.event.status]);

describe('the notifications of a run', () => {
  it('name its creator, and who decided', async () => {
    await configured();
    const run = await steps.create();
    await steps.plan();
    world.clock.advance(1);
    await world.useCases.changeRun.execute(world.owner, run.id, 'discard');
    await world.performEffects();
    expect(told()).toEqual([
      ['run:created', 'pending'],
      ['run:planning', 'planning'],
      ['run:needs_attention', 'planned'],
      ['run:errored', 'discarded'],
    ]);
    expect(world.notifier.sent[0]?.news).toMatchObject({ createdBy: 'olga', updatedBy: null, run: { id: run.id } });
    expect(world.notifier.sent.at(-1)?.news).toMatchObject({ updatedBy: 'olga', event: { at: world.clock.now() } });
  });

  it('are those of the triggers, and none that rest nowhere', async () => {
    await configured({ triggers: ['run:needs_attention', 'run:completed'] });
    await steps.create({ planOnly: true });
    await steps.plan();
    await world.performEffects();
    expect(told()).toEqual([['run:completed', 'planned_and_finished']]);
  });

  it('reach the receivers of its project, in the order in which they were created', async () => {
    const { projectId } = world.workspace;
    await configured({ url: 'https://project.example', triggers: ['run:created'] }, { kind: 'project', id: projectId });
    world.clock.advance(1);
    await configured({ url: 'https://workspace.example', triggers: ['run:created'] });
    await steps.create({ planOnly: true });
    await world.performEffects();
    expect(world.notifier.sent.map(({ url }) => url)).toEqual(['https://project.example', 'https://workspace.example']);
  });

  it('are not sent once the configuration is disabled, without the trigger, or gone', async () => {
    const [disabled, changed, gone] = [await configured(), await configured(), await configured()];
    await steps.create();
    const { updateNotificationConfiguration: update } = world.useCases;
    await update.execute(world.owner, disabled.id, { enabled: false });
    await update.execute(world.owner, changed.id, { triggers: ['run:errored'] });
    await world.useCases.removeNotificationConfiguration.execute(world.owner, gone.id);
    world.notifier.sent.length = 0;
    await world.performEffects();
    expect(world.notifier.sent).toEqual([]);
    expect(world.ordered).toEqual([]);
  });

  it('are not sent once the workspace is gone', async () => {
    await configured();
    await steps.create();
    await world.useCases.removeWorkspace.execute(world.owner, { id: world.workspace.id });
    await world.performEffects();
    expect(world.notifier.sent).toEqual([]);
    expect(world.ordered).toEqual([]);
  });

  it('have the token decrypted, and a receiver whose token cannot be is not called', async () => {
    const sealed = await configured({ token: 'a token of ours', triggers: ['run:created'] });
    await steps.create({ planOnly: true });
    await world.performEffects();
    expect(world.notifier.sent.map(({ token }) => token)).toEqual(['a token of ours']);
    await world.unitOfWork.run((tx) =>
      tx.notificationConfigurations.save({
        ...sealed,
        sealedToken: 'v2.other.sealed',
        revision: sealed.revision + 2,
      }),
    );
    await steps.create({ planOnly: true });
    await world.performEffects();
    expect(world.notifier.sent).toHaveLength(1);
    expect((await shown(sealed)).deliveries[0]).toMatchObject({
      successful: false,
      code: '',
      body: expect.stringContaining('set it again'),
    });
  });
});

describe('a receiver that is down', () => {
  it('delays no run and no other receiver, and gets what happened in order once it is back', async () => {
    const down = await configured({ url: 'https://down.example' });
    await configured({ url: 'https://up.example' });
    let isUp = false;
    world.notifier.answer = ({ url }) => answered(url === 'https://up.example' || isUp ? 200 : 503);
    const run = await steps.create();
    await steps.plan();
    await world.performEffects();
    expect(await steps.statusOf(run.id)).toBe('planned');
    expect(world.notifier.sent.filter(({ url }) => url === 'https://up.example')).toHaveLength(3);
    expect(world.notifier.sent.filter(({ url }) => url === 'https://down.example')).toHaveLength(1);
    expect((await shown(down)).deliveries).toHaveLength(1);
    isUp = true;
    world.notifier.sent.length = 0;
    world.clock.advance(60);
    await world.performEffects();
    expect(told().map((one) => one?.[0])).toEqual(['run:created', 'run:planning', 'run:needs_attention']);
    expect((await shown(down)).deliveries.map(({ successful }) => successful)).toEqual([true, true, true, true]);
  });

  it('is given up some minutes after the event, with the answer kept and the fact recorded', async () => {
    const down = await configured({ triggers: ['run:created'] });
    world.notifier.answer = () => answered(503);
    await steps.create();
    await world.performEffects();
    for (let waited = 0; waited <= notificationWaits.retry; waited += 60) {
      world.clock.advance(60);
      await world.performEffects();
    }
    expect(world.ordered).toEqual([]);
    expect((await shown(down)).deliveries[0]).toMatchObject({ code: '503', successful: false });
    const given = (await world.recorded()).filter(({ action }) => action === 'notifications/give-up');
    expect(given).toMatchObject([{ subject: down.id, actor: { kind: 'system' } }]);
  });

  it('is not tried again after a refusal', async () => {
    const gone = await configured({ triggers: ['run:created'] });
    world.notifier.answer = () => answered(410);
    await steps.create();
    await world.performEffects();
    expect(world.ordered).toEqual([]);
    expect(world.notifier.sent).toHaveLength(1);
    expect((await shown(gone)).deliveries[0]).toMatchObject({ code: '410' });
  });

  it('is not called for what happened too long ago', async () => {
    await configured({ triggers: ['run:created'] });
    await steps.create();
    world.clock.advance(notificationWaits.attempt + 1);
    await world.performEffects();
    expect(world.notifier.sent).toEqual([]);
    expect(world.ordered).toEqual([]);
    expect((await world.recorded())[0]).toMatchObject({ action: 'notifications/give-up' });
  });
});

describe('the verification of receivers', () => {
  const create = () => world.useCases.createNotificationConfiguration.execute(world.owner, ofWorkspace(), webhook);
  const busy = { code: 'notification/busy' };

  it('waits for two of an organization at the same time, and refuses more', async () => {
    const slow = Promise.withResolvers<ReturnType<typeof answered>>();
    const asked = Promise.withResolvers<void>();
    world.notifier.answer = () => {
      if (world.notifier.sent.length === 2) asked.resolve();
      return slow.promise;
    };
    const waiting = [create(), create()];
    await asked.promise;
    await expect(create()).rejects.toMatchObject(busy);
    slow.resolve(answered(200));
    await Promise.all(waiting);
    await create();
    const page = await world.useCases.listNotificationConfigurations.execute(world.owner, ofWorkspace(), firstPage);
    expect(page.total).toBe(3);
  });

  it('does not outlast the right of who asked', async () => {
    const admin = await world.grantee('admin');
    world.notifier.answer = async () => {
      await world.useCases.removeOrganizationMembership.execute(world.owner, admin.membershipId);
      return answered(200);
    };
    const attempt = world.useCases.createNotificationConfiguration.execute(admin, ofWorkspace(), webhook);
    await expect(attempt).rejects.toMatchObject({ code: 'resource/not-found' });
  });

  it('takes no more of a workspace than it may have', async () => {
    for (let n = 0; n < notificationLimits.perSubject; n += 1) await configured({ enabled: false });
    await world.refuses(create, { code: 'attribute/invalid' });
  });

  it('does not happen for who may not manage it', async () => {
    const writer = await world.grantee('write');
    const attempt = world.useCases.createNotificationConfiguration.execute(writer, ofWorkspace(), webhook);
    await expect(attempt).rejects.toMatchObject({ code: 'resource/not-found' });
    expect(world.notifier.sent).toEqual([]);
  });
});
