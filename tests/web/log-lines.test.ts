import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LogLines, matchesIn, partsOf, textOf } from '../../web/console/pages/run/log-lines.js';

const linesOf = (...pieces: readonly string[]) => {
  const lines = new LogLines();
  for (const text of pieces) lines.add([{ text, classes: '' }]);
  return lines.all();
};

describe('the lines of a log', () => {
  it('are those of the whole text, wherever it is cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab\n]{0,5}$/)), (pieces) => {
        const whole = pieces.join('').split('\n');
        // The break after the last line begins no other one.
        if (whole.at(-1) === '') whole.pop();
        expect(linesOf(...pieces).map(textOf)).toEqual(whole);
      }),
    );
  });

  it('keep the style of each part, and stay as they are once the next one begins', () => {
    const lines = new LogLines();
    lines.add([
      { text: 'a', classes: 'ansi-red' },
      { text: 'b\nc', classes: '' },
    ]);
    const [first] = lines.all();
    expect(first).toEqual([
      { text: 'a', classes: 'ansi-red' },
      { text: 'b', classes: '' },
    ]);
    lines.add([{ text: 'd\n', classes: '' }]);
    expect(lines.all()[0]).toBe(first);
    expect(lines.all().map(textOf)).toEqual(['ab', 'cd']);
  });

  it('are found with their numbers by a part of their text, in any case', () => {
    expect(matchesIn(linesOf('Plan: 1\nError: no\n', 'an error'), 'ERROR')).toEqual([
      { number: 2, text: 'Error: no' },
      { number: 3, text: 'an error' },
    ]);
  });

  it('are cut where they match', () => {
    expect(partsOf('aXbxc', 'x')).toEqual(['a', 'X', 'b', 'x', 'c']);
    expect(partsOf('none', 'x')).toEqual(['none']);
    expect(partsOf('İx', 'x')).toEqual(['İx']);
  });
});
