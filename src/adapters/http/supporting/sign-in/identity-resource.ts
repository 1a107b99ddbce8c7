import type { Identity } from '../../../../domain/index.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, text } from '../../routing/resource-schema.js';

const identity =
  ({ attribute, toOne }: ResourceBuilder) =>
  ({ id, userId, issuer, subject, createdAt }: Identity): Resource => ({
    id,
    type: 'identities',
    attributes: {
      issuer: attribute(text, issuer, 'The URL of the identity provider.'),
      subject: attribute(text, subject, 'The person at the provider.'),
      'created-at': attribute(dateTime, createdAt),
    },
    relationships: { user: toOne('users', userId) },
  });

export const presentIdentity = identity(presenting);

export const identitySchema = described(
  { name: 'Identity', about: 'A person at an identity provider, who signs in as a user.' },
  (words) => identity(words)(anyView()),
);
