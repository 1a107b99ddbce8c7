import { z } from 'zod';
import { executionModes } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { absentable, identifier, manyOf, named, reading, resourceDocument, word } from '../../routing/schema.js';
import { poolType } from '../workspaces/workspace-requests.js';

const organizationType: TypeName = { singular: 'organization', plural: 'organizations' };
const membershipType: TypeName = { singular: 'organization-membership', plural: 'organization-memberships' };

const defaultMode = { 'default-execution-mode': absentable(z.enum(executionModes)) };

const defaultPool = (dialect: Dialect) => ({
  'default-agent-pool': absentable(z.object({ data: identifier(dialect, poolType).nullable() })),
});

const changeDocument = (dialect: Dialect) =>
  resourceDocument(
    dialect,
    organizationType,
    { name: absentable(word), email: absentable(word), ...defaultMode },
    defaultPool(dialect),
  );

/** Only what the request names. */
const toChange = ({ data: { attributes, relationships } }: z.infer<ReturnType<typeof changeDocument>>) => {
  const pool = relationships['default-agent-pool'];
  const defaults = named({
    executionMode: attributes['default-execution-mode'],
    agentPoolId: pool && (pool.data?.id ?? null),
  });
  const { name, email } = attributes;
  return { name, email, ...(Object.keys(defaults).length > 0 && { defaults }) };
};

export const newOrganization = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, organizationType, { name: word, email: word, ...defaultMode }, defaultPool(dialect)),
    (body) => {
      const { name, email } = body.data.attributes;
      return { ...toChange(body), name, email };
    },
  );

export const organizationChange = (dialect: Dialect) => reading(changeDocument(dialect), toChange);

export const newMembership = (dialect: Dialect) => {
  const teams = z.object({ data: manyOf(z.object({ id: word.min(1) })) });
  const schema = resourceDocument(dialect, membershipType, { email: word }, { teams: absentable(teams) });
  return reading(schema, ({ data: { attributes, relationships } }) => ({
    email: attributes.email,
    teamIds: relationships.teams?.data.map(({ id }) => id) ?? [],
  }));
};
