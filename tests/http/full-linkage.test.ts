import { describe, expect, it } from '@jest/globals';
import { unlinkedIn } from '../support/full-linkage.js';
import { recordedExamples } from '../support/kept-examples.js';

interface Resource {
  readonly type: string;
  readonly relationships?: Readonly<Record<string, { readonly data?: unknown }>>;
}

const responses = Object.entries(recordedExamples)
  .filter(([key]) => / 2\d\d$/.test(key))
  .map(([key, document]) => ({ key, document: document as { readonly data?: Resource | readonly Resource[] } }));

describe('what recorded responses include', () => {
  const including = responses.filter(({ document }) => 'included' in document);

  it('is found in every kind of response that clients read it from', () => {
    expect(including.length).toBeGreaterThan(40);
  });

  it.each(including)('is led to by relationships in $key', ({ document }) => {
    expect(unlinkedIn(document)).toEqual([]);
  });
});

/**
 * The relationships that structs of go-tfe and resources of the tfe provider read, and which have data whenever the
 * resource is shown alone. A relationship without data is none for them.
 */
const read: Readonly<Record<string, readonly string[]>> = {
  'agent-pools': ['organization', 'workspaces', 'allowed-workspaces', 'allowed-projects', 'excluded-workspaces'],
  'authentication-tokens': ['created-by'],
  'configuration-versions': ['ingress-attributes'],
  'organization-memberships': ['organization', 'user', 'teams'],
  organizations: ['default-project', 'default-agent-pool'],
  policies: ['organization'],
  'policy-evaluations': ['policy-attachable'],
  'policy-set-outcomes': ['policy-evaluation'],
  'policy-set-versions': ['policy-set'],
  'policy-sets': [
    'organization',
    'workspaces',
    'policies',
    'newest-version',
    'current-version',
    'workspace-exclusions',
    'projects',
    'project-exclusions',
  ],
  projects: ['organization'],
  'run-events': ['actor', 'comment'],
  runs: [
    'apply',
    'configuration-version',
    'created-by',
    'confirmed-by',
    'plan',
    'task-stages',
    'workspace',
    'run-events',
    'comments',
  ],
  'state-versions': ['run', 'outputs'],
  'task-results': ['task-stage'],
  'task-stages': ['run', 'task-results', 'policy-evaluations'],
  tasks: ['organization', 'workspace-tasks'],
  'team-projects': ['team', 'project'],
  'team-workspaces': ['team', 'workspace'],
  teams: ['users', 'organization-memberships'],
  varsets: ['organization', 'workspaces', 'projects', 'vars', 'parent'],
  'workspace-tasks': ['task', 'workspace'],
  'notification-configurations': ['subscribable', 'users'],
  'run-triggers': ['sourceable', 'workspace'],
  workspaces: [
    'agent-pool',
    'current-run',
    'current-state-version',
    'organization',
    'project',
    'current-configuration-version',
    'locked-by',
    'data-retention-policy',
    'vars',
  ],
};

/** A pool of the whole site, and the groups of an organization, for site administrators. */
const ofTheSite = /^show(SiteAgentPool|OrganizationGroups)V2 /;

describe('a resource in a recorded response of its own', () => {
  const alone = responses
    .filter(({ key }) => /^show\w+V2 200$/.test(key) && !ofTheSite.test(key))
    .map(({ document }) => document.data);

  it.each(Object.entries(read))('has data for what clients read of %s', (type, names) => {
    const shown = alone.flatMap((one) => (one !== undefined && 'type' in one && one.type === type ? one : []));
    expect(shown).not.toEqual([]);
    for (const { relationships = {} } of shown) {
      expect(names.filter((name) => relationships[name]?.data === undefined)).toEqual([]);
    }
  });
});
