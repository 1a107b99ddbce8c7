import type { TokenOwner } from '../shared/api-token.js';
import { DomainError, invalidAttribute } from '../shared/domain-error.js';
import type { ConfigurationVersionId, Instant, OrganizationId, WorkspaceId } from '../shared/id.js';
import { checkName } from '../shared/name.js';

export const executionModes = ['remote', 'local', 'agent'] as const;

export interface WorkspaceSettings {
  readonly name: string;
  readonly description: string | null;
  readonly autoApply: boolean;
  readonly executionMode: (typeof executionModes)[number];
  readonly terraformVersion: string;
  /** Relative to the configuration's root; empty for the root itself. */
  readonly workingDirectory: string;
}

export interface Lock {
  readonly by: TokenOwner;
  readonly reason: string | null;
  readonly at: Instant;
}

export interface Workspace extends WorkspaceSettings {
  readonly id: WorkspaceId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  readonly lock: Lock | null;
  readonly currentConfigurationVersionId: ConfigurationVersionId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

export const defaultSettings: Omit<WorkspaceSettings, 'name'> = {
  description: null,
  autoApply: false,
  executionMode: 'remote',
  terraformVersion: 'latest',
  workingDirectory: '',
};

/** Throws `attribute/invalid` for a name that is not well formed, or a working directory that leaves the root. */
export function checkSettings<Settings extends Partial<WorkspaceSettings>>(settings: Settings): Settings {
  if (settings.name !== undefined) checkName(settings.name);
  const directory = settings.workingDirectory ?? '';
  if (directory.startsWith('/') || directory.split('/').includes('..')) {
    throw invalidAttribute('working-directory', 'Working directory must be a path below the configuration root');
  }
  return settings;
}

const refused = (sentence: string): DomainError => new DomainError('workspace/lock-refused', sentence);

const changed = (workspace: Workspace, lock: Lock | null, now: Instant): Workspace => ({
  ...workspace,
  lock,
  updatedAt: now,
  revision: workspace.revision + 1,
});

/** The three lock actions. Each throws `workspace/lock-refused` when the workspace is not in the state it starts from. */
export const lockActions = {
  lock: (workspace: Workspace, by: TokenOwner, now: Instant, reason: string | null): Workspace => {
    if (workspace.lock !== null) throw refused('workspace already locked');
    return changed(workspace, { by, reason, at: now }, now);
  },
  unlock: (workspace: Workspace, by: TokenOwner, now: Instant): Workspace => {
    if (workspace.lock === null) throw refused('workspace already unlocked');
    if (workspace.lock.by.id !== by.id) throw refused('workspace locked by somebody else');
    return changed(workspace, null, now);
  },
  'force-unlock': (workspace: Workspace, _by: TokenOwner, now: Instant): Workspace => {
    if (workspace.lock === null) throw refused('workspace already unlocked');
    return changed(workspace, null, now);
  },
} as const satisfies Record<
  string,
  (workspace: Workspace, by: TokenOwner, now: Instant, reason: string | null) => Workspace
>;

export type LockAction = keyof typeof lockActions;
