import type { Action } from '../../authorization/policy.js';
import { invalidAttribute } from '../../shared/domain-error.js';
import type { Instant, OrganizationId, ProjectId, VariableId, VariableSetId, WorkspaceId } from '../../shared/id.js';
import { checkPrintableName } from '../../shared/name.js';

export interface VariableSetSettings {
  readonly name: string;
  readonly description: string;
  /** Whether it applies to every workspace of its organization. */
  readonly global: boolean;
  /** Whether its variables override those of more specific sources, as `precedence` says. */
  readonly priority: boolean;
}

/** The workspaces and projects that a set is attached to; none if it is global. */
export interface Attachments {
  readonly workspaceIds: readonly WorkspaceId[];
  /** It applies to every workspace in them. */
  readonly projectIds: readonly ProjectId[];
}

/** Variables that several workspaces share. */
export interface VariableSet extends VariableSetSettings, Attachments {
  readonly id: VariableSetId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** The project that owns it: it applies to workspaces of this project only. Null if the organization owns it. */
  readonly projectId: ProjectId | null;
  readonly variableIds: readonly VariableId[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

/** Throws `attribute/invalid` for a malformed name, and for a global set that is attached or that a project owns. */
export function checkVariableSet<Checked extends Omit<VariableSetSettings, 'description'> & Attachments>(
  set: Checked & Pick<VariableSet, 'projectId'>,
): Checked & Pick<VariableSet, 'projectId'> {
  checkPrintableName(set.name);
  if (set.global && set.projectId !== null) {
    throw invalidAttribute('global', 'Global must be false for a variable set that a project owns');
  }
  if (set.global && set.workspaceIds.length + set.projectIds.length > 0) {
    throw invalidAttribute('global', 'A global variable set applies to every workspace and cannot be attached to any');
  }
  return set;
}

/** The action that decides who may see and change the set. */
export const managing = ({ projectId }: Pick<VariableSet, 'projectId'>): Action =>
  projectId === null ? 'variable-sets/manage' : 'variable-sets/manage-in-project';
