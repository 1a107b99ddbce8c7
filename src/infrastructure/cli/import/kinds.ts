import { z } from 'zod';
import { organizationPermissions } from '../../../domain/index.js';
import { type Item, numberOf, oneOf, type Ref, textOf } from './documents.js';
import type { Reason } from './reasons.js';
import {
  type Attributes,
  describing,
  destroyedAt,
  flag,
  isSet,
  modeOf,
  nonEmpty,
  only,
  type PoolUse,
  poolUse,
  setsItself,
  text,
  without,
} from './settings.js';

/** The id of a resource at the target; undefined if it did not come. */
export type Mapping = (ref: Ref) => string | undefined;

/** Further parts of a resource, by the step that brings them. */
export const stepsInWords = {
  'bind-tags': 'tags',
  'copy-code': 'code of policies',
  'copy-states': 'state versions',
} as const;

export type StepName = keyof typeof stepsInWords;

/** Resources of one kind: how they are listed, found, created and updated. The rows of this table carry the import. */
export interface Kind {
  readonly name: string;
  readonly type: string;
  /** The list, by the id of what they belong to. New ones are sent to the same path without its query. */
  readonly list: (parentId: string) => string;
  readonly one: (id: string, parentId: string) => string;
  /** Resources of both servers with the same key are the same. Undefined for one that cannot be found. */
  readonly key: (item: Item, map: Mapping) => string | undefined;
  /** The attributes that come. Everything else at the source is ignored. */
  readonly attributes: (item: Item) => Attributes;
  /** Relationships that come; `add` for lists, from which nothing is removed. */
  readonly relationships?: Readonly<Record<string, 'one' | 'add' | 'when-created'>>;
  /** The name of the relationship to what they belong to, if a new one has to name it. */
  readonly parent?: string;
  /** Why one does not come. One that the target has is left as it is. */
  readonly stays?: (item: Item) => Reason | undefined;
  /** Whether one of the target is left as it is. */
  readonly isKept?: (found: Item) => boolean;
  /** Why one of the target is not the same in spite of its key, and left as it is. */
  readonly differs?: (found: Item, item: Item) => Reason | undefined;
  /** The parts of one that comes that do not, with their number. */
  readonly leaves?: (item: Item) => Readonly<Partial<Record<Reason, number | undefined>>>;
  /** An existing one cannot be updated, and is added at this path to each of a list that it lacks. */
  readonly joins?: { readonly relationship: string; readonly path: (id: string) => string };
  readonly steps?: readonly StepName[];
  /** Undefined unless agents of a pool execute it. Set once the pools have come, whose scopes name workspaces. */
  readonly poolUse?: (item: Item) => PoolUse | undefined;
  /** A list of others of the same kind, which is copied once they have all come; nothing is removed from it. */
  readonly peers?: {
    readonly name: string;
    readonly list: (id: string) => string;
    readonly has: (item: Item) => boolean;
  };
  readonly below?: readonly Kind[];
}

const named = (item: Item): string | undefined => textOf(item, 'name');
const lowerCase = (item: Item): string | undefined => named(item)?.toLowerCase();
const organizationSettings = only({
  name: text,
  email: text,
  'aggregated-commit-status-enabled': flag,
  'allow-force-delete-workspaces': flag,
  'cost-estimation-enabled': flag,
  'default-execution-mode': z.enum(['remote', 'local']),
  'send-passing-statuses-for-untriggered-speculative-plans': flag,
  'session-remember': z.number(),
  'session-timeout': z.number(),
  'speculative-plan-management-enabled': flag,
});

const restricting: Attributes = {
  'assessments-enforced': true,
  'collaborator-auth-policy': 'two_factor_mandatory',
  'enforce-hyok': true,
  'user-tokens-enabled': false,
};

const teamSettings = only({
  name: text,
  visibility: z.enum(['secret', 'organization']),
  'allow-member-token-management': flag,
  'organization-access': z.record(z.string(), z.unknown()).transform((given) => {
    const known = new Set<string>(organizationPermissions);
    return Object.fromEntries(
      Object.entries(given).filter(([name, value]) => known.has(name) && flag.safeParse(value).success),
    );
  }),
});

const workspaceSettings = only({
  name: text,
  description: describing,
  'allow-destroy-plan': flag,
  'assessments-enabled': flag,
  'auto-apply': flag,
  'auto-apply-run-trigger': flag,
  'execution-mode': z.enum(['remote', 'local']),
  'file-triggers-enabled': flag,
  'global-remote-state': flag,
  'queue-all-runs': flag,
  'source-name': text,
  'source-url': text,
  'speculative-enabled': flag,
  'structured-run-output-enabled': flag,
  'terraform-version': text.min(1),
  'trigger-patterns': nonEmpty,
  'trigger-prefixes': nonEmpty,
  'working-directory': text,
});

const variableSettings = only({
  key: text,
  value: text,
  description: describing,
  category: text,
  hcl: flag,
  sensitive: flag,
});

