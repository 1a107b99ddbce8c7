import { z } from 'zod';
import type { Dialect, TypeName } from '../dialect.js';
import { absentable, optionalDocument, parse, resourceDocument } from '../json-api/schema.js';
import type { Call } from '../route.js';

const poolType: TypeName = { singular: 'agent-pool', plural: 'agent-pools' };
const tokenType: TypeName = {
  singular: 'authentication-token',
  plural: 'authentication-tokens',
  alias: 'agent-tokens',
};

/** The name of a new pool. */
export const newAgentPool = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, poolType, { name: z.string() });
  return (call: Call): string => parse(schema, call.body).data.attributes.name;
};

/** The name a pool is to have from now on; undefined for the one it has. */
export const agentPoolName = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, poolType, { name: absentable(z.string()) });
  return (call: Call): string | undefined => parse(schema, call.body).data.attributes.name;
};

/** The description of a new token. */
export const newAgentToken = (dialect: Dialect) => {
  const schema = optionalDocument(dialect, tokenType, {
    description: absentable(z.string().max(255)),
    // Taken in silence, it would be a promise that nobody keeps.
    'expired-at': z.null().optional(),
  });
  return (call: Call): string => parse(schema, call.body).data.attributes.description ?? '';
};
