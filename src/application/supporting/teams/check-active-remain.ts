import type { Team, UserId } from '../../../domain/index.js';
import { checkMembersRemain } from '../../../domain/supporting/teams/team.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/**
 * Throws `owners-team/protected` when the owners team would be without an active member. Invited ones do not count,
 * whether or not a user has their address.
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
