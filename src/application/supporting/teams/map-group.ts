import { checkGiven, type Team } from '../../../domain/index.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** Maps a group to the team; null maps none. Throws `attribute/invalid` unless the organization was given the group. */
export async function mapGroup(
  tx: Transaction<'teamGroups'>,
  { id, organizationId }: Pick<Team, 'id' | 'organizationId'>,
  group: string | null,
): Promise<void> {
  if (group !== null) checkGiven((await tx.teamGroups.given([organizationId])).get(organizationId) ?? [], group);
  await tx.teamGroups.map(id, group);
}
