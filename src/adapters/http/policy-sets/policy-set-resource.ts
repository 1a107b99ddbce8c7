import type { Policy, PolicySet } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';

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
      'policy-count': policySet.policies.length,
      'workspace-count': policySet.workspaceIds.length,
      versioned: false,
      'created-at': policySet.createdAt,
      'updated-at': policySet.updatedAt,
    },
    relationships: {
      organization: toOne('organizations', policySet.organizationName),
      workspaces: { data: policySet.workspaceIds.map((id) => ({ id, type: 'workspaces' })) },
    },
    links: { self: `${dialect.prefix}/policy-sets/${policySet.id}` },
  });
