import { readFileSync } from 'node:fs';
import { Description } from './description.js';

/** As it is published: `docs-are-current.test.ts` holds it to the tables that serve. A process compiles it once. */
export const published = new Description(
  JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')),
);
