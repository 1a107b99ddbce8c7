import { z } from 'zod';
import { type Ending, fallbacks, type Grant, maxAccessDays, type ProjectGrant } from '../../../domain/index.js';
import { countUpTo } from '../routing/parameters.js';
import type { ResourceBuilder } from '../routing/resource.js';
import { maybeDateTime, maybeText } from '../routing/resource-schema.js';
import { absentable, namedInstant, unserved } from '../routing/schema.js';

/** Computed: a linter takes objects with this name for promises. */
const fallback = 'then';

/** The attributes of a request that give access an end. */
export const endAttributes = {
  'expires-at': namedInstant,
  [fallback]: absentable(z.enum(fallbacks)),
  'expired-at': unserved('Expired at is an attribute of tokens; access ends at expires-at'),
};

type EndAttributes = { readonly [Name in keyof typeof endAttributes]?: z.infer<(typeof endAttributes)[Name]> };

export const requestedEnd = (attributes: EndAttributes) => ({
  expiresAt: attributes['expires-at'],
  fallback: attributes[fallback],
});

/** The same attributes in a response. */
export const shownEnd = ({ attribute }: ResourceBuilder, ends: Ending<Grant | ProjectGrant> | undefined) => ({
  'expires-at': attribute(maybeDateTime, ends?.at ?? null, 'When the access ends, in UTC. Null if it does not end.'),
  [fallback]: attribute(
    maybeText,
    ends === undefined ? null : (ends.fallback?.access ?? 'none'),
    'The access level from then on, or `none`. Null if the access does not end.',
  ),
});

export const withinDays = 'filter[expires-within-days]';

export const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

export const endParameters = {
  [withinDays]: countUpTo(maxAccessDays, 'Only access that ends within this number of days.'),
};

export const aboutEnds = `\`expires-at\` is in UTC and at most ${maxAccessDays} days away. From then on, \`then\` is in force: \`previous\`, the permanent access that stood before (default), or \`none\`. A caller cannot give access for longer than they have the right to.`;
