import { z } from 'zod';
import type { Page } from '../../../../application/index.js';
import type { AuditEvent } from '../../../../domain/index.js';
import { pageNumbers } from '../../routing/pagination.js';
import { anyView, describedJson, presenting, type Words } from '../../routing/resource.js';
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
  ({ is }: Words) =>
  (event: AuditEvent) => {
    const [type = '', action = ''] = event.action.split('/');
    return {
      id: is(text, event.id),
      version: is(version, '0'),
      type: is(resourceType, 'Resource'),
      timestamp: is(dateTime, event.at),
      auth: {
        accessor_id: is(maybeText, event.actor.id, 'The id of the actor. Null if the actor is unknown.'),
        description: is(text, event.actor.kind, 'The kind of actor.'),
        type: is(authType, event.actor.kind === 'system' ? 'System' : 'Client'),
        impersonator_id: is(nothing, null),
        organization_id: is(organizationId, event.organizationId),
      },
      request: { id: is(maybeText, event.request?.id ?? null) },
      resource: {
        id: is(maybeText, event.subject),
        type: is(text, type.replaceAll('-', '_')),
        action: is(text, action.replaceAll('-', '_')),
        meta: {
          outcome: is(text, event.outcome, '`done`, or the code of the refusal.'),
          count: is(pageNumber, event.count),
          detail: is(detail, event.detail),
          token_id: is(maybeText, event.actor.tokenId),
          address: is(maybeText, event.request?.address ?? null),
          route: is(maybeText, event.request?.route ?? null),
        },
      },
    };
  };

const trails = (words: Words) => (page: Page<AuditEvent>) => {
  const { is, each } = words;
  const { number, previous, next, totalPages } = pageNumbers(page);
  return {
    data: each(page.items, trail(words)),
    pagination: {
      current_page: is(pageNumber, number),
      prev_page: is(maybePage, previous),
      next_page: is(maybePage, next),
      total_pages: is(pageNumber, totalPages),
      total_count: is(count, page.total),
    },
  };
};

export const trailsDocument = trails(presenting);

export const trailsSchema = () => describedJson((words) => trails(words)(anyView()));
