import { z } from 'zod';
import type { NewConfigurationVersion } from '../../../application/index.js';
import type { Dialect, TypeName } from '../routing/dialect.js';
import { include } from '../routing/parameters.js';
import { parameter, sourceOf } from '../routing/route.js';
import { absentable, optionalDocument, reading } from '../routing/schema.js';

const type: TypeName = {
  singular: 'configuration-version',
  plural: 'configuration-versions',
  contract: { words: ['configuration-version'], required: false },
};

export const configurationVersionParameters = {
  include: include({ ingress_attributes: ['ingress-attributes'], run: ['run'] }),
};

/** Reads the body of a create request. */
export const newConfigurationVersion = (dialect: Dialect) => {
  const schema = optionalDocument(dialect, type, {
    'auto-queue-runs': absentable(z.boolean()),
    speculative: absentable(z.boolean()),
    provisional: absentable(z.boolean()),
  });
  return reading(
    schema,
    ({ data: { attributes } }, call): NewConfigurationVersion => ({
      workspaceId: parameter(call, 'workspaceId'),
      autoQueueRuns: attributes['auto-queue-runs'],
      speculative: attributes.speculative,
      provisional: attributes.provisional,
      source: sourceOf(call),
    }),
  );
};
