import { describe, expect, it } from '@jest/globals';
import { JsonReader } from '../../src/adapters/http/routing/json-reader.js';
import { checkJson, checkValues, countValues } from '../../src/adapters/http/routing/read-json.js';
import { fc, runs } from '../support/properties.js';

const unbounded = { levels: 1_000, values: 1_000_000 };

/** Reads the bytes in slices of these lengths, over and over. */
function readIn(bytes: Uint8Array, lengths: readonly number[], bounds = unbounded): unknown {
  const reader = new JsonReader(bounds);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    const slice = Buffer.from(bytes.subarray(at, at + length));
    reader.read(slice);
    // Slices are reused.
    slice.fill(0);
    at += length;
  }
  return reader.end();
}

const outcomeOf = (read: () => unknown): unknown => {
  try {
    return { value: read() };
  } catch {
    return 'refused';
  }
};

/** As documents are parsed that are not long. */
const whole = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));

const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe('JSON that is read in slices', () => {
  it('is the same as read whole', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), lengths, fc.constantFrom(undefined, 1, '\t'), (text, cuts, space) => {
        const bytes = Buffer.from(JSON.stringify(JSON.parse(text), undefined, space));
        expect(readIn(bytes, cuts)).toEqual(whole(bytes));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('is refused where it would be whole, when a byte of it is another or is missing', () => {
    const marks = '{}[],:"\\0e-.\u0001 \ntu\u00ff';
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        lengths,
        fc.nat(),
        fc.constantFrom('', ...marks),
        (text, cuts, at, mark) => {
          const bytes = Buffer.from(text);
          const place = at % bytes.length;
          const broken = Buffer.concat([
            bytes.subarray(0, place),
            Buffer.from(mark, 'latin1'),
            bytes.subarray(place + 1),
          ]);
          expect(outcomeOf(() => readIn(broken, cuts))).toEqual(outcomeOf(() => whole(broken)));
        },
      ),
      { numRuns: runs(4_000) },
    );
  });

  it.each([
    '',
    ' ',
    '1',
    ' "a" ',
    'null',
    '[1,]',
    '[,1]',
    '{"a":1,}',
    '{"a"}',
    '{1:2}',
    '{"a":1 "b":2}',
    '[1 2]',
    '[}',
    '{]',
    '1 2',
    '"a" "b"',
    '[1]]',
    '[nul]',
    '[01]',
    '[1e400]',
    '["\\ud800"]',
    '["\\x"]',
    '["a\nb"]',
    '"\\',
    '["a',
    '\ufeff[1]',
    '[1,\ufeff2]',
    '["\ufeffa"]',
    '{"__proto__":{"a":1},"constructor":2}',
    '{"a":1,"a":2}',
    '[tru,e]',
    '-',
    '[]{}',
    '"\u00ff"',
    '\uff3f[1]',
    '1 "a',
    '[] "',
    '{"a" "b',
    '["a" "b',
  ])('has the outcome of the whole: %j', (text) => {
    const bytes = Buffer.from(text);
    // A byte order mark is in one slice: slices are long.
    for (const cut of [text.startsWith('\ufeff') ? 3 : 1, 4, 100]) {
      expect(outcomeOf(() => readIn(bytes, [cut]))).toEqual(outcomeOf(() => whole(bytes)));
    }
  });

  it('has members that are like any other, also with the name of a prototype', () => {
    const bytes = Buffer.from('{"__proto__":1,"a":2}');
    const [found, expected] = [readIn(bytes, [4]), whole(bytes)].map((value) =>
      Object.getOwnPropertyDescriptors(value as object),
    );
    expect(Object.entries(found ?? {})).toEqual(Object.entries(expected ?? {}));
  });

  it('begins after a byte order mark, also where an empty slice comes before it', () => {
    const reader = new JsonReader(unbounded);
    for (const slice of ['', '\ufeff', '[1]']) reader.read(Buffer.from(slice));
    expect(reader.end()).toEqual([1]);
  });

  it('that is not UTF-8 is refused', () => {
    for (const bytes of [[0x22, 0xff, 0x22], [0x22, 0xc3, 0x22], [0xc3]]) {
      expect(() => readIn(Uint8Array.from(bytes), [1])).toThrow('not valid JSON: it is not UTF-8');
    }
  });

  it.each([
    ['{\n "a": 1,\n}', 'unexpected character at line 3, column 1'],
    ['[tru]', 'unexpected character at line 1, column 2'],
    ['["ü", "😀" 5]', 'unexpected character at line 1, column 12'],
    ['{"ü": 5,\r\n\r\n\'a\': 1}', 'unexpected character at line 3, column 1'],
    ['["a\tb"]', 'unexpected character at line 1, column 4'],
    ['["a\\x"]', 'unexpected character at line 1, column 2'],
    ['[1] [', 'unexpected character at line 1, column 5'],
    ['[1', 'it ends before it is complete'],
    ['"a', 'it ends before it is complete'],
    ['', 'it ends before it is complete'],
  ])('says where the fault is, however it is cut: %j', (text, fault) => {
    for (const cut of [1, 3, 100]) {
      expect(() => readIn(Buffer.from(text), [cut])).toThrow(`the body is not valid JSON: ${fault}`);
    }
  });

  it('is refused with more values and names than its limit, and as soon as it has them', () => {
    const of = (values: number) => ({ ...unbounded, values });
    expect(readIn(Buffer.from('{"a":[1,"b"]}'), [3], of(5))).toEqual({ a: [1, 'b'] });
    expect(() => readIn(Buffer.from('{"a":[1,"b"]}'), [3], of(4))).toThrow('more than 4 values');
    const reader = new JsonReader(of(100));
    expect(() => reader.read(Buffer.from(`[${'[],'.repeat(101)}`))).toThrow('more than 100 values');
  });

  it('is refused as soon as it nests deeper than its limit', () => {
    const reader = new JsonReader({ ...unbounded, levels: 3 });
    reader.read(Buffer.from('[[['));
    expect(() => reader.read(Buffer.from('{'))).toThrow('nested deeper than 3 levels');
  });
});

