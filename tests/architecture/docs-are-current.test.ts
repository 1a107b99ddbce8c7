import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { lifecyclePage, limitsPage, metricsPage, openApiPage, permissionsPage } from '../../scripts/docs.js';
import { commands } from '../../src/infrastructure/cli/commands.js';
import { commandLinePage } from '../../src/infrastructure/cli/help.js';

describe('the printed pages', () => {
  it.each([
    ['command-line.md', () => commandLinePage(commands)],
    ['lifecycle.md', lifecyclePage],
    ['limits.md', limitsPage],
    ['metrics.md', metricsPage],
    ['openapi.json', openApiPage],
    ['permissions.md', permissionsPage],
  ])('docs/%s says what the tables say; if not, run `npm run docs` and look at what changed', async (name, print) => {
    const kept = await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
    expect(kept).toBe(print());
  });
});

describe('the advice on metrics', () => {
  it('names only metrics that there are', async () => {
    const advice = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const named = Array.from(advice.matchAll(/`[^`]*?\b(gatehouse_[a-z_]+)/g), ([, name]) => name);
    expect(named.length).toBeGreaterThan(5);
    const known = metricsPage();
    expect(named.filter((name) => !known.includes(`\`${name}\``))).toEqual([]);
  });
});
