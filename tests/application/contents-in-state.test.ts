import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ContentsScanner } from '../../src/application/files/contents-in-state.js';

const scanned = (text: string, size = 65_536) => {
  const bytes = Buffer.from(text);
  const scanner = new ContentsScanner();
  for (let at = 0; at < bytes.length; at += size) scanner.take(bytes.subarray(at, at + size));
  return scanner.contents;
};

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

  it('are found wherever the pieces begin and however the state is written', () => {
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
    };
    for (const text of [JSON.stringify(state), JSON.stringify(state, null, 2)]) {
      for (const size of [1, 2, 3, 7, 65_536]) expect(scanned(text, size)).toEqual(expected);
    }
  });

  it.each(['', 'null', '[{"resources": [{"type": "a", "name": "b"}]}]', '{"resources": {"type": "a", "name": "b"}}'])(
    'are none where they are not as they should be: %s',
    (text) => expect(scanned(text)).toEqual(nothing),
  );

  it('leave out what has no name, and texts that are too long or broken', () => {
    const resources = [
      { mode: 'managed', type: 'a', instances: [{}] },
      { mode: 'managed', type: 'a', name: 'x'.repeat(10_000), instances: [{}] },
      { mode: 'managed', type: 'a', name: 'ok', instances: [{}] },
    ];
    expect(scanned(JSON.stringify({ resources })).resources).toMatchObject([{ name: 'ok' }]);
    expect(scanned('{"resources": [{"type": "a", "name": "\\x"}]}')).toEqual(nothing);
  });

  it('list 1000 resources at most, and count all', () => {
    const resources = Array.from({ length: 1001 }, (_, index) => ({
      mode: 'managed',
      type: 'a',
      name: `n${index}`,
      instances: [{}],
    }));
    const contents = scanned(JSON.stringify({ resources }));
    expect([contents.resources.length, contents.resourceCount]).toEqual([1000, 1001]);
  });

  it('are read from any bytes without a fault', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), fc.integer({ min: 1, max: 20 }), (text, size) => {
        expect(scanned(text, size).resourceCount).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
