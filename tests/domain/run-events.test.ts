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
      commentId: null,
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

describe('what callers said about a run', () => {
  const [by, other] = [
    { kind: 'user', id: 'user-1' },
    { kind: 'team', id: 'team-1' },
  ] as const;
  const saying = (given: Parameters<typeof aRun>[0], comments: Parameters<typeof runEventsOf>[1] = []) =>
    runEventsOf(aRun(given).state, comments).map(({ action, actor, comment }) => [action, actor, comment]);

  it('belongs to the status that their action led to', () => {
    const statusTimestamps = { 'post-plan-completed-at': noon, 'confirmed-at': later, 'discarded-at': later };
    const decisions = [
      { action: 'override', by, at: noon, comment: 'known' },
      { action: 'confirm', by, at: later, comment: null },
      { action: 'discard', by: other, at: later, comment: 'no' },
    ] as const;
    expect(saying({ createdAt: noon, statusTimestamps, decisions })).toEqual([
      ['created', by, null],
      ['post_plan_completed', by, 'known'],
      ['confirmed', by, null],
      ['discarded', other, 'no'],
    ]);
  });

  it('is an event of its own while the agent has not stopped, and afterwards', () => {
    const decisions = [{ action: 'cancel', by, at: noon, comment: 'stop' }] as const;
    const before = [
      ['created', by, null],
      ['cancel_requested', by, 'stop'],
    ];
    expect(saying({ createdAt: noon, decisions })).toEqual(before);
    const statusTimestamps = { 'canceled-at': later };
    expect(saying({ createdAt: noon, decisions, statusTimestamps })).toEqual([...before, ['canceled', by, null]]);
  });

  it('comes between the statuses when no action came with it', () => {
    const { state } = aRun({ createdAt: noon, statusTimestamps: { 'planned-at': noon, 'discarded-at': later } });
    const comment = { id: 'wsc-1', runId: state.id, body: 'wait', createdBy: other, createdAt: noon };
    const [, , commented, last] = runEventsOf(state, [comment]);
    expect(commented).toMatchObject({ action: 'commented', actor: other, comment: 'wait', commentId: 'wsc-1' });
    expect(last).toMatchObject({ action: 'discarded', commentId: null });
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
