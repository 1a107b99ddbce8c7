import type {
  SyncedMembership,
  TeamGroupRepository,
} from '../../../application/ports/repositories/team-group-repository.js';
import type { Team, TeamId, UserId } from '../../../domain/index.js';
import { byText, type CurrentTables, present, syncedKey } from './memory-tables.js';

const byId = byText<Team>(({ id }) => id);

export class MemoryTeamGroups implements TeamGroupRepository {
  constructor(private readonly tables: CurrentTables) {}

  async map(id: TeamId, group: string | null): Promise<void> {
    const { teamGroups } = this.tables();
    if (group === null) teamGroups.delete(id);
    else teamGroups.set(id, group);
  }

  async teamsOf(groups: readonly string[]): Promise<readonly Team[]> {
    const tables = this.tables();
    const mapped = [...tables.teamGroups].filter(([, group]) => groups.includes(group));
    return present(mapped.map(([id]) => tables.team(id))).sort(byId);
  }

  async ofUser(userId: UserId): Promise<readonly SyncedMembership[]> {
    const tables = this.tables();
    const teams = present([...tables.teams.keys()].map((id) => tables.team(id))).sort(byId);
    return teams.flatMap((team) => {
      const madeMember = tables.syncedMembers.get(syncedKey(team.id, userId));
      return madeMember === undefined ? [] : [{ team, madeMember }];
    });
  }

  async note(id: TeamId, userId: UserId, madeMember: boolean): Promise<void> {
    this.tables().syncedMembers.set(syncedKey(id, userId), madeMember);
  }

  async forget(id: TeamId, userIds: readonly UserId[]): Promise<void> {
    for (const userId of userIds) this.tables().syncedMembers.delete(syncedKey(id, userId));
  }
}
