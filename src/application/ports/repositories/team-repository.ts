import type {
  Actor,
  Member,
  OrganizationId,
  Seen,
  Team,
  TeamId,
  TeamVisibility,
  UserId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

export interface TeamRepository {
  /** The standing has the team in question. */
  findFor(actor: Actor, id: TeamId): Promise<Seen<Team> | undefined>;
  /** The owners teams the user is in, in no order. */
  ownedBy(userId: UserId): Promise<readonly Team[]>;
  /** Throws `attribute/taken` when a living team of the organization has the name. */
  add(team: Team): Promise<void>;
  /** Throws `shared/stale-revision` when the stored revision moved on, `attribute/taken` when the name is another's. */
  save(team: Team): Promise<void>;
  /** Hides it with its token, and frees its name. */
  remove(id: TeamId, now: string): Promise<void>;
  /** By name. */
  page(organizationId: OrganizationId, visibility: TeamVisibility, page: PageRequest): Promise<Page<Team>>;
  /** In the order of the organization's members. */
  members(ids: readonly TeamId[]): Promise<ReadonlyMap<TeamId, readonly Member[]>>;
  /** Those who are in it already stay. */
  addMembers(team: Team, userIds: readonly UserId[]): Promise<void>;
  removeMembers(id: TeamId, userIds: readonly UserId[]): Promise<void>;
}
