interface Told {
  readonly what: string;
  readonly instead: string;
  /** Whether there are too many to name. */
  readonly isCounted?: boolean;
}

/** Everything that does not come, and what to do instead. */
const rows = {
  'sensitive-values': {
    what: 'sensitive variables',
    instead: 'no API returns their values: create them at the target, then they stay as they are',
  },
  repositories: {
    what: 'repositories of workspaces',
    instead:
      'no API returns their credentials: link them when the source no longer reacts, or both run the same commits',
  },
  'policy-repositories': {
    what: 'policy sets from repositories',
    instead: 'create them with the link at the target',
  },
  'policy-versions': {
    what: 'policy sets with uploaded versions',
    instead: 'no API returns their code: upload it to the target',
  },
  'policy-kinds': {
    what: 'policies that are of another kind at the target',
    instead: 'rename or delete the one at the target',
  },
  'policy-code': { what: 'unreadable code of policies', instead: 'upload it to the target' },
  'agent-mode': {
    what: 'execution by agent pools that do not come',
    instead: 'use a token that may read them, or choose a pool at the target',
  },
  schedules: {
    what: 'destruction that is due or follows from inactivity',
    instead: 'set it once the target is in use: until then it counts as inactive',
  },
  restrictions: {
    what: 'settings that Gatehouse cannot enforce',
    instead: 'see the description of organizations in the API reference',
  },
  groups: {
    what: 'groups of an identity provider',
    instead: 'map them at the target',
  },
  'temporary-access': { what: 'access that ends', instead: 'give it at the target' },
  addresses: { what: 'members without an address', instead: 'invite them at the target' },
  unmapped: {
    what: 'references to what does not come',
    instead: 'use a token that may read everything',
  },
  'shared-states': {
    what: 'states shared within a project',
    instead: 'name the remote state consumers at the target',
  },
  'earlier-states': {
    what: 'earlier states',
    instead: 'use --all-states for the first import of a workspace',
  },
  'newer-states': { what: 'states that are older than at the target', instead: 'nothing: the newer state stays' },
  'deleted-states': { what: 'deleted states', instead: 'nothing' },
  unread: {
    what: 'lists that the source does not show',
    instead: 'use a token that may read them; older servers do not have all',
  },
  runs: { what: 'runs with plans, logs and policy outcomes', instead: 'they stay at the source', isCounted: true },
  tokens: { what: 'team tokens', instead: 'issue them at the target; no API returns a secret' },
  'agent-tokens': {
    what: 'tokens of agent pools',
    instead: 'no API returns a secret: issue them at the target, and start agents with them',
  },
  'run-tasks': { what: 'run tasks', instead: 'create them, with their HMAC keys, at the target' },
  modules: { what: 'registry modules', instead: 'the target has no registry: use Git sources' },
  'oauth-clients': { what: 'OAuth clients', instead: 'the operator of the target keeps credentials of repositories' },
  'ssh-keys': { what: 'SSH keys', instead: 'they stay on the machines of the agents' },
  others: {
    what: 'notifications, run triggers, configuration versions, JSON forms of states, audit events and other tokens',
    instead: 'not read: create what you need at the target',
  },
} as const satisfies Readonly<Record<string, Told>>;

export type Reason = keyof typeof rows;

export const reasons: Readonly<Record<Reason, Told>> = rows;

/** Lists of an organization that do not come, and are counted. */
export const counts: readonly { readonly reason: Reason; readonly list: (organization: string) => string }[] = [
  { reason: 'tokens', list: (name) => `/organizations/${name}/team-tokens` },
  { reason: 'run-tasks', list: (name) => `/organizations/${name}/tasks` },
  { reason: 'modules', list: (name) => `/organizations/${name}/registry-modules` },
  { reason: 'oauth-clients', list: (name) => `/organizations/${name}/oauth-clients` },
  { reason: 'ssh-keys', list: (name) => `/organizations/${name}/ssh-keys` },
];
