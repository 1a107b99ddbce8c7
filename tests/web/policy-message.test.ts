import { describe, expect, it } from '@jest/globals';
import { firstTextOf, gravestFirst, messageOf } from '../../web/console/run/policy-message.js';

describe('a message of a policy', () => {
  it.each([
    ['Too dear', { text: 'Too dear', values: [] }],
    [3, { text: '3', values: [] }],
    [null, { text: 'null', values: [] }],
    [['a', 1], { text: 'a, 1', values: [] }],
    [{ msg: 'Too dear' }, { text: 'Too dear', values: [] }],
    [{ msg: 3 }, { text: '', values: [['msg', '3']] }],
    [{}, { text: '', values: [] }],
  ])('%j is %j', (output, message) => {
    expect(messageOf(output)).toEqual(message);
  });

  it('has the values of an object by their paths, next to its text', () => {
    const output = {
      resource: 'aws_db.big',
      message: 'Too dear',
      cost: { monthly: 12.5, currency: 'EUR' },
      tags: [],
      regions: ['eu-north-1', 'eu-west-1'],
      rules: [{ port: 22 }],
    };
    expect(messageOf(output)).toEqual({
      text: 'Too dear',
      values: [
        ['resource', 'aws_db.big'],
        ['cost.monthly', '12.5'],
        ['cost.currency', 'EUR'],
        ['tags', 'none'],
        ['regions', 'eu-north-1, eu-west-1'],
        ['rules[0].port', '22'],
      ],
    });
  });
});

it('puts failed mandatory policies first, then those that errored, and those that passed last', () => {
  const rows = ['passed mandatory', 'failed advisory', 'errored ', 'passed advisory', 'failed mandatory'];
  const judged = (row: string) => ({ status: String(row.split(' ')[0]), level: row.split(' ')[1] || null });
  expect(gravestFirst(rows, judged)).toEqual([
    'failed mandatory',
    'errored ',
    'failed advisory',
    'passed mandatory',
    'passed advisory',
  ]);
});

it('gives the first text of a policy as the reason, cut off where it is long', () => {
  expect(firstTextOf([{ port: 22 }, { msg: 'open to the internet' }, 'another'])).toBe('open to the internet');
  expect(firstTextOf(['x'.repeat(300)])).toBe(`${'x'.repeat(200)}…`);
  expect([firstTextOf(null), firstTextOf([{ port: 22 }])]).toEqual(['', '']);
});
