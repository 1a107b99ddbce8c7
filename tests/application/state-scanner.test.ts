import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scanState } from '../../src/application/supporting/state-versions/state-scanner.js';
import type { ReportedOutput } from '../../src/domain/index.js';
import { OutputSelection } from '../../src/domain/supporting/state-versions/state-output.js';

/** In pieces of `size` bytes, each in the same memory. */
async function* piecesOf(text: Iterable<string>, size: number): AsyncGenerator<Uint8Array> {
  const lent = new Uint8Array(size);
  for (const part of text) {
    const bytes = Buffer.from(part);
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size);
      lent.set(piece);
      yield lent.subarray(0, piece.length);
    }
  }
}

async function scanned(text: string | Iterable<string>, size = 65_536) {
  const outputs: ReportedOutput[] = [];
  const parts: number[] = [];
  const pieces = piecesOf(typeof text === 'string' ? [text] : text, size);
  const found = await scanState(pieces, async (some) => {
    outputs.push(...some);
    parts.push(some.reduce((sum, { value, type }) => sum + value.length + type.length, 0));
  });
  return { ...found.contents, outputs: [...outputs, ...found.outputs], parts };
}

const parsed = ({ value, type, ...output }: ReportedOutput) => ({
  ...output,
  value: JSON.parse(value),
  type: JSON.parse(type),
});

const namesIn = async (state: object) => (await scanned(JSON.stringify(state))).outputs.map(({ name }) => name);

const anOutput = { value: 'here', type: 'string' };
const mebibyte = 1024 * 1024;

/** The text of a state with `count` items, in pieces, as it is too long for one. */
function* many(before: string, item: (index: number) => string, count: number, after: string): Generator<string> {
  yield before;
  for (let from = 0; from < count; from += 1000) {
    const items = Array.from({ length: Math.min(1000, count - from) }, (_, index) => item(from + index));
    yield (from === 0 ? '' : ',') + items.join(',');
  }
  yield after;
}

