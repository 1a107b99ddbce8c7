import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const { version } = JSON.parse(read('package.json'));

describe('the change log', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);

  it('begins with what is unreleased, and tells the present version', () => {
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

describe('the example of embedding', () => {
  it('stays short', () => {
    expect(read('examples/embedding/main.ts').trimEnd().split('\n').length).toBeLessThan(60);
  });
});
