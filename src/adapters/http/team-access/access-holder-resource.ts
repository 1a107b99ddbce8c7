import { z } from 'zod';
import type { AccessHoldersPage, RightHolder } from '../../../application/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Document, Resource } from '../routing/document.js';
import { pageDocument } from '../routing/pagination.js';
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
import { flag, maybeDateTime, maybeText, pageSchema, text } from '../routing/resource-schema.js';
import type { Call } from '../routing/route.js';
import { heldActions } from './access-holder-requests.js';
import { claimsOf } from './effective-access-resource.js';

const action = z.enum(heldActions);
const kinds = z.enum(['user', 'team']);

const rightHolder =
  (words: ResourceBuilder) =>
  ({ holder, name, invited, right, teamNames }: RightHolder): Resource => {
    const { attribute, toOneOrNone } = words;
    return {
      id: holder.id,
      type: 'right-holders',
      attributes: {
        kind: attribute(kinds, holder.kind, 'A team holds the right by its token.'),
        name: attribute(
          maybeText,
          name,
          "The username, the address of an invited person, or the team's name. Null for a secret team that the caller cannot see.",
        ),
        invited: attribute(flag, invited, 'Whether the invitation of the person is open.'),
        action: attribute(action, right.right as (typeof heldActions)[number]),
        until: attribute(maybeDateTime, right.until ?? null, 'When the right is lost; null if it has no end.'),
        claims: claimsOf(words, right.claims, teamNames),
      },
      relationships: {
        user: toOneOrNone('users', holder.kind === 'user' ? holder.id : null),
        team: toOneOrNone('teams', holder.kind === 'team' ? holder.id : null),
      },
    };
  };

export const rightHolderSchema = described(
  {
    name: 'RightHolder',
    about: 'A person or a team who holds a right, and what gives it. Computed when it is requested.',
  },
  (words) => rightHolder(words)(anyView()),
);

export const presentRightHolder = rightHolder(presenting);

const mayBecome = z
  .strictObject({
    'organization-token': z.boolean(),
    complete: z
      .boolean()
      .describe('False if more than 50 people may manage teams or memberships: the others are left out.'),
    holders: z.array(
      z.strictObject({
        kind: kinds,
        id: text,
        name: text,
        by: z.array(text).describe('The actions by which they gain it.'),
      }),
    ),
  })
  .describe('Who does not hold the right, and could join a team that gives it or issue its token.');

export const accessHoldersSchema = (dialect: Dialect) => {
  const page = pageSchema(rightHolderSchema(dialect));
  const meta = {
    pagination: page.shape.meta.shape.pagination,
    complete: z.boolean().describe('False for a workspace admin, who gets only teams with access.'),
    'organization-token': z.boolean().describe("Whether the organization's own token holds the right."),
    'may-become': mayBecome,
  };
  return z.strictObject({ ...page.shape, meta: z.strictObject(meta) });
};

export function presentMayBecome({ mayBecome }: AccessHoldersPage) {
  const { organizationToken, complete, listed } = mayBecome;
  const holders = listed.map(({ holder, name, by }) => ({ ...holder, name, by }));
  return { 'organization-token': organizationToken, complete, holders };
}

export function accessHoldersDocument({ path, query }: Call, page: AccessHoldersPage): Document {
  const { meta, ...document } = pageDocument(path, query, page, presentRightHolder);
  return {
    ...document,
    meta: {
      ...meta,
      complete: page.complete,
      'organization-token': page.organizationToken,
      'may-become': presentMayBecome(page),
    },
  };
}
