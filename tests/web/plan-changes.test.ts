import { describe, expect, it } from '@jest/globals';
import { outputChanges, type PlanJson, resourceChanges } from '../../web/console/pages/run/plan-changes.js';

type Planned = NonNullable<PlanJson['resource_changes']>[number]['change'];

const attributesOf = (change: Partial<Planned>) =>
  resourceChanges({ resource_changes: [{ address: 'a.b', change: { actions: ['update'], ...change } }] })[0]
    ?.attributes;

describe('the changes of a plan', () => {
  it.each([
    [['create'], 'create'],
    [['update'], 'update'],
    [['delete'], 'delete'],
    [['delete', 'create'], 'replace'],
    [['create', 'delete'], 'replace'],
    [['read'], 'read'],
    [['forget'], 'forget'],
  ])('%j is %s', (actions, action) => {
    const plan = { resource_changes: [{ address: 'null_resource.a', change: { actions } }] };
    expect(resourceChanges(plan)).toMatchObject([{ address: 'null_resource.a', action }]);
  });

  it('leave out what stays, but for what moves or is imported', () => {
    const change = { actions: ['no-op'], before: { id: '1' }, after: { id: '1' } };
    const plan = {
      resource_changes: [
        { address: 'a.stays', change },
        { address: 'a.new', previous_address: 'a.old', change },
        { address: 'a.in', change: { ...change, importing: { id: 'i-1' } } },
      ],
    };
    expect(resourceChanges(plan)).toMatchObject([
      { address: 'a.new', action: 'move', movedFrom: 'a.old', attributes: [] },
      { address: 'a.in', action: 'import' },
    ]);
  });

  it('name each leaf that differs, with both values', () => {
    const before = { size: 1, tags: { Name: 'old', env: 'prod' }, list: [1, 2], same: { deep: [1] } };
    const after = { size: 2, tags: { Name: 'new', env: 'prod' }, list: [1, 3, 4], same: { deep: [1] } };
    expect(attributesOf({ before, after })).toEqual([
      { path: 'size', before: '1', after: '2', forcesReplacement: false },
      { path: 'tags.Name', before: '"old"', after: '"new"', forcesReplacement: false },
      { path: 'list[1]', before: '2', after: '3', forcesReplacement: false },
      { path: 'list[2]', before: undefined, after: '4', forcesReplacement: false },
    ]);
  });

  it('say what is known after apply only, and what forces a replacement', () => {
    const change = {
      actions: ['delete', 'create'],
      before: { id: 'i-1', ami: 'a' },
      after: { ami: 'b' },
      after_unknown: { id: true },
      replace_paths: [['ami']],
    };
    expect(attributesOf(change)).toEqual([
      { path: 'id', before: '"i-1"', after: '(known after apply)', forcesReplacement: false },
      { path: 'ami', before: '"a"', after: '"b"', forcesReplacement: true },
    ]);
  });

  it('never show what either side calls sensitive', () => {
    const change = {
      before: { password: 'old', nested: { key: 'old' }, plain: 'a' },
      after: { password: 'new', nested: { key: 'new' }, plain: 'b' },
      before_sensitive: { password: true },
      after_sensitive: { nested: true },
    };
    expect(attributesOf(change)).toEqual([
      { path: 'password', before: '(sensitive)', after: '(sensitive)', forcesReplacement: false },
      { path: 'nested', before: '(sensitive)', after: '(sensitive)', forcesReplacement: false },
      { path: 'plain', before: '"a"', after: '"b"', forcesReplacement: false },
    ]);
    expect(attributesOf({ before: null, after: { a: 1 }, after_sensitive: true })).toEqual([
      { path: '', before: 'null', after: '(sensitive)', forcesReplacement: false },
    ]);
  });

  it('of outputs are the same', () => {
    expect(outputChanges({ output_changes: { url: { actions: ['create'], before: null, after: 'x' } } })).toEqual([
      {
        address: 'url',
        action: 'create',
        movedFrom: undefined,
        attributes: [{ path: '', before: 'null', after: '"x"', forcesReplacement: false }],
      },
    ]);
  });

  it('of a plan without any are none', () => {
    expect([resourceChanges({}), outputChanges({})]).toEqual([[], []]);
  });
});
