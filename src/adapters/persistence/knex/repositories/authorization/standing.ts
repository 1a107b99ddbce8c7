import type { Knex } from 'knex';
import { entryOf } from '../../../../../domain/authorization/actor.js';
import { barOf, type EntryRules } from '../../../../../domain/authorization/entry.js';
import {
  type Actor,
  auditorStanding,
  type Instant,
  identityOf,
  isOwner,
  type OrganizationAccess,
  type OrganizationId,
  type ProjectId,
  type Standing,
  type TeamId,
  type TeamInQuestion,
  type TeamStanding,
  type WithStanding,
  type WorkspaceId,
} from '../../../../../domain/index.js';
import { prepared } from '../../engine/prepared.js';
import { presentIn } from '../../engine/present.js';
import { columnsOf, type Statements } from '../../engine/statements.js';
import {
  type GrantsRow,
  grantColumns,
  grantsInForce,
  isInForce,
  namedProjectGrant,
  projectGrantColumns,
} from './grant-rows.js';

/** A team in question, whose columns have other names than those of the caller's teams. */
export interface TeamRow {
  readonly team_visibility: string;
  readonly team_is_owners: boolean | number;
  readonly team_members_manage_token: boolean | number;
  readonly team_organization_access: string;
}

export const teamColumns = (team: string) => ({
  team_visibility: `${team}.visibility`,
  team_is_owners: `${team}.is_owners`,
  team_members_manage_token: `${team}.members_manage_token`,
  team_organization_access: `${team}.organization_access`,
});

export const teamInQuestion = (teamId: TeamId, row: TeamRow): TeamInQuestion => ({
  teamId,
  owners: Boolean(row.team_is_owners),
  secret: row.team_visibility === 'secret',
  membersManageToken: Boolean(row.team_members_manage_token),
  access: accessFromText(row.team_organization_access),
});

export const accessFromText = (text: string): OrganizationAccess => new Set(JSON.parse(text));

export const accessToText = (access: OrganizationAccess): string => JSON.stringify([...access]);

export const noAccessText = accessToText(new Set());

/**
 * One row for each team through which the caller has access, or a single row without a team. Only the organization's id
 * is read.
 */
interface StandingRow extends GrantsRow {
  readonly standing_organization_id: OrganizationId;
  /** Joins the caller's standing in the organization `o`, and with `place` the grants on the workspace `w`. */
  readonly standing_member: string | null;
  readonly standing_team_id: TeamId | null;
  readonly standing_owners: boolean | number;
  readonly standing_access: string;
  readonly standing_in_project?: boolean | number;
  /** When the statement was run: grants that ended before are not in force. */
  readonly standing_at: Instant;
  /** The rules of the organization, for a user. */
  readonly standing_user_tokens?: boolean | number;
  readonly standing_session_timeout?: number | null;
  readonly standing_session_remember?: number | null;
}

type Place = 'organization' | 'project' | 'workspace';

/** Whether the team `st` has access to a workspace of the project `p`. */
const inProject = (sql: Knex, soFar: Instant) =>
  sql.raw(
    `exists (select 1 from team_workspaces as sg join workspaces as sw on sw.id = sg.workspace_id
      where sg.team_id = st.id and sw.project_id = p.id and sw.deleted_at is null and ?)`,
    [isInForce(sql, 'sg', soFar)],
  );

interface Asking {
  readonly caller: string;
  readonly soFar: Instant;
}