const permissionSettings = only({
  runs: z.enum(['read', 'plan', 'apply']),
  variables: text,
  'state-versions': text,
  'sentinel-mocks': text,
  'workspace-locking': flag,
  'run-tasks': flag,
  'policy-overrides': flag,
});

const projectPermissions = {
  'project-access': only({ settings: text, teams: text, 'variable-sets': text }),
  'workspace-access': only({
    runs: z.enum(['read', 'plan', 'apply']),
    variables: text,
    'state-versions': text,
    'sentinel-mocks': text,
    locking: flag,
    'run-tasks': flag,
    create: flag,
    move: flag,
    delete: flag,
  }),
};

const group = z.record(z.string(), z.unknown());
const groupIn = ({ attributes }: Item, name: keyof typeof projectPermissions): Attributes | undefined => {
  const { data } = group.safeParse(attributes[name]);
  return data && projectPermissions[name]({ attributes: data });
};

const isDefaultProject = (item: Item): boolean =>
  item.attributes['is-default'] === true ||
  (item.attributes['is-default'] === undefined && named(item) === 'Default Project');

const parameterSettings = only({ key: text, value: text, category: text, sensitive: flag });

const variables = (name: string, list: Kind['list'], attributes = variableSettings): Kind => ({
  name,
  type: 'vars',
  list,
  one: (id, parentId) => `${list(parentId)}/${id}`,
  key: (item) => `${textOf(item, 'category')}/${textOf(item, 'key')}`,
  attributes,
  stays: ({ attributes }) => (attributes.sensitive === true ? 'sensitive-values' : undefined),
  // Its value cannot be compared, and it was made sensitive there.
  isKept: ({ attributes }) => attributes.sensitive === true,
});

const access = (of: 'workspace' | 'project', attributes: Kind['attributes']): Kind => ({
  name: `team access to ${of}s`,
  type: `team-${of}s`,
  list: (id) => `/team-${of}s?filter[${of}][id]=${id}`,
  one: (id) => `/team-${of}s/${id}`,
  key: (item, map) => {
    const team = oneOf(item, 'team');
    return team && map(team);
  },
  attributes,
  relationships: { team: 'when-created' },
  parent: of,
  stays: ({ attributes: { 'expires-at': end } }) => (isSet(end) ? 'temporary-access' : undefined),
});

const teams: Kind = {
  name: 'teams',
  type: 'teams',
  list: (organization) => `/organizations/${organization}/teams`,
  one: (id) => `/teams/${id}`,
  key: lowerCase,
  // The owners team has all permissions, and keeps its settings.
  attributes: (item) => (named(item) === 'owners' ? { name: 'owners' } : teamSettings(item)),
  leaves: ({ attributes }) => (isSet(attributes['sso-team-id']) ? { groups: 1 } : {}),
};

const memberships: Kind = {
  name: 'organization memberships',
  type: 'organization-memberships',
  list: (organization) => `/organizations/${organization}/organization-memberships`,
  one: (id) => `/organization-memberships/${id}`,
  key: (item) => textOf(item, 'email')?.toLowerCase(),
  attributes: only({ email: text }),
  relationships: { teams: 'add' },
  stays: (item) => (isSet(textOf(item, 'email')) ? undefined : 'addresses'),
  joins: { relationship: 'teams', path: (teamId) => `/teams/${teamId}/relationships/organization-memberships` },
};

const projects: Kind = {
  name: 'projects',
  type: 'projects',
  list: (organization) => `/organizations/${organization}/projects`,
  one: (id) => `/projects/${id}`,
  // Each organization has one already, whatever its name is.
  key: (item) => (isDefaultProject(item) ? 'default' : `named ${lowerCase(item)}`),
  attributes: (item) => {
    const settings = only({
      name: text,
      description: describing,
      'default-execution-mode': z.enum(['remote', 'local']),
    })(item);
    const own = setsItself(item, 'default-execution-mode') ? settings : without(settings, 'default-execution-mode');
    return isDefaultProject(item) ? without(own, 'name') : own;
  },
  leaves: ({ attributes }) => (isSet(attributes['auto-destroy-activity-duration']) ? { schedules: 1 } : {}),
  poolUse: poolUse('default-'),
  steps: ['bind-tags'],
  below: [
    access('project', (item) => ({
      access: item.attributes.access,
      ...(item.attributes.access === 'custom' && {
        'project-access': groupIn(item, 'project-access'),
        'workspace-access': groupIn(item, 'workspace-access'),
      }),
    })),
  ],
};

const ownsSchedule = ({ attributes }: Item): boolean => attributes['inherits-project-auto-destroy'] !== true;

