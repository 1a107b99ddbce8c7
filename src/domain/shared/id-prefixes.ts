/** The field's prefixes: a reader of a log knows what an id names. */
export const idPrefixes = {
  organization: 'org',
  membership: 'ou',
  user: 'user',
  team: 'team',
  project: 'prj',
  workspace: 'ws',
  tag: 'tag',
  'tag-binding': 'tb',
  variable: 'var',
  'variable-set': 'varset',
  'data-retention-policy': 'drp',
  'team-workspace': 'tws',
  'team-project': 'tprj',
  'configuration-version': 'cv',
  'ingress-attributes': 'ia',
  token: 'at',
  identity: 'idn',
  session: 'sess',
  bundle: 'bundle',
  run: 'run',
  'run-comment': 'wsc',
  'task-stage': 'ts',
  'task-result': 'taskrs',
  'run-task': 'task',
  'workspace-task': 'wstask',
  'notification-configuration': 'nc',
  'run-trigger': 'rt',
  'policy-evaluation': 'poleval',
  'policy-set-outcome': 'psout',
  'policy-set': 'polset',
  'policy-trial': 'poltrial',
  'policy-set-version': 'polsetver',
  'policy-set-parameter': 'var',
  policy: 'pol',
  'agent-pool': 'apool',
  'state-version': 'sv',
  'state-version-output': 'wsout',
  webhook: 'hook',
  instance: 'instance',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** Whether the text has the form of an id of that kind. */
export const isIdOf = (kind: IdKind, text: string): boolean => text.startsWith(`${idPrefixes[kind]}-`);

const prefixes: ReadonlySet<string> = new Set(Object.values(idPrefixes));

/** Whether a reader could take the name for an id: both are accepted where a user is named. */
export const looksLikeId = (name: string): boolean =>
  name.includes('-') && prefixes.has(name.slice(0, name.indexOf('-')).toLowerCase());
