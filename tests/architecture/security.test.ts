import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { allowedLicences, dependenciesPage, locked, manifest, production } from '../../scripts/dependencies.js';
import { loadConfig } from '../../src/infrastructure/config.js';
import { exposedNodes as nodes } from './syntax.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The tests that a document names: a file, followed by one or more names in quotation marks. */
const namedTests = (document: string) =>
  [...read(document).matchAll(/`(tests\/[\w./-]+)`((?: "[^"]+",?)+)/g)].flatMap(([, file = '', names = '']) =>
    [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ document, file, name })),
  );

describe.each([
  ['SECURITY.md', 40],
  ['docs/operations.md', 10],
])('%s', (document, least) => {
  const named = namedTests(document);

  it('names a test for what it says', () => {
    expect(named.length).toBeGreaterThanOrEqual(least);
  });

  it('names tests that there are', () => {
    const unknown = named.filter(({ file, name }) => !existsSync(join(root, file)) || !read(file).includes(name));
    expect(unknown).toEqual([]);
  });
});

/** Plain comparison stops at the first difference. Each exception on something secret, with the reason it is safe. */
const compared: Readonly<Record<string, string>> = {
  'held?.sha256 === bundle.sha256': 'the digest of files, which the caller has sent',
  '(await inspector.digest(body)).sha256 === bundle.sha256': 'as above',
  'found.version.bundle?.sha256 === bundle.sha256': 'as above',
  'version.jsonBundle?.sha256 === bundle.sha256': 'as above',
  "(await digestOf(file, 'sha256')) !== sha256":
    'the digest of a file that was fetched: shows whether it arrived complete',
  "(await digestOf(file, 'sha256')) !== code.sha256": 'as above',
  'copied.sha256 !== found.sha256': 'the digests of a table on both sides of a move, which only the operator sees',
  'held.result.tokenDigest !== located.tokenDigest': 'two digests that are stored',
  'fingerprint === given': 'identifies the key and reveals nothing of it',
};

describe('secrets', () => {
  it('are compared in constant time', () => {
    const secret = /(?:secret|signature|password|digest|sha256|fingerprint|token)$/i;
    const nothing = /^(?:undefined|null|''|'.*'|\d+|true|false)$/;
    const found = nodes.flatMap(({ node }) => {
      if (!ts.isBinaryExpression(node) || !/^[!=]==$/.test(node.operatorToken.getText())) return [];
      const sides = [node.left.getText(), node.right.getText()];
      return sides.some((side) => secret.test(side)) && !sides.some((side) => nothing.test(side))
        ? [node.getText()]
        : [];
    });
    expect(found.filter((text) => !(text in compared))).toEqual([]);
    for (const text of Object.keys(compared)) expect(found).toContain(text);
  });
});

describe('secrets', () => {
  it('in the address of a store end the start, and are not repeated', () => {
    const start = () => loadConfig({ S3_ENDPOINT: 'https://user:hunter2-and-more@s3.example' });
    expect(start).toThrow('S3_ENDPOINT: must not contain a user');
    expect(start).not.toThrow('hunter2');
  });
});

describe('what the service is installed with', () => {
  it('is listed in docs/dependencies.md; if not, run `npm run docs` and look at what changed', () => {
    expect(read('docs/dependencies.md')).toBe(dependenciesPage());
  });

  it('is under licences that go with ours', () => {
    const others = production.filter((path) => !allowedLicences.includes(locked[path]?.license ?? ''));
    expect(others).toEqual([]);
    expect(production.length).toBeGreaterThan(100);
  });

  it('is asked for in exact versions, which are those of the lock', () => {
    const asked = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    for (const [name, version] of Object.entries(asked)) {
      // An alias asks for the package under its own name.
      expect([name, version.replace(/^npm:.+@/, '')]).toEqual([name, locked[`node_modules/${name}`]?.version]);
    }
  });

  it('is checked by its digest, from whichever registry it comes', () => {
    const entries = Object.entries(locked).filter(([path]) => path !== '');
    expect(entries.filter(([, entry]) => !('integrity' in entry))).toEqual([]);
    expect(entries.filter(([, entry]) => 'resolved' in entry)).toEqual([]);
  });
});
