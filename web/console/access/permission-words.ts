import type { ProjectAccess, TeamAccess } from './levels.ts';

/** The levels that are more than none, and the names of what is allowed. */
const words = (levels: Readonly<Record<string, string | boolean>>): readonly string[] =>
  Object.entries(levels).flatMap(([name, level]) => {
    if (level === true) return [name];
    return level === false || level === 'none' ? [] : [`${name}: ${level}`];
  });

export const workspaceAccessLabels = ({ attributes }: TeamAccess) =>
  words({
    runs: attributes.runs,
    variables: attributes.variables,
    state: attributes['state-versions'],
    lock: attributes['workspace-locking'],
    'run tasks': attributes['run-tasks'],
    'policy overrides': attributes['policy-overrides'],
  });

export const projectLabels = ({ attributes: { 'project-access': given } }: ProjectAccess) =>
  words({ settings: given.settings, teams: given.teams, 'variable sets': given['variable-sets'] });

export const projectWorkspaceLabels = ({ attributes: { 'workspace-access': given } }: ProjectAccess) =>
  words({
    runs: given.runs,
    variables: given.variables,
    state: given['state-versions'],
    lock: given.locking,
    'run tasks': given['run-tasks'],
    create: given.create,
    move: given.move,
    delete: given.delete,
  });
