import type { RemovalTarget } from '../../../application/ports/repositories/effect.js';
import type { Removals } from '../../../application/ports/repositories/effect-outbox.js';
import {
  artifactNames,
  type Bundle,
  type BundleKey,
  type OrganizationId,
  phases,
  type RunId,
  type TaskStage,
  type TeamId,
  type UserId,
  type WorkspaceId,
} from '../../../domain/index.js';
import { policyCodeKey } from './memory-policies.js';
import { artifactKey, runLogKey } from './memory-run-artifacts.js';
import { removeStateVersion } from './memory-state-versions.js';
import type { CurrentTables, MemoryTables } from './memory-tables.js';
import { removeVariableSet } from './memory-variable-sets.js';

export class MemoryRemovals implements Removals {
  constructor(private readonly tables: CurrentTables) {}

  async removeBatch(target: RemovalTarget, limit: number): ReturnType<Removals['removeBatch']> {
    const tables = this.tables();
    const versions = [...tables.configurationVersions.values()].filter(
      ({ workspaceId }) =>
        workspaceId === target.id || tables.workspaces.get(workspaceId)?.organizationId === target.id,
    );
    const bundleKeys = [...removeStates(tables, target), ...removePolicyArchives(tables, target)];
    const batch = versions.slice(0, limit);
    const versionIds = new Set(batch.map(({ id }) => id));
    const runs = [...tables.runs.values()].filter((run) => versionIds.has(run.configurationVersionId));
    for (const { id, ownFiles } of runs.slice(0, limit)) {
      bundleKeys.push(...removeRun(tables, id), ...(ownFiles === null ? [] : [ownFiles.key]));
    }
    if (runs.length > limit) return { bundleKeys, finished: false };
    for (const { id, bundle } of batch) {
      tables.configurationVersions.delete(id);
      tables.ingressAttributes.delete(id);
      dropWhere(tables.deliveries, (versionId) => versionId === id);
      if (bundle !== null) bundleKeys.push(bundle.key);
    }
    const finished = versions.length <= limit;
    if (finished) removers[target.kind](tables, target.id);
    return { bundleKeys, finished };
  }
}

function dropWhere<Row>(table: Map<unknown, Row>, isGone: (row: Row) => boolean): void {
  for (const [key, row] of table) if (isGone(row)) table.delete(key);
}

function removeOrganization(tables: MemoryTables, id: OrganizationId): void {
  for (const row of tables.workspaces.values()) if (row.organizationId === id) removeWorkspace(tables, row.id);
  for (const row of tables.teams.values()) if (row.organizationId === id) removeTeam(tables, row.id);
  dropWhere(tables.policySetParameters, (one) => tables.policySets.get(one.policySetId)?.organizationId === id);
  dropWhere(tables.projects, (project) => project.organizationId === id);
  dropWhere(tables.tagBindings, ({ organizationId }) => organizationId === id);
  dropWhere(tables.tags, (tag) => tag.organizationId === id);
  dropWhere(tables.policySets, (policySet) => policySet.organizationId === id);
  dropWhere(tables.policies, (policy) => policy.organizationId === id);
  dropWhere(tables.runTasks, (task) => task.organizationId === id);
  for (const set of tables.variableSets.values()) if (set.organizationId === id) removeVariableSet(tables, set.id);
  for (const key of tables.policyCodes.keys())
    if (key.startsWith(policyCodeKey(id, ''))) tables.policyCodes.delete(key);
  dropWhere(tables.agentTokens, ({ poolId }) => tables.agentPools.get(poolId)?.organizationId === id);
  dropWhere(tables.agentPools, (pool) => pool.organizationId === id);
  dropWhere(tables.memberships, (membership) => membership.organizationId === id);
  tables.forgetUninvited();
  dropWhere(tables.tokens, ({ owner }) => owner.id === id);
  tables.organizationGroups.delete(id);
  tables.organizations.delete(id);
  tables.deletions.delete(id);
}

