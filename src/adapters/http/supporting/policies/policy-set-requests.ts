import { z } from 'zod';
import type { NewPolicySet, PolicySetChange, PolicySetInclude, PolicySetLists } from '../../../../application/index.js';
import { enforcementLevels, type Policy, policyKinds, type TagSelector } from '../../../../domain/index.js';
import { maxPoliciesOfSet } from '../../../../domain/supporting/policies/policy-set.js';
import { maxTriggers } from '../../../../domain/supporting/workspaces/file-triggers.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { include, oneOf, textual, valuesOf } from '../../routing/parameters.js';
import type { Call } from '../../routing/route.js';
import { absentable, identifier, manyOf, named, reading, resourceDocument, word } from '../../routing/schema.js';
import { repository, toRepository } from '../version-control/repository-requests.js';
import { projectType, workspaceType } from '../workspaces/workspace-requests.js';
import { policyType } from './policy-requests.js';

const type: TypeName = { singular: 'policy-set', plural: 'policy-sets' };

const level = absentable(z.enum(enforcementLevels));

const policy = z
  .object({
    name: z.string().min(1).max(255),
    description: absentable(z.string().max(4096)),
    query: z.string().max(4096).nullable().optional(),
    'enforcement-level': level,
    enforcement_level: level,
  })
  .refine(
    ({ 'enforcement-level': one, enforcement_level: other }) =>
      one === undefined || other === undefined || one === other,
    {
      error: 'The two spellings of the enforcement level are one attribute and must have the same value',
      path: ['enforcement_level'],
    },
  )
  .transform(
    ({ name, description = '', query = null, ...spelled }): Policy => ({
      name,
      description,
      query,
      enforcementLevel: spelled['enforcement-level'] ?? spelled.enforcement_level ?? 'advisory',
    }),
  );

/** The domain checks keys and values. */
const selectorList = manyOf(
  z.object({
    'tag-key': z.string().max(1024),
    'tag-value': z.string().max(1024).nullable().optional().meta({
      description: 'Null for workspaces that have the key without a value.',
    }),
    'is-exclude': absentable(z.boolean()),
  }),
);

const toSelectors = (selectors: z.infer<typeof selectorList>): readonly TagSelector[] =>
  selectors.map((one) => ({
    key: one['tag-key'],
    value: one['tag-value'] ?? '',
    excludes: one['is-exclude'] ?? false,
  }));

export const readSelectors = reading(z.object({ data: selectorList }), ({ data }) => toSelectors(data));

const settings = {
  description: z.string().max(4096).nullable().optional(),
  kind: absentable(z.enum(policyKinds)),
  global: absentable(z.boolean()),
  overridable: absentable(z.boolean()),
  policies: absentable(z.array(policy).max(maxPoliciesOfSet)),
  'policy-tool-version': z.string().max(64).nullable().optional(),
  'agent-enabled': absentable(z.boolean()),
  'policy-update-patterns': absentable(z.array(z.string().max(255)).max(maxTriggers)).meta({
    description: 'Globs of files whose change creates a version, such as `/**/*.rego`, instead of the policies path.',
  }),
  'vcs-repo': repository,
  'policies-path': z.string().max(1024).nullable().optional().meta({
    description: 'The directory of the repository that contains the policies. Empty for its root.',
  }),
  'tag-selectors': absentable(selectorList),
};

/** An empty version or path is none. */
const unlessEmpty = (given: string | null | undefined) => (given === '' ? null : given);

export interface PolicySetRequest {
  readonly settings: NewPolicySet;
  readonly lists: Partial<PolicySetLists>;
}

/** The lists of ids that a request may name, by the relationship that holds them. */
const listsIn = (dialect: Dialect) => {
  const listed = (of: TypeName) => absentable(z.object({ data: absentable(manyOf(identifier(dialect, of))) }));
  const workspaces = listed(workspaceType);
  const projects = listed(projectType);
  return {
    workspaces,
    'workspace-exclusions': workspaces,
    projects,
    'project-exclusions': projects,
    policies: listed(policyType),
  };
};

type Listed = { readonly [Name in keyof ReturnType<typeof listsIn>]?: z.infer<ReturnType<typeof listsIn>[Name]> };

const toLists = (
  relationships: Listed,
  selectors: z.infer<typeof selectorList> | undefined,
): Partial<PolicySetLists> => {
  const idsOf = (name: keyof Listed) => relationships[name]?.data?.map(({ id }) => id);
  return named({
    workspaceIds: idsOf('workspaces'),
    excludedWorkspaceIds: idsOf('workspace-exclusions'),
    projectIds: idsOf('projects'),
    excludedProjectIds: idsOf('project-exclusions'),
    tagSelectors: selectors && toSelectors(selectors),
    policyIds: idsOf('policies'),
  });
};

export const newPolicySet = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, type, { name: word, ...settings }, listsIn(dialect));
  return reading(
    schema,
    ({ data: { attributes, relationships } }): PolicySetRequest => ({
      settings: {
        name: attributes.name,
        description: attributes.description ?? null,
        kind: attributes.kind ?? dialect.unnamedKind,
        global: attributes.global ?? false,
        overridable: attributes.overridable ?? false,
        policies: attributes.policies ?? [],
        policyToolVersion: unlessEmpty(attributes['policy-tool-version']) ?? null,
        agentEnabled: attributes['agent-enabled'] ?? false,
        updatePatterns: attributes['policy-update-patterns'] ?? [],
        policiesPath: unlessEmpty(attributes['policies-path']) ?? null,
        repository: toRepository(attributes['vcs-repo']) ?? null,
      },
      lists: toLists(relationships, attributes['tag-selectors']),
    }),
  );
};

export const policySetParameters = {
  include: include<PolicySetInclude>({
    policies: ['policies'],
    workspaces: ['workspaces'],
    workspace_exclusions: ['exclusions'],
    projects: ['projects'],
    project_exclusions: ['project-exclusions'],
    current_version: ['current-version'],
    newest_version: ['newest-version'],
  }),
};

export const policySetsParameters = {
  ...policySetParameters,
  'search[name]': textual('Only policy sets with this text in their name.'),
  'filter[kind]': oneOf(policyKinds, 'Only policy sets of this kind.'),
  'filter[versioned]': oneOf(['true', 'false'], 'Only policy sets whose policies come from uploaded versions, or not.'),
};

export const policySetsQuery = ({ query }: Call) => {
  const {
    'search[name]': search,
    'filter[kind]': kind,
    'filter[versioned]': versioned,
    include,
  } = valuesOf(policySetsParameters, query);
  return { filter: { search, kind, versioned: versioned && versioned === 'true' }, include };
};

/** Only what the request names. Policies and lists are replaced as a whole. */
export const policySetChange = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, type, { name: absentable(word), ...settings }, listsIn(dialect));
  return reading(schema, ({ data: { attributes, relationships } }): PolicySetChange => {
    const { name, description, kind, global, overridable, policies } = attributes;
    const changed = named({
      name,
      description,
      kind,
      global,
      overridable,
      policies,
      policyToolVersion: unlessEmpty(attributes['policy-tool-version']),
      agentEnabled: attributes['agent-enabled'],
      updatePatterns: attributes['policy-update-patterns'],
      policiesPath: unlessEmpty(attributes['policies-path']),
      repository: toRepository(attributes['vcs-repo']),
    });
    return { ...changed, ...toLists(relationships, attributes['tag-selectors']) };
  });
};
