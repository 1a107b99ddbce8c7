import { z } from 'zod';
import { enforcementLevels, type Policy, type PolicySet, policyKinds } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import {
  count,
  dateTime,
  linkIn,
  perDialect,
  resourceSchema,
  toManySchema,
  toOneSchema,
} from '../json-api/resource-schema.js';

const policyToWire = ({ name, description, query, enforcementLevel }: Policy) => ({
  name,
  description,
  query,
  'enforcement-level': enforcementLevel,
});

/** A global set names the workspaces it is attached to, and not all the others it applies to. */
export const presentPolicySet =
  (dialect: Dialect) =>
  (policySet: PolicySet): Resource => ({
    id: policySet.id,
    type: 'policy-sets',
    attributes: {
      name: policySet.name,
      description: policySet.description,
      kind: policySet.kind,
      global: policySet.global,
      overridable: policySet.overridable,
      policies: policySet.policies.map(policyToWire),
      'policy-count': policySet.policies.length + policySet.policyIds.length,
      'workspace-count': policySet.workspaceIds.length,
      versioned: false,
      'created-at': policySet.createdAt,
      'updated-at': policySet.updatedAt,
    },
    relationships: {
      organization: toOne('organizations', policySet.organizationName),
      workspaces: { data: policySet.workspaceIds.map((id) => ({ id, type: 'workspaces' })) },
      policies: { data: policySet.policyIds.map((id) => ({ id, type: 'policies' })) },
    },
    links: { self: `${dialect.prefix}/policy-sets/${policySet.id}` },
  });

const policySchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  query: z.string().nullable().describe('The rule that is asked; null for Sentinel.'),
  'enforcement-level': z.enum(enforcementLevels),
});

export const policySetSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'PolicySet',
    type: 'policy-sets',
    attributes: {
      name: z.string(),
      description: z.string().nullable(),
      kind: z.enum(policyKinds),
      global: z.boolean().describe('Applies to every workspace of the organization.'),
      overridable: z.boolean(),
      policies: z
        .array(policySchema)
        .describe('Those that are written into the set. Their code is not known here: agents bring it with them.'),
      'policy-count': count.describe('Those written into the set, and those attached to it.'),
      'workspace-count': count.describe('Those it is attached to by name.'),
      versioned: z.literal(false),
      'created-at': dateTime,
      'updated-at': dateTime,
    },
    relationships: {
      organization: toOneSchema('organizations'),
      workspaces: toManySchema('workspaces').describe('Those it is attached to by name, also where it is global.'),
      policies: toManySchema('policies').describe('Those attached to it, which have code.'),
    },
    links: { self: linkIn(dialect) },
    example: presentPolicySet(dialect)(examples.policySet),
  }),
);
