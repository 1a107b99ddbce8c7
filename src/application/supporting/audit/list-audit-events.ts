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

/** Which part of a trail is asked for: at most so many events, from beyond an id or from its beginning. */
export interface AuditPart {
  readonly after: string | undefined;
  readonly limit: number;
}

/** Whoever goes on from the last event, the oldest first, must not go past one that is yet to come. */
function untilSettled({ audit }: Transaction<'audit'>, filter: AuditFilter): AuditFilter {
  const settled = filter.oldestFirst ? audit.settledBefore() : undefined;
  if (settled === undefined || (filter.until !== undefined && filter.until < settled)) return filter;
  return { ...filter, until: settled };
}

/** GET /organizations/:name/audit-events, and the same as lines: who reads it whole asks for part after part. */
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

/** GET /admin/audit-events: what belongs to no organization, or what is left of one that was removed. */
export class ListSiteAuditEvents {
  constructor(private readonly unitOfWork: UnitOfWork<'audit'>) {}

  /** `removed` is the id of an organization; one that still exists has no events here. */
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

/** GET /organization/audit-trails: the organization is the one whose audit token the caller presents. */
export class ListAuditTrails {
  constructor(private readonly unitOfWork: UnitOfWork<'audit'>) {}

  async execute(actor: Actor, since: Instant | undefined, page: PageRequest): Promise<Page<AuditEvent>> {
    if (actor.kind !== 'auditor') throw notFound();
    return this.unitOfWork.read((tx) => tx.audit.page(actor.organizationId, since, page));
  }
}