/** Joins what the caller is to the organization `o`, and with `place` what it has on the project `p` or the workspace `w`. */
function joinStanding(
  sql: Knex,
  query: Knex.QueryBuilder,
  kind: Actor['kind'],
  { caller, soFar }: Asking,
  place: Place,
): Knex.QueryBuilder {
  if (kind === 'organization' || kind === 'auditor') return query.select({ standing_organization_id: 'o.id' });
  if (kind === 'user') {
    query
      .leftJoin('users as su', (on) => on.onVal('su.id', caller).onNull('su.deleted_at').onVal('su.suspended', false))
      .leftJoin('organization_memberships as sm', (on) => on.on('sm.user_id', 'su.id').on('sm.organization_id', 'o.id'))
      .leftJoin('team_members as stm', (on) => on.on('stm.user_id', 'su.id').on('stm.organization_id', 'o.id'))
      .leftJoin('teams as st', (on) => on.on('st.id', 'stm.team_id').onNull('st.deleted_at'))
      .select({
        standing_member: 'sm.id',
        standing_user_tokens: 'o.user_tokens_enabled',
        standing_session_timeout: 'o.session_timeout',
        standing_session_remember: 'o.session_remember',
      });
  } else {
    query
      .leftJoin('teams as st', (on) =>
        on.onVal('st.id', caller).on('st.organization_id', 'o.id').onNull('st.deleted_at'),
      )
      .select({ standing_member: 'st.id' });
  }
  query.select({
    standing_team_id: 'st.id',
    standing_owners: 'st.is_owners',
    standing_access: 'st.organization_access',
  });
  if (place === 'organization') return query;
  query.select({ standing_at: presentIn(sql, soFar) });
  const project = place === 'project' ? 'p.id' : 'w.project_id';
  query
    .leftJoin('team_projects as sp', (on) => on.on('sp.team_id', 'st.id').on('sp.project_id', project))
    .select(...namedProjectGrant('sp'));
  if (place === 'project') return query.select({ standing_in_project: inProject(sql, soFar) });
  return query
    .leftJoin('team_workspaces as sg', (on) => on.on('sg.team_id', 'st.id').on('sg.workspace_id', 'w.id'))
    .select(...columnsOf('sg', grantColumns));
}

function standingFromRows(actor: Actor, rows: readonly StandingRow[]): Standing {
  if (actor.kind === 'auditor') {
    return auditorStanding(rows.some((row) => row.standing_organization_id === actor.organizationId));
  }
  const member =
    actor.kind === 'organization'
      ? (row: StandingRow) => row.standing_organization_id === actor.organizationId
      : (row: StandingRow) => row.standing_member !== null;
  const isMember = rows.some(member);
  const bar = isMember && actor.kind === 'user' ? barOf(entryOf(actor), entryRulesFrom(rows)) : undefined;
  return {
    actor: actor.kind,
    siteAdministrator: actor.kind === 'user' && actor.siteAdministrator,
    member: isMember,
    teams: rows.flatMap((row) => teamFromRow(row) ?? []),
    ...(bar && { bar }),
  };
}

const entryRulesFrom = ([row]: readonly StandingRow[]): EntryRules => ({
  userTokensEnabled: Boolean(row?.standing_user_tokens),
  sessionTimeout: row?.standing_session_timeout ?? null,
  sessionRemember: row?.standing_session_remember ?? null,
});

function teamFromRow(row: StandingRow): TeamStanding | undefined {
  if (!row.standing_team_id) return undefined;
  return {
    teamId: row.standing_team_id,
    owners: Boolean(row.standing_owners),
    access: accessFromText(row.standing_access),
    ...grantsInForce(row, row.standing_at),
    ...(row.standing_in_project && { inProject: true }),
  };
}

/**
 * Finds what `select` selects, with the caller's standing towards it, in one statement. The selection has the living
 * organization as `o`, and the project or the workspace, when that is the place in question, as `p` or `w`. There is a row
 * for each team of the caller, as `st`.
 */
export function seeing<Row, Subject, Sought extends Readonly<Record<string, string>>>(
  place: Place,
  select: (sql: Knex, sought: Sought, soFar: Instant) => Knex.QueryBuilder,
  fromRow: (row: Row, rows: readonly Row[]) => Subject,
): (db: Statements, actor: Actor, sought: Sought) => Promise<WithStanding<Subject> | undefined> {
  const by = (kind: Actor['kind']) =>
    prepared<Sought & Asking>(
      (sql, values) => joinStanding(sql, select(sql, values, values.soFar), kind, values, place),
      { short: true },
    );
  const statements = {
    user: by('user'),
    team: by('team'),
    organization: by('organization'),
    auditor: by('auditor'),
  };
  return async (db, actor, sought) => {
    const asking = { caller: identityOf(actor).id, soFar: db.present.soFar() };
    const rows = await db.all<Row & StandingRow>(statements[actor.kind](db, { ...sought, ...asking }));
    const [first] = rows;
    if (first?.standing_at) db.present.reached(first.standing_at);
    return first && { subject: fromRow(first, rows), standing: standingFromRows(actor, rows) };
  };
}

const standingsBy = (kind: Actor['kind']) =>
  prepared((sql, { ids, caller }: { readonly ids: readonly OrganizationId[]; readonly caller: string }) => {
    const organizations = sql('organizations as o').whereIn('o.id', ids).select('o.id');
    return joinStanding(sql, organizations, kind, { caller, soFar: '' }, 'organization');
  });

