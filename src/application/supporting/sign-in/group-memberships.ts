import type { Actor, OrganizationId, Team, User } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { withChangedMembers } from '../../../domain/supporting/teams/team.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

type Stored = Transaction<'teamGroups' | 'teams' | 'memberships' | 'audit'>;

/** Makes a user's memberships of teams follow the groups at the identity provider, as owners mapped them. */
export class GroupMemberships {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Ends only memberships that a sign-in made. The owners team keeps its last active member. */
  async follow(tx: Stored, actor: Actor, user: User, groups: readonly string[]): Promise<void> {
    const wanted = await tx.teamGroups.teamsOf(groups);
    const synced = await tx.teamGroups.ofUser(user.id);
    const made = new Set(synced.filter(({ madeMember }) => madeMember).map(({ team }) => team.organizationId));
    for (const team of wanted) {
      if (synced.some((membership) => membership.team.id === team.id)) continue;
      await this.join(tx, actor, user, team, made);
    }
    for (const { team, madeMember } of synced) {
      if (!wanted.some(({ id }) => id === team.id)) await this.leave(tx, actor, user, team, madeMember);
    }
  }

  /** `made` holds the organizations that a sign-in made the user a member of. */
  private async join(tx: Stored, actor: Actor, user: User, team: Team, made: Set<OrganizationId>): Promise<void> {
    const { organizationId } = team;
    const [membership] = await tx.memberships.ofUsers(organizationId, [user.id]);
    // A membership that was made by hand stays what it is.
    if (membership?.teams.some(({ id }) => id === team.id)) return;
    if (membership === undefined) {
      const id = this.ids.next('membership');
      const createdAt = this.clock.now();
      await tx.memberships.add({ id, organizationId, userId: user.id, createdAt, invitedEmail: null });
      made.add(organizationId);
    }
    await tx.teams.addMembers(team, [user.id]);
    await tx.teamGroups.note(team.id, user.id, made.has(organizationId));
    await this.changed(tx, actor, team);
  }

  private async leave(tx: Stored, actor: Actor, user: User, team: Team, madeMember: boolean): Promise<void> {
    if (team.owners && !(await this.othersRemain(tx, team, user))) return;
    await tx.teams.removeMembers(team.id, [user.id]);
    await this.changed(tx, actor, team);
    if (!madeMember) return;
    const [membership] = await tx.memberships.ofUsers(team.organizationId, [user.id]);
    if (membership?.teams.length === 0) await tx.memberships.remove(membership);
  }

  private async othersRemain(tx: Stored, team: Team, user: User): Promise<boolean> {
    const members = (await tx.teams.members([team.id])).get(team.id) ?? [];
    return members.some(({ id, username }) => id !== user.id && username !== null);
  }

  private async changed(tx: Stored, actor: Actor, team: Team): Promise<void> {
    await tx.teams.save(withChangedMembers(team));
    await tx.audit.add(doneBy(actor, 'team-members/follow-groups', team.id), team);
  }
}
