import { invalidAttribute } from './domain-error.js';
import type { AgentPoolId, OrganizationId, ProjectId, WorkspaceId } from './id.js';

export const executionModes = ['remote', 'local', 'agent'] as const;

export type ExecutionMode = (typeof executionModes)[number];

/** The defaults for the workspaces of a project or organization. An organization has a pool only in mode `agent`. */
export interface ExecutionDefaults {
  readonly executionMode: ExecutionMode;
  readonly agentPoolId: AgentPoolId | null;
}

/** The own settings of a workspace or project. Null inherits. */
export interface ExecutionSettings {
  readonly executionMode: ExecutionMode | null;
  readonly agentPoolId: AgentPoolId | null;
}

/** The execution mode of a workspace's runs. The pool is null unless the mode is `agent`. */
export interface Execution {
  readonly mode: ExecutionMode;
  readonly agentPoolId: AgentPoolId | null;
}

/** The defaults of a workspace are those of its project, and the defaults of a project those of the organization. */
export interface Executed extends ExecutionSettings {
  readonly executionDefaults: ExecutionDefaults;
}

export function executionOf({ executionMode, agentPoolId, executionDefaults }: Executed): Execution {
  const mode = executionMode ?? executionDefaults.executionMode;
  return { mode, agentPoolId: mode === 'agent' ? (agentPoolId ?? executionDefaults.agentPoolId) : null };
}

/** The defaults for the workspaces of a project. */
export const defaultsIn = ({ executionMode, agentPoolId, executionDefaults }: Executed): ExecutionDefaults => ({
  executionMode: executionMode ?? executionDefaults.executionMode,
  agentPoolId: agentPoolId ?? executionDefaults.agentPoolId,
});

/** The settings that the workspace or project overrides. Without mode `agent` it has no pool, and does not inherit one. */
export const overwritesOf = ({ executionMode, agentPoolId }: ExecutionSettings) => ({
  executionMode: executionMode !== null,
  agentPool: agentPoolId !== null || (executionMode !== null && executionMode !== 'agent'),
});

/**
 * The requested change; unnamed settings keep their value. A null pool, and false `overwrites`, inherit,
 * whatever else the change names: the tfe provider sends `remote` with them.
 */
export interface ExecutionChange {
  readonly executionMode?: ExecutionMode;
  readonly agentPoolId?: AgentPoolId | null;
  readonly overwrites?: { readonly executionMode?: boolean | undefined; readonly agentPool?: boolean | undefined };
}

/** The attributes that refusals name. */
const attributesOf = {
  workspace: { pool: 'agentPoolId', mode: 'executionMode', overwritten: 'agentPool' },
  project: { pool: 'defaultAgentPoolId', mode: 'defaultExecutionMode', overwritten: 'defaultAgentPool' },
} as const;

/** Throws `attribute/invalid` for `agent` without a pool, a pool without `agent`, and true `overwrites` of what is not set. */
export function changedExecution(
  current: Executed,
  { overwrites = {}, ...change }: ExecutionChange,
  of: keyof typeof attributesOf,
): ExecutionSettings {
  const at = attributesOf[of];
  const asked = overwrites.executionMode === false ? null : change.executionMode;
  const askedPool = overwrites.agentPool === false ? null : change.agentPoolId;
  const names = askedPool !== undefined && askedPool !== null;
  // Naming only a pool implies mode `agent`.
  const implied = names && executionOf(current).mode !== 'agent' ? 'agent' : current.executionMode;
  const executionMode = asked === undefined ? implied : asked;
  const mode = executionMode ?? current.executionDefaults.executionMode;
  const kept = mode === 'agent' ? current.agentPoolId : null;
  const agentPoolId = askedPool === undefined ? kept : askedPool;
  const next = { ...current, executionMode, agentPoolId };
  if (agentPoolId !== null && mode !== 'agent') {
    throw invalidAttribute(
      at.pool,
      `Agent pool can be set only in execution mode agent, and the execution mode is ${mode}`,
    );
  }
  if (mode === 'agent' && executionOf(next).agentPoolId === null) {
    throw invalidAttribute(
      at.pool,
      'Agent pool is required in execution mode agent because the organization has no default agent pool',
    );
  }
  if (overwrites.executionMode === true && !overwritesOf(next).executionMode) {
    throw invalidAttribute(
      `settingOverwrites/${at.mode}`,
      'Execution mode must be set to override that of the organization',
    );
  }
  if (overwrites.agentPool === true && !overwritesOf(next).agentPool) {
    throw invalidAttribute(
      `settingOverwrites/${at.overwritten}`,
      'Agent pool must be set to override that of the organization',
    );
  }
  return { executionMode, agentPoolId };
}

/** Throws `attribute/invalid`. A mode other than `agent` clears the default pool. */
export function changedDefaults(current: ExecutionDefaults, change: Partial<ExecutionDefaults>): ExecutionDefaults {
  const executionMode = change.executionMode ?? current.executionMode;
  const kept = executionMode === 'agent' ? current.agentPoolId : null;
  const agentPoolId = change.agentPoolId === undefined ? kept : change.agentPoolId;
  if (agentPoolId !== null && executionMode !== 'agent') {
    throw invalidAttribute(
      'defaultExecutionMode',
      "Default agent pool must not be specified unless using 'agent' execution mode",
    );
  }
  if (executionMode === 'agent' && agentPoolId === null) {
    throw invalidAttribute('defaultExecutionMode', 'Default execution mode agent requires a default agent pool');
  }
  return { executionMode, agentPoolId };
}

/** The workspaces of its organization that a pool may serve, in addition to the workspaces' own settings. */
export interface AgentPoolScope {
  /** Whether it may serve all workspaces; otherwise only the allowed ones, and those of the allowed projects. */
  readonly organizationScoped: boolean;
  /** Ordered by id. */
  readonly allowedWorkspaceIds: readonly WorkspaceId[];
  /** Ordered by id. */
  readonly allowedProjectIds: readonly ProjectId[];
  /** Never served, regardless of other settings. Ordered by id. */
  readonly excludedWorkspaceIds: readonly WorkspaceId[];
}

export interface ServingPool extends AgentPoolScope {
  readonly id: AgentPoolId;
  /** Null for a site pool. */
  readonly organizationId: OrganizationId | null;
}

/** Whether the scope of an organization's pool includes the workspace. */
export const admits = (
  { organizationScoped, allowedWorkspaceIds, allowedProjectIds, excludedWorkspaceIds }: AgentPoolScope,
  { id, projectId }: { readonly id: WorkspaceId; readonly projectId: ProjectId },
): boolean =>
  !excludedWorkspaceIds.includes(id) &&
  (organizationScoped || allowedWorkspaceIds.includes(id) || allowedProjectIds.includes(projectId));

/**
 * Whether the pool's agents claim runs of the workspace. A site pool serves every `remote` workspace. An organization's
 * pool serves the workspaces in mode `agent` that reference it or use it by default, within its scope. `nextClaimable`
 * implements the same rule in SQL.
 */
export function serves(
  pool: ServingPool,
  workspace: Executed & {
    readonly id: WorkspaceId;
    readonly projectId: ProjectId;
    readonly organizationId: OrganizationId;
  },
): boolean {
  const { mode, agentPoolId } = executionOf(workspace);
  if (pool.organizationId === null) return mode === 'remote';
  return pool.organizationId === workspace.organizationId && agentPoolId === pool.id && admits(pool, workspace);
}
