import { describe, expect, it } from '@jest/globals';
import { readBlocks } from '../../src/adapters/files/block-language.js';
import { blocksOf } from '../../src/adapters/files/policy-files-reader.js';
import type { PolicyKind } from '../../src/domain/index.js';
import { policiesIn } from '../../src/domain/supporting/policies/policy-files.js';

const defined = (text: string, kind: PolicyKind = 'opa') =>
  policiesIn(kind, {
    configurations: new Map([[kind === 'opa' ? 'policies.hcl' : 'sentinel.hcl', blocksOf(text)]]),
    regoFiles: 1,
  });

const refusalOf = (text: string, kind: PolicyKind = 'opa'): string => {
  try {
    defined(text, kind);
  } catch (error) {
    expect(error).toMatchObject({ code: 'bundle/malformed' });
    return (error as Error).message;
  }
  return 'none';
};

describe('policies.hcl', () => {
  it('names the policies, their queries and levels', () => {
    const text = `
      # Who may do what.
      policy "owners" {
        query             = "data.terraform.owners.deny" // of all
        enforcement_level = "mandatory"
        description       = "Everything has an \\"owner\\"\\n"
      }

      policy "size" { query = "data.terraform.size.deny" }
      /* nothing
         more */`;
    expect(defined(text)).toEqual({
      hardMandatory: false,
      policies: [
        {
          name: 'owners',
          query: 'data.terraform.owners.deny',
          enforcementLevel: 'mandatory',
          description: 'Everything has an "owner"\n',
        },
        { name: 'size', query: 'data.terraform.size.deny', enforcementLevel: 'advisory', description: '' },
      ],
    });
    expect(defined('')).toEqual({ hardMandatory: false, policies: [] });
  });

  it.each([
    ['policy "a" {\n  query = "data.a"\n', 'line 3: expected } at the end of the block policy'],
    ['policy "a" { }', 'line 1: the policy a must have a query, such as data.example.deny'],
    ['policy "a" {\n query = 1\n}', 'line 1: query of the policy a must be a text of at most 4096 characters'],
    [
      'policy "a b" { query = "data.a" }',
      'line 1: a policy must have one name: letters, digits, underscores and dashes',
    ],
    ['policy { query = "data.a" }', 'line 1: a policy must have one name: letters, digits, underscores and dashes'],
    [
      'policy "a" "b" { query = "data.a" }',
      'line 1: a policy must have one name: letters, digits, underscores and dashes',
    ],
    ['policy "a" {\n query = "data.a"\n level = "x"\n}', 'line 1: the policy a has an unknown attribute level'],
    [
      'policy "a" {\n query = "data.a"\n enforcement_level = "hard-mandatory"\n}',
      'line 1: enforcement_level of the policy a must be one of advisory, mandatory',
    ],
    ['\npolicy "a" { query = "x" }\npolicy "a" { query = "x" }', 'line 3: the policy a is defined twice'],
    ['module "a" { source = "./a" }', 'line 1: blocks of type module are not supported'],
    [
      'policy "a" {\n query = data.a\n}',
      'line 2: expected a literal value: expressions, templates and heredocs are not supported',
    ],
    [
      'policy "a" {\n query = <<EOT\nx\nEOT\n}',
      'line 2: expected a literal value: expressions, templates and heredocs are not supported',
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is the fault.
    ['policy "a" {\n query = "data.${x}"\n}', 'line 2: templates are not supported: write $${ for ${'],
    ['policy "a" {\n query = "data.a\n}', 'line 2: a text has no closing quotation mark'],
    ['policy "a" {\n query = "a" query = "b"\n}', 'line 2: expected the end of the line'],
    ['policy "a" {\n query = "a"\n query = "b"\n}', 'line 3: the attribute query is set twice'],
    ['policy "a" { inner { } }', 'line 1: the policy a must not contain blocks'],
    ['x = 1', 'line 1: the attribute x must be inside a block'],
    ['policy "a" { query = "x" } }', 'line 1: expected a block'],
    ['policy "a" [', 'line 1: expected = or { after policy'],
    ['policy "a" {\n query = "\\q"\n}', 'line 2: \\q is not an escape sequence'],
    ['a { '.repeat(20), 'line 1: blocks are nested more than 16 levels deep'],
  ])('is refused with the line of the fault: %j', (text, message) => {
    expect(refusalOf(text)).toBe(`policies.hcl, ${message}`);
  });

  it('is refused if it is missing, or without any .rego file', () => {
    const files = { configurations: new Map([['sentinel.hcl', []]]), regoFiles: 1 };
    expect(() => policiesIn('opa', files)).toThrow('the archive has no policies.hcl in its root');
    const empty = { configurations: new Map([['policies.hcl', []]]), regoFiles: 0 };
    expect(() => policiesIn('opa', empty)).toThrow('the archive has no .rego file');
  });

  it('takes time in proportion to its length', () => {
    const text = 'policy "a" {\n  query = "data.a"\n}\n'.repeat(7000);
    expect(refusalOf(text)).toContain('at most 1000 policies');
    expect(refusalOf(`# ${'x'.repeat(250_000)}\n?`)).toBe('policies.hcl, line 2: expected a block');
    expect(refusalOf('/*'.repeat(100_000))).toBe('policies.hcl, line 1: expected a block');
  });
});

describe('sentinel.hcl', () => {
  it('names policies with the levels of Sentinel, next to what only its engine reads', () => {
    const text = `
      sentinel { features = { apply-all = true } }
      import "static" "data" { source = "./data.json" }
      param "limits" { value = [1, -2.5, { a = null, "b" : false }] }
      policy "a" {
        source            = "./a.sentinel"
        enforcement_level = "hard-mandatory"
        params            = { x = "y" }
      }
      policy "b" { enforcement_level = "soft-mandatory" }
      policy "c" {}`;
    expect(defined(text, 'sentinel')).toMatchObject({
      hardMandatory: true,
      policies: [
        { name: 'a', query: null, enforcementLevel: 'mandatory' },
        { name: 'b', query: null, enforcementLevel: 'mandatory' },
        { name: 'c', query: null, enforcementLevel: 'advisory' },
      ],
    });
  });

  it.each([
    'https://example.com/a.sentinel',
    'git::ssh://example.com/a',
    'github.com/example/policies',
    'example/policies',
    '/etc/passwd',
    './../other/a.sentinel',
    './a\\\\..\\\\b',
    './a?ref=main',
    '',
  ])('refuses the remote source %j', (source) => {
    for (const type of ['policy', 'module', 'import']) {
      expect(refusalOf(`\n${type} "a" {\n  source = "${source}"\n}`, 'sentinel')).toBe(
        'sentinel.hcl, line 2: the source must be a path inside the archive that begins with ./ (remote sources are not fetched: pack the files)',
      );
    }
  });
});

describe('the block language', () => {
  it('has texts with escapes, and comments of every form', () => {
    const [block] = readBlocks('a "b" c {\n x = "\\u00e4\\U0001F600 $${y} %%{z} 100% \\t" # c\n}');
    expect(block).toMatchObject({ type: 'a', labels: ['b', 'c'], line: 1 });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what an escaped template stands for.
    expect(block?.attributes.get('x')).toBe('ä😀 ${y} %{z} 100% \t');
  });

  it('has lists and objects over several lines', () => {
    const [block] = readBlocks('a {\n x = [\n  1,\n  "b", # c\n ]\n y = {\n  c = 1\n  d = 2,\n }\n}');
    expect(Object.fromEntries(block?.attributes ?? [])).toEqual({ x: [1, 'b'], y: { c: 1, d: 2 } });
  });

  it.each([
    ['a {\n x = [1 2]\n}', 'expected , or ] in a list'],
    ['a {\n x = { y = 1 z = 2 }\n}', 'expected , or } in an object'],
    ['a {\n x = { 1 }\n}', 'expected NAME = VALUE'],
    [`a {\n x = ${'['.repeat(20)}\n}`, 'values are nested more than 16 levels deep'],
    ['a {\n x = "\\ud800"\n}', '\\ud800 is not an escape sequence'],
  ])('refuses %j', (text, message) => {
    expect(() => readBlocks(text)).toThrow(message);
  });
});
