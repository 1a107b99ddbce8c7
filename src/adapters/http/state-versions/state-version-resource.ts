import { z } from 'zod';
import type { ListedStateVersion, ShownOutput, ShownStateVersion } from '../../../application/index.js';
import { wordForType } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import { count, dateTime, linkIn, perDialect, resourceSchema, toOneSchema } from '../json-api/resource-schema.js';
import { ownerSchema, presentOwner } from '../users/user-resource.js';

const outputType = 'state-version-outputs';

/** In lists its outputs are told by their link alone. What the service does not look into the bytes for is null. */
export const presentStateVersion =
  (dialect: Dialect) =>
  (listed: ListedStateVersion & Partial<Pick<ShownStateVersion, 'outputIds'>>): Resource => {
    const { version, downloadUrl, outputIds } = listed;
    const self = `${dialect.prefix}/state-versions/${version.id}`;
    return {
      id: version.id,
      type: 'state-versions',
      attributes: {
        'created-at': version.createdAt,
        'hosted-json-state-download-url': null,
        'hosted-state-download-url': downloadUrl,
        intermediate: false,
        lineage: version.lineage,
        md5: version.md5,
        modules: null,
        providers: null,
        resources: null,
        'resources-processed': true,
        serial: version.serial,
        size: version.size,
        'state-version': null,
        status: 'finalized',
        'terraform-version': null,
        'vcs-commit-sha': null,
        'vcs-commit-url': null,
      },
      relationships: {
        'created-by': presentOwner(version.createdBy),
        outputs: {
          ...(outputIds === undefined ? {} : { data: outputIds.map((id) => ({ id, type: outputType })) }),
          links: { related: `${self}/outputs` },
        },
        run: toOne('runs', version.runId),
        workspace: toOne('workspaces', version.workspaceId),
      },
      links: { self },
    };
  };

export const presentStateOutput =
  (dialect: Dialect) =>
  ({ id, name, type, value, sensitive }: ShownOutput): Resource => ({
    id,
    type: outputType,
    attributes: { name, sensitive, type: wordForType(type), value, 'detailed-type': type },
    links: { self: `${dialect.prefix}/${outputType}/${id}` },
  });

const unknown = z.null().describe('Not known here.');

export const stateVersionSchema = perDialect((dialect) => {
  const link = linkIn(dialect);
  return resourceSchema(dialect, {
    name: 'StateVersion',
    type: 'state-versions',
    attributes: {
      'created-at': dateTime,
      'hosted-json-state-download-url': z.null(),
      'hosted-state-download-url': z.url().describe('Answers the bytes, without a token. Keep it secret.'),
      intermediate: z.literal(false),
      lineage: z.string().describe('Tells the states of one history from those of any other.'),
      md5: z.string().describe('Of the bytes.'),
      modules: unknown,
      providers: unknown,
      resources: unknown,
      'resources-processed': z.literal(true),
      serial: count.describe('Rises with every state of the workspace.'),
      size: count.describe('How many bytes.'),
      'state-version': unknown,
      status: z.literal('finalized'),
      'terraform-version': unknown,
      'vcs-commit-sha': unknown,
      'vcs-commit-url': unknown,
    },
    relationships: {
      'created-by': ownerSchema,
      outputs: z.strictObject({
        data: z
          .array(z.strictObject({ id: z.string(), type: z.literal(outputType) }))
          .optional()
          .describe('Not there in lists.'),
        links: z.strictObject({ related: link }),
      }),
      run: toOneSchema('runs'),
      workspace: toOneSchema('workspaces'),
    },
    links: { self: link },
    example: presentStateVersion(dialect)(examples.shownStateVersion),
  });
});

export const stateOutputSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'StateVersionOutput',
    type: outputType,
    attributes: {
      name: z.string(),
      sensitive: z.boolean(),
      type: z.enum(['string', 'number', 'boolean', 'array', 'object', 'dynamic']),
      value: z.unknown().describe('Null of a sensitive one, unless it is asked for by its own path.'),
      'detailed-type': z
        .unknown()
        .describe('The type in the configuration language, as `"string"` or `["list", "number"]`.'),
    },
    links: { self: linkIn(dialect) },
    example: presentStateOutput(dialect)(examples.shownOutput),
  }),
);
