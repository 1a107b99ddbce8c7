import { z } from 'zod';
import { type ManagedPolicy, policyKinds, policyLevels } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { count, dateTime, flag, maybeText, text } from '../../routing/resource-schema.js';

const extensions = { opa: 'rego', sentinel: 'sentinel' } as const;

const policyKind = z.enum(policyKinds);
const level = z.enum([...new Set(Object.values(policyLevels).flat())]);
const enforced = z.array(z.strictObject({ path: text, mode: level }));

const policy =
  ({ is, optional, toOne, toMany, link }: Words) =>
  (dialect: Dialect) =>
  (policy: ManagedPolicy): Resource => {
    const self = `${dialect.prefix}/policies/${policy.id}`;
    return {
      id: policy.id,
      type: 'policies',
      attributes: {
        name: is(text, policy.name),
        description: is(text, policy.description),
        kind: is(policyKind, policy.kind),
        query: is(maybeText, policy.query, 'The OPA query. Null for Sentinel.'),
        'enforcement-level': is(
          level,
          policy.enforcementLevel,
          '`advisory` or `mandatory` for OPA; `advisory`, `soft-mandatory` or `hard-mandatory` for Sentinel.',
        ),
        enforce: is(
          enforced,
          [{ path: `${policy.name}.${extensions[policy.kind]}`, mode: policy.enforcementLevel }],
          'The enforcement level in the form that older clients use.',
        ),
        uploaded: is(flag, policy.code !== null, 'Whether code was uploaded.'),
        'policy-set-count': is(count, policy.policySetIds.length),
        'created-at': is(dateTime, policy.createdAt),
        'updated-at': is(dateTime, policy.updatedAt),
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
