import {
  caseless,
  hasPart,
  type MembershipFilter,
  type OrganizationFilter,
} from '../../../application/ports/repositories/filters.js';
import type {
  MembershipRepository,
  MembershipView,
  OrganizationRepository,
} from '../../../application/ports/repositories/organization-repository.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import { usersByReference } from '../../../application/supporting/organizations/users-by-reference.js';
import {
  type Actor,
  alreadyTaken,
  defaultProjectId,
  defaultProjectName,
  type ExecutionDefaults,
  type Instant,
  type Member,
  type Membership,
  type MembershipId,
  memberOf,
  membershipStatus,
  notFound,
  type Organization,
  type OrganizationId,
  type UserId,
  type WithStanding,
} from '../../../domain/index.js';
import { standingIn } from './memory-standing.js';
import { byText, type CurrentTables, pageOf, present } from './memory-tables.js';

export class MemoryOrganizations implements OrganizationRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, name: string): Promise<WithStanding<Organization> | undefined> {
    const subject = this.living().find((organization) => organization.name === name);
    return subject && { subject, standing: standingIn(this.tables(), actor, subject.id) };
  }

  async find(id: OrganizationId): Promise<Organization | undefined> {
    return this.tables().organization(id);
  }

  async joinedBy(userId: UserId): Promise<readonly Organization[]> {
    const tables = this.tables();
    const active = [...tables.memberships.values()].filter((one) => one.userId === userId && one.invitedEmail === null);
    return present(active.map(({ organizationId }) => tables.organization(organizationId)));
  }

  async add(organization: Organization): Promise<void> {
    this.checkName(organization);
    this.tables().organizations.set(organization.id, organization);
    const { id: organizationId, name: organizationName, createdAt } = organization;
    const id = defaultProjectId(organizationId);
    const named = { name: defaultProjectName, description: '', organizationId, organizationName };
    this.tables().projects.set(id, { ...named, id, createdAt, updatedAt: createdAt, revision: 0 });
  }

  async save(organization: Organization): Promise<void> {
    const stored = this.tables().organization(organization.id);
    if (stored === undefined) throw notFound();
    this.checkName(organization);
    this.tables().organizations.set(organization.id, { ...organization, defaults: stored.defaults });
  }

  async setDefaults(id: OrganizationId, defaults: ExecutionDefaults): Promise<void> {
    const { organizations } = this.tables();
    const stored = organizations.get(id);
    if (stored !== undefined) organizations.set(id, { ...stored, defaults });
  }

  async remove(id: OrganizationId, now: Instant): Promise<void> {
    this.tables().delete(id, now);
  }

  async page(
    actor: Actor,
    page: PageRequest,
    { search, name, email }: OrganizationFilter = {},
  ): Promise<Page<Organization>> {
    const own = this.living().filter(({ id }) => {
      if (actor.kind === 'auditor') return false;
      const { member, bar } = standingIn(this.tables(), actor, id);
      return actor.kind === 'user' ? member && bar === undefined : id === actor.organizationId;
    });
    const matches = (one: Organization) =>
      hasPart(one.name, name) && hasPart(one.email, email) && (hasPart(one.name, search) || hasPart(one.email, search));
    return pageOf(own.filter(matches).sort(byText(({ name }) => name.toLowerCase())), page);
  }

  async pageOfAll(page: PageRequest): Promise<Page<Organization>> {
    return pageOf(this.living().sort(byText(({ name }) => name.toLowerCase())), page);
  }

  private living(): Organization[] {
    const tables = this.tables();
    return present([...tables.organizations.keys()].map((id) => tables.organization(id)));
  }

  private checkName({ id, name }: Organization): void {
    if (this.living().some((other) => other.name === name && other.id !== id)) throw alreadyTaken('name', 'Name');
  }
}

const byListedName = byText<MembershipView>(({ user }) => (user.username ?? user.email).toLowerCase());

export class MemoryMemberships implements MembershipRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: MembershipId): Promise<WithStanding<MembershipView> | undefined> {
    const membership = this.tables().memberships.get(id);
    const subject = membership && this.view(membership);
    return subject && { subject, standing: standingIn(this.tables(), actor, subject.organizationId) };
  }

  async findUsers(organizationId: OrganizationId, references: readonly string[]): Promise<ReadonlyMap<string, Member>> {
    return usersByReference(this.living(organizationId), references);
  }

  async idsOf(organizationId: OrganizationId, userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, MembershipId>> {
    const own = this.living(organizationId).filter(({ userId }) => userIds.includes(userId));
    return new Map(own.map(({ id, userId }) => [userId, id]));
  }

  async ofUsers(organizationId: OrganizationId, userIds: readonly UserId[]): Promise<readonly MembershipView[]> {
    return this.living(organizationId)
      .filter(({ userId }) => userIds.includes(userId))
      .sort(byListedName);
  }

  async add(membership: Membership): Promise<void> {
    if (this.tables().isMember(membership.organizationId, membership.userId)) throw alreadyTaken('email', 'User');
    this.tables().memberships.set(membership.id, membership);
  }

  async accept(userId: UserId): Promise<void> {
    const { memberships } = this.tables();
    for (const [id, row] of memberships) {
      if (row.userId === userId) memberships.set(id, { ...row, invitedEmail: null });
    }
  }

  async remove({ id, organizationId, userId }: Membership): Promise<void> {
    const { memberships, teams, teamMembers } = this.tables();
    memberships.delete(id);
    for (const [teamId, members] of teamMembers) {
      if (teams.get(teamId)?.organizationId !== organizationId) continue;
      teamMembers.set(teamId, new Set([...members].filter((member) => member !== userId)));
      this.tables().forgetGroups(teamId, userId);
    }
    this.tables().forgetUninvited();
  }

  async page(
    organizationId: OrganizationId,
    page: PageRequest,
    { search, emails, status }: MembershipFilter = {},
  ): Promise<Page<MembershipView>> {
    const matches = ({ user }: MembershipView) =>
      (status === undefined || membershipStatus(user) === status) &&
      (emails === undefined || emails.map(caseless).includes(caseless(user.email))) &&
      (hasPart(user.email, search) || (user.username !== null && hasPart(user.username, search)));
    return pageOf(this.living(organizationId).filter(matches).sort(byListedName), page);
  }

  private living(organizationId: OrganizationId): MembershipView[] {
    const memberships = [...this.tables().memberships.values()];
    return present(memberships.filter((row) => row.organizationId === organizationId).map((row) => this.view(row)));
  }

  private view(membership: Membership): MembershipView | undefined {
    const tables = this.tables();
    const organization = tables.organization(membership.organizationId);
    const user = tables.user(membership.userId);
    if (organization === undefined || user === undefined) return undefined;
    const teams = tables.teamsOf(organization.id).filter(({ id }) => tables.isInTeam(id, user.id));
    return { ...membership, organizationName: organization.name, user: memberOf(membership, user), teams };
  }
}
