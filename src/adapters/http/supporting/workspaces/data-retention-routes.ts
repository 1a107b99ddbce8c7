import { z } from 'zod';
import { type RetentionOwner, retentionActions } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { DataRetention } from '../../../../domain/index.js';
import { longestRetention } from '../../../../domain/shared/data-retention.js';
import { answerCreated, answerEmpty, answerOne } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { creates, removes, shows } from '../../routing/reference.js';
import { type Call, get, parameter, post, type Route, remove } from '../../routing/route.js';
import { reading } from '../../routing/schema.js';
import { eitherRetentionSchema, presentRetention, retentionTypes } from './data-retention-resource.js';

/** Returns the number of days; null to keep everything. */
const newRetention = reading(
  z.object({
    data: z.discriminatedUnion('type', [
      z.object({
        type: z.literal(retentionTypes.deleting),
        attributes: z.object({ 'delete-older-than-n-days': z.number().int().min(1).max(longestRetention) }),
      }),
      z.object({ type: z.literal(retentionTypes.keeping) }),
    ]),
  }),
  ({ data }): DataRetention['days'] =>
    data.type === retentionTypes.deleting ? data.attributes['delete-older-than-n-days'] : null,
);

/** The path and operations' names of each kind of owner. */
const owners = {
  workspace: {
    path: '/workspaces/:id',
    of: (call: Call): RetentionOwner => ({ kind: 'workspace', id: parameter(call, 'id') }),
    suffix: '',
    one: 'a workspace',
    otherwise: 'that of the organization then applies, or the setting ARCHIVE_AFTER_DAYS',
  },
  organization: {
    path: '/organizations/:organization',
    of: (call: Call): RetentionOwner => ({ kind: 'organization', name: parameter(call, 'organization') }),
    suffix: 'OfOrganization',
    one: 'an organization',
    otherwise: 'the setting ARCHIVE_AFTER_DAYS then applies to the versions of workspaces without one',
  },
} as const satisfies Record<RetentionOwner['kind'], object>;

export const dataRetentionRoutes = (use: UseCases, dialect: Dialect, kind: RetentionOwner['kind']): Route[] => {
  const either = () => eitherRetentionSchema(dialect);
  const { of, suffix, one, otherwise } = owners[kind];
  const { show, set } = retentionActions[kind];
  const path = `${owners[kind].path}/relationships/data-retention-policy`;
  return [
    get(
      path,
      show,
      shows(`showDataRetentionPolicy${suffix}`, `Show the data retention policy of ${one}`, either, {
        about: `404 without one: ${otherwise}.`,
      }),
      answerOne(presentRetention, (call) => use.showDataRetention.execute(call.actor, of(call))),
    ),
    post(
      path,
      set,
      creates(`setDataRetentionPolicy${suffix}`, `Set the data retention policy of ${one}`, newRetention, either, {
        about: 'Replaces the existing one. The worker applies it within the hour.',
      }),
      answerCreated(presentRetention, (call) => use.setDataRetention.execute(call.actor, of(call), newRetention(call))),
    ),
    remove(
      path,
      set,
      removes(`removeDataRetentionPolicy${suffix}`, `Delete the data retention policy of ${one}`),
      answerEmpty((call) => use.removeDataRetention.execute(call.actor, of(call))),
    ),
  ];
};
