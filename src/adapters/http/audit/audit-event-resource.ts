import { z } from 'zod';
import type { AuditSlice } from '../../../application/index.js';
import { type AuditEvent, actions, unaskedActions } from '../../../domain/index.js';
import type { Document, Resource } from '../json-api/document.js';
import { errorTable } from '../json-api/error-table.js';
import { auditEvent } from '../json-api/examples.js';
import type { Query } from '../json-api/query.js';
import { dateTime, exampleOf, perDialect, resourceSchema } from '../json-api/resource-schema.js';

const attributesOf = (event: AuditEvent) => ({
  at: event.at,
  action: event.action,
  outcome: event.outcome,
  count: event.count,
  subject: event.subject,
  detail: event.detail,
  'actor-kind': event.actor.kind,
  'actor-id': event.actor.id,
  'token-id': event.actor.tokenId,
  address: event.request?.address ?? null,
  'request-id': event.request?.id ?? null,
  route: event.request?.route ?? null,
});

export const presentAuditEvent = (event: AuditEvent): Resource => ({
  id: event.id,
  type: 'audit-events',
  attributes: attributesOf(event),
});

/** An event as one line of an export. */
export const auditLine = (event: AuditEvent): string => `${JSON.stringify({ id: event.id, ...attributesOf(event) })}\n`;

/** `path` begins with the prefix of the mount that serves it; the links keep the request's other parameters. */
export function auditDocument(path: string, query: Query, { items, last }: AuditSlice): Document {
  const others = query.without('page[after]');
  const linkTo = (after: string | undefined) =>
    after === undefined
      ? `${path}${others === '' ? '' : `?${others.slice(0, -1)}`}`
      : `${path}?${others}page%5Bafter%5D=${after}`;
  return {
    data: items.map(presentAuditEvent),
    links: {
      self: linkTo(query.one('page[after]')),
      first: linkTo(undefined),
      next: last === undefined ? null : linkTo(last),
    },
  };
}

const maybeText = z.string().nullable();

const attributes = {
  at: dateTime,
  action: z.enum([...actions, ...unaskedActions]),
  outcome: z.enum(['done', ...Object.keys(errorTable)]).describe('`done`, or why it was refused.'),
  count: z.int().min(1).describe('How many of the same there were. More than one of refusals only.'),
  subject: maybeText.describe('The id of what was changed; of a refusal, what its path names.'),
  detail: z
    .record(z.string(), z.array(z.record(z.string(), z.string())))
    .nullable()
    .describe('What a reader should know beyond that: when a member is removed, the team tokens they issued.'),
  'actor-kind': z.enum(['user', 'team', 'organization', 'auditor', 'agent', 'upload-url', 'forge', 'system', 'nobody']),
  'actor-id': maybeText.describe('Of an agent, its pool’s. Null for who is not known by name.'),
  'token-id': maybeText,
  address: maybeText.describe('Where the request came from.'),
  'request-id': maybeText.describe('As in the X-Request-Id header of its answer. Of several, the first one’s.'),
  route: maybeText,
};

export const auditEventSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'AuditEvent',
    type: 'audit-events',
    description: 'Something that was changed, or that somebody was refused to change.',
    attributes,
    example: presentAuditEvent(auditEvent),
  }),
);

/** Pages of a list that has no numbers: each names the next. In the example `/…` stands for the path of the list. */
export const auditPageSchema = (resource: z.ZodType) => {
  const link = z.string().startsWith('/');
  return z
    .strictObject({
      data: z.array(resource).max(100),
      links: z.strictObject({ self: link, first: link, next: link.nullable().describe('Null on the last page.') }),
    })
    .meta({ example: { data: [exampleOf(resource)], links: { self: '/…', first: '/…', next: null } } });
};
