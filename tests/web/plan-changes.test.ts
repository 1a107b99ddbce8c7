import { describe, expect, it } from '@jest/globals';
import { attributeLines } from '../../web/console/pages/run/attribute-lines.js';
import { diffOf } from '../../web/console/pages/run/line-diff.js';
import {
  byModule,
  type Change,
  countsOf,
  matching,
  outputChanges,
  type PlannedChange,
  resourceChanges,
} from '../../web/console/pages/run/plan-changes.js';

const signs = { before: '-', after: '+', both: ' ' } as const;

/** The diff as text, with what it leaves out. */
const diff = (change: Partial<PlannedChange>): readonly string[] => {
  const { lines, unchanged } = diffOf(attributeLines({ actions: ['update'], ...change }));
  return [
    ...lines.map((one) =>
      one.side === 'gap'
        ? `(${one.count})`
        : `${signs[one.side]} ${one.line.text}${one.line.forcesReplacement ? ' # forces replacement' : ''}`,
    ),
    ...(unchanged === 0 ? [] : [`${unchanged} unchanged`]),
  ];
};

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
      { address: 'a.new', action: 'move', movedFrom: 'a.old' },
      { address: 'a.in', action: 'import' },
    ]);
  });

  it('of a plan without any are none', () => {
    expect([resourceChanges({}), outputChanges({})]).toEqual([[], []]);
  });

  describe('in a list', () => {
    const one = (address: string, action: string, more: object = {}) => ({
      address,
      change: { actions: [action] },
      ...more,
    });
    const changes = resourceChanges({
      resource_changes: [
        one('module.net["a.b"].aws_vpc.main', 'create', { module_address: 'module.net["a.b"]' }),
        one('aws_s3_bucket.logs', 'delete', { deposed: 'ab12' }),
        one('module.net["a.b"].aws_subnet.wide', 'update', { module_address: 'module.net["a.b"]' }),
        one('aws_vpc.new', 'no-op', { previous_address: 'aws_vpc.old' }),
      ],
    });
    const names = (found: readonly Change[]) => found.map(({ name }) => name);

    it('are grouped by module, with the root module first and names within each', () => {
      expect(byModule(changes).map(([module, group]) => [module, names(group)])).toEqual([
        ['', ['aws_s3_bucket.logs (ab12)', 'aws_vpc.new']],
        ['module.net["a.b"]', ['aws_vpc.main', 'aws_subnet.wide']],
      ]);
    });

    it('are counted by action, destruction first', () => {
      expect(countsOf(changes)).toEqual([
        ['delete', 1],
        ['update', 1],
        ['create', 1],
        ['move', 1],
      ]);
    });

    it('are found by action and by part of the present or former address', () => {
      expect(names(matching(changes, {}))).toHaveLength(4);
      expect(names(matching(changes, { action: 'of-none' }))).toHaveLength(4);
      expect(names(matching(changes, { action: 'delete' }))).toEqual(['aws_s3_bucket.logs (ab12)']);
      expect(names(matching(changes, { text: ' AWS_VPC.' }))).toEqual(['aws_vpc.main', 'aws_vpc.new']);
      expect(names(matching(changes, { action: 'move', text: 'vpc.old' }))).toEqual(['aws_vpc.new']);
    });
  });
});

