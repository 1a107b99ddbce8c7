import { describe, expect, it } from '@jest/globals';
import { Pace } from '../../src/agent/service/pace.js';
import { pieceLength } from '../../src/agent/service/pieces.js';
import { formsOf as formsOneByOne } from '../../src/agent/service/secret-forms.js';
import { Secrets } from '../../src/agent/service/secrets.js';
import type { TextAutomaton } from '../../src/agent/service/text-automaton.js';
import { fc } from '../support/properties.js';

const formsOf = (value: string): readonly string[] => [...formsOneByOne(value)];
const secret = (value: string, hcl = false) => ({ key: 'k', value, category: 'env' as const, hcl, sensitive: true });

/** The masked text when it arrives in these chunks. */
function maskedParts(secrets: Secrets, parts: readonly string[]): string {
  const masking = secrets.masking();
  return parts.map((part) => masking.write(part)).join('') + masking.end();
}

describe('secrets', () => {
  it('are masked as they are, as programs quote them, and line by line', async () => {
    const secrets = await Secrets.of([
      secret('pass"word'),
      secret('first line\nsecond "line"'),
      secret('["in a \\"list\\" of two"]', true),
    ]);
    expect(secrets.masked('pass"word pass\\"word, first line,\n  second "line"; second \\"line\\"')).toBe(
      '*** ***, ***,\n  ***; ***',
    );
    expect(secrets.masked('in a \\"list\\" of two, in a "list" of two')).toBe('***, ***');
  });

  // `#` stands for the start of a template in Terraform's language.
  const begins = '$'.concat('{');
  const value = 'a<b>&c "é"?\u2028/~(1) #d}\x7f'.replace('#', begins);
  it.each([
    ['JSON', JSON.stringify(value)],
    ['JSON as Go writes it', '"a\\u003cb\\u003e\\u0026c \\"é\\"?\\u2028/~(1) #d}\x7f"'],
    ['a text of terraform’s language', '"a<b>&c \\"é\\"?\u2028/~(1) $#d}\x7f"'],
    ['a text as Go shows it', '"a<b>&c \\"é\\"?\\u2028/~(1) #d}\\x7f"'],
    ['base64', `"${Buffer.from(value).toString('base64')}"`],
    ['base64 without padding', `"${Buffer.from(value).toString('base64').replace(/=+$/, '')}"`],
    ['base64 for URLs', `"${Buffer.from(value).toString('base64url')}"`],
    ['a part of a URL', `"${encodeURIComponent(value)}"`],
    ['a part of a URL in lower case', `"${encodeURIComponent(value).replace(/%../g, (hex) => hex.toLowerCase())}"`],
    ['a query as Go writes it', '"a%3Cb%3E%26c+%22%C3%A9%22%3F%E2%80%A8%2F~%281%29+%24%7Bd%7D%7F"'],
  ])('are masked in %s', async (_, text) => {
    expect((await Secrets.of([secret(value)])).masked(`it is ${text.replace('#', begins)}.`)).toBe('it is "***".');
  });

  it('are masked inside a longer text in base64, wherever they begin in it, but for the characters they share', async () => {
    const secrets = await Secrets.of([secret('hidden-word')]);
    for (const before of ['', 'a', 'ab', 'abc', 'user:']) {
      for (const after of ['', '\n', 'yz', 'xyz']) {
        for (const encoding of ['base64', 'base64url'] as const) {
          const masked = secrets.masked(Buffer.from(`${before}hidden-word${after}`).toString(encoding));
          expect(masked).toContain('***');
          const [left = '', right = ''] = masked.split('***');
          expect(Buffer.from(left, encoding).toString('latin1')).toMatch(new RegExp(`^${before}.?$`, 's'));
          expect(right.length).toBeLessThanOrEqual(8);
        }
      }
    }
  });

  it('are the agent’s own, too', async () => {
    const secrets = await Secrets.of([], ['token-of-the-agent', 'token-of-the-lease']);
    expect(secrets.masked('token-of-the-agent token-of-the-lease')).toBe('*** ***');
  });

  it('of fewer than four characters, and values that are not sensitive, stay', async () => {
    const secrets = await Secrets.of([secret('abc'), secret(''), { ...secret('plain'), sensitive: false }]);
    expect(secrets.masked('abc YWJj plain')).toBe('abc YWJj plain');
  });

  it('are masked in whatever a policy answers', async () => {
    const secrets = await Secrets.of([secret('hidden')]);
    expect(secrets.maskedIn({ message: 'a hidden b', list: ['hidden', 1, null] })).toEqual({
      message: 'a *** b',
      list: ['***', 1, null],
    });
  });

  it('that overlap are hidden to the last character', async () => {
    expect((await Secrets.of([secret('abcd'), secret('cdef')])).masked('xabcdefx abcd')).toBe('x***x ***');
  });

  it('never get through, wherever a text is cut', async () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', '<', '\n'), minLength: 4, maxLength: 7 });
    const cases = fc.array(short, { minLength: 1, maxLength: 3 }).chain((values) => {
      const pieces = values.flatMap((value) => [value, ...formsOf(value)]);
      const piece = fc.oneof(fc.constantFrom(...pieces), short, fc.constantFrom('a', 'YW', '%3', '\\u00'));
      return fc.tuple(
        fc.constant(values),
        fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
        fc.array(fc.nat(60), { maxLength: 20 }),
      );
    });
    await fc.assert(
      fc.asyncProperty(cases, async ([values, text, lengths]) => {
        const secrets = await Secrets.of(values.map((one) => secret(one)));
        const parts: string[] = [];
        let at = 0;
        for (const length of lengths) {
          parts.push(text.slice(at, at + length));
          at += length;
        }
        const masked = maskedParts(secrets, [...parts, text.slice(at)]);
        expect(masked).toBe(secrets.masked(text));
        for (const form of values.flatMap(formsOf)) expect(masked).not.toContain(form);
        expect(masked).toBe(mrequestedByLooking(text, values));
      }),
      { numRuns: 500 },
    );
  });
});

