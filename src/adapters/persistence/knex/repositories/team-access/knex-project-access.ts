import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../../../../application/ports/repositories/page.js';
import type {
  TeamProjectRepository,
  TeamProjectView,
} from '../../../../../application/ports/repositories/team-project-repository.js';
import {
  type Actor,
  alreadyTaken,
  type ProjectAccessVisibility,
  type ProjectGrant,
  type ProjectId,
  type TeamId,
  TeamProject,
  type TeamProjectId,
  type TeamProjectState,
  type WithStanding,
} from '../../../../../domain/index.js';
import { inserted } from '../../engine/prepared.js';
import { rowsOf } from '../../engine/rows.js';
import { columnsOf, mapTaken, pageOf, type Statements, throwIfStale } from '../../engine/statements.js';
import {
  type ProjectGrantRow,
  projectGrantFromRow,
  projectGrantToRow,
  seeing,
  type TeamRow,
  teamColumns,
  teamInQuestion,
} from '../authorization/standing.js';

const accessRows = rowsOf<TeamProjectState>((row, as) => ({
  id: row.id,
  teamId: row.team_id,
  projectId: row.project_id,
  grant: as.read(row, ['level', 'permissions'], (kept: ProjectGrantRow) => projectGrantFromRow(kept) as ProjectGrant),
  revision: row.revision,
}));

const viewFrom = (row: { readonly organization_id: string }): TeamProjectView => ({
  teamProject: TeamProject.restore(accessRows.read(row)),
  organizationId: row.organization_id,
});

interface SeenRow extends TeamRow {
  readonly organization_id: string;
  readonly team_id: TeamId;
}

/** The access `g` of teams `t` to projects `p`, none of which is deleted. */
const living = (sql: Knex): Knex.QueryBuilder =>
  sql('team_projects as g')
    .join('projects as p', 'p.id', 'g.project_id')
    .join('organizations as o', 'o.id', 'p.organization_id')
    .join('teams as t', 't.id', 'g.team_id')
    .where({ 'o.deleted_at': null, 't.deleted_at': null });

const select = (rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  rows.select(...columnsOf('g', accessRows.columns), 'p.organization_id');

const findWithStanding = seeing(
  'project',
  (sql, { id }: { readonly id: TeamProjectId }) => select(living(sql).where('g.id', id)).select(teamColumns('t')),
  (row: SeenRow) => ({ view: viewFrom(row), team: teamInQuestion(row.team_id, row) }),
);

export class KnexProjectAccess implements TeamProjectRepository {
  constructor(private readonly db: Statements) {}

  async findFor(actor: Actor, id: TeamProjectId): Promise<WithStanding<TeamProjectView> | undefined> {
    const seen = await findWithStanding(this.db, actor, { id });
    return seen && { subject: seen.subject.view, standing: { ...seen.standing, team: seen.subject.team } };
  }

  add({ state: { id, teamId, projectId, grant, revision } }: TeamProject): Promise<void> {
    const row = { id, team_id: teamId, project_id: projectId, ...projectGrantToRow(grant), revision };
    const taken = {
      team_id: () => alreadyTaken('team', 'Team'),
      team_projects_project_id: () => alreadyTaken('team', 'Team'),
    };
    return this.db.runLater(inserted(this.db, 'team_projects', row), mapTaken(taken));
  }

  save({ state: { id, grant, revision } }: TeamProject): Promise<void> {
    const row = this.db.sql('team_projects').where({ id, revision: revision - 1 });
    const update = row.update({ ...projectGrantToRow(grant), revision });
    return throwIfStale({ table: 'team_projects', id }, this.db.run(update));
  }

  remove({ state: { id, revision } }: TeamProject): Promise<void> {
    const removal = this.db.run(this.db.sql('team_projects').where({ id, revision }).delete());
    return throwIfStale({ table: 'team_projects', id }, removal);
  }

  page(projectId: ProjectId, visibility: ProjectAccessVisibility, page: PageRequest): Promise<Page<TeamProjectView>> {
    const listed = living(this.db.sql).where('g.project_id', projectId);
    if (visibility !== 'all') {
      const { own, visible } = visibility;
      listed.where((any) => {
        any.whereIn('g.team_id', own);
        if (visible) any.orWhere('t.visibility', 'organization');
      });
    }
    const byName = (rows: Knex.QueryBuilder) => select(rows).orderBy(['t.name_key', 't.id']);
    return pageOf(this.db, listed, byName, viewFrom, page);
  }
}
