import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { lifecyclePage, permissionsPage } from '../../src/infrastructure/docs.js';

describe('the printed pages', () => {
  it.each([
    ['lifecycle.md', lifecyclePage],
    ['permissions.md', permissionsPage],
  ])('docs/%s says what the tables say; if not, run `npm run docs` and look at what changed', async (name, print) => {
    const kept = await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
    expect(kept).toBe(print());
  });
});
