import { z } from 'zod';
import type { NotificationChange, NotificationDraft } from '../../../../application/index.js';
import {
  destinationTypes,
  maxCalledUrl,
  type NotificationSubject,
  notificationLimits,
} from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { invalid } from '../../routing/request-error.js';
import type { Call } from '../../routing/route.js';
import { absentable, identifier, named, reading, resourceDocument, word } from '../../routing/schema.js';

const type: TypeName = { singular: 'notification-configuration', plural: 'notification-configurations' };
const userType: TypeName = { singular: 'user', plural: 'users' };
const subjectTypes: Readonly<Record<NotificationSubject['kind'], TypeName>> = {
  workspace: { singular: 'workspace', plural: 'workspaces' },
  project: { singular: 'project', plural: 'projects' },
  team: { singular: 'team', plural: 'teams' },
};

const destinationType = z.enum(destinationTypes);
/** The names that the family has, and some more; the domain says which are served. */
const maxTriggers = 32;

const settings = {
  /** Bounded before the domain looks at it. */
  url: absentable(z.string().max(maxCalledUrl)),
  token: absentable(z.string().max(notificationLimits.token)),
  triggers: absentable(z.array(word).max(maxTriggers)),
  'email-addresses': absentable(
    z.array(z.string().max(notificationLimits.emailAddress)).max(notificationLimits.recipients),
  ),
};

const users = (dialect: Dialect) =>
  absentable(z.object({ data: z.array(identifier(dialect, userType)).max(notificationLimits.recipients) }));

const idsOf = (given: { readonly data: readonly { readonly id: string }[] } | undefined): readonly string[] => [
  ...new Set(given?.data.map(({ id }) => id)),
];

export const newNotificationConfiguration = (
  dialect: Dialect,
  kind: NotificationSubject['kind'],
  subjectOf: (call: Call) => NotificationSubject,
) => {
  const schema = resourceDocument(
    dialect,
    type,
    { ...settings, name: word, enabled: z.boolean(), 'destination-type': destinationType },
    {
      users: users(dialect),
      subscribable: absentable(z.object({ data: identifier(dialect, subjectTypes[kind]) })),
    },
  );
  return reading(schema, ({ data: { attributes, relationships } }, call): NotificationDraft => {
    const { subscribable } = relationships;
    if (subscribable !== undefined && subscribable.data.id !== subjectOf(call).id) {
      throw invalid([
        { detail: `Subscribable must be the ${kind} in the path`, pointer: '/data/relationships/subscribable' },
      ]);
    }
    return {
      name: attributes.name,
      enabled: attributes.enabled,
      destinationType: attributes['destination-type'],
      url: attributes.url || null,
      token: attributes.token ?? null,
      triggers: attributes.triggers ?? [],
      emailAddresses: attributes['email-addresses'] ?? [],
      userIds: idsOf(relationships.users),
    };
  });
};

/** Only what the request names, but for users: clients of this API family leave out an empty list of them. */
export const notificationConfigurationChange = (dialect: Dialect) => {
  const schema = resourceDocument(
    dialect,
    type,
    {
      ...settings,
      name: absentable(word),
      enabled: absentable(z.boolean()),
      'destination-type': absentable(destinationType),
    },
    { users: users(dialect) },
  );
  return reading(schema, ({ data: { attributes, relationships } }): NotificationChange => {
    const { name, enabled, url, token, triggers, ...others } = attributes;
    return named({
      name,
      enabled,
      destinationType: others['destination-type'],
      url: url === '' ? null : url,
      token,
      triggers,
      emailAddresses: others['email-addresses'],
      userIds: idsOf(relationships.users),
    });
  });
};
