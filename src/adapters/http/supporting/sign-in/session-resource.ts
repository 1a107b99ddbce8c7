import type { ListedSession, OwnSessions, ShownSession } from '../../../../application/index.js';
import { freshMinutes } from '../../../../domain/index.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, flag, maybeDateTime, text } from '../../routing/resource-schema.js';

/** The session of a browser, signed in or not. */
const session =
  ({ attribute, orNull }: ResourceBuilder) =>
  ({ possible, shown }: { readonly possible: boolean; readonly shown: ShownSession | null }): Resource => ({
    id: 'current',
    type: 'sessions',
    attributes: {
      'sign-in': attribute(
        flag,
        possible,
        'Whether people sign in with an identity provider, at `/session/sign-in`. If not, a user token makes a session.',
      ),
      'expires-at': attribute(maybeDateTime, shown?.expiresAt ?? null, 'Null without a session.'),
      'can-issue-tokens': attribute(
        flag,
        shown?.isFresh ?? false,
        `Whether the sign-in is at most ${freshMinutes} minutes old, so that the session makes user tokens.`,
      ),
      user: orNull(
        shown?.user ?? null,
        ({ id, username, email, siteAdministrator }) => ({
          id: attribute(text, id),
          username: attribute(text, username),
          email: attribute(text, email),
          'is-site-admin': attribute(flag, siteAdministrator),
        }),
        'Null without a session.',
      ),
    },
  });

export const presentSession = session(presenting);

export const sessionSchema = described({ name: 'Session', about: 'The session of a browser.' }, (words) =>
  session(words)(anyView()),
);

const ownSession =
  ({ attribute, toOneOrNone }: ResourceBuilder) =>
  ({ current, tokensMadeInSessions }: Omit<OwnSessions, 'sessions'>) =>
  (session: ListedSession): Resource => ({
    id: session.id,
    type: 'sessions',
    attributes: {
      'created-at': attribute(dateTime, session.createdAt, 'When the person signed in.'),
      'expires-at': attribute(dateTime, session.expiresAt),
      'last-used-at': attribute(maybeDateTime, session.lastUsedAt, 'Accurate to within a minute.'),
      'is-current': attribute(flag, session.id === current, 'Whether it is the session that asks.'),
      'tokens-made-in-sessions': attribute(
        count,
        tokensMadeInSessions,
        'The number of user tokens that the sessions of the user have made.',
      ),
    },
    relationships: {
      identity: toOneOrNone('identities', session.identityId, 'The identity that signed in.'),
      'authentication-token': toOneOrNone(
        'authentication-tokens',
        session.tokenId,
        'The token that the session was made from, with which it ends.',
      ),
    },
  });

export const presentOwnSession = ownSession(presenting);

export const ownSessionSchema = described({ name: 'OwnSession', about: 'A session of the user who asks.' }, (words) =>
  ownSession(words)(anyView())(anyView()),
);
