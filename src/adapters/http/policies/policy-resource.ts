import { z } from 'zod';
import { enforcementLevels, type ManagedPolicy, policyKinds } from '../../../domain/index.js';
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

const extensions = { opa: 'rego', sentinel: 'sentinel' } as const;

export const presentPolicy =
  (dialect: Dialect) =>
  (policy: ManagedPolicy): Resource => {
    const self = `${dialect.prefix}/policies/${policy.id}`;
    return {
      id: policy.id,
      type: 'policies',
      attributes: {
        name: policy.name,
        description: policy.description,
        kind: policy.kind,
        query: policy.query,
        'enforcement-level': policy.enforcementLevel,
        enforce: [{ path: `${policy.name}.${extensions[policy.kind]}`, mode: policy.enforcementLevel }],
        uploaded: policy.code !== null,
        'policy-set-count': policy.policySetIds.length,
        'created-at': policy.createdAt,
        'updated-at': policy.updatedAt,
      },
      relationships: {
        organization: toOne('organizations', policy.organizationName),
        'policy-sets': { data: policy.policySetIds.map((id) => ({ id, type: 'policy-sets' })) },
      },
      links: { self, upload: `${self}/upload`, download: policy.code === null ? undefined : `${self}/download` },
    };
  };

export const policySchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'Policy',
    type: 'policies',
    attributes: {
      name: z.string(),
      description: z.string(),
      kind: z.enum(policyKinds),
      query: z.string().nullable().describe('The rule that is asked; null for Sentinel.'),
      'enforcement-level': z.enum(enforcementLevels),
      enforce: z
        .array(z.strictObject({ path: z.string(), mode: z.enum(enforcementLevels) }))
        .describe('The enforcement level, as older clients spell it.'),
      uploaded: z.boolean().describe('Whether it has code.'),
      'policy-set-count': count,
      'created-at': dateTime,
      'updated-at': dateTime,
    },
    relationships: {
      organization: toOneSchema('organizations'),
      'policy-sets': toManySchema('policy-sets').describe('Those it is attached to.'),
    },
    links: {
      self: linkIn(dialect),
      upload: linkIn(dialect),
      download: linkIn(dialect).optional().describe('Missing until code was uploaded.'),
    },
    example: presentPolicy(dialect)(examples.policy),
  }),
);
