import fc from 'fast-check';
import type { JsonSchema } from '../../src/adapters/http/openapi/json-schema.js';

/** A better value than the schema alone knows of, for a string of this name; undefined where there is none. */
export type Hint = (name: string) => fc.Arbitrary<string> | undefined;

/** Text that something between the socket and a database takes amiss. */
export const oddTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfff\ud800b',
  '\u202egnirts',
  'e\u0301\u0323',
  '\ufeff',
  '\u2028',
  'İıſK',
  'ﷺ'.repeat(20),
  '👩‍👩‍👧',
  '٣',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  '-0',
  '1e999',
  '0x10',
  '%',
  '_%',
  '\\',
  "' or 1=1 --",
  '../..',
  '/',
  '?a=b#c',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'a\r\nX-Injected: yes',
  '=1+1',
  'a'.repeat(255),
  'é'.repeat(256),
  '𝕏'.repeat(4_097),
  'a'.repeat(70_000),
];

/** Characters that readers take for one sign and writers for several, or the other way round. */
const graphemes = [
  'a',
  'ß',
  'é',
  'e\u0301',
  'İ',
  'ſ',
  'Σ',
  'ж',
  'א',
  'ع',
  '٣',
  'न',
  '中',
  '가',
  'ﬁ',
  '½',
  '\u200d',
  '🙂',
  '🇫🇷',
  '𝕏',
];

/** Not fast-check's own of these units: it takes a second to get ready for each. */
const signs = {
  ascii: fc.integer({ min: 0x20, max: 0x7e }).map((point) => String.fromCodePoint(point)),
  grapheme: fc.constantFrom(...graphemes),
  binary: fc.integer({ min: 0, max: 0x10f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800)),
};

const textIn = (unit: keyof typeof signs, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.array(signs[unit], { minLength, maxLength }).map((all) => all.join('').slice(0, maxLength));

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: textIn('binary', 0, 40) },
  { weight: 1, arbitrary: textIn('grapheme', 0, 40) },
);

const edges = [
  0,
  -0,
  1,
  -1,
  0.5,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  2 ** 64,
  1e21,
  1e308,
  5e-324,
];

const oddNumber = fc.oneof(fc.constantFrom(...edges), fc.double({ noNaN: true, noDefaultInfinity: true }));

const nested = (depth: number, inside: unknown): unknown => {
  let value = inside;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { data: value };
  return value;
};

/** As it comes. */
export const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 });

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constant(null),
  oddText,
  oddNumber,
  fc.boolean(),
  fc.constantFrom<unknown>([], {}, [null], [[]], { id: null }, { length: 1e9 }),
  anyJson,
  fc.integer({ min: 28, max: 40 }).map((depth) => nested(depth, 1)),
  fc.constant(0).map(() => Array.from({ length: 10_001 }, () => 0)),
);

const members = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> =>
  (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;

const instant = fc
  .date({ min: new Date('2029-01-01T00:00:00Z'), max: new Date('2060-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema.format === 'date-time') return instant;
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  const { minLength = 0, maxLength = 1_000 } = schema;
  const short = Math.min(maxLength, minLength + 20);
  return fc.oneof(
    { weight: 6, arbitrary: textIn('ascii', minLength, short) },
    { weight: 2, arbitrary: textIn('grapheme', minLength, short) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('x'.repeat(Math.min(maxLength, 5_000)), 'x'.repeat(Math.max(minLength, 1))),
    },
  );
}

/** Values that fit the schema of a request, most without the members that are always refused. */
export function fitting(schema: JsonSchema, hint: Hint, name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const either = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (either !== undefined) {
    const weighed = either.map((one) => ({ weight: one.type === 'null' ? 1 : 4, arbitrary: fitting(one, hint, name) }));
    return fc.oneof(...weighed);
  }
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => fitting({ ...schema, type } as JsonSchema, hint, name)));
  }
  switch (schema.type) {
    case 'object': {
      const word = members(schema).type?.enum?.[0] ?? members(schema).type?.const;
      const inside = Object.entries(members(schema)).map(([key, member]) => {
        const known = key === 'id' && typeof word === 'string' ? hint(`id of ${word}`) : undefined;
        const value = known ?? fitting(member, hint, key);
        const needed = schema.required?.includes(key) === true;
        const often = member.description?.startsWith('Refused.') ? 1 : 30;
        return fc.tuple(fc.constant(key), value, needed ? fc.constant(true) : fc.nat(99).map((n) => n < often));
      });
      return fc
        .tuple(...inside)
        .map((all) => Object.fromEntries(all.filter(([, , there]) => there).map(([key, value]) => [key, value])));
    }
    case 'array':
      return fc.array(fitting((schema.items ?? {}) as JsonSchema, hint, name), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 2 ** 31 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string': {
      const known = hint(name);
      if (known === undefined) return textOf(schema);
      return fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: textOf(schema) });
    }
    default:
      return anyJson;
  }
}