describe('the outputs in a state', () => {
  it('are found wherever the pieces begin and however the state is written', async () => {
    const state = {
      version: 4,
      lineage: 'outputs": {"a": {"value": 1}',
      resources: [{ outputs: { inner: anOutput }, instances: [{ attributes: { outputs: '{' } }] }],
      outputs: {
        'a"b\\': {
          value: { outputs: { deep: [1, '}', ','] } },
          type: ['object', { outputs: 'dynamic' }],
          sensitive: true,
        },
        ü: { value: null, type: 'dynamic' },
        outputs: { value: [], type: ['tuple', []], sensitive: false },
      },
      check_results: { outputs: anOutput },
    };
    const expected = Object.entries(state.outputs).map(([name, output]) => ({ sensitive: false, ...output, name }));
    for (const text of [JSON.stringify(state), JSON.stringify(state, null, 2)]) {
      for (const size of [1, 2, 3, 7, 65_536]) {
        expect((await scanned(text, size)).outputs.map(parsed)).toEqual(expected);
      }
    }
  });

  it('are those that a parser finds, in any JSON', async () => {
    const member = fc.record({ value: fc.jsonValue(), type: fc.constant('dynamic'), sensitive: fc.boolean() });
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'));
    const states = fc.record({ before: fc.jsonValue(), outputs: fc.dictionary(name, member), after: fc.jsonValue() });
    await fc.assert(
      fc.asyncProperty(states, fc.integer({ min: 1, max: 50 }), async (state, size) => {
        const read: typeof state = JSON.parse(JSON.stringify(state));
        const expected = Object.entries(read.outputs).map(([name, output]) => ({ ...output, name }));
        expect((await scanned(JSON.stringify(state), size)).outputs.map(parsed)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['', [], 'The state ends too early, after 0 bytes: what follows is not shown'],
    ['null', [], undefined],
    ['[{"outputs": {"a": {"value": 1}}}]', [], undefined],
    ['{"outputs": [{"a": {"value": 1}}]}', [], undefined],
    ['{"outputs": "none"}', [], undefined],
    ['{"outputs": {}}', [], undefined],
    [
      '{"outputs": {"a": 1, "b": null, "c": {"value": 2}}}',
      ['c'],
      '2 outputs are left out: with an unknown type, or without the form of an output',
    ],
    [
      '{"outputs": {"a": {"value": 1}, "b": {"value": tru',
      ['a'],
      'The state ends too early, after 50 bytes: what follows is not shown',
    ],
    [
      '{"outputs": {"a": {"value": 1}, "b": {"value": nonsense}, "c": {"value": 1}}}',
      ['a'],
      'The state is not JSON at byte 48: what follows is not shown',
    ],
    [
      '{"outputs": {"a": {"value": 1, "type": "blob"}}}',
      [],
      '1 output is left out: with an unknown type, or without the form of an output',
    ],
  ])('are none where they are not as they should be: %s', async (text, names, warning) => {
    for (const size of [1, 100]) {
      const { outputs, warnings } = await scanned(text, size);
      expect(outputs.map(({ name }) => name)).toEqual(names);
      expect(warnings).toEqual(warning === undefined ? [] : [warning]);
    }
  });

  it('are looked at within limits', async () => {
    const long = (length: number) => ({ value: 'x'.repeat(length), type: 'string' });
    const deep = (levels: number) => ({ value: JSON.parse('['.repeat(levels) + ']'.repeat(levels)), type: 'dynamic' });
    const some = { a: long(5 * mebibyte), b: long(1), deep: deep(600), shallow: deep(500) };
    expect(await namesIn({ outputs: some })).toEqual(['b', 'shallow']);
    // The scanner holds one value more than it passes on.
    const sized = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`o${n}`, long(mebibyte / 2)]));
    const { outputs, parts } = await scanned(JSON.stringify({ outputs: sized }));
    expect(outputs).toHaveLength(6);
    expect(Math.max(...parts)).toBeLessThan(mebibyte);
  });

  it('may be 16 MiB long in all', () => {
    const selection = new OutputSelection();
    const value = JSON.stringify('x'.repeat(mebibyte - 1000));
    for (let n = 0; n < 20; n += 1) selection.add({ name: `o${n}`, type: '"string"', value, sensitive: false });
    selection.add({ name: 'short', type: '"string"', value: '""', sensitive: false });
    expect(selection.take().map(({ name }) => name)).toEqual([
      ...Array.from({ length: 16 }, (_, n) => `o${n}`),
      'short',
    ]);
    expect([selection.length, selection.take()]).toEqual([0, []]);
    expect(selection.warnings).toEqual([
      expect.stringMatching(/^4 outputs are left out: with a value longer than 1048576/),
    ]);
  });

  it('are the first thousand, and the others are counted', async () => {
    const text = many('{"outputs":{', (n) => `"o${n}":{"value":${n},"type":"number"}`, 10_000, '}}');
    const { outputs, warnings } = await scanned(text);
    expect(outputs).toHaveLength(1000);
    expect(outputs.at(-1)).toEqual({ name: 'o999', value: '999', type: '"number"', sensitive: false });
    expect(warnings).toEqual(['9000 outputs are left out: beyond the first 1000']);
  });

  it('are none if they have no names, however many they are', async () => {
    const { outputs, warnings } = await scanned(many('{"outputs":{', () => '"":{}', 20_000, '}}'));
    expect(outputs).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(/^20000 outputs are left out: with a duplicate name, or one that is/),
    ]);
  });
});

const nothing = { terraformVersion: null, resourceCount: 0, resources: [] };
const provider = 'provider["registry.terraform.io/hashicorp/null"]';
const instances = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ index_key: index, attributes: { name: 'inner', list: [{}, [{}]] } }));

