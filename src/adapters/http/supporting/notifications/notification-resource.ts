import { z } from 'zod';
import { destinationTypes, type NotificationConfiguration, triggersOf } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, flag, maybeText, nothing, text, toOneSchema } from '../../routing/resource-schema.js';

const destinationType = z.enum(destinationTypes);
const triggers = z.array(z.enum([...new Set(Object.values(triggersOf).flat())]));
const subscribable = toOneSchema(['workspaces', 'projects', 'teams']);
const texts = z.array(text);
const yesOrNo = z.enum(['true', 'false']);

const notificationConfiguration =
  ({ attribute, toMany, each, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (configuration: NotificationConfiguration): Resource => ({
    id: configuration.id,
    type: 'notification-configurations',
    attributes: {
      name: attribute(text, configuration.name),
      enabled: attribute(flag, configuration.enabled, 'Whether notifications are sent.'),
      'destination-type': attribute(destinationType, configuration.destinationType),
      url: attribute(maybeText, configuration.url, 'The URL that is called; null for `email`.'),
      token: attribute(nothing, null, 'Always null: the token that signs notifications is write-only.'),
      triggers: attribute(triggers, configuration.triggers, 'The events that are notified, in the order of a run.'),
      'email-addresses': attribute(texts, configuration.emailAddresses, 'Kept; this service sends no e-mail.'),
      // Without headers: clients of this API family drop a response that has them.
      'delivery-responses': each(
        configuration.deliveries,
        (delivery) => ({
          url: attribute(text, delivery.url),
          code: attribute(text, delivery.code, 'The status as text; empty without an answer.'),
          body: attribute(text, delivery.body, 'How the answer begins. Without one, why there is none.'),
          'sent-at': attribute(dateTime, delivery.sentAt),
          successful: attribute(yesOrNo, delivery.successful ? 'true' : 'false'),
        }),
        'The results of the last 5 notifications and verifications, newest first.',
      ),
      'created-at': attribute(dateTime, configuration.createdAt),
      'updated-at': attribute(dateTime, configuration.updatedAt),
    },
    relationships: {
      subscribable: attribute(
        subscribable,
        { data: { id: configuration.subject.id, type: `${configuration.subject.kind}s` } },
        'The workspace whose runs it is notified of, the project with all its workspaces, or the team.',
      ),
      users: toMany('users', configuration.userIds, 'Kept for `email`.'),
    },
    links: { self: link(`${dialect.prefix}/notification-configurations/${configuration.id}`) },
  });

export const presentNotificationConfiguration = notificationConfiguration(presenting);

export const notificationConfigurationSchema = described(
  {
    name: 'NotificationConfiguration',
    about: 'A receiver outside, which is notified of what happens to the runs of a workspace or project.',
  },
  (words, dialect) => notificationConfiguration(words)(dialect)(anyView()),
);
