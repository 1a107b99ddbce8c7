import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import {
  type AppliedSet,
  precedence,
  resolveVariables,
  type SourcedVariable,
  type StoredVariable,
  type VariableSource,
} from '../../src/domain/index.js';
import { compareNames } from '../../src/domain/supporting/variables/precedence.js';
import { aVariable } from '../support/builders.js';
import { fc } from '../support/properties.js';

const variable = (id: string, given: Partial<StoredVariable> = {}): StoredVariable =>
  aVariable({ id: 'ws-1' }, { id, key: 'region', sealedValue: id, ...given });

const ofSet = (from: Exclude<VariableSource, string>, name = 'set', given: Partial<StoredVariable> = {}) => ({
  variable: variable(`of ${name}`, given),
  set: { id: `varset-${name}`, name, ...from },
});

const applied = (priority: boolean, owner: AppliedSet['owner'], scope: AppliedSet['scope']) => ({
  priority,
  owner,
  scope,
});

const ids = (given: readonly SourcedVariable<StoredVariable>[]) => given.map(({ variable: { id } }) => id);

describe('the precedence of variables', () => {
  /** As the field documents it, from the strongest. */
  const documented: readonly VariableSource[] = [
    applied(true, 'organization', 'global'),
    applied(true, 'organization', 'project'),
    applied(true, 'organization', 'workspace'),
    applied(true, 'project', 'project'),
    applied(true, 'project', 'workspace'),
    'run',
    'workspace',
    applied(false, 'project', 'workspace'),
    applied(false, 'project', 'project'),
    applied(false, 'organization', 'workspace'),
    applied(false, 'organization', 'project'),
    applied(false, 'organization', 'global'),
  ];

  it('is that of the field', () => {
    expect(precedence).toEqual(documented);
  });

  const printed = async () => {
    const page = await readFile(new URL('../../docs/variables.md', import.meta.url), 'utf8');
    return page.split('\n').flatMap((line) => (/^\| \d+ \|/.test(line) ? [line] : []));
  };

  const words = (source: VariableSource): readonly string[] =>
    typeof source === 'string'
      ? [`variables of the ${source}`]
      : [`| ${source.priority ? 'priority variable set' : 'variable set'} | ${source.owner} | ${source.scope} |`];

  it('is printed row by row', async () => {
    const rows = await printed();
    expect(rows).toHaveLength(documented.length);
    for (const [index, source] of documented.entries()) {
      for (const word of words(source)) expect(rows[index]).toContain(word);
    }
  });

  const pairs = documented.flatMap((strong, index) =>
    documented.slice(index + 1).map((weak) => [strong, weak] as const),
  );

  it.each(pairs)('has %j override %j', (strong, weak) => {
    const run = [strong, weak].includes('run') ? [{ key: 'region', value: '"run"' }] : [];
    const given = [weak, strong].flatMap((source, index): SourcedVariable<StoredVariable>[] => {
      if (source === 'run') return [];
      if (source === 'workspace') return [{ variable: variable(String(source)), set: null }];
      return [ofSet(source, `set-${index}`)];
    });
    const resolved = resolveVariables(run, given);
    const expected = strong === 'run' ? [] : [strong === 'workspace' ? 'workspace' : 'of set-1'];
    expect(ids(resolved.variables)).toEqual(expected);
    expect(resolved.run).toEqual(strong === 'run' ? run : []);
  });
});

describe('variables of one source', () => {
  const global = applied(false, 'organization', 'global');

  it('are those of the first name, by code points', () => {
    const names = ['b', 'B', 'a', 'Z', '𐀀', '\u{FFFD}'];
    for (const [index, first] of names.toSorted(compareNames).entries()) {
      const others = names.toSorted(compareNames).slice(index).toReversed();
      const { variables } = resolveVariables(
        [],
        others.map((name) => ofSet(global, name)),
      );
      expect(ids(variables)).toEqual([`of ${first}`]);
    }
    expect(['𐀀', '\u{FFFD}'].sort(compareNames)).toEqual(['\u{FFFD}', '𐀀']);
  });

  it('count once for each key and category, sorted by them', () => {
    const given = [
      ofSet(global, 'x', { key: 'b' }),
      ofSet(global, 'y', { key: 'a', category: 'terraform' }),
      ofSet(global, 'z', { key: 'a', category: 'env' }),
      ofSet(applied(false, 'organization', 'workspace'), 'x', { key: 'b' }),
    ];
    const run = [{ key: 'c', value: '1' }];
    const resolved = resolveVariables(run, given);
    expect(ids(resolved.variables)).toEqual(['of z', 'of y', 'of x']);
    expect(resolved.run).toEqual(run);
  });

  it('of the environment are never those of a run', () => {
    const env = ofSet(applied(true, 'organization', 'global'), 'x', { category: 'env' });
    const run = [{ key: 'region', value: '1' }];
    expect(resolveVariables(run, [env])).toEqual({ run, variables: [env] });
  });

  it('are the same in whatever order they are found', () => {
    const sources = precedence.filter((source) => typeof source !== 'string');
    const one = fc.record({
      source: fc.constantFrom(...sources),
      name: fc.constantFrom('a', 'b', 'c'),
      key: fc.constantFrom('k', 'l'),
    });
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: (given) => JSON.stringify(given) }), (given) => {
        const found = given.map(({ source, name, key }) =>
          ofSet(source, name, { key, id: JSON.stringify([source, name]) }),
        );
        expect(resolveVariables([], found.toReversed())).toEqual(resolveVariables([], found));
      }),
    );
  });
});
