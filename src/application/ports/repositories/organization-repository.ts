import type {
  Actor,
  ExecutionDefaults,
  Member,
  Membership,
  MembershipId,
  Organization,
  OrganizationId,
  Seen,
  Team,
  UserId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

export interface OrganizationRepository {
  findFor(actor: Actor, name: string): Promise<Seen<Organization> | undefined>;
  /** Throws `attribute/taken` when a living organization has the name. */
  add(organization: Organization): Promise<void>;
  /** Keeps name and e-mail address. Throws `attribute/taken` when another has the name. */
  save(organization: Organization): Promise<void>;
  /** Both at once; the workspaces that follow the organization change with it. */
  setDefaults(id: OrganizationId, defaults: ExecutionDefaults): Promise<void>;
  /** Hides it and all that hangs on it, and frees its name. */
  remove(id: OrganizationId, now: string): Promise<void>;
  /** Those the caller belongs to, by name. */
  page(actor: Actor, page: PageRequest): Promise<Page<Organization>>;
  /** Everybody's, by name: for whoever runs the service. */
  pageOfAll(page: PageRequest): Promise<Page<Organization>>;
}

/** A membership with whose it is and the teams of the organization the user is in. */
export interface MembershipView extends Membership {
  readonly organizationName: string;
  readonly user: Member;
  readonly teams: readonly Team[];
}

export interface MembershipRepository {
  findFor(actor: Actor, id: MembershipId): Promise<Seen<MembershipView> | undefined>;
  /**
   * The member each reference names: by user id, else by membership id, else by user name in any case, which invited
   * members do not have yet. References that name nobody are left out. In a transaction those it answers stay members
   * until it ends.
   */
  findUsers(organizationId: OrganizationId, references: readonly string[]): Promise<ReadonlyMap<string, Member>>;
  /** Throws `attribute/taken` when the user is a member already. */
  add(membership: Membership): Promise<void>;
  /** Ends the user's invitations: every membership is active, and shows who it is. */
  accept(userId: UserId): Promise<void>;
  /** Takes the user out of the organization's teams as well. An id that is reserved for nothing else is given up. */
  remove(membership: Membership): Promise<void>;
  /** By user name, of invited ones by the address. */
  page(organizationId: OrganizationId, page: PageRequest): Promise<Page<MembershipView>>;
}