describe('the contents of a state', () => {
  const state = {
    version: 4,
    terraform_version: '1.11.4',
    lineage: 'resources',
    outputs: { resources: { value: [{ type: 'x', name: 'y', instances: [{}] }], type: 'dynamic' } },
    resources: [
      { mode: 'managed', type: 'null_resource', name: 'one', provider, instances: instances(1) },
      {
        module: 'module.network["ä"].module.subnets',
        mode: 'managed',
        type: 'null_resource',
        name: 'many\n',
        provider,
        instances: instances(3),
      },
      { mode: 'data', type: 'http', name: 'read', provider, instances: instances(1) },
      { mode: 'managed', type: 'null_resource', name: 'none', provider, instances: [] },
    ],
    check_results: [{ object_kind: 'resource', type: 'no', name: 'no', instances: [{}] }],
  };

  it('are found wherever the pieces begin and however the state is written', async () => {
    const resource = { type: 'null_resource', module: 'root', provider };
    const expected = {
      terraformVersion: '1.11.4',
      resourceCount: 4,
      resources: [
        { ...resource, name: 'one', count: 1 },
        { ...resource, module: 'module.network["ä"].module.subnets', name: 'many\n', count: 3 },
        { ...resource, type: 'data.http', name: 'read', count: 1 },
        { ...resource, name: 'none', count: 0 },
      ],
      warnings: [],
    };
    for (const text of [JSON.stringify(state), JSON.stringify(state, null, 2)]) {
      for (const size of [1, 2, 3, 7, 65_536]) expect(await scanned(text, size)).toMatchObject(expected);
    }
  });

  it('are all that is looked for where the outputs are known', async () => {
    const { outputs, contents } = await scanState(piecesOf([JSON.stringify(state)], 10), undefined);
    expect([outputs, contents.resources.length]).toEqual([[], 4]);
  });

  it.each(['null', '[{"resources": [{"type": "a", "name": "b"}]}]', '{"resources": {"type": "a", "name": "b"}}'])(
    'are none where they are not as they should be: %s',
    async (text) => expect(await scanned(text)).toMatchObject(nothing),
  );

  it('leave out what has no name, or one that is too long, and say so', async () => {
    const resources = [
      { mode: 'managed', type: 'a', instances: [{}] },
      { mode: 'managed', type: 'a', name: 'x'.repeat(10_000), instances: [{}] },
      { mode: 'managed', type: 'a', name: 'ok', instances: [{}] },
    ];
    const found = await scanned(JSON.stringify({ resources }));
    expect(found.resources).toMatchObject([{ name: 'ok' }]);
    expect(found.warnings).toEqual([
      '2 resources are not listed: without a type or a name, or with one that is too long',
    ]);
  });

  it('list 1000 resources at most, and count all', async () => {
    const resource = (n: number) => `{"mode":"managed","type":"a","name":"n${n}","instances":[{}]}`;
    const found = await scanned(many('{"resources":[', resource, 5000, ']}'));
    expect([found.resources.length, found.resourceCount]).toEqual([1000, 5000]);
    expect(found.warnings).toEqual([expect.stringMatching(/^4000 resources are not listed: beyond the first 1000/)]);
  });

  it('list fewer resources if their names and addresses are long', async () => {
    const resource = (n: number) => `{"mode":"managed","module":"${'m'.repeat(4000)}","type":"a","name":"n${n}"}`;
    const { resources } = await scanned(many('{"resources":[', resource, 500, ']}'));
    expect(resources.length).toBeGreaterThan(100);
    expect(JSON.stringify(resources).length).toBeLessThan(600 * 1024);
  });

  it('keep of a resource only what is shown, however many members it has', async () => {
    const members = many(
      '{"resources":[{"mode":"managed","type":"a","name":"b",',
      (n) => `"m${n}":{"x":[0]}`,
      50_000,
      ',"instances":[{},{}]}]}',
    );
    const shown = { name: 'b', type: 'a', module: 'root', provider: '', count: 2 };
    expect(await scanned(members)).toMatchObject({ resources: [shown], resourceCount: 2, warnings: [] });
  });

  it('are read from any bytes without a failure', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), fc.integer({ min: 1, max: 20 }), async (text, size) => {
        expect((await scanned(text, size)).resourceCount).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
