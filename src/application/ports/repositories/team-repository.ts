import type {
  Actor,
  Member,
  OrganizationId,
  Team,
  TeamId,
  TeamVisibility,
  UserId,
  WithStanding,
} from '../../../domain/index.js';
import type { TokenLimits } from '../../../domain/shared/token-lifetimes.js';
import type { TeamFilter } from './filters.js';
import type { Page, PageRequest } from './page.js';

/** A team, and what its organization allows its token. */
export interface LimitedTeam {
  readonly team: Team;
  readonly limits: TokenLimits;
}

/** A standing that is found with a team includes the team in question. */
export interface TeamRepository {
  findFor(actor: Actor, id: TeamId): Promise<WithStanding<Team> | undefined>;
  findLimitedFor(actor: Actor, id: TeamId): Promise<WithStanding<LimitedTeam> | undefined>;
  /** The owners teams of the user, in no particular order. */
  ownedBy(userId: UserId): Promise<readonly Team[]>;
  /** Throws `attribute/taken` if an existing team of the organization has the name. */
  add(team: Team): Promise<void>;
  /**
   * Throws `shared/stale-revision` if the stored revision has changed, `attribute/taken` if another team has the name.
   */
  save(team: Team): Promise<void>;
  /** Hides the team and its token, and frees its name. */
  remove(id: TeamId, now: string): Promise<void>;
  /** Ordered by name. */
  page(
    organizationId: OrganizationId,
    visibility: TeamVisibility,
    page: PageRequest,
    filter?: TeamFilter,
  ): Promise<Page<Team>>;
  /** In the order of the organization's members. */
  members(ids: readonly TeamId[]): Promise<ReadonlyMap<TeamId, readonly Member[]>>;
  /** Existing members stay. */
  addMembers(team: Team, userIds: readonly UserId[]): Promise<void>;
  removeMembers(id: TeamId, userIds: readonly UserId[]): Promise<void>;
}
