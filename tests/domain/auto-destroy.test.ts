import { describe, expect, it } from '@jest/globals';
import type { TokenOwner } from '../../src/domain/index.js';
import {
  type AutoDestroy,
  type AutoDestroyChange,
  afterActivity,
  afterItsTime,
  changedAutoDestroy as changedWhole,
  type Destroyed,
  effectiveAutoDestroy,
  type InheritedDestruction,
  nothingInherited,
  type ProjectAutoDestroy,
} from '../../src/domain/supporting/workspaces/auto-destroy.js';
import { later, noon, thrownBy } from './samples.js';

const alice: TokenOwner = { kind: 'user', id: 'user-alice' };
const bob: TokenOwner = { kind: 'user', id: 'user-bob' };
const inTwoDays = '2030-01-03T12:00:00.000Z';
const now = '2030-01-01T12:00:00.000Z';

const facts = { by: bob, now, hasResources: true };
const fixed: AutoDestroy = { at: inTwoDays, activityDuration: null, by: alice };
const rolling: AutoDestroy = { at: inTwoDays, activityDuration: '2d', by: alice };

const having = (autoDestroy: AutoDestroy | null, ignored = false): Destroyed => ({
  autoDestroy,
  inheritedDestruction: { ...nothingInherited, ignored },
});

const changedAutoDestroy = (current: AutoDestroy | null, change: AutoDestroyChange, given: typeof facts) =>
  changedWhole(having(current), change, given).autoDestroy;

describe('a change of a scheduled destruction', () => {
  it('chooses between a schedule of its own, that of the project, and none', () => {
    const ignoring = having(null, true);
    const began = { ...having(null), inheritedDestruction: { ...nothingInherited, since: now } };
    expect(changedWhole(having(null), { inherits: false }, facts)).toEqual(ignoring);
    expect(changedWhole(ignoring, { inherits: true }, facts)).toEqual(began);
    expect(changedWhole(having(rolling), { inherits: true }, facts)).toEqual(began);
    expect(changedWhole(having(fixed), { at: null }, facts)).toEqual(began);
    expect(changedWhole(having(fixed, true), { at: null }, facts)).toEqual(ignoring);
    const both = () => changedWhole(ignoring, { inherits: true, activityDuration: '2d' }, facts);
    expect(thrownBy(both)).toMatchObject({ details: { attribute: 'inheritsProjectAutoDestroy' } });
  });

  it('sets and unsets the time', () => {
    expect(changedAutoDestroy(null, { at: inTwoDays }, facts)).toEqual({ ...fixed, by: bob });
    expect(changedAutoDestroy(fixed, { at: null }, facts)).toBeNull();
    expect(changedAutoDestroy(rolling, { at: null }, facts)).toEqual({ ...rolling, at: null, by: bob });
  });

  it.each([
    ['2d', inTwoDays],
    ['12h', '2030-01-02T00:00:00.000Z'],
    ['9999d', '2057-05-18T12:00:00.000Z'],
  ])('counts %s from now, until %s', (activityDuration, at) => {
    expect(changedAutoDestroy(null, { activityDuration }, facts)).toEqual({ at, activityDuration, by: bob });
  });

  it('sets no time while there is nothing to destroy', () => {
    const change = { activityDuration: '2d' };
    const scheduled = changedAutoDestroy(null, change, { ...facts, hasResources: false });
    expect(scheduled).toEqual({ at: null, activityDuration: '2d', by: bob });
  });

  it('takes the time that is named along with the duration', () => {
    expect(changedAutoDestroy(null, { activityDuration: '5d', at: inTwoDays }, facts)?.at).toBe(inTwoDays);
  });

  it('counts a duration that replaces a time, which the request unsets', () => {
    const change = { at: null, activityDuration: '2d' };
    expect(changedAutoDestroy(fixed, change, facts)).toEqual({ ...rolling, by: bob });
  });

  it('unsets the time with the duration that led to it', () => {
    expect(changedAutoDestroy(rolling, { activityDuration: null }, facts)).toBeNull();
  });

  it.each(['', '0d', '0000h', '10000d', '14', 'd', '14m', ' 14d', '14d\n', '-1d', '1.5d', '14D'])(
    'refuses the duration %j',
    (activityDuration) => {
      const change = () => changedAutoDestroy(null, { activityDuration }, facts);
      expect(thrownBy(change)).toMatchObject({
        code: 'attribute/invalid',
        details: { attribute: 'autoDestroyActivityDuration' },
      });
    },
  );

  it.each([now, '2029-12-31T00:00:00.000Z'])('takes the time %s, which has come', (at) => {
    expect(changedAutoDestroy(null, { at }, facts)?.at).toBe(at);
  });

  it('replaces the duration with a time, unless the client sends back the time that it read', () => {
    const at = '2030-01-09T12:00:00.000Z';
    expect(changedAutoDestroy(rolling, { at }, facts)).toEqual({ at, activityDuration: null, by: bob });
    expect(changedAutoDestroy(rolling, { at: rolling.at }, facts)).toEqual({ ...rolling, by: bob });
  });
});

