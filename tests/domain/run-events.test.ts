import { describe, expect, it } from '@jest/globals';
import { queuedRunStatuses, runEventsOf, runStatuses, runStatusesUnderLease } from '../../src/domain/index.js';
import { aRun, later, noon } from './samples.js';

const createdBy = { kind: 'user', id: 'user-1' } as const;

const told = (given: Parameters<typeof aRun>[0]) =>
  runEventsOf(aRun(given).state).map(({ action, createdAt }) => [action, createdAt]);

describe('what happened to a run', () => {
  it('begins with its creation, of which alone is known who it was', () => {
    const statusTimestamps = { 'plan-queueable-at': noon, 'plan-queued-at': noon, 'planning-at': later };
    const [created, ...others] = runEventsOf(aRun({ createdBy, createdAt: noon, statusTimestamps }).state);
    expect(created).toEqual({
      action: 'created',
      description: 'The run was created',
      createdAt: noon,
      actor: createdBy,
      comment: null,
    });
    expect(others.map(({ action, actor }) => [action, actor])).toEqual([
      ['plan_queued', null],
      ['planning', null],
    ]);
  });

  it('comes in the order of time, and of what happened at once in the order in which it did', () => {
    const statusTimestamps = {
      'plan-queueable-at': noon,
      'plan-queued-at': later,
      'planning-at': later,
      'fetching-at': noon,
      'planned-at': later,
      'planned-and-finished-at': later,
    };
    expect(told({ createdAt: noon, statusTimestamps })).toEqual([
      ['created', noon],
      ['fetching', noon],
      ['plan_queued', later],
      ['planning', later],
      ['planned', later],
      ['planned_and_finished', later],
    ]);
  });

  it('knows every status, and says of an error what it was', () => {
    const statusTimestamps = Object.fromEntries(
      runStatuses.map((status) => [`${status.replaceAll('_', '-')}-at`, later]),
    );
    const events = runEventsOf(aRun({ statusTimestamps, failure: 'the disk is full' }).state);
    expect(events.map(({ action }) => action)).toEqual(['created', ...runStatuses]);
    expect(new Set(events.map(({ description }) => description)).size).toBe(events.length);
    expect(events.find(({ action }) => action === 'errored')?.description).toBe('the disk is full');
    const [, untold] = runEventsOf(aRun({ statusTimestamps: { 'errored-at': later }, failure: null }).state);
    expect(untold?.description).toBe('The run errored');
  });
});

describe('the queue', () => {
  it('holds what is executed, and what proceeds without a caller', () => {
    const resting = ['planned', 'planned_and_saved', 'post_plan_awaiting_decision', 'post_plan_completed'];
    const over = ['applied', 'planned_and_finished', 'discarded', 'errored', 'canceled'];
    expect([...queuedRunStatuses, ...resting, ...over].sort()).toEqual([...runStatuses].sort());
    expect(queuedRunStatuses).toEqual(expect.arrayContaining([...runStatusesUnderLease]));
  });
});
