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
import type { AuditQuery, AuditSlice } from '../../ports/repositories/audit-trail.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';

export type AuditFilter = Omit<AuditQuery, 'of'>;

/** The requested part of a trail: at most `limit` events, after an id or from the beginning. */
export interface AuditPart {
  readonly after: string | undefined;
  readonly limit: number;
}

/** A reader that continues from the last event, oldest first, must not skip an event that is not committed yet. */
function untilSettled({ audit }: Transaction<'audit'>, filter: AuditFilter): AuditFilter {
  const settled = filter.oldestFirst ? audit.settledBefore() : undefined;
  if (settled === undefined || (filter.until !== undefined && filter.until < settled)) return filter;
  return { ...filter, until: settled };
}

/** GET /organizations/:name/audit-events, also as lines: a client that reads all of it gets it part by part. */
export class ListAuditEvents {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'audit'>) {}

  execute(actor: Actor, organizationName: string, filter: AuditFilter, part: AuditPart): Promise<AuditSlice> {
    return this.unitOfWork.read(async (tx) => {
      const seen = await tx.organizations.findFor(actor, organizationName);
      const { id: organizationId } = authorized(seen, 'audit-events/read');
      return tx.audit.slice({ ...untilSettled(tx, filter), of: { organizationId } }, part.after, part.limit);
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
    return this.unitOfWork.read((tx) => tx.audit.slice({ ...untilSettled(tx, filter), of }, part.after, part.limit));
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
