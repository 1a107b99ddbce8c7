import { z } from 'zod';
import type { ChangedPolicySet } from '../../../../application/index.js';
import {
  enforcementLevels,
  type LinkedRepository,
  type Policy,
  type PolicySet,
  policyKinds,
  type TagSelector,
} from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, flag, maybeText, text } from '../../routing/resource-schema.js';
import { linkedRepository } from '../version-control/repository-resource.js';

const policyKind = z.enum(policyKinds);
const level = z.enum(enforcementLevels);
const patterns = z.array(text);

const policy =
  ({ attribute }: ResourceBuilder) =>
  ({ name, description, query, enforcementLevel }: Policy) => ({
    name: attribute(text, name),
    description: attribute(text, description),
    query: attribute(maybeText, query, 'The OPA query. Null for Sentinel.'),
    'enforcement-level': attribute(level, enforcementLevel),
  });

const selector =
  ({ attribute }: ResourceBuilder) =>
  ({ key, value, excludes }: TagSelector) => ({
    'tag-key': attribute(text, key),
    'tag-value': attribute(maybeText, value === '' ? null : value, 'Null for a key without a value.'),
    'is-exclude': attribute(flag, excludes),
  });

type Presented = PolicySet & { readonly webhookKey?: ChangedPolicySet['webhookKey'] | undefined };

/** A global set names the workspaces it is attached to, and not all the others it applies to. */
const policySet = (words: ResourceBuilder) => {
  const { attribute, each, orNull, toOne, toOneOrNone, toMany, link } = words;
  const policyOf = policy(words);
  const selectorOf = selector(words);
  return (dialect: Dialect) =>
    (policySet: Presented): Resource => ({
      id: policySet.id,
      type: 'policy-sets',
      attributes: {
        name: attribute(text, policySet.name),
        description: attribute(maybeText, policySet.description),
        kind: attribute(policyKind, policySet.kind),
        global: attribute(flag, policySet.global, 'Whether the set applies to every workspace of the organization.'),
        overridable: attribute(flag, policySet.overridable),
        policies: each(
          policySet.policies,
          policyOf,
          'Policies declared in the set itself or in its current version. The service stores the code of those in a version; agents provide that of the others.',
        ),
        'policy-count': attribute(
          count,
          policySet.policies.length + policySet.policyIds.length,
          'Number of policies, declared in the set or attached to it.',
        ),
        'workspace-count': attribute(
          count,
          policySet.workspaceIds.length,
          'Number of workspaces that the set is attached to explicitly.',
        ),
        'project-count': attribute(
          count,
          policySet.projectIds.length,
          'Number of projects that the set is attached to.',
        ),
        'tag-selectors': each(
          policySet.tagSelectors,
          selectorOf,
          'Tags, own or inherited from the project, whose workspaces the set applies to, or never applies to with `is-exclude`.',
        ),
        'policy-tool-version': attribute(
          maybeText,
          policySet.policyToolVersion,
          'The version of the engine that the policies are written for. Below 1, OPA evaluates them as Rego v0. Null accepts both versions of Rego.',
        ),
        'agent-enabled': attribute(flag, policySet.agentEnabled, 'Stored and shown. Agents evaluate all policies.'),
        'policy-update-patterns': attribute(
          patterns,
          policySet.updatePatterns,
          'Globs of files whose change in the repository creates a version. Without them, those below the policies path.',
        ),
        'policies-path': attribute(
          maybeText,
          policySet.policiesPath,
          'The directory of the repository that contains the policies. Null for its root, and without a repository.',
        ),
        'vcs-repo': orNull(
          policySet.repository,
          linkedRepository(words, policySet.webhookKey),
          'The repository that the versions are fetched from. Null if clients upload them.',
        ),
        versioned: attribute(flag, policySet.versions !== null, 'Whether the policies come from versions.'),
        'created-at': attribute(dateTime, policySet.createdAt),
        'updated-at': attribute(dateTime, policySet.updatedAt),
      },
      relationships: {
        organization: toOne('organizations', policySet.organizationName),
        workspaces: toMany(
          'workspaces',
          policySet.workspaceIds,
          'Workspaces that the set is attached to explicitly, even if it is global.',
        ),
        'workspace-exclusions': toMany(
          'workspaces',
          policySet.excludedWorkspaceIds,
          'Workspaces to which the set never applies, even if it is global or attached.',
        ),
        projects: toMany(
          'projects',
          policySet.projectIds,
          'Projects that the set is attached to. It applies to runs of the workspaces that are in them when the run is created.',
        ),
        'project-exclusions': toMany(
          'projects',
          policySet.excludedProjectIds,
          'Projects to whose workspaces the set never applies, even if it is global or attached to them.',
        ),
        policies: toMany(
          'policies',
          policySet.policyIds,
          'Policies attached to the set, whose code is stored on the service. Empty for a versioned set.',
        ),
        'current-version': toOneOrNone(
          'policy-set-versions',
          policySet.versions?.current?.id ?? null,
          'The newest version that is ready. Null without one.',
        ),
        'newest-version': toOneOrNone(
          'policy-set-versions',
          policySet.versions?.newest.id ?? null,
          'The version created last. Null without one.',
        ),
      },
      links: { self: link(`${dialect.prefix}/policy-sets/${policySet.id}`) },
    });
};

export const presentPolicySet = policySet(presenting);

const linked = {
  repository: anyView<LinkedRepository>({ cloneUrl: 'https://git.example.com/acme/policies.git' }),
};

export const policySetSchema = described({ name: 'PolicySet' }, (words, dialect) =>
  policySet(words)(dialect)(anyView({ ...linked, webhookKey: undefined })),
);

/** A policy set in the answer to its creation or a change, which may have linked it to a repository. */
export const changedPolicySetSchema = described({ name: 'ChangedPolicySet' }, (words, dialect) =>
  policySet(words)(dialect)(anyView({ ...linked, webhookKey: '' })),
);
