import { z } from 'zod';
import type { ListedStateVersion, ShownOutput, ShownStateVersion } from '../../../../application/index.js';
import { outputWords, wordForType } from '../../../../domain/supporting/state-versions/state-output.js';
import { stateVersionStatuses } from '../../../../domain/supporting/state-versions/state-version.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { count, dateTime, flag, no, nothing, text } from '../../routing/resource-schema.js';
import { ownerSchema, presentOwner } from '../../tokens/token-owner-resource.js';

const outputType = 'state-version-outputs';

const maybeUrl = z.url().nullable();
const unknown = nothing.describe('Not known here.');
const status = z.enum(stateVersionStatuses);
const outputIdentifiers = z.array(z.strictObject({ id: text, type: z.literal(outputType) }));

/** In lists its outputs are told by their link alone. What the service does not look into the bytes for is null. */
const stateVersion =
  ({ is, optional, link, toOne, toOneOrNone }: Words) =>
  (dialect: Dialect) =>
  (listed: ListedStateVersion & Partial<Pick<ShownStateVersion, 'outputIds'>>): Resource => {
    const { version, urls, outputIds } = listed;
    const self = `${dialect.prefix}/state-versions/${version.id}`;
    return {
      id: version.id,
      type: 'state-versions',
      attributes: {
        'created-at': is(dateTime, version.createdAt),
        'hosted-json-state-download-url': is(
          maybeUrl,
          urls.jsonDownload,
          'The same for the JSON form; null unless a client sent it.',
        ),
        'hosted-json-state-upload-url': is(maybeUrl, urls.upload?.jsonState ?? null, 'The same for the JSON form.'),
        'hosted-state-download-url': is(
          maybeUrl,
          urls.download,
          'Answers the bytes, without a token. Keep it secret. Null while the bytes are missing.',
        ),
        'hosted-state-upload-url': is(
          maybeUrl,
          urls.upload?.state ?? null,
          'Takes the bytes by PUT, without a token. Only in the answer to the request that created a state without them.',
        ),
        intermediate: is(no, false),
        lineage: is(text, version.lineage, 'Tells the states of one history from those of any other.'),
        md5: is(text, version.md5, 'Of the bytes.'),
        modules: is(unknown, null),
        providers: is(unknown, null),
        resources: is(unknown, null),
        'resources-processed': is(
          flag,
          version.outputsRead,
          'Whether its outputs are known. Those that a client wrote are read a moment later.',
        ),
        serial: is(count, version.serial, 'Rises with every state of the workspace.'),
        size: is(count, version.size, 'How many bytes.'),
        'state-version': is(unknown, null),
        status: is(status, version.status, 'Pending until its bytes are there.'),
        'terraform-version': is(unknown, null),
        'vcs-commit-sha': is(unknown, null),
        'vcs-commit-url': is(unknown, null),
      },
      relationships: {
        'created-by': is(ownerSchema, presentOwner(version.createdBy)),
        outputs: {
          data:
            outputIds &&
            optional(
              is(
                outputIdentifiers,
                outputIds.map((id) => ({ id, type: outputType })),
              ),
              'Not there in lists.',
            ),
          links: { related: link(`${self}/outputs`) },
        },
        'rollback-state-version': toOneOrNone(
          'state-versions',
          version.rollbackOf,
          'The state whose bytes it repeats; null for new bytes.',
        ),
        run: toOneOrNone('runs', version.runId),
        workspace: toOne('workspaces', version.workspaceId),
      },
      links: { self: link(self) },
    };
  };

export const presentStateVersion = stateVersion(presenting);

export const stateVersionSchema = described({ name: 'StateVersion' }, (words, dialect) =>
  stateVersion(words)(dialect)(anyView()),
);

const typeWord = z.enum(outputWords);
const anything = z.unknown();

const stateOutput =
  ({ is, link }: Words) =>
  (dialect: Dialect) =>
  ({ id, name, type, value, sensitive }: ShownOutput): Resource => ({
    id,
    type: outputType,
    attributes: {
      name: is(text, name),
      sensitive: is(flag, sensitive),
      type: is(typeWord, wordForType(type)),
      value: is(anything, value, 'Null of a sensitive one, unless it is asked for by its own path.'),
      'detailed-type': is(
        anything,
        type,
        'The type in the configuration language, as `"string"` or `["list", "number"]`.',
      ),
    },
    links: { self: link(`${dialect.prefix}/${outputType}/${id}`) },
  });

export const presentStateOutput = stateOutput(presenting);

export const stateOutputSchema = described({ name: 'StateVersionOutput' }, (words, dialect) =>
  stateOutput(words)(dialect)(anyView()),
);
