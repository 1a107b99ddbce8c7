import { z } from 'zod';
import { type FailingEffect, lanes } from '../../../../application/index.js';
import type { Member, User } from '../../../../domain/index.js';
import type { Members, Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, flag, maybeDateTime, maybeText, no, nothing, text } from '../../routing/resource-schema.js';

/** There is no such feature, so it is off for everyone. */
const off = (words: ResourceBuilder, ...names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, words.attribute(no, false)]));

/** `own` is given for the caller's own account, and `tokenId` for a new user. */
const user =
  (words: ResourceBuilder) =>
  (
    { id, username, email, siteAdministrator, suspended }: User,
    { tokenId, own = false }: { readonly tokenId?: string; readonly own?: boolean } = {},
  ): Resource => {
    const { attribute, group, optional, toOne } = words;
    return {
      id,
      type: 'users',
      attributes: {
        username: attribute(text, username),
        email: attribute(text, email),
        'unconfirmed-email': attribute(nothing, null),
        'avatar-url': attribute(nothing, null, 'Always null: there are no avatars.'),
        'two-factor': group(off(words, 'enabled', 'verified'), 'Always off: users authenticate with tokens.'),
        'is-service-account': attribute(no, false),
        'is-admin': attribute(
          flag,
          siteAdministrator,
          'Whether the user is a site administrator, who can create organizations and users.',
        ),
        'is-site-admin': attribute(flag, siteAdministrator, 'Same as `is-admin`.'),
        'is-suspended': attribute(
          flag,
          suspended,
          'Whether the user is suspended. The tokens of a suspended user are rejected.',
        ),
        permissions: own
          ? optional(
              group({
                'can-create-organizations': attribute(flag, siteAdministrator),
                'can-manage-user-tokens': attribute(flag, true),
                ...off(
                  words,
                  'can-change-email',
                  'can-change-username',
                  'can-view2fa-settings',
                  'can-manage-hcp-account',
                ),
              }),
              "The caller's permissions. Only present for the caller's own account.",
            )
          : undefined,
      },
      ...(tokenId === undefined
        ? {}
        : { relationships: { 'authentication-token': toOne('authentication-tokens', tokenId) } }),
    };
  };

/** A new user comes with the id of its first token. */
export const presentCreatedUser = (one: User, tokenId: string): Resource => user(presenting)(one, { tokenId });
export const presentUser = (one: User): Resource => user(presenting)(one);
export const presentAccount = (one: User): Resource => user(presenting)(one, { own: true });

export const userSchema = described({ name: 'User' }, (words) => user(words)(anyView(), { own: true }));

/** A user in the answer that creates it. */
export const createdUserSchema = described(
  { name: 'CreatedUser', about: 'A new user. Their first token is in `included`.' },
  (words) => user(words)(anyView(), { tokenId: 'at-1' }),
);

/** A user as other members of an organization see them. */
const member =
  ({ attribute }: ResourceBuilder) =>
  ({ id, username, email }: Member): Resource => ({
    id,
    type: 'users',
    attributes: {
      username: attribute(maybeText, username, 'Null while the user is invited.'),
      email: attribute(text, email, 'The invited address while the user is invited.'),
      'is-service-account': attribute(no, false),
    },
  });

export const presentMember = member(presenting);

export const memberSchema = described(
  { name: 'Member', about: 'A user, as members of their organization see them.' },
  (words) => member(words)(anyView()),
);

const effectKind = z.enum(Object.values(lanes).flatMap(({ kinds }) => kinds));

const failingStatus = z.enum(['retrying', 'put_aside']);

/** Ordered work that did not succeed yet. */
const failingEffect =
  ({ attribute }: ResourceBuilder) =>
  (effect: FailingEffect): Resource => ({
    id: String(effect.id),
    type: 'failing-effects',
    attributes: {
      kind: attribute(effectKind, effect.kind),
      subject: attribute(text, effect.subject, 'The id of the resource that the job is for.'),
      attempts: attribute(count, effect.attempts),
      'last-error': attribute(text, effect.lastError),
      'next-attempt-at': attribute(maybeDateTime, effect.notBefore, 'Null once it is put aside.'),
      status: attribute(
        failingStatus,
        effect.status,
        '`put_aside` after five attempts that ended the service: it waits for an operator.',
      ),
    },
  });

export const presentFailingEffect = failingEffect(presenting);

export const failingEffectSchema = described(
  {
    name: 'FailingEffect',
    about: 'A background job that has failed and will be retried, or that was put aside.',
    id: z.string().regex(/^\d+$/),
  },
  (words) => failingEffect(words)(anyView()),
);
