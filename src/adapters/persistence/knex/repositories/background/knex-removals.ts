import type { Knex } from 'knex';
import type { RemovalTarget } from '../../../../../application/ports/repositories/effect.js';
import type { OrganizationRemoval, Removals } from '../../../../../application/ports/repositories/effect-outbox.js';
import type { Page, PageRequest } from '../../../../../application/ports/repositories/page.js';
import type { BundleKey, UserId } from '../../../../../domain/index.js';
import { onPostgres } from '../../engine/on-postgres.js';
import { prepared } from '../../engine/prepared.js';
import { rowsOf } from '../../engine/rows.js';
import { countOf, pageOf, type Statements, spelledOut } from '../../engine/statements.js';
import { forgetUninvited } from '../supporting/users/knex-users.js';
import { ofVariableSets } from '../supporting/variables/knex-variable-sets.js';
import { walkIndexes } from './index-walks.js';
import { type Branch, branch, type FoundRow } from './removal-branches.js';

/** The limit for rows on which many others hang: enough that a batch is full, or its many small statements cost more than it removes. */
const fewAtOnce = 60;

/** The limit of one transaction. On SQLite, it holds up everything else, for some 10 milliseconds. */
const rowsAtOnce = (sql: Knex): number => (onPostgres(sql) ? 500 : 125);

/** Bytes count because SQLite walks through the pages of a long value to free them. */
const bytesAtOnce = 4 * 1_048_576;

const ofRuns = [
  branch('run_log_chunks', 'run_id', { key: 'place', bytes: 'end_byte - start_byte' }),
  branch('run_artifacts', 'run_id', { key: 'place', bundles: ['bundle_key'] }),
  branch('run_comments', 'run_id'),
  branch('policy_set_version_runs', 'run_id', { key: 'place' }),
  branch('task_stages', 'run_id', {}, [
    branch('task_results', 'task_stage_id', {}, [branch('task_result_outcomes', 'task_result_id', { key: 'place' })]),
    branch('policy_evaluations', 'task_stage_id', {}, [
      branch('policy_set_outcomes', 'policy_evaluation_id', {}, [
        branch('policy_outcomes', 'policy_set_outcome_id', { key: 'place' }),
      ]),
    ]),
  ]),
];

const ofWorkspaces = [
  branch('state_versions', 'workspace_id', { max: fewAtOnce, bundles: ['bundle_key', 'json_bundle_key'] }, [
    branch('state_version_outputs', 'state_version_id', { bytes: 'size' }),
    branch('state_version_contents', 'state_version_id', { key: 'place', bytes: 'octet_length(resources)' }),
  ]),
  branch('configuration_versions', 'workspace_id', { max: Number.POSITIVE_INFINITY, bundles: ['bundle_key'] }, [
    branch('runs', 'configuration_version_id', { max: fewAtOnce, bundles: ['own_files'] }, ofRuns),
    branch('ingress_attributes', 'configuration_version_id'),
    branch('vcs_deliveries', 'configuration_version_id', { key: 'place' }),
  ]),
  ...['team_workspaces', 'variables', 'workspace_tasks', 'notification_configurations', 'run_triggers'].map((table) =>
    branch(table, 'workspace_id'),
  ),
  ...[
    'policy_set_workspaces',
    'policy_set_exclusions',
    'agent_pool_workspaces',
    'variable_set_workspaces',
    'workspace_tags',
    'workspace_tag_bindings',
    'workspace_state_consumers',
  ].map((table) => branch(table, 'workspace_id', { key: 'place' })),
  branch('workspace_state_consumers', 'consumer_id', { key: 'place' }),
  branch('run_triggers', 'source_id'),
];

const ofTeams = [
  branch('team_workspaces', 'team_id'),
  branch('team_projects', 'team_id'),
  branch('notification_configurations', 'team_id'),
  branch('team_members', 'team_id', { key: 'place' }),
  branch('api_tokens', 'team_id'),
];

const ofOrganizations = [
  branch('workspaces', 'organization_id', { max: fewAtOnce }, ofWorkspaces),
  branch('policy_codes', 'organization_id', { key: 'place', max: fewAtOnce, bytes: 'octet_length(code)' }),
  branch('policy_set_versions', 'organization_id', { max: Number.POSITIVE_INFINITY, bundles: ['bundle_key'] }),
  branch('teams', 'organization_id', {}, ofTeams),
  branch('policy_sets', 'organization_id', {}, [
    ...['policy_set_policies', 'policy_set_projects', 'policy_set_project_exclusions', 'policy_set_tag_selectors'].map(
      (table) => branch(table, 'policy_set_id', { key: 'place' }),
    ),
    branch('policy_set_parameters', 'policy_set_id'),
  ]),
  branch(
    'variable_sets',
    'organization_id',
    {},
    ofVariableSets.map((table) => branch(table, 'variable_set_id', { key: 'place' })),
  ),
  branch('agent_pools', 'organization_id', {}, [
    branch('agent_tokens', 'pool_id'),
    branch('agent_pool_projects', 'agent_pool_id', { key: 'place' }),
  ]),
  branch('project_tag_bindings', 'organization_id', { key: 'place' }),
  ...['tags', 'projects', 'run_tasks', 'policies'].map((table) => branch(table, 'organization_id')),
  branch('organization_memberships', 'organization_id', {
    also: ['user_id'],
    afterwards: (db, rows) =>
      forgetUninvited(
        db,
        rows.map(({ user_id }) => user_id as UserId),
      ),
  }),
  branch('outcome_counts', 'organization_id', { key: 'place' }),
  branch('api_tokens', 'organization_id'),
];

