import { z } from 'zod';
import type { AuditSlice } from '../../../../application/index.js';
import { type AuditEvent, actions, actionsOutsidePolicy } from '../../../../domain/index.js';
import type { Document, Resource } from '../../routing/document.js';
import { errorTable } from '../../routing/error-table.js';
import type { Query } from '../../routing/query.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, maybeText, text } from '../../routing/resource-schema.js';

const eventAction = z.enum([...actions, ...actionsOutsidePolicy]);
const outcome = z.enum(['done', ...Object.keys(errorTable)]);
const atLeastOne = z.int().min(1);
const detail = z.record(text, z.array(z.record(text, text))).nullable();
const actorKind = z.enum([
  'user',
  'team',
  'organization',
  'auditor',
  'agent',
  'run-task',
  'upload-url',
  'forge',
  'system',
  'nobody',
]);

const attributesOf = ({ attribute }: ResourceBuilder, event: AuditEvent) => ({
  at: attribute(dateTime, event.at),
  action: attribute(eventAction, event.action),
  outcome: attribute(outcome, event.outcome, '`done`, or the code of the refusal.'),
  count: attribute(atLeastOne, event.count, 'Number of identical events. Only refusals are combined.'),
  subject: attribute(
    maybeText,
    event.subject,
    'The id of the changed resource. For a refusal, the id in the request path.',
  ),
  detail: attribute(
    detail,
    event.detail,
    'Additional information. For a removed member, the team tokens that they issued; for a run executed by force, the runs that it ended.',
  ),
  'actor-kind': attribute(actorKind, event.actor.kind),
  'actor-id': attribute(
    maybeText,
    event.actor.id,
    'The id of the actor. For an agent, the id of its pool. For a run task, its id. Null if the actor is unknown.',
  ),
  'token-id': attribute(maybeText, event.actor.tokenId),
  address: attribute(maybeText, event.request?.address ?? null, 'The IP address of the client.'),
  'request-id': attribute(
    maybeText,
    event.request?.id ?? null,
    'The id in the `X-Request-Id` response header. For combined events, that of the first request.',
  ),
  route: attribute(maybeText, event.request?.route ?? null),
});

const auditEvent =
  (words: ResourceBuilder) =>
  (event: AuditEvent): Resource => ({
    id: event.id,
    type: 'audit-events',
    attributes: attributesOf(words, event),
  });

const presentAuditEvent = auditEvent(presenting);

export const auditEventSchema = described(
  { name: 'AuditEvent', about: 'A change that was made or refused.' },
  (words) => auditEvent(words)(anyView()),
);

/** An event as one line of an export. */
export const auditLine = (event: AuditEvent): string =>
  `${JSON.stringify({ id: event.id, ...attributesOf(presenting, event) })}\n`;

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

/** Pages of a list that has no numbers: each names the next. */
export const auditPageSchema = (resource: z.ZodType) => {
  const link = z.string().startsWith('/');
  return z.strictObject({
    data: z.array(resource).max(100),
    links: z.strictObject({ self: link, first: link, next: link.nullable().describe('Null on the last page.') }),
  });
};