type Holder = Record<string, unknown>;

/** Every member of a value that can be changed, and the value itself. */
function placesIn(root: Holder): readonly (readonly [Holder, string])[] {
  const places: [Holder, string][] = [];
  const look = (holder: Holder) => {
    for (const key of Object.keys(holder)) {
      places.push([holder, key]);
      const inside = holder[key];
      if (typeof inside === 'object' && inside !== null && places.length < 200) look(inside as Holder);
    }
  };
  look(root);
  return places;
}

const define = (holder: Holder, key: string, value: unknown): void => {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
};

const edit = fc.record({
  at: fc.nat(199),
  kind: fc.constantFrom('remove', 'replace', 'replace', 'replace', 'text', 'add', 'wrap'),
  key: fc.constantFrom('__proto__', 'constructor', 'prototype', 'toJSON', 'id', 'type', 'data', 'a\0b', ''),
  value: oddValue,
  text: oddText,
});

/** The value with one or two of its members missing, or other than they should be. */
export const unfitting = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(value, fc.array(edit, { minLength: 1, maxLength: 2 })).map(([given, edits]) => {
    const root: Holder = { body: structuredClone(given) };
    for (const { at, kind, key, value: shared, text } of edits) {
      // Constants are the same objects each time, and what was put in may be changed by the next edit.
      const odd = structuredClone(shared);
      const places = placesIn(root);
      const [holder, name] = places[at % Math.max(places.length, 1)] ?? [root, 'body'];
      const old = holder[name];
      if (kind === 'remove') delete holder[name];
      else if (kind === 'replace') define(holder, name, odd);
      else if (kind === 'text') define(holder, name, text);
      else if (kind === 'wrap') define(holder, name, [old]);
      else if (typeof old === 'object' && old !== null) define(old as Holder, key, odd);
      else define(holder, key, odd);
    }
    return root.body;
  });

/** JSON that is none, or that readers disagree about. */
export const brokenJson = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> =>
  fc.tuple(value, fc.nat(11), fc.nat(5_000)).map(([given, kind, at]) => {
    const text = JSON.stringify(given) ?? '';
    const broken: readonly (() => Buffer | string)[] = [
      () => text.slice(0, at % (text.length + 1)),
      () => `\ufeff${text}`,
      () => `${text}${text}`,
      () => text.replace('{', '{,'),
      () => text.replace('{', '{"data":null,'),
      () => text.replaceAll('"', "'"),
      () => text.replace(/:\s*("[^"]*"|\d+|true|false|null)/, ':1e999'),
      () => text.replace(/:\s*("[^"]*"|\d+|true|false|null)/, ':NaN'),
      () => Buffer.from(text, 'utf16le'),
      () => Buffer.concat([Buffer.from(text.slice(0, at % (text.length + 1))), Buffer.from([0xff, 0xc3, 0x28])]),
      () => '['.repeat(5_000),
      () => text.replace(/"([^"]{2,})"/, '"\\ud800$1"'),
    ];
    return Buffer.from(broken[kind]?.() ?? text);
  });
