import { DomainError, invalidAttribute } from '../../shared/domain-error.js';
import type { Executed } from '../../shared/execution.js';
import type { Instant, OrganizationId, ProjectId } from '../../shared/id.js';
import type { ProjectAutoDestroy } from '../workspaces/auto-destroy.js';

export interface ProjectSettings {
  readonly name: string;
  readonly description: string;
}

/** A group of workspaces. Every workspace belongs to one. */
export interface Project extends ProjectSettings, Executed {
  readonly id: ProjectId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  readonly autoDestroy: ProjectAutoDestroy | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

/**
 * The project of workspaces that name none. It is created with the organization and exists as long, and its id follows
 * from the organization's: the database derives it in the same way.
 */
export const defaultProjectId = (organizationId: OrganizationId): ProjectId => `prj-${organizationId.slice(4)}`;

export const defaultProjectName = 'Default Project';

export const isDefault = ({ id, organizationId }: Pick<Project, 'id' | 'organizationId'>): boolean =>
  id === defaultProjectId(organizationId);

const wellFormedName = /^[A-Za-z0-9_-][A-Za-z0-9 _-]{1,38}[A-Za-z0-9_-]$/;

/** Throws `attribute/invalid` for a malformed name. */
export function checkProject<Settings extends Partial<ProjectSettings>>(settings: Settings): Settings {
  if (settings.name !== undefined && !wellFormedName.test(settings.name)) {
    throw invalidAttribute(
      'name',
      'Name may only contain letters, digits, spaces, dashes and underscores, 3 to 40 of them, without a space at either end',
    );
  }
  return settings;
}

/** Throws `project/not-removable` for the default project, and for one that has workspaces. */
export function checkRemovable(project: Project, hasWorkspaces: boolean): void {
  if (isDefault(project)) throw new DomainError('project/not-removable', 'the default project cannot be deleted');
  if (hasWorkspaces) {
    throw new DomainError('project/not-removable', 'the project has workspaces: move or delete them first');
  }
}
