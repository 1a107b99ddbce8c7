import { customDefaults, impliedBy } from './access-level.js';
import { reaches, type WorkspacePermissions } from './workspace-permissions.js';

/** Each scale runs from the lowest level to the highest; a level includes all lower ones. */
export const projectScales = {
  /** The project itself. */
  settings: ['read', 'update', 'delete'],
  /** The access of teams to the project. */
  teams: ['none', 'read', 'manage'],
  variableSets: ['none', 'read', 'write'],
  /** The rest is about the workspaces of the project. */
  create: [false, true],
  move: [false, true],
  delete: [false, true],
} as const;

export type ProjectScale = keyof typeof projectScales;

/** One level per scale: what a team may do to a project. */
export type ProjectPermissions = { readonly [S in ProjectScale]: (typeof projectScales)[S][number] };

export const projectScaleNames = Object.keys(projectScales) as readonly ProjectScale[];

/** A team's permissions on a project, and on each of its workspaces. */
export interface PermissionsInProject {
  readonly project: ProjectPermissions;
  readonly workspaces: WorkspacePermissions;
}

/** The default permissions of a custom grant. */
export const customProjectDefaults: PermissionsInProject = {
  project: { settings: 'read', teams: 'none', variableSets: 'none', create: false, move: false, delete: false },
  workspaces: customDefaults,
};

const reading: ProjectPermissions = { ...customProjectDefaults.project, variableSets: 'read' };
const maintaining: ProjectPermissions = { ...reading, create: true, move: true, delete: true };

/** The permissions each fixed access level implies. The last two also administer the workspaces. */
export const impliedInProject = {
  read: { project: reading, workspaces: impliedBy.read },
  write: { project: reading, workspaces: impliedBy.write },
  maintain: { project: maintaining, workspaces: impliedBy.admin },
  admin: {
    project: { ...maintaining, settings: 'delete', teams: 'manage', variableSets: 'write' },
    workspaces: impliedBy.admin,
  },
} as const satisfies Record<string, PermissionsInProject>;

export type FixedProjectLevel = keyof typeof impliedInProject;

export const fixedProjectLevels = [
  'read',
  'write',
  'maintain',
  'admin',
] as const satisfies readonly FixedProjectLevel[];

export const projectAccessLevels = [...fixedProjectLevels, 'custom'] as const;

export type ProjectAccessLevel = (typeof projectAccessLevels)[number];

/** An access level with its permissions. Only a custom level stores individual permissions. */
export type ProjectGrant =
  | { readonly access: FixedProjectLevel }
  | { readonly access: 'custom'; readonly permissions: PermissionsInProject };

export const permissionsInProject = (grant: ProjectGrant): PermissionsInProject =>
  grant.access === 'custom' ? grant.permissions : impliedInProject[grant.access];

/** Whether the grant gives admin access to every workspace of the project. */
export const administersWorkspaces = ({ access }: ProjectGrant): boolean => access === 'maintain' || access === 'admin';

const rank = (scale: ProjectScale, level: unknown): number =>
  (projectScales[scale] as readonly unknown[]).indexOf(level);

/** Whether `held` reaches `needed` on every scale that `needed` names. */
export const reachesInProject = (held: ProjectPermissions, needed: Partial<ProjectPermissions>): boolean =>
  projectScaleNames.every(
    (scale) => needed[scale] === undefined || rank(scale, held[scale]) >= rank(scale, needed[scale]),
  );

/** Whether everything that `given` gives is in `held`. */
export const includesProjectGrant = (held: ProjectGrant, given: ProjectGrant): boolean => {
  const [a, b] = [permissionsInProject(held), permissionsInProject(given)];
  return (
    reachesInProject(a.project, b.project) &&
    reaches(a.workspaces, b.workspaces) &&
    (!administersWorkspaces(given) || administersWorkspaces(held))
  );
};
