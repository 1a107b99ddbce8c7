import { describe, expect, it } from '@jest/globals';
import { hasEnded } from '../../web/console/parts/status-words.js';
import { stepsOf } from '../../web/console/run/stage-bar.js';

const at = (minute: number) => `2030-01-01T12:0${minute}:00.000Z`;

type Run = Parameters<typeof stepsOf>[0];

const runOf = (status: string, given: Partial<Run> = {}): Run => ({
  status,
  'plan-only': false,
  'auto-apply': false,
  'updated-at': at(9),
  actions: { 'is-confirmable': false },
  'status-timestamps': {},
  ...given,
});

const phaseOf = (status: string, stamps: Readonly<Record<string, string>> = {}) => ({
  status,
  'status-timestamps': stamps,
});

const finished = phaseOf('finished', { 'started-at': at(1), 'finished-at': at(2) });
const pending = phaseOf('pending');

const wordsOf = (...given: Parameters<typeof stepsOf>) =>
  stepsOf(...given).map(({ place, status }) => `${place}: ${status}`);

describe('the stages of a run', () => {
  it('are in the order of the run, with what each waits for', () => {
    const run = runOf('planned', { actions: { 'is-confirmable': true }, 'status-timestamps': { 'planned-at': at(2) } });
    const parts = {
      isOver: false,
      plan: finished,
      apply: pending,
      checks: [
        { stage: 'post_plan', status: 'passed' },
        { stage: 'pre_plan', status: 'passed' },
        { stage: 'post_apply', status: 'pending' },
      ],
    } as const;
    expect(wordsOf(run, parts)).toEqual([
      'pre_plan: passed',
      'plan: finished',
      'post_plan: passed',
      'confirmation: needed',
      'apply: pending',
      'post_apply: pending',
    ]);
    expect(stepsOf(run, parts)[3]).toMatchObject({ section: 'decision', from: at(2) });
  });

  it('have the time that each took, which goes on only while it runs', () => {
    const planOf = (status: string, plan: typeof finished) =>
      stepsOf(runOf(status), { plan, apply: pending, checks: [], isOver: hasEnded(status) })[0];
    const begun = { 'started-at': at(1) };
    expect(planOf('planning', phaseOf('running', begun))).toMatchObject({ from: at(1), to: undefined });
    expect(planOf('errored', phaseOf('errored', begun))).toMatchObject({ from: at(1), to: at(9) });
    expect(planOf('planned', finished)).toMatchObject({ from: at(1), to: at(2) });
  });

  it('end with the plan if nothing is applied', () => {
    const parts = { plan: finished, apply: phaseOf('unreachable'), checks: [], isOver: false };
    expect(wordsOf(runOf('planned_and_finished'), parts)).toEqual(['plan: finished']);
    expect(wordsOf(runOf('planning', { 'plan-only': true }), parts)).toEqual(['plan: finished']);
  });

  it('distinguish a confirmation by a person from an automatic one', () => {
    const parts = { plan: finished, apply: phaseOf('running', { 'started-at': at(3) }), checks: [], isOver: false };
    const confirmed = { 'status-timestamps': { 'confirmed-at': at(3) } };
    expect(wordsOf(runOf('applying', confirmed), parts)[1]).toBe('confirmation: given');
    expect(wordsOf(runOf('applying', { ...confirmed, 'auto-apply': true }), parts)[1]).toBe('confirmation: automatic');
    expect(wordsOf(runOf('discarded'), parts)[1]).toBe('confirmation: discarded');
    expect(wordsOf(runOf('planning'), parts)[1]).toBe('confirmation: unreached');
  });
});