/** The same, by looking for each form at each position. */
function mrequestedByLooking(text: string, values: readonly string[]): string {
  const lines = values.flatMap((value) => value.split('\n'));
  const forms = [
    ...values.flatMap(formsOf),
    ...lines.flatMap((line) => [line, JSON.stringify(line).slice(1, -1), line.replaceAll('<', '\\u003c')]),
  ];
  const found = forms.flatMap((form) => {
    const places: { start: number; end: number }[] = [];
    if (form.length < 4) return places;
    for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1)) {
      places.push({ start, end: start + form.length });
    }
    return places;
  });
  found.sort((one, other) => one.start - other.start);
  let masked = '';
  let end = 0;
  for (const place of found) {
    if (place.start >= end) masked += `${text.slice(end, place.start)}***`;
    end = Math.max(end, place.end);
  }
  return masked + text.slice(end);
}

describe('the work of masking', () => {
  const chunk = 64 * 1024;

  it.each([
    ['one long secret, in a text that is all but it', ['a'.repeat(200_000)], `${'a'.repeat(999)}b`],
    [
      'a long secret of many lines',
      [Array.from({ length: 5000 }, (_, n) => `line ${n} of a key`).join('\n')],
      'line 17 of a kex\n',
    ],
    ['a thousand secrets', Array.from({ length: 1000 }, (_, n) => `secret-number-${n}`), 'secret-number-secret-numbe'],
  ])('is in proportion to the text: %s', async (_, values, pattern) => {
    const secrets = await Secrets.of(values.map((value) => secret(value)));
    const automaton: TextAutomaton = Reflect.get(secrets, 'automaton');
    expect(automaton.steps).toBe(0);
    const text = pattern.repeat(Math.ceil(chunk / pattern.length)).slice(0, chunk);
    secrets.masked(text);
    expect(automaton.steps).toBeLessThanOrEqual(2 * chunk);
  });

  it('is done once for each part of a text, and no more than a piece of a long secret is held back', async () => {
    const secrets = await Secrets.of([secret('a'.repeat(200_000))]);
    const automaton: TextAutomaton = Reflect.get(secrets, 'automaton');
    const masking = secrets.masking();
    let shown = '';
    for (let part = 0; part < 1000; part += 1) shown += masking.write('a'.repeat(100));
    expect(shown).toBe('***');
    expect(automaton.steps).toBeLessThanOrEqual(200_000);
    expect(masking.write('b')).toBe('');
    expect(masking.write('c'.repeat(pieceLength))).toBe(`b${'c'.repeat(pieceLength)}`);
    expect(masking.end()).toBe('');
  });

  it('leaves the event loop to others at least once for each 128 Ki units of what it prepares', async () => {
    // Values with the largest number of forms, and many lines.
    const line = 'key: "<a>\\tÄ'.concat('$', '{b}" & 100% (c)\n');
    const values = Array.from({ length: 2 }, (_, n) => `${n}${line.repeat(256 * 40)}`.slice(0, 240 * 1024));
    let turns = 0;
    let work = 0;
    let longest = 0;
    class CountingPace extends Pace {
      override isDue(units: number): boolean {
        work += units;
        longest = Math.max(longest, units);
        return super.isDue(units);
      }
    }
    const pace = new CountingPace(async () => {
      turns += 1;
    });
    await Secrets.of(
      values.map((value) => secret(value)),
      [],
      pace,
    );
    expect(longest).toBeLessThanOrEqual(64 * 1024);
    expect(work).toBeGreaterThan(2 * 240 * 1024);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(work / (128 * 1024)));
  });
});

describe('a long secret', () => {
  const long = Array.from({ length: 90 }, (_, n) => `${n * 7919}<%"é${'-_+/'[n % 4]}`).join(' ');

  it.each([pieceLength, pieceLength + 1, 2 * pieceLength - 1, 2 * pieceLength, long.length])(
    'of %s characters is one mask in each form, wherever the text is cut',
    async (length) => {
      const value = long.slice(0, length).replace(/.$/, '!');
      const secrets = await Secrets.of([secret(value)]);
      for (const form of formsOf(value)) {
        const text = `before: ${form}; after: ${form}.`;
        const whole = secrets.masked(text);
        // When one form is a prefix of another, as with base64 padding, the longer one is masked.
        expect(whole).toBe('before: ***; after: ***.');
        for (const size of [1, 7, pieceLength - 1, pieceLength, pieceLength + 1]) {
          const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
            text.slice(n * size, (n + 1) * size),
          );
          expect(maskedParts(secrets, parts)).toBe(whole);
        }
      }
    },
  );

  it('that is cut off is hidden but for less than a piece at its end', async () => {
    const secrets = await Secrets.of([secret(long)]);
    const masked = secrets.masked(`it is ${long.slice(0, 3 * pieceLength)}`);
    expect(masked).toMatch(/^it is \*\*\*/);
    expect(masked.length).toBeLessThan('it is ***'.length + pieceLength);
    expect(secrets.masked(long.slice(0, pieceLength - 1))).toBe(long.slice(0, pieceLength - 1));
  });

  it('does not keep the text behind it back', async () => {
    const masking = (await Secrets.of([secret(long)])).masking();
    expect(masking.write('Still creating...\n')).toBe('Still creating...\n');
    expect(masking.write(`${long}\n`)).toBe('***');
    expect(masking.write('.'.repeat(pieceLength))).toBe(`\n${'.'.repeat(pieceLength)}`);
  });
});
