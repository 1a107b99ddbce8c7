import { z } from 'zod';
import type { RunEvent, RunEventReference, RunId } from '../../../../domain/index.js';
import { runEventActions } from '../../../../domain/supporting/runs/run-event.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, maybeText, text } from '../../routing/resource-schema.js';
import { commentIdOf, eventIdOf } from './run-event-ids.js';
import { actor } from './run-resource.js';

const eventAction = z.enum(runEventActions);

const references = { re: /^re-([^-]+)(?:-(.+))?$/, wsc: /^wsc-([^-]+)(?:-(.+))?$/ };

const referenceIn =
  (prefix: keyof typeof references) =>
  (id: string): RunEventReference => {
    const [, own = '', action] = references[prefix].exec(id) ?? [];
    return action === undefined
      ? { commentId: `wsc-${own}` }
      : { runId: `run-${own}`, action: action.replaceAll('-', '_') };
  };

export const eventFrom = referenceIn('re');
export const commentFrom = referenceIn('wsc');

const runEvent =
  (words: ResourceBuilder) =>
  (dialect: Dialect, runId: RunId) =>
  (event: RunEvent): Resource => {
    const { attribute, toOne, toOneOrNone, link } = words;
    const id = eventIdOf(runId, event);
    const { action, description, createdAt, comment } = event;
    return {
      id,
      type: 'run-events',
      attributes: {
        action: attribute(eventAction, action, 'The status that the run reached, or what happened otherwise.'),
        description: attribute(text, description),
        'created-at': attribute(dateTime, createdAt),
        comment: attribute(maybeText, comment, 'The text of the comment.'),
      },
      relationships: {
        actor: actor(words, dialect, event.actor),
        comment: toOneOrNone('comments', comment === null ? null : commentIdOf(runId, event)),
        run: toOne('runs', runId),
      },
      links: { self: link(`${dialect.prefix}/run-events/${id}`) },
    };
  };

export const presentRunEvent = runEvent(presenting);

export const runEventSchema = described(
  { name: 'RunEvent', about: 'An event in the life of a run: a status that it reached, or a comment.' },
  (words, dialect) => runEvent(words)(dialect, '')(anyView()),
);

const runComment =
  ({ attribute, toOneAt, link }: ResourceBuilder) =>
  (dialect: Dialect, runId: RunId) =>
  (event: RunEvent): Resource => {
    const [id, eventId] = [commentIdOf(runId, event), eventIdOf(runId, event)];
    return {
      id,
      type: 'comments',
      attributes: { body: attribute(text, event.comment ?? '') },
      relationships: {
        'run-event': toOneAt('run-events', eventId, `${dialect.prefix}/run-events/${eventId}`),
      },
      links: { self: link(`${dialect.prefix}/comments/${id}`) },
    };
  };

export const presentRunComment = runComment(presenting);

export const runCommentSchema = described(
  { name: 'RunComment', about: 'A comment on a run. Its event names the author and the time.' },
  (words, dialect) => runComment(words)(dialect, '')(anyView()),
);
