import type { ShownSession } from '../../../../application/index.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { flag, maybeDateTime, text } from '../../routing/resource-schema.js';

/** The session of a browser, signed in or not. */
const session =
  ({ is, orNull }: Words) =>
  ({ possible, shown }: { readonly possible: boolean; readonly shown: ShownSession | null }): Resource => ({
    id: 'current',
    type: 'sessions',
    attributes: {
      'sign-in': is(flag, possible, 'Whether people can sign in, at `/session/sign-in`.'),
      'expires-at': is(maybeDateTime, shown?.expiresAt ?? null, 'Null without a session.'),
      user: orNull(
        shown?.user ?? null,
        ({ id, username, email, siteAdministrator }) => ({
          id: is(text, id),
          username: is(text, username),
          email: is(text, email),
          'is-site-admin': is(flag, siteAdministrator),
        }),
        'Null without a session.',
      ),
    },
  });

export const presentSession = session(presenting);

export const sessionSchema = described({ name: 'Session', about: 'The session of a browser.' }, (words) =>
  session(words)(anyView()),
);
