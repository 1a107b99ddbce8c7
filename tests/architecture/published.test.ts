import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const { version } = JSON.parse(read('package.json'));

describe('the change log', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);

  it('begins with the unreleased changes, and names the current version', () => {
    expect(headings[0]).toBe('[Unreleased]');
    expect(headings[1]).toMatch(new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`));
  });

  it('groups changes by the usual words, and no others', () => {
    const groups = [...read('CHANGELOG.md').matchAll(/^### (.+)$/gm)].map(([, group]) => group);
    expect(groups.length).toBeGreaterThan(0);
    const usual = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    expect(groups.filter((group) => !usual.includes(group ?? ''))).toEqual([]);
  });
});

describe('the name of the package', () => {
  // Without these prefixes npm would take the package of that name, which belongs to another project.
  const stranger =
    /\b(npx|npm (exec|x|i|install|add|publish))( -{1,2}\S+)* gatehouse(@\S+)?(?![\w.-])|['"`]gatehouse\/(domain|application|persistence)/g;
  const own = /--package=gatehouse-tf gatehouse/g;
  const strangersIn = (text: string): readonly string[] => text.replaceAll(own, '').match(stranger) ?? [];

  it('is never that of the stranger, in code, docs and examples', () => {
    const folders = ['deploy', 'docs', 'examples', 'lab', 'scripts', 'src', 'tests'].flatMap((folder) =>
      readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true }).map((file) => `${folder}/${file}`),
    );
    const files = [...readdirSync(new URL('../../', import.meta.url)), ...folders].filter((file) =>
      /\.(md|ts|mjs|cjs|js|json|sh|tf|html|yaml)$/.test(file),
    );
    expect(files.length).toBeGreaterThan(300);
    expect(files.flatMap((file) => strangersIn(read(file)).map((words) => `${file}: ${words}`))).toEqual([]);
  });

  it.each(['doctor', '--help'])('is found missing before the command `%s`', (word) => {
    const bare = ['npx', 'gatehouse'].join(' ');
    expect(strangersIn(`run \`${bare} ${word}\``)).toHaveLength(1);
    expect(
      strangersIn(`npx --package=gatehouse-tf gatehouse ${word}; npx --no gatehouse-tf; npm install gatehouse-tf`),
    ).toEqual([]);
  });
});

describe('the example of embedding', () => {
  it('stays short', () => {
    expect(read('examples/embedding/main.ts').trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });
});