const standings = {
  user: standingsBy('user'),
  team: standingsBy('team'),
  organization: standingsBy('organization'),
  auditor: standingsBy('auditor'),
};

/** The caller's standing in each of these organizations. One statement for all of them. */
export async function standingInEach(
  db: Statements,
  actor: Actor,
  ids: readonly OrganizationId[],
): Promise<(id: OrganizationId) => Standing> {
  const caller = identityOf(actor).id;
  const rows =
    ids.length === 0
      ? []
      : await db.all<StandingRow & { readonly id: OrganizationId }>(standings[actor.kind](db, { ids, caller }));
  const ofEach = Map.groupBy(rows, ({ id }) => id);
  return (id) => standingFromRows(actor, ofEach.get(id) ?? []);
}

interface Among extends Readonly<Record<string, unknown>> {
  readonly teamIds: readonly TeamId[];
  readonly ids: readonly string[];
  readonly soFar: Instant;
}

/** The grants of teams on workspaces, and after them those on the projects of these workspaces. */
const grantsOn = prepared((sql, { teamIds, ids, soFar }: Among) => {
  const nulls = (names: readonly string[]) => names.map((name) => sql.raw('null as ??', [name]));
  const at = () => ({ standing_at: presentIn(sql, soFar) });
  return sql('team_workspaces as sg')
    .whereIn('sg.workspace_id', ids)
    .whereIn('sg.team_id', teamIds)
    .select(
      'sg.workspace_id as id',
      'sg.team_id',
      ...columnsOf('sg', grantColumns),
      ...nulls(projectGrantColumns.map((column) => `project_${column}`)),
      at(),
    )
    .unionAll(
      sql('workspaces as sw')
        .join('team_projects as sp', 'sp.project_id', 'sw.project_id')
        .whereIn('sw.id', ids)
        .whereIn('sp.team_id', teamIds)
        .select('sw.id', 'sp.team_id', ...nulls(grantColumns), ...namedProjectGrant('sp'), at()),
    );
});

const grantsOnProjects = prepared((sql, { teamIds, ids, soFar }: Among) =>
  sql('team_projects as sp')
    .whereIn('sp.project_id', ids)
    .whereIn('sp.team_id', teamIds)
    .select('sp.project_id as id', 'sp.team_id', ...namedProjectGrant('sp'), {
      standing_at: presentIn(sql, soFar),
    }),
);

interface HeldRow extends GrantsRow {
  readonly id: string;
  readonly team_id: TeamId;
  readonly standing_at: Instant;
}

/** The same standing with the grants of its teams on each place. One statement for all of them. */
async function withGrants(
  db: Statements,
  standing: Standing,
  ids: readonly string[],
  grants: typeof grantsOn,
): Promise<(id: string) => Standing> {
  // An owner has every right, whatever the grants.
  if (isOwner(standing)) return () => standing;
  const teamIds = standing.teams.map(({ teamId }) => teamId);
  const asked = { teamIds, ids, soFar: db.present.soFar() };
  const rows = teamIds.length === 0 || ids.length === 0 ? [] : await db.all<HeldRow>(grants(db, asked));
  const held = Map.groupBy(rows, ({ id }) => id);
  const through = (rows: readonly HeldRow[]): Standing => ({
    ...standing,
    teams: standing.teams.map(({ grant: _, projectGrant: __, ...team }) =>
      Object.assign(
        {},
        team,
        ...rows.filter((row) => row.team_id === team.teamId).map((row) => grantsInForce(row, row.standing_at)),
      ),
    ),
  });
  // The policy evaluates each standing once, and most places of a list have the same grants.
  const known = new Map<string, Standing>();
  return (id) => {
    const rows = held.get(id) ?? [];
    const grants = JSON.stringify(rows.map(({ id: _, ...grant }) => grant));
    const same = known.get(grants) ?? through(rows);
    known.set(grants, same);
    return same;
  };
}

export const standingOnEach = (
  db: Statements,
  standing: Standing,
  ids: readonly WorkspaceId[],
): Promise<(id: WorkspaceId) => Standing> => withGrants(db, standing, ids, grantsOn);

export const standingOnEachProject = (
  db: Statements,
  standing: Standing,
  ids: readonly ProjectId[],
): Promise<(id: ProjectId) => Standing> => withGrants(db, standing, ids, grantsOnProjects);
