import type { Knex } from 'knex';
import type { Grant, Instant, ProjectGrant, TeamId, Timed, WorkspacePermissions } from '../../../../../domain/index.js';
import { grantAt } from '../../../../../domain/team-access/timed-grant.js';
import { presentIn } from '../../engine/present.js';
import { rowsOf } from '../../engine/rows.js';
import type { Statements } from '../../engine/statements.js';

const permissionRows = rowsOf<WorkspacePermissions>((row, as) => ({
  runs: row.runs,
  variables: row.variables,
  stateVersions: row.state_versions,
  policyMocks: row.policy_mocks,
  workspaceLocking: as.flag(row.workspace_locking),
  runTasks: as.flag(row.run_tasks),
  policyOverrides: as.flag(row.policy_overrides),
}));

/** The end of a grant as stored: three nulls for none. */
interface EndRow {
  readonly expires_at: Instant | null;
  /** `none`, or the level of the grant that is in force from then on; its permissions are JSON if it is custom. */
  readonly then_level: string | null;
  readonly then_permissions: string | null;
}

const endColumns = ['expires_at', 'then_level', 'then_permissions'] as const;

const endToRow = ({ ends }: Timed<Grant | ProjectGrant>): EndRow => ({
  expires_at: ends?.at ?? null,
  then_level: ends === undefined ? null : (ends.fallback?.access ?? 'none'),
  then_permissions: ends?.fallback?.access === 'custom' ? JSON.stringify(ends.fallback.permissions) : null,
});

function withEnd<Given extends Grant | ProjectGrant>(given: Given, row: EndRow): Timed<Given> {
  const { expires_at: at, then_level: access, then_permissions: permissions } = row;
  if (at === null) return given;
  const custom = permissions === null ? {} : { permissions: JSON.parse(permissions) };
  return { ...given, ends: { at, fallback: access === 'none' ? null : ({ access, ...custom } as Given) } };
}

/** A grant as stored: the columns of detailed permissions are null unless its access is `custom`. */
export interface GrantRow extends EndRow {
  readonly access: Grant['access'] | null;
}

export const grantColumns = ['access', ...permissionRows.columns, ...endColumns];

export const grantToRow = (grant: Timed<Grant>) => ({
  access: grant.access,
  ...permissionRows.write(grant.access === 'custom' ? grant.permissions : null),
  ...endToRow(grant),
});

export function storedGrant(row: GrantRow): Timed<Grant> | undefined {
  if (row.access === null) return undefined;
  const grant: Grant =
    row.access === 'custom' ? { access: 'custom', permissions: permissionRows.read(row) } : { access: row.access };
  return withEnd(grant, row);
}

/** A grant on a project as stored: as JSON if it is custom. */
export interface ProjectGrantRow extends EndRow {
  readonly level: ProjectGrant['access'] | null;
  readonly permissions: string | null;
}

export const projectGrantColumns = ['level', 'permissions', ...endColumns] as const;

export const projectGrantToRow = (grant: Timed<ProjectGrant>): ProjectGrantRow => ({
  level: grant.access,
  permissions: grant.access === 'custom' ? JSON.stringify(grant.permissions) : null,
  ...endToRow(grant),
});

export function storedProjectGrant(row: ProjectGrantRow): Timed<ProjectGrant> | undefined {
  const { level, permissions } = row;
  if (level === null) return undefined;
  const grant: ProjectGrant =
    level === 'custom' ? { access: 'custom', permissions: JSON.parse(permissions ?? '') } : { access: level };
  return withEnd(grant, row);
}

/** The part of a stored grant that is in force at an instant. */
export const inForce = <Given extends Grant | ProjectGrant>(
  stored: Timed<Given> | undefined,
  at: Instant,
): Timed<Given> | undefined => stored && grantAt(stored, at);

/** The grants of a team on a place in one row. Those on a project have other names than those on a workspace. */
export type GrantsRow = Partial<GrantRow> & {
  readonly [Column in keyof ProjectGrantRow as `project_${Column}`]?: ProjectGrantRow[Column];
};

/** The columns of `GrantsRow` of a grant on a project, in row `alias`. */
export const namedProjectGrant = (alias: string): readonly string[] =>
  projectGrantColumns.map((column) => `${alias}.${column} as project_${column}`);

/** The grants of the row that are in force at an instant. */
export function grantsInForce(row: GrantsRow, at: Instant) {
  const grant = row.access && inForce(storedGrant(row as GrantRow), at);
  const onProject =
    row.project_level &&
    storedProjectGrant({
      level: row.project_level,
      permissions: row.project_permissions ?? null,
      expires_at: row.project_expires_at ?? null,
      then_level: row.project_then_level ?? null,
      then_permissions: row.project_then_permissions ?? null,
    });
  const projectGrant = onProject && inForce(onProject, at);
  return { ...(grant && { grant }), ...(projectGrant && { projectGrant }) };
}

/** Whether anything is in force of the grant in row `alias`: for rows that the statement reads anyway. */
export const isInForce = (sql: Knex, alias: string, soFar: Instant): Knex.Raw =>
  sql.raw(`(${alias}.expires_at is null or ${alias}.then_level <> 'none' or ${alias}.expires_at > ?)`, [
    presentIn(sql, soFar),
  ]);

/**
 * The rows of which nothing is in force, until the worker removes them. They have indexes of their own, so that a list
 * of grants leaves them out without reading its other rows.
 */
export const endedIn = (sql: Knex, table: string, soFar: Instant): Knex.QueryBuilder =>
  sql(`${table} as e`).where('e.expires_at', '<=', presentIn(sql, soFar)).where('e.then_level', 'none');

/** The workspaces that these teams have access to, each through a grant on it or on its project. */
export const workspacesThrough = (db: Statements, teamIds: readonly TeamId[]): Knex.QueryBuilder =>
  workspacesThroughAt(db.sql, teamIds, db.present.soFar());

/** The same for a statement that is built once, with the instant among its values. */
export const workspacesThroughAt = (sql: Knex, teamIds: readonly TeamId[], soFar: Instant): Knex.QueryBuilder => {
  const ended = endedIn(sql, 'team_workspaces', soFar).whereIn('e.team_id', teamIds);
  return sql('team_workspaces as sg')
    .select('sg.workspace_id')
    .whereIn('sg.team_id', teamIds)
    .whereRaw('(sg.team_id, sg.workspace_id) not in ?', [ended.select('e.team_id', 'e.workspace_id')])
    .union(
      sql('team_projects as sp')
        // In this order: with statistics of its tables, SQLite would go through the workspaces.
        .crossJoin(sql.raw('workspaces as sw'))
        .whereRaw('sw.project_id = sp.project_id')
        .whereIn('sp.team_id', teamIds)
        .whereRaw(isInForce(sql, 'sp', soFar))
        .select('sw.id as workspace_id'),
    );
};
