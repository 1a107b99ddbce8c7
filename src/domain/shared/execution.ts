import { invalidAttribute } from './domain-error.js';
import type { AgentPoolId, OrganizationId, WorkspaceId } from './id.js';

export const executionModes = ['remote', 'local', 'agent'] as const;

export type ExecutionMode = (typeof executionModes)[number];

/** What the workspaces of an organization follow. The pool is null unless the mode is `agent`. */
export interface ExecutionDefaults {
  readonly executionMode: ExecutionMode;
  readonly agentPoolId: AgentPoolId | null;
}

/** A workspace's own settings. Null follows the organization. */
export interface ExecutionSettings {
  readonly executionMode: ExecutionMode | null;
  readonly agentPoolId: AgentPoolId | null;
}

/** Where the runs of a workspace are executed. The pool is null unless the mode is `agent`. */
export interface Execution {
  readonly mode: ExecutionMode;
  readonly agentPoolId: AgentPoolId | null;
}

export interface Executed extends ExecutionSettings {
  readonly organizationDefaults: ExecutionDefaults;
}

export function executionOf({ executionMode, agentPoolId, organizationDefaults }: Executed): Execution {
  const mode = executionMode ?? organizationDefaults.executionMode;
  return { mode, agentPoolId: mode === 'agent' ? (agentPoolId ?? organizationDefaults.agentPoolId) : null };
}

/** Which of the settings are the workspace's own. Without mode `agent` it has no pool, and none comes from elsewhere. */
export const overwritesOf = ({ executionMode, agentPoolId }: ExecutionSettings) => ({
  executionMode: executionMode !== null,
  agentPool: agentPoolId !== null || (executionMode !== null && executionMode !== 'agent'),
});

/** What a request says of them: what it does not name stays. A pool that is null, and `overwrites` that are false, follow the organization. */
export interface ExecutionChange {
  readonly executionMode?: ExecutionMode;
  readonly agentPoolId?: AgentPoolId | null;
  readonly overwrites?: { readonly executionMode?: boolean | undefined; readonly agentPool?: boolean | undefined };
}

/** Throws `attribute/invalid` for `agent` without a pool, a pool without `agent`, and `overwrites` that differ from the rest. */
export function changedExecution(
  current: Executed,
  { overwrites = {}, ...change }: ExecutionChange,
): ExecutionSettings {
  if (overwrites.executionMode === false && change.executionMode) {
    throw invalidAttribute(
      'settingOverwrites/executionMode',
      'Execution mode is either inherited from the organization or set, not both',
    );
  }
  const names = change.agentPoolId !== undefined && change.agentPoolId !== null;
  if (overwrites.agentPool === false && names) {
    throw invalidAttribute(
      'settingOverwrites/agentPool',
      'Agent pool is either inherited from the organization or set, not both',
    );
  }
  const asked = change.executionMode ?? (overwrites.executionMode === false ? null : undefined);
  // Naming a pool alone asks for its agents.
  const implied = names && executionOf(current).mode !== 'agent' ? 'agent' : current.executionMode;
  const executionMode = asked === undefined ? implied : asked;
  const mode = executionMode ?? current.organizationDefaults.executionMode;
  const kept = mode === 'agent' ? current.agentPoolId : null;
  const agentPoolId =
    overwrites.agentPool === false ? null : change.agentPoolId === undefined ? kept : change.agentPoolId;
  const next = { ...current, executionMode, agentPoolId };
  if (agentPoolId !== null && mode !== 'agent') {
    throw invalidAttribute(
      'agentPoolId',
      `Agent pool can be set only in execution mode agent, and the execution mode is ${mode}`,
    );
  }
  if (mode === 'agent' && executionOf(next).agentPoolId === null) {
    throw invalidAttribute(
      'agentPoolId',
      'Agent pool is required in execution mode agent because the organization has no default agent pool',
    );
  }
  if (overwrites.executionMode === true && !overwritesOf(next).executionMode) {
    throw invalidAttribute(
      'settingOverwrites/executionMode',
      'Execution mode must be set to override that of the organization',
    );
  }
  if (overwrites.agentPool === true && !overwritesOf(next).agentPool) {
    throw invalidAttribute(
      'settingOverwrites/agentPool',
      'Agent pool must be set to override that of the organization',
    );
  }
  return { executionMode, agentPoolId };
}

/** Throws `attribute/invalid`. A mode other than `agent` takes the default pool away. */
export function changedDefaults(current: ExecutionDefaults, change: Partial<ExecutionDefaults>): ExecutionDefaults {
  const executionMode = change.executionMode ?? current.executionMode;
  const kept = executionMode === 'agent' ? current.agentPoolId : null;
  const agentPoolId = change.agentPoolId === undefined ? kept : change.agentPoolId;
  if (agentPoolId !== null && executionMode !== 'agent') {
    throw invalidAttribute('defaultExecutionMode', 'Default execution mode must be agent for a default agent pool');
  }
  if (executionMode === 'agent' && agentPoolId === null) {
    throw invalidAttribute('defaultExecutionMode', 'Default execution mode agent requires a default agent pool');
  }
  return { executionMode, agentPoolId };
}

/** Which workspaces of its organization a pool may serve, beside what the workspaces themselves say. */
export interface AgentPoolScope {
  /** Whether it may serve all of them; otherwise only the allowed ones. */
  readonly organizationScoped: boolean;
  /** In order of id. */
  readonly allowedWorkspaceIds: readonly WorkspaceId[];
  /** Never served, whatever else is true. In order of id. */
  readonly excludedWorkspaceIds: readonly WorkspaceId[];
}

export interface ServingPool extends AgentPoolScope {
  readonly id: AgentPoolId;
  /** Null for a site pool. */
  readonly organizationId: OrganizationId | null;
}

/** Whether the scope of an organization's pool includes the workspace. */
export const admits = (
  { organizationScoped, allowedWorkspaceIds, excludedWorkspaceIds }: AgentPoolScope,
  id: WorkspaceId,
): boolean => !excludedWorkspaceIds.includes(id) && (organizationScoped || allowedWorkspaceIds.includes(id));

/**
 * Whether agents of the pool claim runs of the workspace: a site pool, of every `remote` one; an organization's pool, of
 * those in mode `agent` that name it or take it by default, within its scope. `nextClaimable` asks the same.
 */
export function serves(
  pool: ServingPool,
  workspace: Executed & { readonly id: WorkspaceId; readonly organizationId: OrganizationId },
): boolean {
  const { mode, agentPoolId } = executionOf(workspace);
  if (pool.organizationId === null) return mode === 'remote';
  return pool.organizationId === workspace.organizationId && agentPoolId === pool.id && admits(pool, workspace.id);
}
