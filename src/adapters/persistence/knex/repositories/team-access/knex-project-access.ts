import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../../../application/ports/repositories/page.js';
import type {
  ProjectAccessFilter,
  TeamProjectRepository,
  TeamProjectView,
} from '../../../../../application/ports/repositories/team-project-repository.js';
import {
  type Actor,
  alreadyTaken,
  type Instant,
  type ProjectGrant,
  type ProjectId,
  type TeamId,
  TeamProject,
  type TeamProjectId,
  type TeamProjectState,
  type Timed,
  type WithStanding,
} from '../../../../../domain/index.js';
import { inserted } from '../../engine/prepared.js';
import { presentIn } from '../../engine/present.js';
import { rowsOf } from '../../engine/rows.js';
import { columnsOf, mapTaken, pageOf, type Statements, spelledOut, throwIfStale } from '../../engine/statements.js';
import {
  inForce,
  isInForce,
  type ProjectGrantRow,
  projectGrantColumns,
  projectGrantToRow,
  storedProjectGrant,
} from '../authorization/grant-rows.js';
import { seeing, type TeamRow, teamColumns, teamInQuestion } from '../authorization/standing.js';

const grantFrom = (row: ProjectGrantRow): Timed<ProjectGrant> => storedProjectGrant(row) as Timed<ProjectGrant>;

const accessRows = rowsOf<TeamProjectState>((row, as) => ({
  id: row.id,
  teamId: row.team_id,
  projectId: row.project_id,
  grant: as.read(row, projectGrantColumns, grantFrom),
  revision: row.revision,
}));

interface PlacedRow {
  readonly organization_id: string;
  /** When the statement was run. */
  readonly seen_at: Instant;
}

/** Undefined for a row of which nothing is in force. */
function viewFrom(row: PlacedRow): TeamProjectView | undefined {
  const stored = accessRows.read(row);
  const grant = inForce(stored.grant, row.seen_at);
  return (
    grant && {
      teamProject: TeamProject.restore({ ...stored, grant }),
      ...(grant !== stored.grant && { isDue: true }),
      organizationId: row.organization_id,
    }
  );
}

interface SeenRow extends TeamRow, PlacedRow {
  readonly team_id: TeamId;
}

/** The access `g` of teams `t` to projects `p`, none of which is deleted. */
const living = (sql: Knex): Knex.QueryBuilder =>
  sql('team_projects as g')
    .join('projects as p', 'p.id', 'g.project_id')
    .join('organizations as o', 'o.id', 'p.organization_id')
    .join('teams as t', 't.id', 'g.team_id')
    .where({ 'o.deleted_at': null, 't.deleted_at': null });

const select = (sql: Knex, rows: Knex.QueryBuilder, soFar: Instant): Knex.QueryBuilder =>
  rows.select(...columnsOf('g', accessRows.columns), 'p.organization_id', { seen_at: presentIn(sql, soFar) });

const findWithStanding = seeing(
  'project',
  (sql, { id }: { readonly id: TeamProjectId }, soFar) =>
    select(sql, living(sql).where('g.id', id), soFar).select(teamColumns('t')),
  (row: SeenRow) => ({ view: viewFrom(row), team: teamInQuestion(row.team_id, row) }),
);

export class KnexProjectAccess implements TeamProjectRepository {
  constructor(
    private readonly db: Statements,
    private readonly now: () => Instant,
  ) {}

  async findFor(actor: Actor, id: TeamProjectId): Promise<WithStanding<TeamProjectView> | undefined> {
    const seen = await findWithStanding(this.db, actor, { id });
    const view = seen?.subject.view;
    return view && { subject: view, standing: { ...seen.standing, team: seen.subject.team } };
  }

  async due(limit: number): Promise<readonly TeamProjectId[]> {
    const { sql, present } = this.db;
    const due = sql('team_projects as g')
      .where('g.expires_at', '<=', presentIn(sql, present.soFar()))
      .orderBy(['g.expires_at', 'g.id'])
      .limit(limit, spelledOut);
    return (await this.db.all<{ id: TeamProjectId }>(due.select('g.id'))).map(({ id }) => id);
  }

  async findDue(
    sought: { readonly id: TeamProjectId } | { readonly teamId: TeamId; readonly projectId: ProjectId },
  ): Promise<TeamProjectView | undefined> {
    const { sql, present } = this.db;
    const key =
      'id' in sought ? { 'g.id': sought.id } : { 'g.team_id': sought.teamId, 'g.project_id': sought.projectId };
    const due = sql('team_projects as g')
      .join('projects as p', 'p.id', 'g.project_id')
      .where(key)
      .where('g.expires_at', '<=', presentIn(sql, present.soFar()));
    const row = await this.db.first<PlacedRow>(due.select(...columnsOf('g', accessRows.columns), 'p.organization_id'));
    return (
      row && {
        teamProject: TeamProject.restore(accessRows.read(row)),
        isDue: true,
        organizationId: row.organization_id,
      }
    );
  }

  add({ state: { id, teamId, projectId, grant, revision } }: TeamProject): Promise<void> {
    const granted = { ...projectGrantToRow(grant), revision, granted_at: this.now() };
    const row = { id, team_id: teamId, project_id: projectId, ...granted };
    const taken = {
      team_id: () => alreadyTaken('team', 'Team'),
      team_projects_project_id: () => alreadyTaken('team', 'Team'),
    };
    return this.db.runLater(inserted(this.db, 'team_projects', row), mapTaken(taken));
  }

  save({ state: { id, grant, revision } }: TeamProject): Promise<void> {
    const row = this.db.sql('team_projects').where({ id, revision: revision - 1 });
    const update = row.update({ ...projectGrantToRow(grant), revision, granted_at: this.now() });
    return throwIfStale({ table: 'team_projects', id }, this.db.run(update));
  }

  remove({ state: { id, revision } }: TeamProject): Promise<void> {
    const removal = this.db.run(this.db.sql('team_projects').where({ id, revision }).delete());
    return throwIfStale({ table: 'team_projects', id }, removal);
  }

  async page(
    { projectId, visibility, endsBy }: ProjectAccessFilter,
    page: PageRequest,
  ): Promise<Page<TeamProjectView>> {
    const { sql, present } = this.db;
    const soFar = present.soFar();
    const listed = living(sql)
      .where('g.project_id', projectId)
      .whereRaw(isInForce(sql, 'g', soFar));
    if (endsBy !== undefined) {
      listed.where('g.expires_at', '<=', endsBy).where('g.expires_at', '>', presentIn(sql, soFar));
    }
    if (visibility !== 'all') {
      const { own, visible } = visibility;
      listed.where((any) => {
        any.whereIn('g.team_id', own);
        if (visible) any.orWhere('t.visibility', 'organization');
      });
    }
    const byName = (rows: Knex.QueryBuilder) => select(sql, rows, soFar).orderBy(['t.name_key', 't.id']);
    const found = await pageOf(this.db, listed, byName, viewFrom, page);
    return { ...found, items: found.items.filter((view) => view !== undefined) };
  }
}
