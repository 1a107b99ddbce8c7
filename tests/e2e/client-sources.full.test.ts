import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { notServed } from '../../src/adapters/http/openapi/not-served.js';
import { misspelledAttributes, namesOfClients } from '../../src/adapters/http/routing/misspelled-attributes.js';
import { familyPaths } from '../clients/family-paths.js';
import { notWalked, resources } from '../clients/provider-resources.js';
import { usable } from '../support/programs.js';
import { routesOnce } from '../support/walk-routes.js';

const go = process.env.GO ?? 'go';
const present = spawnSync(go, ['version']).status === 0;
const run = usable('go', present) ? it : it.skip;
const reason = present ? '' : ' (skipped: no go on PATH, and GO names none)';

const modules = [
  ['go-tfe', 'github.com/hashicorp/go-tfe'],
  ['tfe-provider', 'github.com/hashicorp/go-tfe'],
  ['tfe-provider', 'github.com/hashicorp/terraform-provider-tfe'],
] as const;

/** The sources of the clients, in the versions that the tests run. */
const sources = (): string =>
  modules
    .map(([client, module]) => {
      const cwd = fileURLToPath(new URL(`../clients/${client}`, import.meta.url));
      const { Dir } = JSON.parse(execFileSync(go, ['mod', 'download', '-json', module], { cwd, encoding: 'utf8' }));
      const files = globSync('**/*.go', { cwd: Dir, exclude: ['**/*_test.go', 'mocks/**'] });
      return files.map((file) => readFileSync(join(Dir, file), 'utf8')).join('\n');
    })
    .join('\n');

/** Texts in the sources that look like paths. */
const notPaths = ['/terraform-provider-tfe/:id', '/variables/:id'];

const all = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set(Array.from(text.matchAll(pattern), ([, found = '']) => found)),
];

describe(`the sources of go-tfe and the tfe provider${reason}`, () => {
  run('have no attribute that is taken for a misspelled one, and each that is excepted', () => {
    const names = all(sources(), /(?:\bjsonapi:"(?:attr|relation),|\bjson:")([^",]+)/g);
    expect(names.length).toBeGreaterThan(500);
    const near = new Set<string>();
    /** Documents with all names, wherever the schema has attributes. */
    const fill = (schema: z.core.JSONSchema.JSONSchema, inAttributes: boolean): unknown => {
      const parts = [schema, ...(schema.anyOf ?? [])];
      const items = parts.find((part) => part.items)?.items as z.core.JSONSchema.JSONSchema | undefined;
      if (items !== undefined) return [fill(items, inAttributes)];
      const members = parts.flatMap(({ properties = {} }) => Object.entries(properties));
      if (members.length === 0) return null;
      return Object.fromEntries([
        ...(inAttributes ? names.map((name) => [name, null] as const) : []),
        ...members.map(([name, one]) => [name, fill(one as never, inAttributes || name === 'attributes')] as const),
      ]);
    };
    for (const { route } of routesOnce) {
      const { body } = route.reference();
      if (!(body instanceof z.ZodType)) continue;
      const document = fill(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }), false);
      for (const { pointer = '' } of misspelledAttributes(route, document, new Set())) {
        near.add(pointer.slice(pointer.lastIndexOf('/') + 1));
      }
    }
    expect([...near].sort()).toEqual([...namesOfClients]);
  });

  run('have no resource that is neither walked nor in the table of what is not served', () => {
    const text = sources();
    const types = [
      ...all(text, /"(tfe_[a-z_]+)": +resource/g),
      ...all(
        text,
        /Metadata\([^)]*\*resource\.MetadataResponse\) \{\s*\w+\.TypeName = [^"\n]*"(?:tfe)?(_[a-z_]+)"/g,
      ).map((name) => `tfe${name}`),
    ];
    expect(types.length).toBeGreaterThan(60);
    const told = [
      ...resources.map(({ type }) => type),
      ...Object.keys(notWalked),
      ...notServed.flatMap((part) => part.resources),
    ];
    expect(types.filter((type) => !told.includes(type)).sort()).toEqual([]);
  });

  run('have no path that the list of the family lacks', () => {
    const known = (path: string) => {
      const pattern = new RegExp(`^${path.replaceAll(':id', '[^/]+')}$`);
      return familyPaths.some((one) => pattern.test(one));
    };
    const paths = all(sources(), /(?:\bSprintf\(\s*|\bNewRequest\w*\("[A-Z]+", )"([a-z/-]+(?:\/[^"\s]*)?)"/g)
      .map((path) => `/${path.replaceAll(/%[a-z]/g, ':id').replace(/\?.*/, '')}`)
      // Others begin at the root of the site, and are another API.
      .filter((path) => !path.startsWith('//') && !notPaths.includes(path));
    expect(paths.length).toBeGreaterThan(200);
    expect(paths.filter((path) => !known(path))).toEqual([]);
  });
});
