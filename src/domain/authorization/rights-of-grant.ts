import { type Grant, impliedBy, permissionsOf } from '../team-access/access-level.js';
import {
  administersWorkspaces,
  fixedProjectLevels,
  type ProjectGrant,
  type ProjectPermissions,
  permissionsInProject,
} from '../team-access/project-access-level.js';
import type { WorkspacePermissions } from '../team-access/workspace-permissions.js';

/** The right of a level that is not among its permissions. */
const administration = 'workspace admin';

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Those that give anything: a level after the name of its scale, and the name alone of what is given or not. */
const inWords = (permissions: WorkspacePermissions | ProjectPermissions, prefix = ''): readonly string[] =>
  Object.entries(permissions)
    .filter(([, level]) => level !== 'none' && level !== false)
    .map(([scale, level]) => (level === true ? `${prefix}${kebab(scale)}` : `${prefix}${kebab(scale)}: ${level}`));

const ofWorkspace = (grant: Grant): readonly string[] => [
  ...inWords(permissionsOf(grant)),
  ...(grant.access === 'admin' ? [administration] : []),
];

function ofProject(grant: ProjectGrant): readonly string[] {
  const { project, workspaces } = permissionsInProject(grant);
  return [
    ...inWords(project, 'project '),
    ...inWords(workspaces),
    ...(administersWorkspaces(grant) ? [administration] : []),
  ];
}

/** A report has thousands of grants of the same few levels. */
const known: ReadonlyMap<string, readonly string[]> = new Map([
  ...(Object.keys(impliedBy) as (keyof typeof impliedBy)[]).map(
    (access) => [`workspace ${access}`, ofWorkspace({ access })] as const,
  ),
  ...fixedProjectLevels.map((access) => [`project ${access}`, ofProject({ access })] as const),
]);

/** The rights that a grant gives, by the names of its permissions, for people to read. */
export const rightsOfGrant = (grant: Grant): readonly string[] =>
  known.get(`workspace ${grant.access}`) ?? ofWorkspace(grant);

/** The same for a grant on a project: those on the project itself have its name before them. */
export const rightsOfProjectGrant = (grant: ProjectGrant): readonly string[] =>
  known.get(`project ${grant.access}`) ?? ofProject(grant);
