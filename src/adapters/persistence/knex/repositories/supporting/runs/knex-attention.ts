import type { Knex } from 'knex';
import type {
  AttentionQueries,
  AttentionScope,
  LocatedRun,
  NamedRun,
  UnservedRun,
} from '../../../../../../application/ports/repositories/attention.js';
import {
  type AgentPoolId,
  type DueDecision,
  decisionsDue,
  type Instant,
  queuedRunStatuses,
  type RunId,
  type RunStatus,
  type Standing,
  type TeamId,
  type WithStanding,
  type WorkspaceId,
} from '../../../../../../domain/index.js';
import { columnsOf, type Statements, spelledOut } from '../../../engine/statements.js';
import { isInForce, workspacesThrough } from '../../authorization/grant-rows.js';
import { standingOnEach } from '../../authorization/standing.js';
import { isOneOf } from '../workspaces/current-run.js';
import { activeWorkspaces, agentPoolOf, executionModeOf } from '../workspaces/knex-workspaces.js';
import { claimable } from './run-queue.js';
import { runRows } from './run-rows.js';

interface LocatedRow {
  readonly id: RunId;
  readonly workspace_id: WorkspaceId;
  readonly created_at: Instant;
}

const located = (row: LocatedRow): LocatedRun => ({
  id: row.id,
  workspaceId: row.workspace_id,
  createdAt: row.created_at,
});

interface NamedRow {
  readonly workspace_name: string;
  readonly username: string | null;
  readonly failed_policy: string | null;
  /** Postgres returns a bigint as text. */
  readonly failed_policies: number | string;
}

/** The runs of up to this number of workspaces are found workspace by workspace. */
const few = 1_000;

export class KnexAttention implements AttentionQueries {
  constructor(private readonly db: Statements) {}

  async awaitingDecision(
    scope: AttentionScope,
    decision: DueDecision,
    limit: number,
  ): Promise<readonly WithStanding<LocatedRun>[]> {
    const runs = this.oldest(scope, await this.isOfFew(scope), decisionsDue[decision].statuses);
    const rows = await this.db.all<LocatedRow>(
      runs.select('r.id', 'r.workspace_id', 'r.created_at').limit(limit, spelledOut),
    );
    const standingOn =
      scope.visibility === 'all'
        ? () => scope.standing
        : await standingOnEach(this.db, scope.standing, [...new Set(rows.map((row) => row.workspace_id))]);
    return rows.map((row) => ({ subject: located(row), standing: standingOn(row.workspace_id) }));
  }

  async withoutAgent(scope: AttentionScope, since: Instant, limit: number): Promise<readonly UnservedRun[]> {
    const { sql } = this.db;
    const runs = this.oldest(scope, await this.isOfFew(scope), queuedRunStatuses);
    const waiting = runs
      .whereIn('r.status', claimable)
      .select('r.id', 'r.workspace_id', 'r.created_at', {
        mode: sql.raw(executionModeOf),
        pool_id: sql.raw(agentPoolOf),
      })
      .limit(limit, spelledOut);
    const inContact = () => sql('agent_tokens as k').where('k.last_used_at', '>', since).select('k.id');
    const ofSite = inContact().join('agent_pools as p', 'p.id', 'k.pool_id').whereNull('p.organization_id');
    const unserved = sql
      .from(waiting.as('q'))
      .where((any) =>
        any
          .where((site) => site.where('q.mode', 'remote').whereNotExists(ofSite))
          .orWhere((own) => own.where('q.mode', 'agent').whereNotExists(inContact().whereRaw('k.pool_id = q.pool_id'))),
      )
      .select('q.id', 'q.workspace_id', 'q.created_at', 'q.mode', 'q.pool_id')
      .orderBy(['q.created_at', 'q.id']);
    const rows = await this.db.all<LocatedRow & { mode: string; pool_id: AgentPoolId | null }>(unserved);
    return rows.map((row) => ({ ...located(row), poolId: row.mode === 'agent' ? row.pool_id : null }));
  }

