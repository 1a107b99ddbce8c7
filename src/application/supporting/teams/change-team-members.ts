import { type Actor, DomainError, type TeamId } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { withChangedMembers } from '../../../domain/supporting/teams/team.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { checkActiveRemain } from './check-active-remain.js';

/** POST and DELETE of /teams/:id/relationships/users and …/organization-memberships. */
export class ChangeTeamMembers {
  constructor(private readonly unitOfWork: UnitOfWork<'memberships' | 'teams' | 'teamGroups' | 'audit'>) {}

  /** `references` are user ids, usernames or membership ids of members of the organization. */
  execute(actor: Actor, id: TeamId, change: 'add' | 'remove', references: readonly string[]): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: team, done } = changing(actor, await tx.teams.findFor(actor, id), 'team-members/manage');
      const users = await tx.memberships.findUsers(team.organizationId, references);
      const userIds = [...new Set([...users.values()].map((user) => user.id))];
      if (change === 'add') {
        if (!references.every((reference) => users.has(reference))) {
          throw new DomainError('attribute/invalid', 'Users must be members of the organization', { member: 'data' });
        }
        await tx.teams.addMembers(team, userIds);
        // From now on they are members because the caller wants them to be.
        await tx.teamGroups.forget(id, userIds);
      } else {
        await checkActiveRemain(tx, team, userIds);
        await tx.teams.removeMembers(id, userIds);
      }
      await tx.teams.save(withChangedMembers(team));
      await tx.audit.add(done(id), team);
    });
  }
}