describe('JSON with a NUL', () => {
  it.each(['a\0', ['a\0'], { a: { b: 'a\0' } }, { 'a\0': 1 }])('is refused: %j', (value) => {
    expect(() => checkJson(value)).toThrow('must not contain a NUL character');
  });

  it.each([undefined, null, 1, true, 'a', [null], { a: null }])('is not this: %j', (value) => {
    expect(() => checkJson(value)).not.toThrow();
  });
});

describe('the number of values in JSON', () => {
  it('is taken up to the limit of its kind', () => {
    const kind = { bytes: { max: 10 }, levels: { max: 2 }, values: { max: 3 } };
    expect(checkValues(Buffer.from('[1,2]'), kind)).toBe(3);
    expect(() => checkValues(Buffer.from('[1,2,3]'), kind)).toThrow('more than 3 values');
  });

  it('is counted before it is parsed', () => {
    const count = (value: unknown): number => {
      if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + count(item), 1);
      if (typeof value !== 'object' || value === null) return 1;
      return Object.values(value).reduce((sum: number, item) => sum + 1 + count(item), 1);
    };
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom(undefined, 2), (text, space) => {
        const value = JSON.parse(text);
        expect(countValues(Buffer.from(JSON.stringify(value, undefined, space)), 100)).toBe(count(value));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('is right in long texts, whatever is escaped in them', () => {
    const part = fc.constantFrom('"', '\\', 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(65), 'y');
    fc.assert(
      fc.property(fc.array(fc.array(part, { maxLength: 12 })), (texts) => {
        const value = texts.map((parts) => parts.join(''));
        expect(countValues(Buffer.from(JSON.stringify(value)), 100)).toBe(1 + value.length);
      }),
      { numRuns: runs(1_000) },
    );
    expect(countValues(Buffer.from(JSON.stringify([`${'x'.repeat(63)}\\`, 'y', 'y'])), 100)).toBe(4);
    for (const open of ['"', `"${'x'.repeat(100)}`, `"${'x'.repeat(100)}\\"`, '"\\']) {
      expect(countValues(Buffer.from(open), 100)).toBe(1);
    }
  });
});
