import type { Knex } from 'knex';
import type {
  SyncedMembership,
  TeamGroupRepository,
} from '../../../../application/ports/repositories/team-group-repository.js';
import type { Team, TeamId, UserId } from '../../../../domain/index.js';
import type { Statements } from '../engine/statements.js';
import { livingTeams, selectTeams, teamRows } from './knex-teams.js';

export class KnexTeamGroups implements TeamGroupRepository {
  constructor(private readonly db: Statements) {}

  async map(id: TeamId, group: string | null): Promise<void> {
    const { sql } = this.db;
    if (group === null) {
      await this.db.run(sql('team_groups').where({ team_id: id }).delete());
      return;
    }
    const row = sql('team_groups').insert({ team_id: id, group_name: group });
    await this.db.run(row.onConflict('team_id').merge(['group_name']));
  }

  async teamsOf(groups: readonly string[]): Promise<readonly Team[]> {
    if (groups.length === 0) return [];
    const mapped = livingTeams(this.db.sql)
      .join('team_groups as g', 'g.team_id', 't.id')
      .whereIn('g.group_name', [...groups]);
    return (await this.all(mapped)).map(teamRows.read);
  }

  async ofUser(userId: UserId): Promise<readonly SyncedMembership[]> {
    const synced = livingTeams(this.db.sql)
      .join('synced_members as s', 's.team_id', 't.id')
      .where('s.user_id', userId)
      .select('s.made_member');
    const rows = await this.all<{ readonly made_member: boolean | number }>(synced);
    return rows.map((row) => ({ team: teamRows.read(row), madeMember: Boolean(row.made_member) }));
  }

  async note(id: TeamId, userId: UserId, madeMember: boolean): Promise<void> {
    const row = { team_id: id, user_id: userId, made_member: madeMember };
    await this.db.run(this.db.sql('synced_members').insert(row));
  }

  async forget(id: TeamId, userIds: readonly UserId[]): Promise<void> {
    await this.db.runLater(
      this.db
        .sql('synced_members')
        .where('team_id', id)
        .whereIn('user_id', [...userIds])
        .delete(),
    );
  }

  private all<Row extends object>(teams: Knex.QueryBuilder): Promise<Row[]> {
    return this.db.all<Row>(selectTeams(this.db.sql, teams).orderBy('t.id'));
  }
}
