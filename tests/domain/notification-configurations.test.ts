import { describe, expect, it } from '@jest/globals';
import {
  checkNotification,
  checkToken,
  checkTriggers,
  type DeliveryResponse,
  destinationTypes,
  type NotificationSettings,
  notificationLimits,
  type RunStatus,
  runNotificationTriggers,
  runStatuses,
  triggerReached,
  withDelivery,
} from '../../src/domain/index.js';
import { noon } from '../support/builders.js';

const webhook: NotificationSettings = {
  name: 'Our channel',
  enabled: true,
  destinationType: 'generic',
  url: 'https://hooks.example/1?secret=2',
  triggers: [],
  emailAddresses: [],
  userIds: [],
};
const email: NotificationSettings = { ...webhook, destinationType: 'email', enabled: false, url: null };

const refusing = (details: object, words = '') =>
  expect.objectContaining({ code: 'attribute/invalid', details, message: expect.stringContaining(words) });

describe('the settings of a notification configuration', () => {
  it.each([
    webhook,
    { ...webhook, destinationType: 'slack', url: 'http://127.0.0.1' },
    { ...email, emailAddresses: ['ops@acme.example'], userIds: ['user-1'] },
  ] as const)('are kept as given: $destinationType', (settings) => {
    expect(checkNotification(settings)).toBe(settings);
  });

  it.each([
    ['a blank name', { ...webhook, name: ' ' }, { attribute: 'name' }, ''],
    ['no URL', { ...webhook, url: null }, { attribute: 'url' }, "can't be blank"],
    ['a URL of another kind', { ...webhook, url: 'ftp://hooks.example' }, { attribute: 'url' }, 'https://'],
    ['a password in the URL', { ...webhook, url: 'https://a:b@hooks.example' }, { attribute: 'url' }, 'password'],
    ['addresses of a webhook', { ...webhook, emailAddresses: ['a@b'] }, { attribute: 'emailAddresses' }, 'only if'],
    ['users of a webhook', { ...webhook, userIds: ['user-1'] }, { relationship: 'users' }, 'only if'],
    ['a URL for e-mail', { ...email, url: webhook.url }, { attribute: 'url' }, 'left out'],
    ['e-mail that is enabled', { ...email, enabled: true }, { attribute: 'enabled' }, 'sends no e-mail'],
    ['an odd address', { ...email, emailAddresses: ['a b@c'] }, { attribute: 'emailAddresses' }, 'a b@c'],
  ] as const)('are refused with %s', (_, settings, details, words) => {
    expect(() => checkNotification(settings)).toThrow(refusing(details, words));
  });

  it('have a token only where it signs something', () => {
    for (const type of destinationTypes) expect(() => checkToken(type, '')).not.toThrow();
    expect(() => checkToken('generic', 'a token')).not.toThrow();
    expect(() => checkToken('slack', 'a token')).toThrow(refusing({ attribute: 'token' }));
  });
});

describe('the triggers of a notification configuration', () => {
  it('are in the order of a run, each once', () => {
    expect(checkTriggers('project', ['run:errored', 'run:created', 'run:errored'])).toEqual([
      'run:created',
      'run:errored',
    ]);
    expect(checkTriggers('workspace', [...runNotificationTriggers])).toEqual(runNotificationTriggers);
  });

  it.each([
    ['assessment:drifted', 'no health assessments'],
    ['workspace:auto_destroy_reminder', 'the triggers of a run'],
    ['change_request:created', 'no change requests'],
    ['run:completed ', 'Triggers must be among run:created, '],
  ])('cannot be %j', (trigger, words) => {
    expect(() => checkTriggers('workspace', ['run:created', trigger])).toThrow(
      refusing({ attribute: 'triggers' }, words),
    );
  });

  it('are of change requests for a team, and of nothing else', () => {
    expect(checkTriggers('team', ['change_request:created'])).toEqual(['change_request:created']);
    for (const trigger of ['run:created', 'run:other']) {
      expect(() => checkTriggers('team', [trigger])).toThrow(
        refusing({ attribute: 'triggers' }, 'among change_request:created: '),
      );
    }
    expect(() => checkTriggers('team', ['assessment:drifted'])).toThrow(refusing({ attribute: 'triggers' }, 'health'));
  });
});

describe('the trigger of a run', () => {
  const reached: Readonly<Record<RunStatus, string | undefined>> = {
    pending: undefined,
    fetching: undefined,
    plan_queued: undefined,
    pre_plan_running: undefined,
    pre_plan_completed: undefined,
    planning: 'run:planning',
    planned: 'run:needs_attention',
    planned_and_saved: 'run:needs_attention',
    post_plan_running: undefined,
    post_plan_awaiting_decision: 'run:needs_attention',
    post_plan_completed: 'run:needs_attention',
    confirmed: undefined,
    pre_apply_running: undefined,
    pre_apply_completed: undefined,
    apply_queued: undefined,
    applying: 'run:applying',
    applied: 'run:completed',
    planned_and_finished: 'run:completed',
    discarded: 'run:errored',
    errored: 'run:errored',
    canceled: 'run:errored',
  };

  it.each(runStatuses)('that comes to rest in %s', (status) => {
    const other = status === 'pending' ? 'planning' : 'pending';
    expect(triggerReached(other, status)).toBe(reached[status]);
    expect(triggerReached(status, status)).toBeUndefined();
  });
});

it('keeps the last deliveries, newest first', () => {
  const delivery = (code: number): DeliveryResponse => ({
    url: 'https://hooks.example',
    code: String(code),
    body: '',
    successful: true,
    sentAt: noon,
  });
  let kept = { deliveries: [] as readonly DeliveryResponse[] };
  for (let code = 1; code <= notificationLimits.deliveries + 2; code += 1) kept = withDelivery(kept, delivery(code));
  expect(kept.deliveries.map(({ code }) => code)).toEqual(['7', '6', '5', '4', '3']);
});
