import { z } from 'zod';
import { type ManagedPolicy, policyKinds, policyLevels } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, flag, maybeText, text } from '../../routing/resource-schema.js';

const extensions = { opa: 'rego', sentinel: 'sentinel' } as const;

const policyKind = z.enum(policyKinds);
const level = z.enum([...new Set(Object.values(policyLevels).flat())]);
const enforced = z.array(z.strictObject({ path: text, mode: level }));

const policy =
  ({ attribute, optional, toOne, toMany, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (policy: ManagedPolicy): Resource => {
    const self = `${dialect.prefix}/policies/${policy.id}`;
    return {
      id: policy.id,
      type: 'policies',
      attributes: {
        name: attribute(text, policy.name),
        description: attribute(text, policy.description),
        kind: attribute(policyKind, policy.kind),
        query: attribute(maybeText, policy.query, 'The OPA query. Null for Sentinel.'),
        'enforcement-level': attribute(
          level,
          policy.enforcementLevel,
          '`advisory` or `mandatory` for OPA; `advisory`, `soft-mandatory` or `hard-mandatory` for Sentinel.',
        ),
        enforce: attribute(
          enforced,
          policy.code === null
            ? []
            : [{ path: `${policy.name}.${extensions[policy.kind]}`, mode: policy.enforcementLevel }],
          'The enforcement level in the form that older clients use. Empty until code is uploaded.',
        ),
        uploaded: attribute(flag, policy.code !== null, 'Whether code was uploaded.'),
        'policy-set-count': attribute(count, policy.policySetIds.length),
        'created-at': attribute(dateTime, policy.createdAt),
        'updated-at': attribute(dateTime, policy.updatedAt),
      },
      relationships: {
        organization: toOne('organizations', policy.organizationName),
        'policy-sets': toMany('policy-sets', policy.policySetIds, 'The policy sets that contain this policy.'),
      },
      links: {
        self: link(self),
        upload: link(`${self}/upload`),
        download:
          policy.code === null ? undefined : optional(link(`${self}/download`), 'Absent until code is uploaded.'),
      },
    };
  };

export const presentPolicy = policy(presenting);

export const policySchema = described({ name: 'Policy' }, (words, dialect) => policy(words)(dialect)(anyView()));
