import { z } from 'zod';
import { type FailingEffect, lanes, type OrganizationRemoval } from '../../../../application/index.js';
import type { Member, Organization, User, UserId } from '../../../../domain/index.js';
import type { Members, Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, flag, maybeDateTime, maybeText, no, nothing, text } from '../../routing/resource-schema.js';
import { avatarPath } from '../../web/avatars.js';

const avatarUrl = z.string().startsWith('/assets/avatars/');

/** There is no such feature, so it is off for everyone. */
const off = (words: ResourceBuilder, ...names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, words.attribute(no, false)]));

interface Beside {
  /** For a new user. */
  readonly tokenId?: string;
  /** Given for the caller's own account. */
  readonly own?: boolean;
  /** Those that are included. */
  readonly organizations?: readonly Organization[];
}

const user =
  (words: ResourceBuilder) =>
  (
    { id, username, email, siteAdministrator, suspended }: User,
    { tokenId, own = false, organizations }: Beside = {},
  ): Resource => {
    const { attribute, group, optional, toOne, toMany } = words;
    return {
      id,
      type: 'users',
      attributes: {
        username: attribute(text, username),
        email: attribute(text, email),
        'unconfirmed-email': attribute(nothing, null),
        'avatar-url': attribute(avatarUrl, avatarPath(id), 'The path of a picture that is drawn from the id.'),
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
      relationships:
        tokenId === undefined
          ? optional(
              organizations &&
                group({
                  organizations: toMany(
                    'organizations',
                    organizations.map(({ name }) => name),
                  ),
                }),
              'Absent unless the organizations are included.',
            )
          : { 'authentication-token': toOne('authentication-tokens', tokenId) },
    };
  };

/** A new user comes with the id of its first token. */
export const presentCreatedUser = (one: User, tokenId: string): Resource => user(presenting)(one, { tokenId });
export const presentUser = (one: User): Resource => user(presenting)(one);
export const presentUserWith =
  (organizations: ReadonlyMap<UserId, readonly Organization[]>) =>
  (one: User): Resource =>
    user(presenting)(one, { organizations: organizations.get(one.id) ?? [] });
export const presentAccount = (one: User): Resource => user(presenting)(one, { own: true });

export const userSchema = described({ name: 'User' }, (words) =>
  user(words)(anyView(), { own: true, organizations: [] }),
);

/** Only what a site administrator may read of any organization. */
const joinedOrganization =
  ({ attribute }: ResourceBuilder) =>
  ({ id, name }: Organization): Resource => ({
    id: name,
    type: 'organizations',
    attributes: { name: attribute(text, name), 'external-id': attribute(text, id) },
  });

export const presentJoinedOrganization = joinedOrganization(presenting);

export const joinedOrganizationSchema = described(
  { name: 'JoinedOrganization', about: 'An organization of a user, as site administrators see it.' },
  (words) => joinedOrganization(words)(anyView()),
);

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

/** The progress of a deletion. */
const removal =
  ({ attribute }: ResourceBuilder) =>
  ({ organizationId, organizationName, begunAt, workspacesLeft }: OrganizationRemoval): Resource => ({
    id: organizationId,
    type: 'removals',
    attributes: {
      'organization-name': attribute(text, organizationName),
      'begun-at': attribute(dateTime, begunAt, 'The time at which the organization was deleted.'),
      'workspaces-left': attribute(count, workspacesLeft, 'The number of workspaces not removed yet, at most 10,000.'),
    },
  });

export const presentRemoval = removal(presenting);

export const removalSchema = described(
  {
    name: 'Removal',
    about: 'A deleted organization whose data is being removed. The id is that of the organization.',
  },
  (words) => removal(words)(anyView()),
);
