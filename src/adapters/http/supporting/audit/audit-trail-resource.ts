import { z } from 'zod';
import type { Page } from '../../../../application/index.js';
import type { AuditEvent } from '../../../../domain/index.js';
import { pageNumbers } from '../../routing/pagination.js';
import { anyView, describedJson, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, maybeText, nothing, text } from '../../routing/resource-schema.js';

const version = z.literal('0');
const resourceType = z.literal('Resource');
const authType = z.enum(['Client', 'System']);
/** An event without one is in no organization's trail. */
const organizationId: z.ZodType<string | null> = text;
const pageNumber = z.int().min(1);
const maybePage = pageNumber.nullable();
const detail = z.record(text, z.array(z.record(text, text))).nullable();

/** An event in the document that collectors of audit trails read. It is plain JSON, not JSON:API. */
const trail =
  ({ attribute }: ResourceBuilder) =>
  (event: AuditEvent) => {
    const [type = '', action = ''] = event.action.split('/');
    return {
      id: attribute(text, event.id),
      version: attribute(version, '0'),
      type: attribute(resourceType, 'Resource'),
      timestamp: attribute(dateTime, event.at),
      auth: {
        accessor_id: attribute(maybeText, event.actor.id, 'The id of the actor. Null if the actor is unknown.'),
        description: attribute(text, event.actor.kind, 'The kind of actor.'),
        type: attribute(authType, event.actor.kind === 'system' ? 'System' : 'Client'),
        impersonator_id: attribute(nothing, null),
        organization_id: attribute(organizationId, event.organizationId),
      },
      request: { id: attribute(maybeText, event.request?.id ?? null) },
      resource: {
        id: attribute(maybeText, event.subject),
        type: attribute(text, type.replaceAll('-', '_')),
        action: attribute(text, action.replaceAll('-', '_')),
        meta: {
          outcome: attribute(text, event.outcome, '`done`, or the code of the refusal.'),
          count: attribute(pageNumber, event.count),
          detail: attribute(detail, event.detail),
          token_id: attribute(maybeText, event.actor.tokenId),
          address: attribute(maybeText, event.request?.address ?? null),
          route: attribute(maybeText, event.request?.route ?? null),
        },
      },
    };
  };

const trails = (words: ResourceBuilder) => (page: Page<AuditEvent>) => {
  const { attribute, each } = words;
  const { number, previous, next, totalPages } = pageNumbers(page);
  return {
    data: each(page.items, trail(words)),
    pagination: {
      current_page: attribute(pageNumber, number),
      prev_page: attribute(maybePage, previous),
      next_page: attribute(maybePage, next),
      total_pages: attribute(pageNumber, totalPages),
      total_count: attribute(count, page.total),
    },
  };
};

export const trailsDocument = trails(presenting);

export const trailsSchema = () => describedJson((words) => trails(words)(anyView()));
