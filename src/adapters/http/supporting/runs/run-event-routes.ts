import type { ShownRunEvents } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { Dialect } from '../../routing/dialect.js';
import { type Document, type Resource, withIncluded } from '../../routing/document.js';
import { valuesOf } from '../../routing/parameters.js';
import { creates, serving, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import { listSchema, type Resources } from '../../routing/resource-schema.js';
import { type Call, created, get, ok, parameter, post, type Route } from '../../routing/route.js';
import { newRunComment, runEventParameters } from './run-event-requests.js';
import {
  commentFrom,
  eventFrom,
  presentRunComment,
  presentRunEvent,
  runCommentSchema,
  runEventSchema,
} from './run-event-resource.js';

/** The events of runs, and the comments among them. */
export const runEventRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newRunComment(dialect);
  const event = () => runEventSchema(dialect);
  const comment = () => runCommentSchema(dialect);
  const included = (): Resources => [comment(), ...schemasOf(neighbours, 'user')()];
  const parameters = runEventParameters;

  const includeOf = ({ query }: Call) => valuesOf(parameters, query).include;

  /** The comments among them. */
  const commentsOf = ({ runId, events }: ShownRunEvents): Resource[] =>
    events.filter((one) => one.comment !== null).map(presentRunComment(dialect, runId));

  /** The document with the resources to include. */
  const withAsked = (call: Call, document: Document, shown: ShownRunEvents): Document =>
    withIncluded(document, [
      ...(includeOf(call).has('comment') ? commentsOf(shown) : []),
      ...presentRelated(neighbours, shown.actors),
    ]);

  return [
    get(
      '/runs/:id/run-events',
      'runs/read',
      serving(parameters, () => ({
        operation: 'listRunEvents',
        summary: 'List run events',
        about: 'Oldest first. Not paginated: the response has no `links` and no `meta`.',
        answers: { 200: listSchema(event(), included()) },
        refusals: [422],
      })),
      async (call) => {
        const id = parameter(call, 'id');
        const shown = await use.listRunEvents.execute(call.actor, id, includeOf(call).has('actor'));
        return ok(withAsked(call, { data: shown.events.map(presentRunEvent(dialect, id)) }, shown));
      },
    ),
    get(
      '/run-events/:id',
      'runs/read',
      shows('showRunEvent', 'Show a run event', event, { parameters, included }),
      async (call) => {
        const reference = eventFrom(parameter(call, 'id'));
        const shown = await use.showRunEvent.execute(call.actor, reference, includeOf(call).has('actor'));
        const [data] = shown.events.map(presentRunEvent(dialect, shown.runId));
        return ok(withAsked(call, { data: data as Resource }, shown));
      },
    ),
    get(
      '/runs/:id/comments',
      'runs/read',
      () => ({
        operation: 'listRunComments',
        summary: 'List comments on a run',
        about:
          'Oldest first, with those that came with an action. Not paginated: the response has no `links` and no `meta`.',
        answers: { 200: listSchema(comment()) },
      }),
      async (call) => ok({ data: commentsOf(await use.listRunEvents.execute(call.actor, parameter(call, 'id'))) }),
    ),
    post(
      '/runs/:id/comments',
      'runs/comment',
      creates('addRunComment', 'Add a comment to a run', readNew, comment, { refusals: ['attribute/invalid'] }),
      async (call) => {
        const id = parameter(call, 'id');
        const added = await use.addRunComment.execute(call.actor, id, readNew(call));
        return created({ data: presentRunComment(dialect, id)(added) });
      },
    ),
    get('/comments/:id', 'runs/read', shows('showRunComment', 'Show a comment on a run', comment), async (call) => {
      const shown = await use.showRunComment.execute(call.actor, commentFrom(parameter(call, 'id')));
      return ok({ data: commentsOf(shown)[0] as Resource });
    }),
  ];
};
