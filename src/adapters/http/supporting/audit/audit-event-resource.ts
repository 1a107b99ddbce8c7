import { z } from 'zod';
import type { AuditSlice } from '../../../../application/index.js';
import { type AuditEvent, actions, actionsOutsidePolicy } from '../../../../domain/index.js';
import { type IdKind, isIdOf } from '../../../../domain/shared/id-prefixes.js';
import type { Dialect } from '../../routing/dialect.js';
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
  'subject-name': attribute(
    maybeText,
    event.names.subject,
    'The name of the subject when the event was recorded. Null for subjects without a name, and for teams of a deleted organization.',
  ),
  'workspace-id': attribute(
    maybeText,
    event.workspaceId,
    'The workspace that the event concerns. Null for others, and for events recorded before the release with this attribute.',
  ),
  'workspace-name': attribute(
    maybeText,
    event.names.workspace,
    'The name of the workspace when the event was recorded.',
  ),
  comment: attribute(
    maybeText,
    event.comment,
    'For an override, the comment of the person. Null for callers who cannot read the run, such as audit tokens.',
  ),
  detail: attribute(
    detail,
    event.detail,
    'Additional information. For a removed member, the team tokens that they issued; for a run executed by force, the runs that it ended; for an override, the run and the policies and run tasks that had failed.',
  ),
  'actor-kind': attribute(actorKind, event.actor.kind),
  'actor-id': attribute(
    maybeText,
    event.actor.id,
    'The id of the actor. For an agent, the id of its pool. For a run task, its id. Null if the actor is unknown.',
  ),
  'actor-name': attribute(
    maybeText,
    event.names.actor,
    'The username of a person, or the name of the team, organization or agent pool. Null if it is unknown, `deleted user` if the name was erased.',
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

/** The collections in which a resource is shown by its id, by the kind of the id. */
const collections: Partial<Record<IdKind, string>> = {
  workspace: 'workspaces',
  project: 'projects',
  team: 'teams',
  'team-workspace': 'team-workspaces',
  'team-project': 'team-projects',
  membership: 'organization-memberships',
  'configuration-version': 'configuration-versions',
  'state-version': 'state-versions',
  run: 'runs',
  'task-stage': 'task-stages',
  'policy-set': 'policy-sets',
  policy: 'policies',
  'variable-set': 'varsets',
  'agent-pool': 'agent-pools',
  'run-task': 'tasks',
};

/** The path of what has this id. It may not exist any more. */
function pathOf(dialect: Dialect, id: string | null): string | null {
  const kinds = Object.keys(collections) as (keyof typeof collections)[];
  const kind = id === null || !/^[a-z]+-\w+$/i.test(id) ? undefined : kinds.find((known) => isIdOf(known, id));
  return kind === undefined ? null : `${dialect.prefix}/${collections[kind]}/${id}`;
}

const auditEvent =
  (words: ResourceBuilder) =>
  (dialect: Dialect) =>
  (event: AuditEvent): Resource => ({
    id: event.id,
    type: 'audit-events',
    attributes: attributesOf(words, event),
    links: {
      actor: words.attribute(
        maybeText,
        pathOf(dialect, event.actor.id),
        'Null for actors that have no page of their own.',
      ),
      subject: words.attribute(maybeText, pathOf(dialect, event.subject), 'The path of the subject, while it exists.'),
      workspace: words.attribute(maybeText, pathOf(dialect, event.workspaceId)),
    },
  });

const presentAuditEvent = auditEvent(presenting);

export const auditEventSchema = described(
  { name: 'AuditEvent', about: 'A change that was made or refused.' },
  (words, dialect) => auditEvent(words)(dialect)(anyView()),
);

/** An event as one line of an export. */
export const auditLine = (event: AuditEvent): string =>
  `${JSON.stringify({ id: event.id, ...attributesOf(presenting, event) })}\n`;

/** `path` begins with the prefix of the mount that serves it; the links keep the request's other parameters. */
export function auditDocument(dialect: Dialect, path: string, query: Query, { items, last }: AuditSlice): Document {
  const others = query.without('page[after]');
  const linkTo = (after: string | undefined) =>
    after === undefined
      ? `${path}${others === '' ? '' : `?${others.slice(0, -1)}`}`
      : `${path}?${others}page%5Bafter%5D=${after}`;
  return {
    data: items.map(presentAuditEvent(dialect)),
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
