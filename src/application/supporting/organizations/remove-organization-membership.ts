import { type Actor, authorize, type MembershipId, notFound, teamInQuestion } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import { withChangedMembers } from '../../../domain/supporting/teams/team.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { checkActiveRemain } from '../teams/check-active-remain.js';

/** The maximum number of team tokens named in the audit event of a removal. */
const maxNamed = 100;

/**
 * DELETE /organization-memberships/:id: removes the user from the organization and its teams. Team tokens that the user
 * issued stay valid; the audit event names them, so that an owner can replace them.
 */
export class RemoveOrganizationMembership {
  constructor(private readonly unitOfWork: UnitOfWork<'memberships' | 'tokens' | 'teams' | 'rowLocks' | 'audit'>) {}

  execute(actor: Actor, id: MembershipId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      // Prevents a concurrent addition to another team between the check and the removal.
      if (!(await tx.rowLocks.take({ kind: 'membership', id }))) throw notFound();
      const {
        subject: membership,
        standing,
        done,
      } = changing(actor, await tx.memberships.findFor(actor, id), 'memberships/manage');
      for (const team of membership.teams) {
        // Removal changes the user's teams: a caller who may not remove members from each of them may not do this
        // either.
        authorize({ ...standing, team: { ...teamInQuestion(team), secret: false } }, 'team-members/manage');
        await checkActiveRemain(tx, team, [membership.userId]);
        await tx.teams.save(withChangedMembers(team));
      }
      await tx.memberships.remove(membership);
      const issued = await tx.tokens.issuedBy(membership.userId, membership.organizationId, maxNamed);
      const named = issued.map((token) => ({ id: token.id, 'team-id': token.teamId }));
      const detail = named.length === 0 ? null : { 'team-tokens': named };
      await tx.audit.add(done(id, detail), membership);
    });
  }
}
