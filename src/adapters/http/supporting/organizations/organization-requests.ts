import { z } from 'zod';
import { type ExecutionDefaults, type ExecutionMode, executionModes } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { absentable, identifier, manyOf, reading, resourceDocument, word } from '../../routing/schema.js';
import { poolType } from '../workspaces/workspace-requests.js';

const organizationType: TypeName = { singular: 'organization', plural: 'organizations' };
const membershipType: TypeName = { singular: 'organization-membership', plural: 'organization-memberships' };

const defaultMode = { 'default-execution-mode': absentable(z.enum(executionModes)) };

const defaultPool = (dialect: Dialect) => ({
  'default-agent-pool': absentable(z.object({ data: identifier(dialect, poolType).nullable() })),
});

interface Defaults {
  readonly attributes: { readonly 'default-execution-mode'?: ExecutionMode | undefined };
  readonly relationships: {
    readonly 'default-agent-pool'?: { readonly data: { readonly id: string } | null } | undefined;
  };
}

/** Only what the request names. */
const toDefaults = ({ attributes, relationships }: Defaults): { readonly defaults?: Partial<ExecutionDefaults> } => {
  const executionMode = attributes['default-execution-mode'];
  const pool = relationships['default-agent-pool'];
  if (executionMode === undefined && pool === undefined) return {};
  return {
    defaults: { ...(executionMode && { executionMode }), ...(pool && { agentPoolId: pool.data?.id ?? null }) },
  };
};

export const newOrganization = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, organizationType, { name: word, email: word, ...defaultMode }, defaultPool(dialect)),
    ({ data }) => ({ name: data.attributes.name, email: data.attributes.email, ...toDefaults(data) }),
  );

export const organizationChange = (dialect: Dialect) =>
  reading(
    resourceDocument(
      dialect,
      organizationType,
      { name: absentable(word), email: absentable(word), ...defaultMode },
      defaultPool(dialect),
    ),
    ({ data }) => ({ name: data.attributes.name, email: data.attributes.email, ...toDefaults(data) }),
  );

export const newMembership = (dialect: Dialect) => {
  const teams = z.object({ data: manyOf(z.object({ id: word.min(1) })) });
  const schema = resourceDocument(dialect, membershipType, { email: word }, { teams: absentable(teams) });
  return reading(schema, ({ data: { attributes, relationships } }) => ({
    email: attributes.email,
    teamIds: relationships.teams?.data.map(({ id }) => id) ?? [],
  }));
};