describe('a scheduled destruction', () => {
  it('is postponed by an activity only with a duration', () => {
    expect(afterActivity(fixed, later, true)).toEqual(fixed);
    expect(afterActivity(rolling, now, true)).toEqual({ ...rolling, at: inTwoDays });
    expect(afterActivity(rolling, noon, false)).toEqual({ ...rolling, at: null });
  });

  it('is over with its time, and waits for the next activity with a duration', () => {
    expect(afterItsTime(having(fixed)).autoDestroy).toBeNull();
    expect(afterItsTime(having(rolling)).autoDestroy).toEqual({ ...rolling, at: null });
  });

  const project: ProjectAutoDestroy = { activityDuration: '2d', since: noon, nextCheckAt: inTwoDays, by: alice };
  const inherited = (given: Partial<InheritedDestruction> = {}): Destroyed => ({
    autoDestroy: null,
    inheritedDestruction: { ...nothingInherited, lastStateAt: noon, project, ...given },
  });
  const timeOf = (workspace: Destroyed, resources = true) => effectiveAutoDestroy(workspace, resources)?.at;
  const twoDaysAfter = (instant: string) => new Date(Date.parse(instant) + 172_800_000).toISOString();

  it('is inherited from the project, and counts from the last of the state, the setting and the beginning', () => {
    expect(effectiveAutoDestroy(inherited(), true)).toEqual({
      ...{ at: twoDaysAfter(noon), activityDuration: '2d', by: alice },
    });
    expect(timeOf(inherited({ lastStateAt: later }))).toBe(twoDaysAfter(later));
    expect(timeOf(inherited({ since: later }))).toBe(twoDaysAfter(later));
    expect(timeOf(inherited({ project: { ...project, since: later } }))).toBe(twoDaysAfter(later));
  });

  it('is inherited without a time while there is nothing to destroy, and once the time has come', () => {
    expect(timeOf(inherited(), false)).toBeNull();
    expect(timeOf(inherited({ lastStateAt: null }))).toBeNull();
    const done = { ...inherited(), ...afterItsTime(inherited()) };
    expect(timeOf(done)).toBeNull();
    expect(timeOf(inherited({ ...done.inheritedDestruction, lastStateAt: later }))).toBe(twoDaysAfter(later));
  });

  it('is not inherited with a schedule of its own, where the project is ignored, and without one of the project', () => {
    expect(effectiveAutoDestroy({ ...inherited(), autoDestroy: fixed }, true)).toEqual(fixed);
    expect(effectiveAutoDestroy(inherited({ ignored: true }), true)).toBeNull();
    expect(effectiveAutoDestroy(inherited({ project: null }), true)).toBeNull();
  });
});
