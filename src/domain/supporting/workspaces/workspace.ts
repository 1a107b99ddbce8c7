import { may } from '../../authorization/policy.js';
import type { Standing } from '../../authorization/standing.js';
import type { DataRetention } from '../../shared/data-retention.js';
import { DomainError, invalidAttribute } from '../../shared/domain-error.js';
import type { Executed, ExecutionSettings } from '../../shared/execution.js';
import type {
  ConfigurationVersionId,
  Instant,
  OrganizationId,
  ProjectId,
  RunId,
  StateVersionId,
  WorkspaceId,
} from '../../shared/id.js';
import type { LinkedRepository } from '../../shared/linked-repository.js';
import { checkName } from '../../shared/name.js';
import { checkProgramVersion } from '../../shared/program-version.js';
import { revised } from '../../shared/revision.js';
import type { TokenOwner } from '../../shared/token-owner.js';
import { checkWebLink } from '../../shared/web-link.js';
import type { Destroyed } from './auto-destroy.js';
import { changedTriggers, type FileTriggers } from './file-triggers.js';

export interface WorkspaceSettings extends ExecutionSettings, FileTriggers {
  readonly name: string;
  readonly description: string | null;
  readonly autoApply: boolean;
  /** A version, constraints, or `latest`. */
  readonly terraformVersion: string;
  /** Below the configuration's root, with or without a leading slash; empty for the root itself. */
  readonly workingDirectory: string;
  /** Whether destroy runs may be created. */
  readonly allowDestroyPlan: boolean;
  /** Whether commits create runs before the first run was created by a client. */
  readonly queueAllRuns: boolean;
  /** Whether pull requests create speculative runs. */
  readonly speculativeEnabled: boolean;
  /** Whether runs of every workspace of the organization may read the state; otherwise those of the named consumers. */
  readonly globalRemoteState: boolean;
  /** The program that created the workspace, in its own words. */
  readonly sourceName: string | null;
  readonly sourceUrl: string | null;
  /** This and the next ones are kept for clients: nothing here depends on them. */
  readonly structuredRunOutputEnabled: boolean;
  readonly assessmentsEnabled: boolean;
  readonly autoApplyRunTrigger: boolean;
}

/** `terraform` for one that a terraform command created. */
export const workspaceSources = ['tfe-api', 'terraform'] as const;

export type WorkspaceSource = (typeof workspaceSources)[number];

export interface Lock {
  readonly by: TokenOwner;
  readonly reason: string | null;
  readonly at: Instant;
}

export interface Workspace extends WorkspaceSettings, Executed, Destroyed {
  readonly id: WorkspaceId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  readonly projectId: ProjectId;
  /** The organization's setting: otherwise only owners delete it while it manages resources. */
  readonly allowForceDelete: boolean;
  readonly lock: Lock | null;
  readonly repository: LinkedRepository | null;
  /** Null to follow the organization. */
  readonly retention: DataRetention | null;
  readonly organizationRetention: DataRetention | null;
  readonly source: WorkspaceSource;
  /** Sorted. */
  readonly tagNames: readonly string[];
  readonly currentConfigurationVersionId: ConfigurationVersionId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly revision: number;
}

export const defaultSettings: Omit<WorkspaceSettings, 'name'> = {
  description: null,
  autoApply: false,
  executionMode: null,
  terraformVersion: 'latest',
  workingDirectory: '',
  agentPoolId: null,
  allowDestroyPlan: true,
  queueAllRuns: false,
  speculativeEnabled: true,
  fileTriggersEnabled: true,
  triggerPrefixes: [],
  triggerPatterns: [],
  globalRemoteState: false,
  sourceName: null,
  sourceUrl: null,
  structuredRunOutputEnabled: false,
  assessmentsEnabled: false,
  autoApplyRunTrigger: false,
};

/**
 * The settings to store. Throws `attribute/invalid` for a malformed name, version or source URL, a working directory
 * outside the root, trigger prefixes along with patterns, and patterns without file triggers.
 */
export function checkSettings<Settings extends Partial<WorkspaceSettings>>(
  settings: Settings,
  current: Pick<WorkspaceSettings, 'fileTriggersEnabled'> = defaultSettings,
): Settings {
  if (settings.name !== undefined) checkName(settings.name);
  if (settings.terraformVersion !== undefined) checkProgramVersion(settings.terraformVersion);
  if (settings.workingDirectory?.split('/').includes('..')) {
    throw invalidAttribute('workingDirectory', 'Working directory must be a path below the configuration root');
  }
  if (typeof settings.sourceUrl === 'string') {
    checkWebLink(settings.sourceUrl, 'Source url', { attribute: 'sourceUrl' });
  }
  return changedTriggers(settings, current);
}

