import type { Knex } from 'knex';
import type { RunFacts, RunScope } from '../../../application/ports/run-facts.js';
import {
  type ConfigurationVersionId,
  completedRunStatuses,
  type RunStatus,
  stages,
  type WorkspaceId,
} from '../../../domain/index.js';
import type { Statements } from './engine/statements.js';
import { livingWorkspaces } from './knex-workspaces.js';

/** A run as whoever queues runs would store it. */
export interface SeededRun {
  readonly id: string;
  readonly workspaceId: WorkspaceId;
  readonly configurationVersionId: ConfigurationVersionId;
  readonly status: RunStatus;
  readonly createdBy: string | null;
}

// Named one by one, and not as "none of the completed ones", so that an index finds them among any number of others.
const statusesInProgress = Object.values(stages)
  .flat()
  .filter((status) => !completedRunStatuses.includes(status));

export class KnexRuns implements RunFacts {
  constructor(private readonly db: Statements) {}

  async aboutVersion(id: ConfigurationVersionId): ReturnType<RunFacts['aboutVersion']> {
    const { sql } = this.db;
    const runs = () => sql('runs').where('configuration_version_id', id).select('id').limit(1);
    const row = await this.db.first<Record<'current' | 'used' | 'in_progress', string | null>>(
      sql.select({
        current: livingWorkspaces(sql('workspaces as w'))
          .join('configuration_versions as v', 'v.workspace_id', 'w.id')
          .where('v.id', id)
          .select('w.current_configuration_version_id'),
        used: runs(),
        in_progress: runs().whereIn('status', statusesInProgress),
      }),
    );
    return {
      isCurrent: row?.current === id,
      runsInProgress: row?.in_progress != null,
      usedByRun: row?.used != null,
    };
  }

  async anyInProgress(scope: RunScope): Promise<boolean> {
    const runs = livingWorkspaces(this.db.sql('runs as r').join('workspaces as w', 'w.id', 'r.workspace_id'))
      .whereIn('r.status', statusesInProgress)
      .select('r.id')
      .limit(1);
    return (await this.db.first(within(scope, runs))) !== undefined;
  }

  async seed(run: SeededRun): Promise<void> {
    const row = {
      id: run.id,
      workspace_id: run.workspaceId,
      configuration_version_id: run.configurationVersionId,
      status: run.status,
      created_by: run.createdBy,
    };
    await this.db.run(this.db.sql('runs').insert(row).onConflict('id').merge());
  }
}

function within(scope: RunScope, runs: Knex.QueryBuilder): Knex.QueryBuilder {
  if ('organizationId' in scope) return runs.where('w.organization_id', scope.organizationId);
  if ('workspaceId' in scope) return runs.where('r.workspace_id', scope.workspaceId);
  return runs.where('r.created_by', scope.createdBy);
}
