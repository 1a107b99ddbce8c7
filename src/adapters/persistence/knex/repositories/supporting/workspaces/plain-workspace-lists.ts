import type { Knex } from 'knex';
import type { WorkspaceFilter } from '../../../../../../application/ports/repositories/filters.js';
import type { PageRequest } from '../../../../../../application/ports/repositories/page.js';
import type { Instant, OrganizationId, ProjectId, TeamId } from '../../../../../../domain/index.js';
import { prepared } from '../../../engine/prepared.js';
import { spelledOut } from '../../../engine/statements.js';
import type { Conditions } from './condition.js';
import { grantedTo } from './workspace-conditions.js';
import { byNames, type Shown, WorkspaceQueries } from './workspace-queries.js';

/** The default and the largest. The size is part of a statement's text, so other sizes would make too many. */
const usualSizes: readonly number[] = [20, 100];

/** Whether the page has a usual size, the usual order, and no filter but a project. Most lists are of this kind. */
export const isPlain = (
  { projectId: _, sort = byNames, bindings = [], ...others }: WorkspaceFilter,
  { size }: PageRequest,
): boolean =>
  usualSizes.includes(size) &&
  sort.key === byNames.key &&
  sort.descending === byNames.descending &&
  bindings.length === 0 &&
  Object.values(others).every((member) => member === undefined);

interface Plain extends Readonly<Record<string, unknown>> {
  readonly organizationId: OrganizationId;
  readonly projectId: ProjectId | undefined;
  /** Undefined for a caller who sees all. */
  readonly teamIds: readonly TeamId[] | undefined;
  readonly soFar: Instant;
}

interface PlainPart extends Plain {
  readonly limit: number;
  readonly offset: number;
}

const nothingKept = { currentRuns: false, everyCurrentRun: false, latestChanges: false };

/** The statements of plain lists, which are built once: building them takes a sixth of such a request. */
export const plainStatements = (shown: Shown) => {
  const on = (sql: Knex, { organizationId, projectId, teamIds, soFar }: Plain) => ({
    queries: new WorkspaceQueries(sql, organizationId, nothingKept, shown),
    conditions: {
      demanded: teamIds === undefined ? [] : [grantedTo(sql, teamIds, soFar)],
      excluded: [],
    } satisfies Conditions,
    filter: { projectId },
  });
  const part = (sql: Knex, ids: Knex.QueryBuilder, { limit, offset }: PlainPart): Knex.QueryBuilder =>
    ids.limit(limit, spelledOut).offset(sql.raw('?', [offset]) as never);
  return {
    count: prepared((sql, plain: Plain) => {
      const { queries, conditions, filter } = on(sql, plain);
      return queries.candidates(conditions, filter).count({ total: '*' });
    }),
    /** A part of the candidates, all of which are sorted. */
    sorted: prepared((sql, plain: PlainPart) => {
      const { queries, conditions, filter } = on(sql, plain);
      const ids = queries.sortedAmong(queries.candidates(conditions, filter).select('s.id'), filter);
      return queries.select(part(sql, ids, plain), filter);
    }),
    /** The same part, found by going through all workspaces in the order of the list. */
    inOrder: prepared((sql, plain: PlainPart) => {
      const { queries, conditions, filter } = on(sql, plain);
      const ids = queries.inOrder(queries.through(conditions, filter), 'l').select('l.id');
      return queries.select(part(sql, ids, plain), filter);
    }),
  };
};

export type PlainStatements = ReturnType<typeof plainStatements>;
