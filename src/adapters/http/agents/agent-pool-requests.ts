import { z } from 'zod';
import type { Dialect, TypeName } from '../dialect.js';
import { absentable, optionalDocument, reading, resourceDocument, word } from '../json-api/schema.js';

const poolType: TypeName = { singular: 'agent-pool', plural: 'agent-pools' };
const tokenType: TypeName = {
  singular: 'authentication-token',
  plural: 'authentication-tokens',
  alias: 'agent-tokens',
};

/** The name of a new pool. */
export const newAgentPool = (dialect: Dialect) =>
  reading(resourceDocument(dialect, poolType, { name: word }), ({ data }) => data.attributes.name);

/** The name a pool is to have from now on; undefined for the one it has. */
export const agentPoolName = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, poolType, { name: absentable(word) }),
    ({ data }): string | undefined => data.attributes.name,
  );

/** The description of a new token. */
export const newAgentToken = (dialect: Dialect) => {
  const schema = optionalDocument(dialect, tokenType, {
    description: absentable(z.string().max(255)),
    // Taken in silence, it would be a promise that nobody keeps.
    'expired-at': z.null().optional(),
  });
  return reading(schema, ({ data }): string => data.attributes.description ?? '');
};
