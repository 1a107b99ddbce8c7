import type { Schemas } from '../api/client.ts';

export type TeamAccess = Schemas['client.TeamAccess'];
export type ProjectAccess = Schemas['client.ProjectAccess'];

const choicesOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

const custom = 'Custom permissions';

export const workspaceLevels = choicesOf({
  read: 'Read: see everything',
  plan: 'Plan: create runs',
  write: 'Write: apply runs, lock, change variables',
  admin: 'Admin: full control, including settings',
  custom,
} satisfies Record<TeamAccess['attributes']['access'], string>);

/** Not a level of the API: the access is removed. */
export const noLevel = { value: 'none', label: 'None: what the project and the organization give remains' };

export const projectLevels = choicesOf({
  read: 'Read: see everything',
  write: 'Write: apply runs, lock, change variables',
  maintain: 'Maintain: admin of its workspaces',
  admin: 'Admin: full control, including settings',
  custom,
} satisfies Record<ProjectAccess['attributes']['access'], string>);

const none = 'None';
const read = 'Read';

/** A request cannot ask for no runs: every access includes reading them. */
export const runs = choicesOf({ read, plan: 'Plan', apply: 'Apply' });
export const variables = choicesOf({ none, read, write: 'Write' });
export const states = choicesOf({ none, 'read-outputs': 'Read outputs', read, write: 'Write' });
export const mocks = choicesOf({ none, read });
export const projectSettings = choicesOf({ read, update: 'Update', delete: 'Update and delete' });
export const projectTeams = choicesOf({ none, read, manage: 'Manage' });
export const variableSets = choicesOf({ none, read, write: 'Write' });