describe('the diff of a change', () => {
  it('has the attributes that differ, and counts the others', () => {
    const before = { size: 1, tags: { Name: 'old', 'env/kind': 'prod' }, same: { deep: [1] }, gone: true, empty: null };
    const after = { size: 2, tags: { Name: 'new', 'env/kind': 'prod' }, same: { deep: [1] }, empty: null };
    expect(diff({ before, after })).toEqual([
      '- gone = true',
      '- size = 1',
      '+ size = 2',
      '  tags = {',
      '-   Name = "old"',
      '+   Name = "new"',
      '    "env/kind" = "prod"',
      '  }',
      '1 unchanged',
    ]);
  });

  it('shows an item that is put before others as one that is added', () => {
    const rule = (port: number) => ({ port, note: null });
    expect(diff({ before: { rules: [rule(80)] }, after: { rules: [rule(22), rule(80)] } })).toEqual([
      '  rules = [',
      '    {',
      '+     port = 22',
      '+   },',
      '+   {',
      '      port = 80',
      '    },',
      '  ]',
    ]);
  });

  it('leaves out unchanged lines that are far from a difference', () => {
    const list = Array.from({ length: 12 }, (_, index) => index);
    expect(diff({ before: { list }, after: { list: [...list, 12] } })).toEqual([
      '  list = [',
      '(9)',
      '    9,',
      '    10,',
      '    11,',
      '+   12,',
      '  ]',
    ]);
  });

  it('shows JSON as its value and a text of several lines as such', () => {
    const policy = (effect: string) => JSON.stringify({ Statement: [{ Effect: effect, Action: null }] });
    expect(diff({ before: { policy: policy('Allow') }, after: { policy: policy('Deny') } })).toEqual([
      '  policy = jsonencode(',
      '    {',
      '      "Statement": [',
      '        {',
      '-         "Effect": "Allow",',
      '+         "Effect": "Deny",',
      '          "Action": null',
      '        }',
      '      ]',
      '(2)',
    ]);
    expect(diff({ before: { script: 'a\nb' }, after: { script: 'a\nc' } })).toEqual([
      '  script = <<EOT',
      '    a',
      '-   b',
      '+   c',
      '  EOT',
    ]);
    expect(diff({ before: { note: '{not JSON' }, after: {} })).toEqual(['- note = "{not JSON"']);
  });

  it('says what is known after apply only, and what forces a replacement', () => {
    const change = {
      actions: ['delete', 'create'],
      before: { id: 'i-1', ami: 'a', disk: [{ size: 1, id: 'd' }] },
      after: { ami: 'b', disk: [{ size: 2 }] },
      after_unknown: { id: true, disk: [{ id: true }], tags: {} },
      replace_paths: [['ami'], ['disk', 0, 'size']],
    };
    expect(diff(change)).toEqual([
      '- ami = "a" # forces replacement',
      '+ ami = "b" # forces replacement',
      '  disk = [',
      '    {',
      '-     id = "d"',
      '-     size = 1 # forces replacement',
      '+     id = (known after apply)',
      '+     size = 2 # forces replacement',
      '    },',
      '  ]',
      '- id = "i-1"',
      '+ id = (known after apply)',
    ]);
  });

  it('never shows what either side calls sensitive, and says whether it changes', () => {
    const change = {
      before: { password: 'old', nested: { key: 'old', open: 1 }, kept: 'secret', json: '{"a":1}', plain: 'a' },
      after: { password: 'new', nested: { key: 'new', open: 1 }, kept: 'secret', json: '{"a":2}', plain: 'b' },
      before_sensitive: { password: true, nested: {}, kept: true, json: true },
      after_sensitive: { nested: { key: true } },
    };
    expect(diff(change)).toEqual([
      '- json = (sensitive)',
      '+ json = (sensitive)',
      '  nested = {',
      '-   key = (sensitive)',
      '+   key = (sensitive)',
      '    open = 1',
      '  }',
      '- password = (sensitive)',
      '+ password = (sensitive)',
      '- plain = "a"',
      '+ plain = "b"',
      '1 unchanged',
    ]);
    expect(diff({ before: null, after: { a: 1 }, after_sensitive: true })).toEqual(['+ (sensitive)']);
  });

  it('of an output is the diff of its value', () => {
    const changes = outputChanges({
      output_changes: {
        url: { actions: ['create'], before: null, after: 'x' },
        ids: { actions: ['update'], before: [1], after_unknown: true },
        gone: { actions: ['delete'], before: false, after: null },
        kept: { actions: ['no-op'], before: 1, after: 1 },
      },
    });
    expect(changes.map(({ address, planned }) => [address, ...diff(planned)])).toEqual([
      ['url', '+ "x"'],
      ['ids', '- [', '-   1,', '- ]', '+ (known after apply)'],
      ['gone', '- false'],
    ]);
  });

  it('of texts that are too long to compare has all lines of both', () => {
    const lines = (word: string) => Array.from({ length: 1_100 }, (_, index) => `${word} ${index}`).join('\n');
    const change = { actions: ['update'], before: { text: lines('old') }, after: { text: lines('new') } };
    expect(diffOf(attributeLines(change)).lines).toHaveLength(2 + 2 * 1_100);
  });
});