function removeWorkspace(tables: MemoryTables, id: WorkspaceId): void {
  dropWhere(tables.teamWorkspaces, (row) => row.workspaceId === id);
  tables.workspaceTags.delete(id);
  dropWhere(tables.tagBindings, ({ owner }) => owner.id === id);
  dropWhere(tables.variables, (variable) => variable.workspaceId === id);
  dropWhere(tables.workspaceTasks, (task) => task.workspaceId === id);
  const others = (ids: readonly WorkspaceId[]) => ids.filter((workspaceId) => workspaceId !== id);
  for (const [setId, policySet] of tables.policySets) {
    tables.policySets.set(setId, {
      ...policySet,
      workspaceIds: others(policySet.workspaceIds),
      excludedWorkspaceIds: others(policySet.excludedWorkspaceIds),
    });
  }
  for (const [setId, set] of tables.variableSets) {
    tables.variableSets.set(setId, { ...set, workspaceIds: others(set.workspaceIds) });
  }
  for (const [poolId, pool] of tables.agentPools) {
    tables.agentPools.set(poolId, {
      ...pool,
      allowedWorkspaceIds: others(pool.allowedWorkspaceIds),
      excludedWorkspaceIds: others(pool.excludedWorkspaceIds),
    });
  }
  tables.stateConsumers.delete(id);
  for (const [of, consumers] of tables.stateConsumers) {
    if (!consumers.has(id)) continue;
    const others = new Set([...consumers].filter((one) => one !== id));
    if (others.size === 0) tables.stateConsumers.delete(of);
    else tables.stateConsumers.set(of, others);
  }
  tables.sequences.delete(id);
  tables.workspaces.delete(id);
  tables.deletions.delete(id);
}

/** Those of a workspace or an organization. Answers the keys of their bytes. */
function removeStates(tables: MemoryTables, { id }: RemovalTarget): BundleKey[] {
  const states = [...tables.stateVersions.values()].filter(
    ({ workspaceId }) => workspaceId === id || tables.workspaces.get(workspaceId)?.organizationId === id,
  );
  for (const state of states) removeStateVersion(tables, state.id);
  return states.flatMap(({ bundle, jsonBundle }) => [bundle, jsonBundle].flatMap((bytes) => bytes?.key ?? []));
}

/** Those of an organization. Answers the keys of their bytes. */
function removePolicyArchives(tables: MemoryTables, { id }: RemovalTarget): BundleKey[] {
  const versions = [...tables.policySetVersions.values()].filter(({ organizationId }) => organizationId === id);
  for (const version of versions) tables.policySetVersions.delete(version.id);
  return versions.flatMap(({ bundle }) => bundle?.key ?? []);
}

/** Answers the keys of what it leaves. */
function removeRun(tables: MemoryTables, id: RunId): readonly BundleKey[] {
  const bundles: Bundle[] = [];
  for (const name of artifactNames) {
    const bundle = tables.runArtifacts.get(artifactKey(id, name));
    if (bundle !== undefined) bundles.push(bundle);
    tables.runArtifacts.delete(artifactKey(id, name));
  }
  for (const stage of tables.taskStages.values()) if (stage.runId === id) removeTaskStage(tables, stage);
  for (const phase of phases) tables.runLogs.delete(runLogKey(id, phase));
  dropWhere(tables.runComments, ({ runId }) => runId === id);
  tables.runs.delete(id);
  return bundles.map(({ key }) => key);
}

function removeTaskStage(tables: MemoryTables, { id, evaluations, results }: TaskStage): void {
  for (const result of results) tables.taskResultOutcomes.delete(result.id);
  const evaluationIds = new Set(evaluations.map((evaluation) => evaluation.id));
  dropWhere(tables.policySetOutcomes, ({ policyEvaluationId }) => evaluationIds.has(policyEvaluationId));
  tables.taskStages.delete(id);
}

function removeTeam(tables: MemoryTables, id: TeamId): void {
  dropWhere(tables.tokens, ({ owner }) => owner.id === id);
  for (const userId of tables.teamMembers.get(id) ?? []) tables.forgetGroups(id, userId);
  tables.teamMembers.delete(id);
  tables.teamGroups.delete(id);
  dropWhere(tables.teamWorkspaces, (row) => row.teamId === id);
  dropWhere(tables.teamProjects, (row) => row.teamId === id);
  tables.teams.delete(id);
  tables.deletions.delete(id);
}

function removeUser(tables: MemoryTables, id: UserId): void {
  dropWhere(tables.loginCodes, ({ sessionId }) => tables.sessions.get(sessionId)?.userId === id);
  dropWhere(tables.sessions, ({ userId }) => userId === id);
  dropWhere(tables.identities, ({ userId }) => userId === id);
  dropWhere(tables.tokens, ({ owner }) => owner.id === id);
  dropWhere(tables.memberships, (membership) => membership.userId === id);
  for (const [teamId, members] of tables.teamMembers) {
    tables.teamMembers.set(teamId, new Set([...members].filter((userId) => userId !== id)));
    tables.forgetGroups(teamId, id);
  }
  // The id stays, so that the next user of the address gets another.
  const user = tables.users.get(id);
  if (user !== undefined) tables.users.set(id, { ...user, username: '', email: '' });
}

const removers: Record<RemovalTarget['kind'], (tables: MemoryTables, id: string) => void> = {
  organization: removeOrganization,
  workspace: removeWorkspace,
  team: removeTeam,
  user: removeUser,
};
