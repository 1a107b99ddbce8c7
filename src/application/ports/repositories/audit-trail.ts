import type { AuditEvent, Instant, NewAuditEvent, OrganizationId, WorkspaceId } from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** In whose trail an event stands. */
export type AuditPlace = { readonly organizationId: OrganizationId } | { readonly workspaceId: WorkspaceId } | 'site';

/** What a path can name that belongs to an organization, by the word before it. */
export const auditedKinds = [
  'organizations',
  'workspaces',
  'teams',
  'team-workspaces',
  'organization-memberships',
  'authentication-tokens',
  'configuration-versions',
  'state-versions',
  'runs',
  'task-stages',
  'policy-sets',
  'policies',
  'agent-pools',
] as const;

/** `id` is an organization's name, and the id of anything else. */
export interface AuditedThing {
  readonly kind: (typeof auditedKinds)[number];
  readonly id: string;
}

export interface AuditQuery {
  /** The trail of an organization that exists, of one that was removed, or of the site. */
  readonly of: { readonly organizationId: OrganizationId } | { readonly removed: OrganizationId } | 'site';
  readonly actorId: string | undefined;
  readonly action: string | undefined;
  /** From then on. */
  readonly since: Instant | undefined;
  /** Before then. */
  readonly until: Instant | undefined;
  readonly oldestFirst: boolean;
}

/** Events that follow each other in a trail. */
export interface AuditSlice {
  readonly items: readonly AuditEvent[];
  /** From beyond which id to go on; undefined when nothing comes after. */
  readonly last: string | undefined;
}

/** How many events a filtered slice looks at: with few that match it is short, and still not the last. */
export const mostLookedAt = 2_000;

/** How many events pages with numbers reach. Counting more would cost in proportion to the trail. */
export const mostNumbered = 100_000;

/** What was done and refused. Events are added, and forgotten when they are old; none is ever changed. */
export interface AuditTrail {
  /** As part of the change: the one is kept if and only if the other is. Stamps it with the time. */
  add(event: NewAuditEvent, place: AuditPlace): Promise<void>;
  /** Undefined when there is no such thing, or when it is nobody's. */
  organizationOf(thing: AuditedThing): Promise<OrganizationId | undefined>;
  /**
   * Those beyond an id, or the first. Costs the same however long the trail is. A filter looks at `mostLookedAt` events at
   * most, so that a slice may have fewer than `limit`, or none, and still not be the last.
   */
  slice(query: AuditQuery, after: string | undefined, limit: number): Promise<AuditSlice>;
  /** The `mostNumbered` newest events of an organization, from `since` on, newest first. The total counts these alone. */
  page(organizationId: OrganizationId, since: Instant | undefined, page: PageRequest): Promise<Page<AuditEvent>>;
  /**
   * An event from before then that is not there never will be. Undefined where events come in the order of their times, so
   * that none is ever missed beyond the last.
   */
  settledBefore(): Instant | undefined;
  /** Takes away at most `limit` of those before `before`, and answers how many. Nothing else takes one away. */
  forget(before: Instant, limit: number): Promise<number>;
}
