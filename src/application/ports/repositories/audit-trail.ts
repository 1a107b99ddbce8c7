import type {
  AuditEvent,
  Instant,
  NewAuditEvent,
  OrganizationId,
  UserId,
  Workspace,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

interface OrganizationPlace {
  readonly organizationId: OrganizationId;
  /** The workspace that the event concerns. */
  readonly workspaceId?: WorkspaceId;
  /** A workspace is named by `inWorkspace`: its own id is not in `workspaceId`. */
  readonly tagNames?: never;
}

/** The owner of the trail an event belongs to. Followers of the workspace in it are notified after the commit. */
export type AuditPlace = OrganizationPlace | { readonly workspaceId: WorkspaceId } | 'site';

export const inWorkspace = ({ id, organizationId }: Pick<Workspace, 'id' | 'organizationId'>): AuditPlace => ({
  organizationId,
  workspaceId: id,
});

/** The path segments that name resources of an organization. */
export const auditedKinds = [
  'organizations',
  'workspaces',
  'projects',
  'teams',
  'team-workspaces',
  'team-projects',
  'organization-memberships',
  'authentication-tokens',
  'configuration-versions',
  'state-versions',
  'runs',
  'task-stages',
  'task-results',
  'tasks',
  'notification-configurations',
  'run-triggers',
  'policy-sets',
  'policy-set-versions',
  'policy-trials',
  'policies',
  'varsets',
  'agent-pools',
  'tags',
] as const;

/** `id` is the name of an organization, or the id of any other resource. */
export interface AuditedThing {
  readonly kind: (typeof auditedKinds)[number];
  readonly id: string;
}

export interface AuditQuery {
  /** The trail of an existing organization, of a removed one, or of the site. */
  readonly of: { readonly organizationId: OrganizationId } | { readonly removed: OrganizationId } | 'site';
  readonly actorId: string | undefined;
  readonly workspaceId?: WorkspaceId | undefined;
  readonly action: string | undefined;
  /** `refused` selects refusals with any code. */
  readonly outcome?: AuditEvent['outcome'] | 'refused' | undefined;
  /** Leaves out routine: what agents claim and report. Their refusals stay. */
  readonly withoutRoutine?: boolean;
  /** Inclusive. */
  readonly since: Instant | undefined;
  /** Exclusive. */
  readonly until: Instant | undefined;
  readonly oldestFirst: boolean;
}

/** Consecutive events of a trail. */
export interface AuditSlice {
  readonly items: readonly AuditEvent[];
  /** The id after which to continue; undefined at the end. */
  readonly last: string | undefined;
}

/** The maximum number of events a filtered slice reads: with few matches it is short, even before the end. */
export const maxLookedAt = 2_000;

/** The maximum number of events that numbered pages reach. Counting more would take time in proportion to the trail. */
export const maxNumbered = 100_000;

/** Changes and refusals. Events are added and, when they are old, deleted, but never changed. */
export interface AuditTrail {
  /**
   * Records the event in the transaction of its change, so that either both commit or neither. Sets the time, and the names
   * of the actor, the subject and the workspace.
   */
  add(event: NewAuditEvent, place: AuditPlace): Promise<void>;
  /** The user with a username, or the one who had it last; undefined for none, and once the name was erased. */
  personNamed(username: string): Promise<UserId | undefined>;
  /** Replaces the username of the user in all events, also in those to come. */
  eraseName(id: UserId): Promise<void>;
  /** Undefined if the resource does not exist or has no organization. */
  organizationOf(thing: AuditedThing): Promise<OrganizationId | undefined>;
  /**
   * Events after an id, or the first ones. The cost does not depend on the trail's length. An actor, a workspace, refusals
   * and events that are not routine are found in an index. With two filters or more, and those of actions and outcomes, a
   * slice reads at most `maxLookedAt` events, and may have fewer than `limit`, or none, before the end.
   */
  slice(query: AuditQuery, after: string | undefined, limit: number): Promise<AuditSlice>;
  /**
   * The newest `maxNumbered` events of an organization, from `since` on, newest first. The total counts only these.
   */
  page(organizationId: OrganizationId, since: Instant | undefined, page: PageRequest): Promise<Page<AuditEvent>>;
  /**
   * No event earlier than this can still be added. Undefined if events are added in the order of their times, so that
   * reading past the last one misses none.
   */
  settledBefore(): Instant | undefined;
  /**
   * Deletes at most `limit` events before `before`, and returns their number; with the last ones, the usernames of users who
   * were deleted before. No other method deletes events.
   */
  forget(before: Instant, limit: number): Promise<number>;
}
