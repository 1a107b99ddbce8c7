import type { Knex } from 'knex';
import type { Instant, ProjectId } from '../../../../../../domain/index.js';
import { prepared } from '../../../engine/prepared.js';
import { spelledOut } from '../../../engine/statements.js';

/** When the inherited duration of a workspace `w` begins. Its index has the same expression. */
const inheritedBeginning = `case when w.inherited_destruction_since > w.last_state_at
  then w.inherited_destruction_since else w.last_state_at end`;

/** Workspaces whose inherited time has not come for their current state. The index has the same conditions. */
const inheriting = (sql: Knex, projectId: ProjectId): Knex.QueryBuilder =>
  sql('workspaces as w')
    .where('w.project_id', projectId)
    .whereRaw(`w.last_state_at is not null and w.auto_destroy_by_kind is null and w.deleted_at is null
      and w.ignores_project_auto_destroy = FALSE
      and (w.inherited_destruction_done_for is null or w.inherited_destruction_done_for <> w.last_state_at)`);

interface DueInProject extends Readonly<Record<string, unknown>> {
  readonly projectId: ProjectId;
  readonly beganBy: Instant;
  readonly limit: number;
}

export const dueInProject = prepared((sql, { projectId, beganBy, limit }: DueInProject) =>
  inheriting(sql, projectId)
    .whereRaw(`${inheritedBeginning} <= ?`, [beganBy])
    .select('w.id')
    .orderByRaw(inheritedBeginning)
    .limit(limit, spelledOut),
);

export const firstInProject = prepared((sql, { projectId }: { readonly projectId: ProjectId }) =>
  inheriting(sql, projectId)
    .select({ began_at: sql.raw(inheritedBeginning) })
    .orderByRaw(inheritedBeginning)
    .limit(1, spelledOut),
);
