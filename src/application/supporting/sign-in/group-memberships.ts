import { type Actor, type IdentityId, isGiven, type Team, type User, type UserId } from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { withChangedMembers } from '../../../domain/supporting/teams/team.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { GroupMembership, MadeBySignIn, MappedTeam } from '../../ports/repositories/team-group-repository.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

type Stored = Transaction<'teamGroups' | 'teams' | 'memberships' | 'rowLocks' | 'audit'>;

type IsLost = (membership: GroupMembership) => boolean;

const byTeam = (made: readonly GroupMembership[]) => Map.groupBy(made, ({ team }) => team.id).values();

/** The users of one team whom nothing but lost groups makes members of it. */
function leaving(ofTeam: readonly GroupMembership[], isLost: IsLost): readonly UserId[] {
  const kept = new Set(ofTeam.filter((one) => !isLost(one)).map(({ userId }) => userId));
  return [...new Set(ofTeam.map(({ userId }) => userId))].filter((userId) => !kept.has(userId));
}

/** How many of these memberships of teams end if groups are lost. */
export const membershipsThatEnd = (made: readonly GroupMembership[], isLost: IsLost): number =>
  [...byTeam(made)].reduce((sum, ofTeam) => sum + leaving(ofTeam, isLost).length, 0);

/**
 * Makes memberships follow the groups at the identity provider: those that a site administrator gave the organization
 * and that an owner mapped to a team. Ends only memberships that a sign-in made.
 */
export class GroupMemberships {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** `groups` are those of this identity now. Memberships that other identities of the user give stay. */
  async follow(
    tx: Stored,
    actor: Actor,
    { id: userId }: Pick<User, 'id'>,
    identityId: IdentityId,
    groups: readonly string[],
  ): Promise<void> {
    const mapped = await this.mapped(tx, groups);
    const made = await tx.teamGroups.memberships({ userId });
    for (const one of mapped) await this.join(tx, actor, { ...one, userId, identityId }, made);
    const isLost: IsLost = ({ team, ...one }) =>
      one.identityId === identityId && !mapped.some((wanted) => wanted.team.id === team.id);
    await this.end(tx, actor, made, isLost, { userId });
  }

  /**
   * Ends the memberships of teams that only lost groups give, and then the memberships of organizations that a sign-in
   * made and that have no team left, whatever happened to the teams. The owners team keeps its last active member.
   */
  async end(
    tx: Stored,
    actor: Actor,
    made: readonly GroupMembership[],
    isLost: IsLost,
    scope: MadeBySignIn,
  ): Promise<void> {
    for (const ofTeam of byTeam(made)) await this.endInTeam(tx, actor, ofTeam, isLost);
    for (const membership of await tx.teamGroups.withoutTeam(scope)) await tx.memberships.remove(membership);
  }

  /** The teams of these groups in organizations that were given them. */
  private async mapped(tx: Stored, groups: readonly string[]): Promise<readonly MappedTeam[]> {
    const mapped = await tx.teamGroups.teamsOf(groups);
    const organizationIds = [...new Set(mapped.map(({ team }) => team.organizationId))].sort();
    // Their groups are taken away only before or after this sign-in.
    for (const id of organizationIds) await tx.rowLocks.share({ kind: 'organization', id });
    const given = await tx.teamGroups.given(organizationIds);
    return mapped.filter(({ team, group }) => isGiven(given.get(team.organizationId) ?? [], group));
  }

  private async join(tx: Stored, actor: Actor, one: GroupMembership, made: readonly GroupMembership[]): Promise<void> {
    const { team, userId, identityId } = one;
    const { organizationId } = team;
    const [membership] = await tx.memberships.ofUsers(organizationId, [userId]);
    const isInTeam = membership?.teams.some(({ id }) => id === team.id);
    // A membership that was made by hand stays what it is.
    if (isInTeam && !made.some((before) => before.team.id === team.id)) return;
    if (membership === undefined) {
      const id = this.ids.next('membership');
      const createdAt = this.clock.now();
      await tx.memberships.add({ id, organizationId, userId, createdAt, invitedEmail: null, identityId });
    }
    if (!isInTeam) {
      await tx.teams.addMembers(team, [userId]);
      await this.changed(tx, actor, team);
    }
    await tx.teamGroups.note(one);
  }

  private async endInTeam(tx: Stored, actor: Actor, ofTeam: readonly GroupMembership[], isLost: IsLost): Promise<void> {
    const [first] = ofTeam;
    if (first === undefined) return;
    const { team } = first;
    const ending = new Set(leaving(ofTeam, isLost));
    for (const one of ofTeam) {
      if (isLost(one) && !ending.has(one.userId)) await tx.teamGroups.withdraw(team.id, one.userId, one.identityId);
    }
    if (team.owners) ending.delete((await this.lastOwner(tx, team, ending)) ?? '');
    if (ending.size === 0) return;
    await tx.teams.removeMembers(team.id, [...ending]);
    await this.changed(tx, actor, team);
  }

  /** One of those who leave, if no active member would remain. */
  private async lastOwner(tx: Stored, team: Team, ending: ReadonlySet<UserId>): Promise<UserId | undefined> {
    const members = (await tx.teams.members([team.id])).get(team.id) ?? [];
    const active = members.filter(({ username }) => username !== null);
    return active.every(({ id }) => ending.has(id)) ? active[0]?.id : undefined;
  }

  private async changed(tx: Stored, actor: Actor, team: Team): Promise<void> {
    await tx.teams.save(withChangedMembers(team));
    await tx.audit.add(doneBy(actor, 'team-members/follow-groups', team.id), team);
  }
}