const workspaces: Kind = {
  name: 'workspaces',
  type: 'workspaces',
  list: (organization) => `/organizations/${organization}/workspaces`,
  one: (id) => `/workspaces/${id}`,
  key: named,
  attributes: (item) => {
    const settings = workspaceSettings({ attributes: { ...item.attributes, 'execution-mode': modeOf(item) } });
    const at = ownsSchedule(item) ? destroyedAt(item) : undefined;
    return {
      ...(setsItself(item, 'execution-mode') ? settings : without(settings, 'execution-mode')),
      ...(at !== undefined && { 'auto-destroy-at': at }),
    };
  },
  relationships: { project: 'one' },
  leaves: (item) => {
    const { attributes } = item;
    const isScheduled = isSet(attributes['auto-destroy-at']) || isSet(attributes['auto-destroy-activity-duration']);
    return {
      ...(isSet(attributes['vcs-repo']) && { repositories: 1 }),
      ...(isScheduled && ownsSchedule(item) && destroyedAt(item) === undefined && { schedules: 1 }),
      ...(attributes['project-remote-state'] === true && { 'shared-states': 1 }),
      runs: numberOf(item, 'runs-count') ?? numberOf(item, 'workspace-kpis-runs-count'),
    };
  },
  peers: {
    name: 'remote state consumers',
    list: (id) => `/workspaces/${id}/relationships/remote-state-consumers`,
    // With true, every workspace of the organization is one.
    has: ({ attributes }) => attributes['global-remote-state'] !== true,
  },
  steps: ['bind-tags', 'copy-states'],
  poolUse: poolUse(''),
  below: [
    variables('variables', (id) => `/workspaces/${id}/vars`),
    access('workspace', (item) => ({
      access: item.attributes.access,
      ...(item.attributes.access === 'custom' && permissionSettings(item)),
    })),
  ],
};

const variableSets: Kind = {
  name: 'variable sets',
  type: 'varsets',
  list: (organization) => `/organizations/${organization}/varsets`,
  one: (id) => `/varsets/${id}`,
  key: (item, map) => {
    const owner = oneOf(item, 'parent');
    const project = owner?.type === 'projects' ? map(owner) : '';
    return project === undefined ? undefined : `${project}/${named(item)}`;
  },
  attributes: only({ name: text, description: describing, global: flag, priority: flag }),
  relationships: { parent: 'when-created', workspaces: 'add', projects: 'add' },
  below: [variables('variables of sets', (id) => `/varsets/${id}/relationships/vars`)],
};

/** Their tokens do not come, so that new ones have no agents yet. */
const agentPools: Kind = {
  name: 'agent pools',
  type: 'agent-pools',
  list: (organization) => `/organizations/${organization}/agent-pools`,
  one: (id) => `/agent-pools/${id}`,
  key: named,
  attributes: only({ name: text, 'organization-scoped': flag }),
  relationships: { 'allowed-workspaces': 'add', 'allowed-projects': 'add', 'excluded-workspaces': 'add' },
  leaves: () => ({ 'agent-tokens': undefined }),
};

const levelIn = z.array(z.object({ mode: z.string() })).min(1);

/** The only kind of older servers is Sentinel. */
const policyKindOf = ({ attributes }: Item): unknown => attributes.kind ?? 'sentinel';

const policies: Kind = {
  name: 'policies',
  type: 'policies',
  list: (organization) => `/organizations/${organization}/policies`,
  one: (id) => `/policies/${id}`,
  key: named,
  attributes: (item) => ({
    kind: policyKindOf(item),
    'enforcement-level': levelIn.safeParse(item.attributes.enforce).data?.[0]?.mode,
    ...only({ name: text, description: describing, query: text.min(1), 'enforcement-level': text })(item),
  }),
  differs: (found, item) => (policyKindOf(found) === policyKindOf(item) ? undefined : 'policy-kinds'),
  steps: ['copy-code'],
};

const policySets: Kind = {
  name: 'policy sets',
  type: 'policy-sets',
  list: (organization) => `/organizations/${organization}/policy-sets`,
  one: (id) => `/policy-sets/${id}`,
  key: named,
  attributes: (item) => ({
    kind: 'sentinel',
    ...only({
      name: text,
      description: describing,
      kind: text,
      global: flag,
      overridable: flag,
      'agent-enabled': flag,
      'policy-tool-version': text.min(1),
      policies: z.array(z.record(z.string(), z.unknown())),
      'tag-selectors': z.array(z.record(z.string(), z.unknown())),
    })(item),
  }),
  relationships: {
    policies: 'add',
    workspaces: 'add',
    'workspace-exclusions': 'add',
    projects: 'add',
    'project-exclusions': 'add',
  },
  stays: ({ attributes }) => {
    if (isSet(attributes['vcs-repo'])) return 'policy-repositories';
    return attributes.versioned === true ? 'policy-versions' : undefined;
  },
  below: [variables('parameters of policy sets', (id) => `/policy-sets/${id}/parameters`, parameterSettings)],
};

export const organizations: Kind = {
  name: 'organizations',
  type: 'organizations',
  list: () => '/organizations',
  one: (name) => `/organizations/${name}`,
  key: named,
  attributes: organizationSettings,
  leaves: ({ attributes }) => {
    const refused = Object.entries(restricting).filter(([name, value]) => attributes[name] === value).length;
    return refused > 0 ? { restrictions: refused } : {};
  },
  poolUse: poolUse('default-'),
  // Each kind after those that its resources name.
  below: [teams, memberships, projects, policies, workspaces, variableSets, policySets, agentPools],
};
