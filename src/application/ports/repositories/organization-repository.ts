import type {
  Actor,
  DataRetention,
  ExecutionDefaults,
  Member,
  Membership,
  MembershipId,
  Organization,
  OrganizationId,
  Standing,
  Team,
  UserId,
  WithStanding,
} from '../../../domain/index.js';
import type { MembershipFilter, OrganizationFilter } from './filters.js';
import type { Page, PageRequest } from './page.js';

export interface OrganizationRepository {
  /** A standing in an organization that refuses the caller's token or session says so, wherever it is found. */
  findFor(actor: Actor, name: string): Promise<WithStanding<Organization> | undefined>;
  find(id: OrganizationId): Promise<Organization | undefined>;
  /** Those in which the user is a member, without invitations that wait. */
  joinedBy(userId: UserId): Promise<readonly Organization[]>;
  /** The same for each of these users, by name. One statement for all of them. */
  joinedByEach(userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, readonly Organization[]>>;
  /** Also adds its default project. Throws `attribute/taken` if an existing organization has the name. */
  add(organization: Organization): Promise<void>;
  /** Saves name, email address and settings. Throws `attribute/taken` if another organization has the name. */
  save(organization: Organization): Promise<void>;
  /** Sets both defaults; workspaces that inherit them change as well. */
  setRetention(id: OrganizationId, retention: DataRetention | null): Promise<void>;
  /** The next organization after an id, by id, whose retention removes files. */
  retaining(after: OrganizationId): Promise<OrganizationId | undefined>;
  setDefaults(id: OrganizationId, defaults: ExecutionDefaults): Promise<void>;
  /** Hides the organization and its resources, and frees its name. */
  remove(id: OrganizationId, now: string): Promise<void>;
  /** The caller's organizations, by name, without those that refuse the caller's token or session. */
  page(actor: Actor, page: PageRequest, filter?: OrganizationFilter): Promise<Page<Organization>>;
  /** The caller's standing in each of these organizations. One statement for all of them. */
  standingIn(actor: Actor, ids: readonly OrganizationId[]): Promise<(id: OrganizationId) => Standing>;
  /** All organizations, by name: for the operator. */
  pageOfAll(page: PageRequest): Promise<Page<Organization>>;
}

/** A membership with its user and the user's teams in the organization. */
export interface MembershipView extends Membership {
  readonly organizationName: string;
  readonly user: Member;
  readonly teams: readonly Team[];
}

export interface MembershipRepository {
  findFor(actor: Actor, id: MembershipId): Promise<WithStanding<MembershipView> | undefined>;
  /**
   * The member each reference names: by user id, else by membership id, else by username, case-insensitive, which
   * invited members do not have. Unknown references are omitted. In a transaction, the returned users remain members
   * until it ends.
   */
  findUsers(organizationId: OrganizationId, references: readonly string[]): Promise<ReadonlyMap<string, Member>>;
  /** The ids of these users' memberships in the organization. Users without one are omitted. */
  idsOf(organizationId: OrganizationId, userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, MembershipId>>;
  /** The memberships of these users, in the order of `page`. */
  ofUsers(organizationId: OrganizationId, userIds: readonly UserId[]): Promise<readonly MembershipView[]>;
  /** Throws `attribute/taken` if the user is already a member. */
  add(membership: Membership): Promise<void>;
  /** Accepts the user's invitations: every membership becomes active and shows the username. */
  accept(userId: UserId): Promise<void>;
  /** Also removes the user from the organization's teams. A reserved id without other uses is released. */
  remove(membership: Membership): Promise<void>;
  /** Ordered by username; invited members by their address. */
  page(organizationId: OrganizationId, page: PageRequest, filter?: MembershipFilter): Promise<Page<MembershipView>>;
}
