import { z } from 'zod';
import type { UseCases } from '../../../../application/use-cases.js';
import type { DataRetention } from '../../../../domain/index.js';
import { longestRetention } from '../../../../domain/supporting/workspaces/workspace.js';
import { answerCreated, answerEmpty, answerOne } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { creates, removes, shows } from '../../routing/reference.js';
import { get, parameter, post, type Route, remove } from '../../routing/route.js';
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

const path = '/workspaces/:id/relationships/data-retention-policy';

export const dataRetentionRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const either = () => eitherRetentionSchema(dialect);
  return [
    get(
      path,
      'workspaces/read',
      shows('showDataRetentionPolicy', 'Show the data retention policy of a workspace', either, {
        about: '404 for a workspace without one: the setting ARCHIVE_AFTER_DAYS then applies to its versions.',
      }),
      answerOne(presentRetention, (call) => use.showDataRetention.execute(call.actor, parameter(call, 'id'))),
    ),
    post(
      path,
      'workspaces/set-retention',
      creates('setDataRetentionPolicy', 'Set the data retention policy of a workspace', newRetention, either, {
        about: 'Replaces the existing one. The worker applies it within the hour.',
      }),
      answerCreated(presentRetention, (call) =>
        use.setDataRetention.execute(call.actor, parameter(call, 'id'), newRetention(call)),
      ),
    ),
    remove(
      path,
      'workspaces/set-retention',
      removes('removeDataRetentionPolicy', 'Delete the data retention policy of a workspace'),
      answerEmpty((call) => use.removeDataRetention.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
