import type { RunFacts, RunScope } from '../../../application/ports/run-facts.js';
import { type ConfigurationVersionId, completedRunStatuses } from '../../../domain/index.js';
import type { CurrentTables, MemoryRun } from './memory-tables.js';

const inProgress = ({ status }: MemoryRun): boolean => !completedRunStatuses.includes(status);

export class MemoryRuns implements RunFacts {
  constructor(private readonly tables: CurrentTables) {}

  async aboutVersion(id: ConfigurationVersionId): ReturnType<RunFacts['aboutVersion']> {
    const tables = this.tables();
    const workspaceId = tables.configurationVersion(id)?.workspaceId;
    const workspace = workspaceId === undefined ? undefined : tables.workspace(workspaceId);
    const runs = [...tables.runs.values()].filter((run) => run.configurationVersionId === id);
    return {
      isCurrent: workspace?.currentConfigurationVersionId === id,
      runsInProgress: runs.some(inProgress),
      usedByRun: runs.length > 0,
    };
  }

  async anyInProgress(scope: RunScope): Promise<boolean> {
    return [...this.tables().runs.values()].some((run) => inProgress(run) && this.within(scope, run));
  }

  private within(scope: RunScope, run: MemoryRun): boolean {
    const workspace = this.tables().workspace(run.workspaceId);
    if (workspace === undefined) return false;
    if ('organizationId' in scope) return workspace.organizationId === scope.organizationId;
    if ('workspaceId' in scope) return workspace.id === scope.workspaceId;
    return run.createdBy === scope.createdBy;
  }
}
