import { z } from 'zod';
import type { AuditFilter, AuditPart, AuditSlice } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { Actor } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import { pageParameters } from '../../routing/pagination.js';
import type { Parameters } from '../../routing/parameters.js';
import { serving } from '../../routing/reference.js';
import {
  type Answer,
  type Call,
  get,
  jsonType,
  linesType,
  ok,
  parameter,
  plainJson,
  type Route,
} from '../../routing/route.js';
import {
  auditFilter,
  auditPart,
  filterParameters,
  siteFilterParameters,
  timeParameters,
  trailParameters,
  trailsRequest,
} from './audit-event-requests.js';
import { auditDocument, auditEventSchema, auditLine, auditPageSchema } from './audit-event-resource.js';
import { trailsDocument, trailsSchema } from './audit-trail-resource.js';

const linesAtOnce = 100;

type Read = (actor: Actor, filter: AuditFilter, part: AuditPart) => Promise<AuditSlice>;

const page = async (dialect: Dialect, call: Call, read: Read): Promise<Answer> =>
  ok(auditDocument(dialect, call.path, call.query, await read(call.actor, auditFilter(call, false), auditPart(call))));

/**
 * The oldest first, in the order in which a file of them grows. Each part authenticates and authorizes the caller
 * again.
 */
async function lines(call: Call, read: Read): Promise<Answer> {
  const filter = auditFilter(call, true);
  const { after } = auditPart(call);
  const readOn = (from: string | undefined, actor: Actor) => read(actor, filter, { after: from, limit: linesAtOnce });
  const first = await readOn(after, call.actor);
  return {
    status: 200,
    parts: linesOf(first, async (last) => readOn(last, await call.sameActor())),
    headers: { 'Content-Type': linesType },
  };
}

async function* linesOf(first: AuditSlice, after: (last: string) => Promise<AuditSlice>): AsyncGenerator<string> {
  for (let slice = first; ; ) {
    if (slice.items.length > 0) yield slice.items.map(auditLine).join('');
    if (slice.last === undefined) return;
    slice = await after(slice.last);
  }
}

const after = {
  'page[after]': z.string().optional().meta({ description: 'The id of the last event on the previous page.' }),
};

export const auditEventRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const ofOrganization =
    (call: Call): Read =>
    (actor, filter, part) =>
      use.listAuditEvents.execute(actor, parameter(call, 'organization'), filter, part);
  const ofSite =
    (call: Call): Read =>
    (actor, filter, part) =>
      use.listSiteAuditEvents.execute(actor, call.query.one('filter[organization]'), filter, part);
  const listed = (operation: string, summary: string, parameters: Parameters = filterParameters) =>
    serving(parameters, () => ({
      operation,
      summary,
      about:
        'Newest first. With several filters, and with those of actions and outcomes, a page may have few or no events although there is a next page: follow `links.next` until it is null.',
      query: { ...timeParameters, ...after, 'page[size]': pageParameters['page[size]'] },
      answers: { 200: auditPageSchema(auditEventSchema(dialect)) },
      refusals: [422],
    }));
  const exported = (operation: string, summary: string, parameters: Parameters = filterParameters) =>
    serving(parameters, () => ({
      operation,
      summary,
      about:
        'Newline-delimited JSON, oldest first. Each line has the attributes of an event and its id. With Postgres, the export ends one minute before the present, so that a later export with `page[after]` misses no event.',
      query: { ...timeParameters, ...after },
      answers: { 200: { mediaType: linesType } },
      refusals: [422],
    }));
  const trails = (path: string, operation: string): Route =>
    get(
      path,
      'audit-trails/read',
      () => ({
        operation,
        summary: "List the audit trail of the token's organization",
        about:
          'The same events as `audit-events`, in the format that audit trail collectors read. The caller has an audit token or the token of the organization. Newest first, at most 100,000; use the export for all of them.',
        query: trailParameters,
        answers: { 200: { mediaType: jsonType, schema: trailsSchema() } },
        refusals: [422],
      }),
      async (call) => {
        const { since, page } = trailsRequest(call);
        return plainJson(trailsDocument(await use.listAuditTrails.execute(call.actor, since, page)));
      },
    );
  const own = '/organizations/:organization/audit-events';
  return [
    trails('/organization/audit-trails', 'listAuditTrails'),
    // Clients spell it both ways.
    trails('/organization/audit-trail', 'listAuditTrail'),
    get(own, 'audit-events/read', listed('listAuditEvents', 'List audit events of an organization'), (call) =>
      page(dialect, call, ofOrganization(call)),
    ),
    get(
      `${own}/export`,
      'audit-events/read',
      exported('exportAuditEvents', 'Export audit events of an organization'),
      (call) => lines(call, ofOrganization(call)),
    ),
    get(
      '/admin/audit-events',
      'audit-events/read-site',
      listed('listSiteAuditEvents', 'List audit events outside organizations', siteFilterParameters),
      (call) => page(dialect, call, ofSite(call)),
    ),
    get(
      '/admin/audit-events/export',
      'audit-events/read-site',
      exported('exportSiteAuditEvents', 'Export audit events outside organizations', siteFilterParameters),
      (call) => lines(call, ofSite(call)),
    ),
  ];
};