/** The working directory relative to the root. */
export const directoryOf = ({ workingDirectory }: Pick<WorkspaceSettings, 'workingDirectory'>): string =>
  workingDirectory
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');

interface Managed {
  readonly stateVersionId: StateVersionId | null;
  /** Null until the state is read. */
  readonly resourceCount: number | null;
}

/** The right that the deletion takes, unless the organization allows it. A state that is not read yet may list resources. */
export const deletionOf = ({
  stateVersionId,
  resourceCount,
}: Managed): 'workspaces/delete' | 'workspaces/force-delete' =>
  stateVersionId === null || resourceCount === 0 ? 'workspaces/delete' : 'workspaces/force-delete';

/** Whether the caller may delete it whatever it manages. */
export const mayForceDelete = (
  standing: Standing,
  { allowForceDelete }: Pick<Workspace, 'allowForceDelete'>,
): boolean => may(standing, allowForceDelete ? 'workspaces/delete' : 'workspaces/force-delete');

/**
 * Throws `workspace/not-safe-to-delete` for a workspace that is in use or has resources; clients look for these words.
 * `resourceCount` is null until the state is read.
 */
export function checkSafeToDelete(
  { lock }: Pick<Workspace, 'lock'>,
  activity: { workingRunId: RunId | null; stateVersionId: StateVersionId | null; resourceCount: number | null },
): void {
  const unsafe = (sentence: string) => new DomainError('workspace/not-safe-to-delete', sentence);
  if (lock !== null || activity.workingRunId !== null) {
    throw unsafe('Workspace is currently locked. Workspace must be unlocked before it can be safely deleted');
  }
  if (activity.stateVersionId === null || activity.resourceCount === 0) return;
  if (activity.resourceCount === null) throw unsafe('Workspace is still being processed to discover resources');
  throw unsafe('Workspace cannot be safely deleted because it is still managing resources');
}

const refused = (sentence: string): DomainError => new DomainError('workspace/lock-refused', sentence);

/** Throws `workspace/lock-refused` unless the workspace is locked by this user or team. */
export function checkLockedBy({ lock }: Pick<Workspace, 'lock'>, by: Pick<TokenOwner, 'id'>): void {
  if (lock === null) throw refused('the workspace is not locked: lock it before you write a state');
  if (lock.by.id !== by.id) throw refused('the workspace is locked by another user or team');
}

const changed = (workspace: Workspace, lock: Lock | null, now: Instant): Workspace =>
  revised(workspace, { lock, updatedAt: now });

/** The names that clients look for in refusals. */
const holderNames: Readonly<Record<TokenOwner['kind'], string>> = {
  user: 'User',
  team: 'Team',
  organization: 'Organization',
  auditor: 'Organization',
};

/** The lock of a person or a team. A run that works on the workspace locks it as well, and only its end unlocks it. */
function lockOf({ lock }: Workspace, workingRunId: RunId | null): Lock {
  if (lock !== null) return lock;
  if (workingRunId === null) throw refused('workspace already unlocked');
  throw refused(
    `workspace is locked by Run ${workingRunId}: it is unlocked when the run ends, or is discarded or canceled`,
  );
}

interface LockChange {
  readonly by: TokenOwner;
  readonly now: Instant;
  readonly reason: string | null;
  /** The run that works on the workspace. */
  readonly workingRunId: RunId | null;
}

/** The three lock actions. Each throws `workspace/lock-refused` unless the workspace is in its starting state. */
export const lockActions = {
  lock: (workspace, { by, now, reason, workingRunId }) => {
    if (workspace.lock !== null || workingRunId !== null) throw refused('workspace already locked');
    return changed(workspace, { by, reason, at: now }, now);
  },
  unlock: (workspace, { by, now, workingRunId }) => {
    const { by: holder } = lockOf(workspace, workingRunId);
    if (holder.id !== by.id) throw refused(`workspace is locked by ${holderNames[holder.kind]} ${holder.id}`);
    return changed(workspace, null, now);
  },
  'force-unlock': (workspace, { now, workingRunId }) => {
    lockOf(workspace, workingRunId);
    return changed(workspace, null, now);
  },
} as const satisfies Record<string, (workspace: Workspace, change: LockChange) => Workspace>;

export type LockAction = keyof typeof lockActions;