  async runs(standing: Standing, ids: readonly RunId[]): Promise<readonly WithStanding<NamedRun>[]> {
    if (ids.length === 0) return [];
    const { sql } = this.db;
    const failed = () =>
      sql('task_stages as s')
        .join('policy_evaluations as e', 'e.task_stage_id', 's.id')
        .join('policy_set_outcomes as so', 'so.policy_evaluation_id', 'e.id')
        .join('policy_outcomes as po', 'po.policy_set_outcome_id', 'so.id')
        .whereRaw("s.run_id = r.id and s.stage = 'post_plan' and so.status <> 'passed'")
        .whereRaw("(po.status = 'errored' or (po.status = 'failed' and po.enforcement_level = 'mandatory'))");
    const rows = await this.db.all<NamedRow>(
      activeWorkspaces(sql('runs as r').join('workspaces as w', 'w.id', 'r.workspace_id'))
        // Members do not learn the name of a creator who has left the organization.
        .leftJoin('organization_memberships as m', (on) =>
          on
            .on('m.organization_id', 'r.organization_id')
            .on('m.user_id', 'r.created_by')
            .onVal('r.created_by_kind', 'user'),
        )
        .leftJoin('users as c', (on) => on.on('c.id', 'm.user_id').onNull('c.deleted_at'))
        .whereIn('r.id', ids)
        .select(...columnsOf('r', runRows.columns), {
          workspace_name: 'w.name',
          username: 'c.username',
          failed_policy: failed().min('po.policy_name'),
          failed_policies: failed().count('*'),
        }),
    );
    const named = rows.map((row) => ({
      run: runRows.read(row),
      workspaceName: row.workspace_name,
      createdBy: row.username,
      failedPolicy: row.failed_policy,
      failedPolicies: Number(row.failed_policies),
    }));
    const standingOn = await standingOnEach(this.db, standing, [...new Set(named.map(({ run }) => run.workspaceId))]);
    return named.map((subject) => ({ subject, standing: standingOn(subject.run.workspaceId) }));
  }

  async teamNames(ids: readonly TeamId[]): Promise<ReadonlyMap<TeamId, string>> {
    if (ids.length === 0) return new Map();
    const teams = this.db.sql('teams').whereIn('id', ids).whereNull('deleted_at').select('id', 'name');
    const rows = await this.db.all<{ readonly id: TeamId; readonly name: string }>(teams);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /**
   * Runs `r` of living workspaces `w` in the scope, oldest first. An index has the statuses in this order: through few grants, the runs are found workspace by workspace instead.
   */
  private oldest(
    { organizationId, visibility }: AttentionScope,
    isOfFew: boolean,
    statuses: readonly RunStatus[],
  ): Knex.QueryBuilder {
    const { sql } = this.db;
    // A cross join keeps SQLite from beginning with the workspaces and sorting the result.
    const runs = activeWorkspaces(
      sql('runs as r').crossJoin(sql.raw('workspaces as w')).whereRaw('w.id = r.workspace_id'),
    )
      .whereRaw(isOneOf(statuses))
      .orderBy(['r.created_at', 'r.id']);
    if (isOfFew && visibility !== 'all') {
      const granted = workspacesThrough(this.db, visibility.throughTeams);
      return runs.whereIn('r.workspace_id', granted).where('w.organization_id', organizationId);
    }
    runs.where('r.organization_id', organizationId);
    return visibility === 'all' ? runs : this.granted(runs, visibility.throughTeams);
  }

  private async isOfFew({ visibility }: AttentionScope): Promise<boolean> {
    if (visibility === 'all') return false;
    const { sql } = this.db;
    const another = sql.from(workspacesThrough(this.db, visibility.throughTeams).as('g')).select('g.workspace_id');
    return (await this.db.first(another.limit(1, spelledOut).offset(few, spelledOut))) === undefined;
  }

  /** Looks the grants of each workspace up. */
  private granted(runs: Knex.QueryBuilder, teamIds: readonly TeamId[]): Knex.QueryBuilder {
    const { sql, present } = this.db;
    const granted = (table: string, place: string) =>
      sql(`${table} as g`)
        .whereIn('g.team_id', teamIds)
        .whereRaw(place)
        .whereRaw(isInForce(sql, 'g', present.soFar()))
        .select('g.id');
    return runs.where((any) =>
      any
        .whereExists(granted('team_workspaces', 'g.workspace_id = w.id'))
        .orWhereExists(granted('team_projects', 'g.project_id = w.project_id')),
    );
  }
}
