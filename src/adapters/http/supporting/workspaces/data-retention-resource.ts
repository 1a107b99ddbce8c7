import { z } from 'zod';
import type { DataRetention } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, toOneSchema } from '../../routing/resource-schema.js';

/** The types of the two kinds of policy. */
export const retentionTypes = {
  deleting: 'data-retention-policy-delete-olders',
  keeping: 'data-retention-policy-dont-deletes',
} as const;

export const retentionIdentifier = toOneSchema(Object.values(retentionTypes), { nullable: true }).shape.data;

export const retentionTypeOf = ({ days }: DataRetention) =>
  days === null ? retentionTypes.keeping : retentionTypes.deleting;

const deleting =
  ({ attribute }: ResourceBuilder) =>
  ({ id, days }: DataRetention): Resource => ({
    id,
    type: retentionTypes.deleting,
    attributes: {
      'delete-older-than-n-days': attribute(
        count,
        days ?? 0,
        'Versions are archived, and states lose their data, if they are older and not current.',
      ),
    },
  });

const keeping =
  (_: ResourceBuilder) =>
  ({ id }: DataRetention): Resource => ({ id, type: retentionTypes.keeping, attributes: {} });

const deletingSchema = described({ name: 'DataRetentionPolicyDeleteOlder' }, (words) => deleting(words)(anyView()));
const keepingSchema = described({ name: 'DataRetentionPolicyDontDelete' }, (words) => keeping(words)(anyView()));

export const presentRetention = (retention: DataRetention): Resource =>
  (retention.days === null ? keeping : deleting)(presenting)(retention);

export const eitherRetentionSchema = (dialect: Dialect) =>
  z.discriminatedUnion('type', [deletingSchema(dialect), keepingSchema(dialect)]);
