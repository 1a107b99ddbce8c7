import { standingInOwn } from '../../../domain/authorization/actor.js';
import {
  type Actor,
  type AuditEvent,
  authorize,
  authorized,
  type Instant,
  notFound,
  type OrganizationId,
  standingOnSite,
} from '../../../domain/index.js';
import { withoutConfidences } from '../../../domain/supporting/audit/audit-event.js';
import type { AuditQuery, AuditSlice } from '../../ports/repositories/audit-trail.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';

export interface AuditFilter extends Omit<AuditQuery, 'of'> {
  /** The username of the actor. */
  readonly username?: string | undefined;
}

/** The requested part of a trail: at most `limit` events, after an id or from the beginning. */
export interface AuditPart {
  readonly after: string | undefined;
  readonly limit: number;
}

/** A reader that continues from the last event, oldest first, must not skip an event that is not committed yet. */
function untilSettled<Filter extends Pick<AuditQuery, 'oldestFirst' | 'until'>>(
  { audit }: Transaction<'audit'>,
  filter: Filter,
): Filter {
  const settled = filter.oldestFirst ? audit.settledBefore() : undefined;
  if (settled === undefined || (filter.until !== undefined && filter.until < settled)) return filter;
  return { ...filter, until: settled };
}

async function sliceOf(
  tx: Transaction<'audit'>,
  of: AuditQuery['of'],
  { username, ...given }: AuditFilter,
  { after, limit }: AuditPart,
): Promise<AuditSlice> {
  const filter = untilSettled(tx, given);
  if (username === undefined) return tx.audit.slice({ ...filter, of }, after, limit);
  const actorId = await tx.audit.personNamed(username);
  if (actorId === undefined || (filter.actorId !== undefined && filter.actorId !== actorId)) {
    return { items: [], last: undefined };
  }
  return tx.audit.slice({ ...filter, of, actorId }, after, limit);
}

/** GET /organizations/:name/audit-events, also as lines: a client that reads all of it gets it part by part. */
export class ListAuditEvents {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'audit'>) {}

  execute(actor: Actor, organizationName: string, filter: AuditFilter, part: AuditPart): Promise<AuditSlice> {
    return this.unitOfWork.read(async (tx) => {
      const seen = await tx.organizations.findFor(actor, organizationName);
      const { id: organizationId } = authorized(seen, 'audit-events/read');
      const slice = await sliceOf(tx, { organizationId }, filter, part);
      // Who cannot read the run does not read what was written about it.
      if (actor.kind !== 'auditor') return slice;
      return { ...slice, items: slice.items.map((event) => ({ ...event, comment: null })) };
    });
  }
}

/** GET /admin/audit-events: events without an organization, or those of a removed organization. */
export class ListSiteAuditEvents {
  constructor(private readonly unitOfWork: UnitOfWork<'audit'>) {}

  /** `removed` is the id of a removed organization; an existing one has no events here. */
  async execute(
    actor: Actor,
    removed: OrganizationId | undefined,
    filter: AuditFilter,
    part: AuditPart,
  ): Promise<AuditSlice> {
    authorize(standingOnSite(actor), 'audit-events/read-site');
    const of = removed === undefined ? 'site' : { removed };
    const { items, last } = await this.unitOfWork.read((tx) => sliceOf(tx, of, filter, part));
    return { items: items.map(withoutConfidences), last };
  }
}

/** GET /organization/audit-trails: for the organization whose own token the caller has. */
export class ListAuditTrails {
  constructor(private readonly unitOfWork: UnitOfWork<'audit'>) {}

  async execute(actor: Actor, since: Instant | undefined, page: PageRequest): Promise<Page<AuditEvent>> {
    if (actor.kind !== 'auditor' && actor.kind !== 'organization') throw notFound();
    authorize(standingInOwn(actor), 'audit-trails/read');
    return this.unitOfWork.read((tx) => tx.audit.page(actor.organizationId, since, page));
  }
}
