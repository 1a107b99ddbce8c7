import {
  type Actor,
  authorize,
  checkGroupPatterns,
  type GroupPattern,
  isGiven,
  notFound,
  type Organization,
  standingOnSite,
} from '../../../domain/index.js';
import { changingSite } from '../../../domain/supporting/audit/change.js';
import type { GroupMembership } from '../../ports/repositories/team-group-repository.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type GroupMemberships, membershipsThatEnd } from '../sign-in/group-memberships.js';

/** A group that an organization was given. */
export interface GivenGroup {
  readonly pattern: GroupPattern;
  /** The memberships of teams that end if the organization keeps all other groups and loses this one. */
  readonly memberships: number;
}

export interface OrganizationGroups {
  readonly organization: Organization;
  readonly groups: readonly GivenGroup[];
  /** The memberships of teams that the request ended. */
  readonly endedMemberships: number;
}

/** The organization of this name. Throws `resource/not-found`. */
async function found(tx: Transaction<'organizations'>, actor: Actor, name: string): Promise<Organization> {
  const seen = await tx.organizations.findFor(actor, name);
  if (seen === undefined) throw notFound();
  return seen.subject;
}

const losing =
  (kept: readonly GroupPattern[]) =>
  ({ group }: GroupMembership): boolean =>
    !isGiven(kept, group);

const present = (patterns: readonly GroupPattern[], made: readonly GroupMembership[]): readonly GivenGroup[] =>
  patterns.map((pattern) => ({
    pattern,
    memberships: membershipsThatEnd(made, losing(patterns.filter((other) => other !== pattern))),
  }));

/** GET /admin/organizations/:name. */
export class ShowOrganizationGroups {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'teamGroups'>) {}

  execute(actor: Actor, name: string): Promise<OrganizationGroups> {
    authorize(standingOnSite(actor), 'organizations/give-groups');
    return this.unitOfWork.read(async (tx) => {
      const organization = await found(tx, actor, name);
      const { id } = organization;
      const patterns = (await tx.teamGroups.given([id])).get(id) ?? [];
      const made = await tx.teamGroups.memberships({ organizationId: id });
      return { organization, groups: present(patterns, made), endedMemberships: 0 };
    });
  }
}

/** PATCH /admin/organizations/:name: replaces the groups that the organization may map to teams. */
export class GiveOrganizationGroups {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'organizations' | 'teamGroups' | 'teams' | 'memberships' | 'rowLocks' | 'audit'
    >,
    private readonly groups: GroupMemberships,
  ) {}

  /** Memberships that only a lost group gives end at once. Throws `attribute/invalid`. */
  execute(actor: Actor, name: string, wanted: readonly GroupPattern[]): Promise<OrganizationGroups> {
    const { done } = changingSite(actor, 'organizations/give-groups');
    const patterns = checkGroupPatterns(wanted);
    return this.unitOfWork.run(async (tx) => {
      const organization = await found(tx, actor, name);
      const { id } = organization;
      // Waits for sign-ins that follow the groups as they were.
      if (!(await tx.rowLocks.take({ kind: 'organization', id }))) throw notFound();
      await tx.teamGroups.give(id, patterns);
      const of = { organizationId: id };
      const before = await tx.teamGroups.memberships(of);
      await this.groups.end(tx, actor, before, losing(patterns), of);
      const made = await tx.teamGroups.memberships(of);
      await tx.audit.add(done(id), of);
      const endedMemberships =
        membershipsThatEnd(before, losing(patterns)) - membershipsThatEnd(made, losing(patterns));
      return { organization, groups: present(patterns, made), endedMemberships };
    });
  }
}