const ofUsers = [
  ...['sessions', 'identities', 'api_tokens'].map((table) => branch(table, 'user_id')),
  branch('sign_in_links', 'user_id', { key: 'place' }),
  branch('team_members', 'user_id', { key: 'place' }),
  branch('organization_memberships', 'user_id'),
];

const deleting = (table: string) =>
  prepared((sql, { id }: { readonly id: string }) => sql(table).where({ id }).delete());

interface Root {
  readonly branches: readonly Branch[];
  readonly end: (db: Statements, values: { readonly id: string }) => ReturnType<ReturnType<typeof deleting>>;
}

const roots: Readonly<Record<RemovalTarget['kind'], Root>> = {
  organization: { branches: ofOrganizations, end: deleting('organizations') },
  workspace: { branches: ofWorkspaces, end: deleting('workspaces') },
  team: { branches: ofTeams, end: deleting('teams') },
  user: {
    branches: ofUsers,
    // The id stays, or the next user of the address would get it, with the locks, versions and audit events that name it.
    end: prepared((sql, { id }: { readonly id: string }) =>
      sql('users').where({ id }).update({ username: '', email: '' }),
    ),
  },
};

const removal = rowsOf<OrganizationRemoval>((row, as) => ({
  organizationId: row.id,
  organizationName: row.name,
  begunAt: row.deleted_at,
  workspacesLeft: as.number(row.workspaces_left),
}));

/** Removes rows from the leaves down, so that no row ever refers to one that is gone. */
export class KnexRemovals implements Removals {
  constructor(private readonly db: Statements) {}

  organizations(page: PageRequest, maxCounted: number): Promise<Page<OrganizationRemoval>> {
    const { sql } = this.db;
    const left = sql('workspaces as w')
      .whereRaw('w.organization_id = o.id')
      .select('w.id')
      .limit(maxCounted, spelledOut);
    return pageOf(
      this.db,
      sql('organizations as o').whereNotNull('o.deleted_at'),
      (deleted) =>
        deleted
          .select(
            'o.id',
            'o.name',
            'o.deleted_at',
            sql.count({ workspaces_left: '*' }).from(left.as('l')).as('workspaces_left'),
          )
          .orderBy(['o.deleted_at', 'o.id']),
      removal.read,
      page,
    );
  }

  async countWorkspaces(max: number): Promise<number> {
    const { sql } = this.db;
    const left = sql('organizations as o')
      // In this order also on SQLite, which might otherwise begin with all workspaces.
      .crossJoin(sql.raw('workspaces as w'))
      .whereRaw('w.organization_id = o.id')
      .whereNotNull('o.deleted_at')
      .select('w.id')
      .limit(max, spelledOut);
    return countOf(this.db, sql.from(left.as('l')));
  }

  async removeBatch({ kind, id }: RemovalTarget, limit: number): Promise<Awaited<ReturnType<Removals['removeBatch']>>> {
    const { branches, end } = roots[kind];
    await walkIndexes(this.db);
    const batch = new Batch(this.db, limit);
    const finished = await batch.clear(branches, [id]);
    if (finished) await this.db.run(end(this.db, { id }));
    return { bundleKeys: batch.bundleKeys, finished };
  }
}

class Batch {
  readonly bundleKeys: BundleKey[] = [];
  private rows: number;
  private bytes = bytesAtOnce;

  constructor(
    private readonly db: Statements,
    private readonly limit: number,
  ) {
    this.rows = rowsAtOnce(db.sql);
  }

  /** Returns whether nothing is left that hangs on the rows of these ids. */
  async clear(branches: readonly Branch[], ids: readonly string[]): Promise<boolean> {
    for (const next of branches) if (!(await this.clearOne(next, ids))) return false;
    return true;
  }

  private async clearOne(next: Branch, ids: readonly string[]): Promise<boolean> {
    const limit = next.max === undefined ? rowsAtOnce(this.db.sql) : Math.min(next.max, this.limit);
    const found = await this.db.all<FoundRow>(next.find(this.db, { ids, limit }));
    if (found.length === 0) return true;
    if (next.branches.length > 0) {
      const cleared = await this.clear(
        next.branches,
        found.map(({ key }) => key),
      );
      if (!cleared) return false;
    }
    const gone = this.affordable(found);
    if (gone.length === 0) return false;
    await this.db.run(next.remove(this.db, { keys: gone.map(({ key }) => key) }));
    await next.afterwards?.(this.db, gone);
    for (const row of gone) for (const column of next.bundles) this.named(row[column]);
    return gone.length < limit && gone.length === found.length;
  }

  private named(key: unknown): void {
    if (key !== null) this.bundleKeys.push(key as BundleKey);
  }

  /** At least one row, however long, while any is left. */
  private affordable(found: readonly FoundRow[]): readonly FoundRow[] {
    const gone: FoundRow[] = [];
    for (const row of found) {
      if (this.rows <= 0 || this.bytes <= 0) break;
      this.rows -= 1;
      this.bytes -= Number(row.bytes ?? 0);
      gone.push(row);
    }
    return gone;
  }
}
