import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { outputsIn } from '../../src/application/supporting/state-versions/outputs-in-state.js';

/** In pieces of `size` bytes, each in the same memory. */
async function* piecesOf(text: string | Buffer, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  const lent = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    lent.set(piece);
    yield lent.subarray(0, piece.length);
  }
}

const found = (state: unknown, size = 65_536) => outputsIn(piecesOf(JSON.stringify(state), size));

const anOutput = { value: 'here', type: 'string' };

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
      for (const size of [1, 2, 3, 7, 65_536]) expect(await outputsIn(piecesOf(text, size))).toEqual(expected);
    }
  });

  it('are those that a parser finds, in any JSON', async () => {
    const member = fc.record({ value: fc.jsonValue(), type: fc.constant('dynamic'), sensitive: fc.boolean() });
    const states = fc.record({
      before: fc.jsonValue(),
      outputs: fc.dictionary(fc.string(), member),
      after: fc.jsonValue(),
    });
    await fc.assert(
      fc.asyncProperty(states, fc.integer({ min: 1, max: 50 }), async (state, size) => {
        const parsed: typeof state = JSON.parse(JSON.stringify(state));
        const expected = Object.entries(parsed.outputs).map(([name, output]) => ({ ...output, name }));
        expect(await found(state, size)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['', []],
    ['null', []],
    ['[{"outputs": {"a": {"value": 1}}}]', []],
    ['{"outputs": [{"a": {"value": 1}}]}', []],
    ['{"outputs": "none"}', []],
    ['{"outputs": {}}', []],
    ['{"outputs": {"a": 1, "b": null, "c": {"value": 2}}}', ['c']],
    ['{"outputs": {"a": {"value": 1}, "b": {"value": tru', ['a']],
    ['{"outputs": {"a": {"value": nonsense}, "b": {"value": 1}}}', ['b']],
  ])('are none where they are not as they should be: %s', async (text, names) => {
    for (const size of [1, 100]) {
      expect((await outputsIn(piecesOf(text, size))).map(({ name }) => name)).toEqual(names);
    }
  });

  it('are looked at within limits', async () => {
    const long = (length: number) => ({ value: 'x'.repeat(length), type: 'string' });
    const mebibyte = 1024 * 1024;
    const deep = (levels: number) => ({ value: JSON.parse('['.repeat(levels) + ']'.repeat(levels)), type: 'dynamic' });
    const some = { a: long(5 * mebibyte), b: long(1), deep: deep(600), shallow: deep(500) };
    expect((await found({ outputs: some })).map(({ name }) => name)).toEqual(['b', 'shallow']);
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`o${n}`, long(3 * mebibyte)]));
    const names = (await found({ outputs: { ...many, last: long(1) } })).map(({ name }) => name);
    expect(names.length).toBeLessThan(7);
  });
});
