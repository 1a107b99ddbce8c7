import { z } from 'zod';
import type { Page } from '../../../application/index.js';
import type { AuditEvent } from '../../../domain/index.js';
import { auditEvent } from '../json-api/examples.js';
import { pageNumbers } from '../json-api/pagination.js';
import { dateTime } from '../json-api/resource-schema.js';

/** An event in the document that collectors of audit trails read. It is plain JSON, not JSON:API. */
const presentTrail = (event: AuditEvent) => {
  const [type = '', action = ''] = event.action.split('/');
  return {
    id: event.id,
    version: '0',
    type: 'Resource',
    timestamp: event.at,
    auth: {
      accessor_id: event.actor.id,
      description: event.actor.kind,
      type: event.actor.kind === 'system' ? 'System' : 'Client',
      impersonator_id: null,
      organization_id: event.organizationId,
    },
    request: { id: event.request?.id ?? null },
    resource: {
      id: event.subject,
      type: type.replaceAll('-', '_'),
      action: action.replaceAll('-', '_'),
      meta: {
        outcome: event.outcome,
        count: event.count,
        detail: event.detail,
        token_id: event.actor.tokenId,
        address: event.request?.address ?? null,
        route: event.request?.route ?? null,
      },
    },
  };
};

export function trailsDocument(page: Page<AuditEvent>) {
  const { number, previous, next, totalPages } = pageNumbers(page);
  return {
    data: page.items.map(presentTrail),
    pagination: {
      current_page: number,
      prev_page: previous,
      next_page: next,
      total_pages: totalPages,
      total_count: page.total,
    },
  };
}

const maybeText = z.string().nullable();
const pageNumber = z.int().min(1);

export const trailsSchema = () =>
  z
    .strictObject({
      data: z.array(
        z.strictObject({
          id: z.string(),
          version: z.literal('0'),
          type: z.literal('Resource'),
          timestamp: dateTime,
          auth: z.strictObject({
            accessor_id: maybeText.describe('Who did it, or was refused. Null if not known by name.'),
            description: z.string().describe('The kind of actor.'),
            type: z.enum(['Client', 'System']),
            impersonator_id: z.null(),
            organization_id: z.string(),
          }),
          request: z.strictObject({ id: maybeText }),
          resource: z.strictObject({
            id: maybeText,
            type: z.string(),
            action: z.string(),
            meta: z.strictObject({
              outcome: z.string().describe('`done`, or why it was refused.'),
              count: z.int().min(1),
              detail: z.record(z.string(), z.array(z.record(z.string(), z.string()))).nullable(),
              token_id: maybeText,
              address: maybeText,
              route: maybeText,
            }),
          }),
        }),
      ),
      pagination: z.strictObject({
        current_page: pageNumber,
        prev_page: pageNumber.nullable(),
        next_page: pageNumber.nullable(),
        total_pages: pageNumber,
        total_count: z.int().min(0),
      }),
    })
    .meta({ example: trailsDocument({ items: [auditEvent], number: 1, size: 1000, total: 1 }) });
