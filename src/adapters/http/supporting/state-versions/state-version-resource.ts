import { z } from 'zod';
import type { ListedStateVersion, ShownOutput, ShownStateVersion } from '../../../../application/index.js';
import type { StateContents, StateResource } from '../../../../domain/index.js';
import { outputWords, wordForType } from '../../../../domain/supporting/state-versions/output-type.js';
import { stateVersionStatuses } from '../../../../domain/supporting/state-versions/state-version.js';
import type { Dialect } from '../../routing/dialect.js';
import { RawJson, type Resource } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { count, dateTime, flag, maybeText, no, nothing, text } from '../../routing/resource-schema.js';
import { ownerSchema, presentOwner } from '../../tokens/token-owner-resource.js';

const outputType = 'state-version-outputs';

const maybeUrl = z.url().nullable();
const unknown = nothing.describe('Not recorded by this service.');
const maybeCount = count.nullable();
const maybeResources = z
  .array(z.strictObject({ name: text, type: text, module: text, provider: text, count }))
  .nullable();
const counts = z.record(text, z.record(text, count)).nullable();
const maybeTexts = z.array(text).nullable();
const status = z.enum(stateVersionStatuses);

/** Clients know types with hyphens here. */
function countsBy(contents: StateContents | undefined, key: (resource: StateResource) => string) {
  if (contents === undefined) return null;
  const found = new Map<string, Map<string, number>>();
  for (const resource of contents.resources) {
    const type = resource.type.replaceAll('_', '-');
    const types = found.get(key(resource)) ?? new Map<string, number>();
    found.set(key(resource), types.set(type, (types.get(type) ?? 0) + resource.count));
  }
  return Object.fromEntries(Array.from(found, ([name, types]) => [name, Object.fromEntries(types)]));
}
const outputIdentifiers = z.array(z.strictObject({ id: text, type: z.literal(outputType) }));

/**
 * In lists, outputs appear only as a link, and resources not at all. Attributes of a commit are null.
 */
const stateVersion =
  ({ is, optional, link, toOne, toOneOrNone }: Words) =>
  (dialect: Dialect) =>
  (listed: ListedStateVersion & Partial<Pick<ShownStateVersion, 'outputIds'>>): Resource => {
    const { version, urls, outputIds, contents } = listed;
    const whole = outputIds === undefined ? undefined : contents;
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
          'Returns the state. No token is needed: the URL is signed. Keep it secret. Null until the state is uploaded.',
        ),
        'hosted-state-upload-url': is(
          maybeUrl,
          urls.upload?.state ?? null,
          'Accepts the state by PUT. No token is needed: the URL is signed. Only in the response that creates a state version without its content.',
        ),
        intermediate: is(no, false),
        lineage: is(
          text,
          version.lineage,
          'Identifies the history that the state belongs to. Assigned when the first state is created.',
        ),
        md5: is(text, version.md5, 'The MD5 digest of the content.'),
        modules: is(
          counts,
          countsBy(whole, ({ module }) => module),
          'Instances by module and type.',
        ),
        providers: is(
          counts,
          countsBy(whole, ({ provider }) => provider),
          'Instances by provider and type.',
        ),
        'resource-count': is(
          maybeCount,
          contents?.resourceCount ?? null,
          'Number of managed instances. Null until the state is read.',
        ),
        resources: is(
          maybeResources,
          whole?.resources ?? null,
          'The first 1000, or fewer if their names and addresses are long. Null in lists, and until the state is read.',
        ),
        'processing-warnings': is(
          maybeTexts,
          contents?.warnings ?? null,
          'The parts of the state that are not shown, and why: outputs or resources beyond the limits, or a state that is not JSON. Its content is kept whole. Null until the state is read.',
        ),
        'resources-processed': is(
          flag,
          version.outputsRead && contents !== undefined,
          'Whether outputs and resources are known. They are read in the background.',
        ),
        serial: is(
          count,
          version.serial,
          'Greater than the serial of the state version before, unless that check was skipped.',
        ),
        size: is(count, version.size, 'Size in bytes.'),
        'state-version': is(unknown, null),
        status: is(
          status,
          version.status,
          '`pending` until the content is uploaded, then `finalized`, until the retention policy of the workspace removes it.',
        ),
        'terraform-version': is(
          maybeText,
          contents?.terraformVersion ?? null,
          'The program that wrote the state. Null until the state is read.',
        ),
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
              'Absent in lists.',
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
      value: is(
        anything,
        new RawJson(value),
        'Null for a sensitive output, except when the output is requested by its id.',
      ),
      'detailed-type': is(
        anything,
        new RawJson(type),
        'The type in the configuration language, such as `"string"` or `["list", "number"]`.',
      ),
    },
    links: { self: link(`${dialect.prefix}/${outputType}/${id}`) },
  });

export const presentStateOutput = stateOutput(presenting);

export const stateOutputSchema = described({ name: 'StateVersionOutput' }, (words, dialect) =>
  stateOutput(words)(dialect)(anyView()),
);
