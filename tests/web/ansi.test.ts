import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AnsiReader } from '../../web/console/pages/run/ansi.js';

const readAll = (...pieces: readonly string[]) => {
  const reader = new AnsiReader();
  return pieces.flatMap((piece) => reader.read(piece));
};
const textOf = (...pieces: readonly string[]): string =>
  readAll(...pieces)
    .map(({ text }) => text)
    .join('');

describe('a log with terminal sequences', () => {
  it('has colours, bold and underline as classes', () => {
    expect(readAll('plain \u001b[1m\u001b[32m+ create\u001b[0m\u001b[4;91merror\u001b[24m!\u001b[39m.')).toEqual([
      { text: 'plain ', classes: '' },
      { text: '+ create', classes: 'ansi-green ansi-bold' },
      { text: 'error', classes: 'ansi-red ansi-underline' },
      { text: '!', classes: 'ansi-red' },
      { text: '.', classes: '' },
    ]);
  });

  it('has no other sequences and control characters', () => {
    expect(
      textOf('\u0002a\u001b[2Kb\u001b]0;title\u0007c\u001b]8;;http://x\u001b\\d\u001bMe\r\nf\u0000\tg\u0003'),
    ).toBe('abcde\nf\tg');
  });

  it('skips the colours of larger palettes with their parameters', () => {
    expect(readAll('\u001b[38;5;1mx\u001b[38;2;1;4;31my\u001b[48;5;4mz')).toEqual([
      { text: 'x', classes: '' },
      { text: 'y', classes: '' },
      { text: 'z', classes: '' },
    ]);
  });

  it('reads the same wherever it is cut', () => {
    const log = 'a\u001b[1;31mb\u001b[0mc\u001b[2Kd\r\u001b[36me\u001b[39mf';
    const whole = readAll(log).map(({ text, classes }) => [...text].map((letter) => [letter, classes]));
    fc.assert(
      fc.property(fc.nat(log.length), fc.nat(log.length), (one, other) => {
        const [first, second] = [one, other].sort((a, b) => a - b) as [number, number];
        const cut = readAll(log.slice(0, first), log.slice(first, second), log.slice(second));
        const letters = cut.flatMap(({ text, classes }) => [...text].map((letter) => [letter, classes]));
        expect(letters).toEqual(whole.flat());
      }),
      { seed: 1 },
    );
  });
});
