import { describe, expect, it } from '@jest/globals';
import {
  casesOf,
  differenceOf,
  type PolicyVerdict,
  type Result,
  type Verdict,
} from '../../web/console/pages/policy-trials/verdicts.js';

const policy = (name: string, before: Verdict | null, now: Verdict, output: readonly unknown[] | null = null) => ({
  name,
  before: before === null ? null : { status: before },
  now: { status: now, 'enforcement-level': 'mandatory', output, reason: null },
});

const result = (
  id: string,
  before: Verdict | null,
  now: Verdict | null,
  policies: readonly PolicyVerdict[] = [],
): Result => ({
  id,
  attributes: {
    before: before === null ? null : { status: before },
    now: now === null ? null : { status: now, reason: null },
    policies,
  },
  relationships: { run: { data: { id } }, workspace: { data: { id: 'ws' } } },
});

describe('the verdict of a trial', () => {
  it.each([
    ['passed', 'failed', 'worse'],
    ['failed', 'errored', 'worse'],
    [null, 'failed', 'worse'],
    ['failed', 'passed', 'better'],
    ['errored', 'passed', 'better'],
    ['passed', 'not-comparable', 'unknown'],
    ['failed', 'failed', 'same'],
    [null, 'passed', 'same'],
  ] as const)('that was %s and is %s is %s', (before, now, difference) => {
    expect(differenceOf(before, now)).toBe(difference);
  });

  it('is listed once for all plans that have it for the same reason', () => {
    const fails = [
      policy('owners', 'passed', 'errored', ['owners.rego, line 4: unsafe']),
      policy('tags', null, 'passed'),
    ];
    const { worse, better, same, unknown } = casesOf([
      result('a', 'passed', 'errored', fails),
      result('b', 'passed', 'errored', fails),
      result('c', 'passed', 'errored', [policy('owners', 'passed', 'errored', ['another message'])]),
      result('d', 'passed', null),
      result('e', 'failed', 'passed', [policy('owners', 'failed', 'passed')]),
    ]);
    expect(worse.map(({ plans }) => plans.map(({ id }) => id))).toEqual([['a', 'b'], ['c']]);
    expect(worse[0]?.policies.map(({ name }) => name)).toEqual(['owners']);
    expect(better.map(({ policies }) => policies.map(({ name }) => name))).toEqual([['owners']]);
    expect([same, unknown]).toEqual([[], []]);
  });
});
