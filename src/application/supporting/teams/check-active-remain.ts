import type { Team, UserId } from '../../../domain/index.js';
import { checkMembersRemain } from '../../../domain/supporting/teams/team.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/**
 * Throws `owners-team/protected` if the owners team would have no active member. Invited members do not count, whether
 * or not a user with their address exists.
 */
export async function checkActiveRemain(
  tx: Transaction<'teams'>,
  team: Team,
  leaving: Iterable<UserId>,
): Promise<void> {
  const gone = new Set(leaving);
  const members = (await tx.teams.members([team.id])).get(team.id) ?? [];
  checkMembersRemain(team, members.filter(({ id, username }) => username !== null && !gone.has(id)).length);
}
