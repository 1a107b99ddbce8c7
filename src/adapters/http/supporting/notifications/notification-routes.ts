import { z } from 'zod';
import type { UseCases } from '../../../../application/use-cases.js';
import { type NotificationSubject, notificationActionOf, notificationLimits } from '../../../../domain/index.js';
import { answerCreated, answerEmpty, answerOne } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { pageDocument, pageParameters, pageRequestOrNone } from '../../routing/pagination.js';
import { changes, creates, removes, serving, shows } from '../../routing/reference.js';
import { listSchema, pageSchema } from '../../routing/resource-schema.js';
import { act, type Call, get, ok, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import { newNotificationConfiguration, notificationConfigurationChange } from './notification-requests.js';
import { notificationConfigurationSchema, presentNotificationConfiguration } from './notification-resource.js';

const action = 'notification-configurations/manage';
const refusals = ['attribute/invalid', 'notification/unverified', 'notification/busy'] as const;
const tested = 'If it is enabled then, the receiver is sent a test, and must answer it with a 2xx within 10 seconds.';

/** The path of each kind of subject, and the end of their operations' names. */
const places = {
  workspace: { path: '/workspaces/:workspaceId', id: 'workspaceId', suffix: '', one: 'a workspace' },
  project: { path: '/projects/:id', id: 'id', suffix: 'OfProject', one: 'a project' },
  team: { path: '/teams/:id', id: 'id', suffix: 'OfTeam', one: 'a team' },
} as const satisfies Record<NotificationSubject['kind'], object>;

const kinds = Object.keys(places) as NotificationSubject['kind'][];

export const notificationRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readChange = notificationConfigurationChange(dialect);
  const present = presentNotificationConfiguration(dialect);
  const configuration = () => notificationConfigurationSchema(dialect);
  const idOf = (call: Call) => parameter(call, 'id');
  const ofSubject = (kind: NotificationSubject['kind']): Route[] => {
    const { path, id, suffix, one } = places[kind];
    const action = notificationActionOf[kind];
    const subjectOf = (call: Call): NotificationSubject => ({ kind, id: parameter(call, id) });
    const readNew = newNotificationConfiguration(dialect, kind, subjectOf);
    return [
      get(
        `${path}/notification-configurations`,
        action,
        serving({}, () => ({
          operation: `listNotificationConfigurations${suffix}`,
          summary: `List notification configurations of ${one}`,
          about:
            'Not paginated unless `page[number]` or `page[size]` is given. Without them, the response has no `links` and no `meta`.',
          query: pageParameters,
          answers: { 200: z.union([listSchema(configuration()), pageSchema(configuration())]) },
          refusals: [422],
        })),
        async (call) => {
          const page = pageRequestOrNone(call.query);
          // A subject has no more than fit on one page.
          const whole = { number: 1, size: notificationLimits.perSubject };
          const found = await use.listNotificationConfigurations.execute(call.actor, subjectOf(call), page ?? whole);
          if (page === undefined) return ok({ data: found.items.map(present) });
          return ok(pageDocument(call.path, call.query, found, present));
        },
      ),
      post(
        `${path}/notification-configurations`,
        action,
        creates(
          `createNotificationConfiguration${suffix}`,
          `Create a notification configuration of ${one}`,
          readNew,
          configuration,
          { about: `${tested} See \`docs/notifications.md\`.`, refusals },
        ),
        answerCreated(present, (call) =>
          use.createNotificationConfiguration.execute(call.actor, subjectOf(call), readNew(call)),
        ),
      ),
    ];
  };
  return [
    ...kinds.flatMap(ofSubject),
    get(
      '/notification-configurations/:id',
      action,
      shows('showNotificationConfiguration', 'Show a notification configuration', configuration),
      answerOne(present, (call) => use.showNotificationConfiguration.execute(call.actor, idOf(call))),
    ),
    patch(
      '/notification-configurations/:id',
      action,
      changes('updateNotificationConfiguration', 'Update a notification configuration', readChange, configuration, {
        about: `An empty \`token\` removes the token. Users that are left out are removed. ${tested}`,
        refusals,
      }),
      answerOne(present, (call) =>
        use.updateNotificationConfiguration.execute(call.actor, idOf(call), readChange(call)),
      ),
    ),
    remove(
      '/notification-configurations/:id',
      action,
      removes('removeNotificationConfiguration', 'Delete a notification configuration'),
      answerEmpty((call) => use.removeNotificationConfiguration.execute(call.actor, idOf(call))),
    ),
    act(
      '/notification-configurations/:id/actions/verify',
      action,
      shows('verifyNotificationConfiguration', 'Verify a notification configuration', configuration, {
        about: 'Sends the receiver a test, whether the configuration is enabled or not, and keeps its answer.',
        refusals: ['notification/unverified', 'notification/busy'],
      }),
      answerOne(present, (call) => use.verifyNotificationConfiguration.execute(call.actor, idOf(call))),
    ),
  ];
};
