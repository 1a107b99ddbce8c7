import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonScanner, type JsonVisitor, type KeptJson } from '../../src/application/files/json-scanner.js';

/** Takes the bytes in pieces of `size`, each in the same memory. */
function scan(scanner: JsonScanner, text: string | Uint8Array, size = 65_536): void {
  const bytes = Buffer.from(text);
  const lent = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    lent.set(piece);
    scanner.take(lent.subarray(0, piece.length));
  }
  scanner.end();
}

/** Keeps every value at a depth, with the names on the way. */
class Keeping implements JsonVisitor {
  readonly deepest: number;
  readonly names: [number, string | undefined][] = [];
  readonly values: (string | undefined)[] = [];
  readonly ends: number[] = [];

  constructor(
    private readonly at: number,
    private readonly max = 1_000_000,
  ) {
    this.deepest = at;
  }

  wantsName(): boolean {
    return true;
  }

  name(depth: number, name: KeptJson): void {
    this.names.push([depth, name.isTooLong ? undefined : name.text()]);
  }

  value(depth: number): number {
    return depth === this.at ? this.max : 0;
  }

  kept(_depth: number, value: KeptJson): void {
    this.values.push(value.isTooLong ? undefined : value.json());
  }

  end(depth: number): void {
    this.ends.push(depth);
  }
}

const faultOf = (text: string | Uint8Array, size?: number): string | undefined => {
  const scanner = new JsonScanner(new Keeping(0));
  scan(scanner, text, size);
  return scanner.fault;
};

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const sizes = fc.integer({ min: 1, max: 40 });
/** JSON as people and programs write it: with whitespace, escapes and numbers in every form. */
const written = fc
  .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t', '  \n'), fc.boolean())
  .map(([value, indent, escapes]) => {
    const text = JSON.stringify(value, undefined, typeof indent === 'string' ? indent.replace('\n', ' ') : indent);
    return escapes
      ? text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : text;
  });
/** Almost JSON: one character is left out, doubled or replaced. */
const broken = fc
  .tuple(
    written,
    fc.nat(),
    fc.constantFrom('', '"', '\\', ',', ':', '{', '}', '[', ']', '0', '-', '.', 'e', 't', '\n', '\u0001'),
  )
  .map(([text, at, character]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + character + text.slice(place + (at % 2));
  });

describe('the JSON scanner', () => {
  it('takes what JSON.parse takes, and refuses what it refuses, wherever the pieces begin', () => {
    fc.assert(
      fc.property(fc.oneof(written, broken, fc.json(), fc.string()), sizes, (text, size) => {
        expect(faultOf(text, size) === undefined).toBe(parses(text.toWellFormed()));
      }),
    );
  });

  it.each([
    ...['', ' ', '1', '-0', '-', '01', '1.', '.5', '1.5e', '1e+', '1E-05', '1e5.', '--1', '0x1', '1 2', 'NaN'],
    ...['tru', 'truex', 'nulll', 'true false', '"a', '"\\', '"\\x"', '"\\u12"', '"\\u12g4"', '"\\ud800"', '"\t"'],
    ...[
      '[',
      '[]',
      '[,]',
      '[1,]',
      '[1 2]',
      '{',
      '{}',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{1:2}',
      '{"a":1 "b":2}',
      '[}',
      '{]',
    ],
    ...[']', '}', ',', ':', '[[]', '[]]', '{"a":1]', '[1:2]', '\u00a01', '/**/1', '{"a":[{"b":[[],{}]}]}'],
  ])('agrees with JSON.parse about %j', (text) => {
    for (const size of [1, 2, 3, 100]) expect(faultOf(text, size) === undefined).toBe(parses(text));
  });

  it('keeps the values it is asked for, without whitespace, to the letter', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), sizes, fc.boolean(), (values, size, indented) => {
        const visitor = new Keeping(1);
        scan(new JsonScanner(visitor), JSON.stringify(values, undefined, indented ? 2 : undefined), size);
        expect(visitor.values).toEqual(values.map((value) => JSON.stringify(value)));
      }),
    );
    const visitor = new Keeping(1);
    scan(new JsonScanner(visitor), '[ 1.50E+3 , "\\u00e9 \\n" , 12345678901234567890 ]', 1);
    expect(visitor.values).toEqual(['1.50E+3', '"\\u00e9 \\n"', '12345678901234567890']);
  });

  it('reports names with their escapes undone, and ends, down to the depth of interest', () => {
    const visitor = new Keeping(2);
    scan(new JsonScanner(visitor), '{"a\\u0062\\ud83d\\ude00": {"": 1, "ü": {"deep": {}}}, "\\"\\\\": []}', 1);
    expect(visitor.names).toEqual([
      [1, 'ab😀'],
      [2, ''],
      [2, 'ü'],
      [1, '"\\'],
    ]);
    expect(visitor.values).toEqual(['1', '{"deep":{}}']);
    expect(visitor.ends).toEqual([1, 1, 0]);
  });

  it('keeps nothing of what is too long or nested too deeply, and goes on', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const visitor = new Keeping(1, 2000);
    const long = JSON.stringify('x'.repeat(1999));
    scan(new JsonScanner(visitor), `[${long}, "${'y'.repeat(1998)}", ${nested(513)}, ${nested(512)}, 1]`, 7);
    expect(visitor.values.map((value) => value?.length)).toEqual([undefined, 2000, undefined, 1024, 1]);
    const named = new Keeping(5);
    scan(new JsonScanner(named), JSON.stringify({ [`${'n'.repeat(4095)}`]: 1, b: 2 }), 1000);
    expect(named.names).toEqual([
      [1, undefined],
      [1, 'b'],
    ]);
  });

  it('says where the fault is, and takes 10,000 levels', () => {
    expect(faultOf('{"a": nonsense}', 3)).toBe('is not JSON at byte 7');
    expect(faultOf('{"a": 1', 3)).toBe('ends too early, after 7 bytes');
    expect(faultOf('['.repeat(10_000) + ']'.repeat(10_000))).toBeUndefined();
    expect(faultOf('['.repeat(1_000_000))).toBe('is nested deeper than 10000 levels at byte 10000');
  });

  it('reads bytes that are not UTF-8 with the replacement character', () => {
    const visitor = new Keeping(1);
    scan(new JsonScanner(visitor), Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), 1);
    expect(visitor.values).toEqual(['"\ufffd"']);
  });
});
