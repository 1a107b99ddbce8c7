import { describe, expect, it } from '@jest/globals';
import {
  entered,
  Lifecycle,
  type LifecycleGuard,
  type LifecycleRow,
} from '../../src/domain/shared/lifecycle-engine.js';
import { later, noon, thrownBy } from './samples.js';

type Status = 'closed' | 'half_open' | 'open';
interface Facts {
  readonly status: Status;
  readonly locked: boolean;
  readonly windy: boolean;
}

const guards = {
  unlocked: { holds: ({ locked }) => !locked, because: 'it is locked' },
  windy: { holds: ({ windy }) => windy, because: 'there is no wind' },
} as const satisfies Record<string, LifecycleGuard<Facts>>;

const row = { guards: [], effects: [], refusedAs: 'runs/in-progress', done: 'moved' } as const;
const door = [
  { ...row, trigger: 'open', from: ['closed'], guards: ['unlocked'], to: 'open', done: 'opened' },
  {
    ...row,
    trigger: 'push',
    from: ['closed'],
    guards: ['unlocked', 'in one of these states', 'windy'],
    to: 'half_open',
  },
  { ...row, trigger: 'blow-open', from: ['half_open'], guards: ['windy'], to: 'open', automatic: true },
  { ...row, trigger: 'fall-shut', from: ['half_open', 'open'], guards: ['unlocked'], to: 'closed', automatic: true },
  { ...row, trigger: 'paint', from: ['open'], to: 'open', stamp: 'painted-at', effects: ['wait-until-dry'] },
] as const satisfies readonly LifecycleRow<Status, string, keyof typeof guards, 'wait-until-dry'>[];

const life = new Lifecycle('door', door, guards);
const calm: Facts = { status: 'closed', locked: false, windy: false };

describe('a lifecycle', () => {
  it('gives the row of a trigger that may fire', () => {
    expect(life.fire('open', calm)).toBe(door[0]);
    expect(life.fire('paint', { ...calm, status: 'open' }).effects).toEqual(['wait-until-dry']);
    expect(life.allows('open', calm)).toBe(true);
  });

  it.each([
    [
      'open',
      { status: 'open', locked: true },
      'door could not be opened because its status is open',
      'in one of these states',
    ],
    ['open', { locked: true }, 'door could not be opened because it is locked', 'unlocked'],
    ['push', { status: 'open', locked: true }, 'door could not be moved because it is locked', 'unlocked'],
    ['push', { status: 'open' }, 'door could not be moved because its status is open', 'in one of these states'],
    ['push', {}, 'door could not be moved because there is no wind', 'windy'],
  ] as const)('refuses %s of %j: %s', (trigger, facts, message, guard) => {
    const refused = thrownBy(() => life.fire(trigger, { ...calm, ...facts }));
    expect(refused).toMatchObject({ code: 'runs/in-progress', message, details: { trigger, guard } });
    expect(life.allows(trigger, { ...calm, ...facts })).toBe(false);
  });

  it('says whether a trigger starts from a status, whatever its guards', () => {
    expect(life.startsFrom('closed', 'push')).toBe(true);
    expect(life.startsFrom('open', 'push')).toBe(false);
  });

  it('finds the first automatic row that fits', () => {
    const automatic = (facts: Partial<Facts>) => life.automatic({ ...calm, ...facts })?.trigger;
    expect(automatic({ status: 'half_open', windy: true })).toBe('blow-open');
    expect(automatic({ status: 'half_open' })).toBe('fall-shut');
    expect(automatic({ status: 'half_open', locked: true })).toBeUndefined();
    expect(automatic({ status: 'closed', windy: true })).toBeUndefined();
  });
});

describe('moving along a row that nothing refuses', () => {
  const closed = { status: 'closed' as Status, statusTimestamps: {}, visits: 1 };

  it('enters it with the change', () => {
    const pushed = { status: 'half_open', statusTimestamps: { 'half-open-at': noon }, visits: 2 };
    expect(life.moved(closed, 'push', noon, { visits: 2 })).toEqual(pushed);
  });

  it('leaves the state as it is where the row does not start from it', () => {
    expect(life.moved(closed, 'paint', noon, { visits: 2 })).toBe(closed);
  });
});

describe('entering a row', () => {
  const closed = { status: 'closed', statusTimestamps: { 'closed-at': noon } } as const;
  const open = { status: 'open', statusTimestamps: { 'open-at': noon } } as const;

  it('sets the timestamp of the new status and keeps the others', () => {
    expect(entered<Status>(closed, door[1], later)).toEqual({
      status: 'half_open',
      statusTimestamps: { 'closed-at': noon, 'half-open-at': later },
    });
  });

  it('sets the timestamp that the row names', () => {
    const painted = { status: 'open', statusTimestamps: { 'open-at': noon, 'painted-at': later } };
    expect(entered<Status>(open, door[4], later)).toEqual(painted);
  });

  it('sets none where the status stays and the row names none', () => {
    expect(entered<Status>(open, { to: 'open' }, later)).toEqual(open);
  });
});
