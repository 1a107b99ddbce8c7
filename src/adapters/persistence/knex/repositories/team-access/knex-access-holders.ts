import type { Knex } from 'knex';
import type {
  AccessHolders,
  AccessPlace,
  PersonAtPlace,
  TeamAtPlace,
} from '../../../../../application/ports/repositories/access-holders.js';
import type { Page, PageRequest } from '../../../../../application/ports/repositories/page.js';
import type { Instant, OrganizationId, TeamId, UserId } from '../../../../../domain/index.js';
import { ofPage } from '../../engine/lists.js';
import { presentIn } from '../../engine/present.js';
import { columnsOf, pageOf, type Statements } from '../../engine/statements.js';
import {
  type GrantsRow,
  grantColumns,
  grantsInForce,
  isInForce,
  namedProjectGrant,
} from '../authorization/grant-rows.js';
import { accessFromText, type TeamRow, teamColumns, teamInQuestion } from '../authorization/standing.js';

interface AtPlaceRow extends TeamRow, GrantsRow {
  readonly id: TeamId;
  readonly name: string;
  readonly seen_at: Instant;
  readonly in_project?: boolean | number;
}

function fromRow(row: AtPlaceRow): TeamAtPlace {
  const grants = grantsInForce(row, row.seen_at);
  const grantOn = grants.grant ? 'workspace' : grants.projectGrant && 'project';
  return {
    name: row.name,
    team: { ...teamInQuestion(row.id, row), ...(grantOn && { grantOn }) },
    standing: {
      teamId: row.id,
      owners: Boolean(row.team_is_owners),
      access: accessFromText(row.team_organization_access),
      ...grants,
      ...(row.in_project && { inProject: true }),
    },
  };
}

interface PersonRow {
  readonly id: string;
  readonly user_id: UserId;
  readonly listed_name: string;
  readonly invited_email: string | null;
}

export class KnexAccessHolders implements AccessHolders {
  constructor(private readonly db: Statements) {}

  async teamsAt({ organizationId, on }: AccessPlace): Promise<readonly TeamAtPlace[]> {
    const { sql, present } = this.db;
    const teams = sql('teams as t')
      .where({ 't.organization_id': organizationId, 't.deleted_at': null })
      .select('t.id', 't.name', teamColumns('t'), { seen_at: presentIn(sql, present.soFar()) })
      .orderBy(['t.name_key', 't.id']);
    if (on !== undefined) {
      const project = 'projectId' in on ? sql.raw('?', [on.projectId]) : sql.ref('w.project_id');
      if ('workspaceId' in on) {
        teams
          .join('workspaces as w', (join) => join.onVal('w.id', on.workspaceId))
          .leftJoin('team_workspaces as g', (join) => join.on('g.team_id', 't.id').on('g.workspace_id', 'w.id'))
          .select(...columnsOf('g', grantColumns));
      } else {
        teams.select({ in_project: this.inProject(on.projectId) });
      }
      teams
        .leftJoin('team_projects as p', (join) => join.on('p.team_id', 't.id').on('p.project_id', project))
        .select(...namedProjectGrant('p'));
    }
    return (await this.db.all<AtPlaceRow>(teams)).map(fromRow);
  }

  async people(
    organizationId: OrganizationId,
    alternatives: readonly (readonly (readonly TeamId[])[])[],
    page: PageRequest,
  ): Promise<Page<PersonAtPlace>> {
    if (alternatives.length === 0) return { ...page, total: 0, items: [] };
    const { sql } = this.db;
    const isIn = (teamIds: readonly TeamId[]) => sql('team_members').whereIn('team_id', teamIds).select('user_id');
    const people = this.members().where('m.organization_id', organizationId).whereNotNull('m.listed_name');
    if (!alternatives.some((lists) => lists.length === 0)) {
      people.where((any) => {
        for (const lists of alternatives) {
          any.orWhere((all) => {
            for (const teamIds of lists) all.whereIn('m.user_id', isIn(teamIds));
          });
        }
      });
    }
    const order = (rows: Knex.QueryBuilder) => rows.orderBy(['m.listed_name', 'm.id']);
    const found = await pageOf<PersonRow, PersonRow>(
      this.db,
      people,
      (part) =>
        order(ofPage(sql('organization_memberships as m'), order(part.select('m.id')), 'm')).select(
          ...columnsOf('m', ['user_id', 'listed_name', 'invited_email']),
        ),
      (row) => row,
      page,
    );
    const userIds = found.items.map((row) => row.user_id);
    const rows = await this.db.all<{ readonly user_id: UserId; readonly team_id: TeamId }>(
      sql('team_members')
        .where('organization_id', organizationId)
        .whereIn('user_id', userIds)
        .select('user_id', 'team_id'),
    );
    const teams = Map.groupBy(rows, (row) => row.user_id);
    const items = found.items.map((row) => ({
      userId: row.user_id,
      name: row.listed_name,
      invited: row.invited_email !== null,
      teamIds: (teams.get(row.user_id) ?? []).map((one) => one.team_id),
    }));
    return { ...found, items };
  }

  private members(): Knex.QueryBuilder {
    return this.db
      .sql('organization_memberships as m')
      .join('users as u', 'u.id', 'm.user_id')
      .where({ 'u.deleted_at': null, 'u.suspended': false });
  }

  private inProject(projectId: string): Knex.Raw {
    const { sql, present } = this.db;
    const granted = sql('team_workspaces as g')
      .join('workspaces as w', 'w.id', 'g.workspace_id')
      .whereRaw('g.team_id = t.id')
      .where({ 'w.project_id': projectId, 'w.deleted_at': null })
      .whereRaw(isInForce(sql, 'g', present.soFar()));
    return sql.raw('exists ?', [granted.select('g.id')]);
  }
}
