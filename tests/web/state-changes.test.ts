import { describe, expect, it } from '@jest/globals';
import { changesBetween, type StateFile } from '../../web/console/pages/states/state-changes.js';

type Instance = NonNullable<NonNullable<StateFile['resources']>[number]['instances']>[number];

const stateWith = (...instances: readonly Instance[]): StateFile => ({
  resources: [{ module: 'module.net["eu"]', mode: 'managed', type: 'aws_vpc', name: 'main', instances }],
});

describe('the changes between two states', () => {
  it('name instances as terraform does', () => {
    const state: StateFile = {
      resources: [
        { mode: 'data', type: 'aws_region', name: 'here', instances: [{ attributes: {} }] },
        {
          module: 'module.net["eu"]',
          mode: 'managed',
          type: 'aws_vpc',
          name: 'main',
          instances: [{ index_key: 0 }, { index_key: 'b' }, { index_key: 'b', deposed: '1f2e' }],
        },
      ],
    };
    const { resources } = changesBetween({}, state);
    expect(resources.map(({ address, kind }) => [address, kind])).toEqual([
      ['data.aws_region.here', 'added'],
      ['module.net["eu"].aws_vpc.main["b"]', 'added'],
      ['module.net["eu"].aws_vpc.main["b"] (deposed 1f2e)', 'added'],
      ['module.net["eu"].aws_vpc.main[0]', 'added'],
    ]);
  });

  it('name the attributes that differ, and nothing that stays', () => {
    const before = stateWith({ attributes: { id: '1', tags: { a: 'x', b: 'y' }, ports: [80, 443], zones: [] } });
    const after = stateWith({ attributes: { id: '1', tags: { a: 'z' }, ports: [80, 8443], zones: ['c'] } });
    expect(changesBetween(before, before).resources).toEqual([]);
    const { resources } = changesBetween(before, after);
    expect(resources[0]?.values).toEqual([
      { name: 'ports[1]', isSensitive: false, before: '443', after: '8443' },
      { name: 'tags.a', isSensitive: false, before: 'x', after: 'z' },
      { name: 'tags.b', isSensitive: false, before: 'y', after: undefined },
      { name: 'zones', isSensitive: false, before: '[]', after: undefined },
      { name: 'zones[0]', isSensitive: false, before: undefined, after: 'c' },
    ]);
  });

  it('hide on both sides, with its keys, what one of the states marks as sensitive', () => {
    const secrets = (value: string) => ({ login: [{ secrets: { [value]: value } }] });
    const path = [
      { type: 'get_attr', value: 'login' },
      { type: 'index', value: { value: 0, type: 'number' } },
      { type: 'get_attr', value: 'secrets' },
    ];
    const { resources } = changesBetween(
      stateWith({ attributes: secrets('one') }),
      stateWith({ attributes: secrets('two'), sensitive_attributes: [path] }),
    );
    expect(resources[0]?.values.map(({ name, isSensitive }) => [name, isSensitive])).toEqual([
      ['login[0].secrets', true],
    ]);
  });

  it('compare outputs, and mark those that were or become sensitive', () => {
    const before = { outputs: { gone: { value: [1] }, key: { value: 'a' }, same: { value: true } } };
    const after = { outputs: { key: { value: 'b', sensitive: true }, same: { value: true } } };
    expect(changesBetween(before, after).outputs).toEqual([
      { name: 'gone', isSensitive: false, before: '[1]', after: undefined },
      { name: 'key', isSensitive: true, before: 'a', after: 'b' },
    ]);
  });
});
