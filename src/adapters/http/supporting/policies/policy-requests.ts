import { z } from 'zod';
import { policySorts } from '../../../../application/index.js';
import {
  type PolicyChange,
  type PolicyLevel,
  type PolicySettings,
  policyKinds,
  policyLevels,
} from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { oneOf, sortBy, textual, valuesOf } from '../../routing/parameters.js';
import { invalid } from '../../routing/request-error.js';
import type { Call } from '../../routing/route.js';
import { absentable, named, reading, resourceDocument, word } from '../../routing/schema.js';

export const policyType: TypeName = { singular: 'policy', plural: 'policies' };

const level = z.enum([...new Set(Object.values(policyLevels).flat())]);

/** Its older spelling: one entry, whose path is a file of the policy and says nothing here. */
const enforce = z
  .array(z.object({ path: absentable(word), mode: level }))
  .min(1)
  .max(1);

const kind = absentable(z.enum(policyKinds));

const settings = {
  description: z.string().max(4096).nullable().optional(),
  query: z.string().min(1).max(4096).nullable().optional(),
  'enforcement-level': absentable(level),
  enforce: absentable(enforce),
};

interface Levels {
  readonly 'enforcement-level'?: PolicyLevel | undefined;
  readonly enforce?: z.infer<typeof enforce> | undefined;
}

/** Throws a 422 when the two spellings differ. */
const levelOf = ({ 'enforcement-level': one, enforce: other }: Levels): PolicyLevel | undefined => {
  const mode = other?.[0]?.mode;
  if (one !== undefined && mode !== undefined && one !== mode) {
    const detail = 'The two spellings of the enforcement level are one attribute and must have the same value';
    throw invalid([{ pointer: '/data/attributes/enforce', detail }]);
  }
  return one ?? mode;
};

export const newPolicy = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, policyType, {
    name: word,
    kind,
    ...settings,
  });
  return reading(
    schema,
    ({ data: { attributes } }): PolicySettings => ({
      name: attributes.name,
      kind: attributes.kind ?? dialect.unnamedKind,
      description: attributes.description ?? '',
      query: attributes.query ?? null,
      enforcementLevel: levelOf(attributes) ?? 'advisory',
    }),
  );
};

const changeable = { name: absentable(word), kind, ...settings };

/** Only what the request names. */
export const policyChange = (dialect: Dialect) =>
  reading(resourceDocument(dialect, policyType, changeable), ({ data: { attributes } }): PolicyChange => {
    const { name, description, query } = attributes;
    return named({
      name,
      kind: attributes.kind,
      description: description === null ? '' : description,
      query,
      enforcementLevel: levelOf(attributes),
    });
  });

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body as text, of whatever type it calls itself. Throws a 422 for what is none. */
export function readCode({ body }: Call): string {
  const text = decoded(body as Uint8Array);
  if (text === undefined || text.includes('\0')) throw invalid([{ detail: 'Code must be UTF-8 text without NUL' }]);
  return text;
}

const decoded = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};

export const policiesParameters = {
  'search[name]': textual('Only policies with this text in their name.'),
  'filter[kind]': oneOf(policyKinds, 'Only policies of this kind.'),
  sort: sortBy(policySorts, 'name'),
};

export const policiesFilter = ({ query }: Call) => {
  const { 'search[name]': search, 'filter[kind]': kind, sort } = valuesOf(policiesParameters, query);
  return { kind, search, sort };
};
