import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { compatibilityPage } from '../../scripts/compatibility.js';
import {
  configurationPage,
  importPage,
  lifecyclePage,
  limitsPage,
  metricsPage,
  permissionsPage,
  variablesPage,
} from '../../scripts/docs.js';
import { notServed } from '../../src/adapters/http/openapi/not-served.js';
import { commands } from '../../src/infrastructure/cli/commands.js';
import { commandLinePage } from '../../src/infrastructure/cli/help.js';
import { resources } from '../clients/provider-resources.js';
import { described } from '../support/published-description.js';

describe('the printed pages', () => {
  it.each([
    ['command-line.md', () => commandLinePage(commands)],
    ['compatibility.md', compatibilityPage],
    ['configuration.md', configurationPage],
    ['import.md', importPage],
    ['lifecycle.md', lifecyclePage],
    ['limits.md', limitsPage],
    ['variables.md', variablesPage],
    ['metrics.md', metricsPage],
    ['permissions.md', permissionsPage],
  ])('docs/%s says what the tables say; if not, run `npm run docs` and look at what changed', async (name, print) => {
    const kept = await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
    expect(kept).toBe(print(kept));
  });
});

describe('the page on compatibility', () => {
  it('calls nothing "not served" that is served', () => {
    const pathOf = (text: string) => text.replaceAll(/:\w+|\{\w+\}/g, ':');
    const served = new Set(Object.keys(described.paths).map(pathOf));
    expect(served).toContain('/api/v2/organizations/:/workspaces');
    const below = (path: string) => [...served].filter((one) => `${one}/`.startsWith(`${pathOf(`/api/v2${path}`)}/`));
    expect(notServed.flatMap(({ paths }) => paths.flatMap(below))).toEqual([]);
    const walked = resources.map(({ type }) => type);
    expect(notServed.flatMap((row) => row.resources.filter((type) => walked.includes(type)))).toEqual([]);
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

const root = fileURLToPath(new URL('../../', import.meta.url));

/** As GitHub makes them from headings. */
const anchorsOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

const pages = globSync(['*.md', 'docs/**/*.md', 'examples/*.md'], { cwd: root });

describe('the documents', () => {
  it('link to files and headings that exist', () => {
    const broken = pages.flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
      return Array.from(text.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g), ([, link, image]) => link ?? image ?? '')
        .filter((link) => !/^[a-z]+:/.test(link))
        .filter((link) => {
          const [path = '', anchor] = link.split('#');
          const target = path === '' ? join(root, page) : join(root, dirname(page), path);
          if (!existsSync(target)) return true;
          return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
        })
        .map((link) => `${page}: ${link}`);
    });
    expect(pages.length).toBeGreaterThan(60);
    expect(broken).toEqual([]);
  });

  it('fit a decision on one page, and the index lists each', () => {
    const records = pages.filter((page) => /^docs\/adr\/\d/.test(page));
    const words = (page: string) => readFileSync(join(root, page), 'utf8').trim().split(/\s+/).length;
    expect(records.filter((page) => words(page) > 460)).toEqual([]);
    const index = readFileSync(join(root, 'docs/adr/README.md'), 'utf8');
    const listed = (path: string) => index.includes(`\n- [${path.slice(0, 4)}](${path}) `);
    expect(records.filter((page) => !listed(relative('docs/adr', page)))).toEqual([]);
  });
});
