import { z } from 'zod';
import type { ListedStateVersion, ShownOutput, ShownStateVersion } from '../../../../application/index.js';
import type { StateContents, StateResource } from '../../../../domain/index.js';
import { nameOfType, outputTypeNames } from '../../../../domain/supporting/state-versions/output-type.js';
import { stateVersionStatuses } from '../../../../domain/supporting/state-versions/state-version.js';
import type { Dialect } from '../../routing/dialect.js';
import { RawJson, type Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
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
  ({ attribute, optional, link, toOne, toOneOrNone }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (listed: ListedStateVersion & Partial<Pick<ShownStateVersion, 'outputIds'>>): Resource => {
    const { version, urls, outputIds, contents } = listed;
    const whole = outputIds === undefined ? undefined : contents;
    const self = `${dialect.prefix}/state-versions/${version.id}`;
    return {
      id: version.id,
      type: 'state-versions',
      attributes: {
        'created-at': attribute(dateTime, version.createdAt),
        'hosted-json-state-download-url': attribute(
          maybeUrl,
          urls.jsonDownload,
          'The same for the JSON form; null unless a client sent it.',
        ),
        'hosted-json-state-upload-url': attribute(
          maybeUrl,
          urls.upload?.jsonState ?? null,
          'The same for the JSON form.',
        ),
        'hosted-state-download-url': attribute(
          maybeUrl,
          urls.download,
          'Returns the state. No token is needed: the URL is signed. Keep it secret. Null until the state is uploaded.',
        ),
        'hosted-state-upload-url': attribute(
          maybeUrl,
          urls.upload?.state ?? null,
          'Accepts the state by PUT. No token is needed: the URL is signed. Only in the response that creates a state version without its content.',
        ),
        intermediate: attribute(no, false),
        lineage: attribute(
          text,
          version.lineage,
          'Identifies the history that the state belongs to. Assigned when the first state is created.',
        ),
        md5: attribute(text, version.md5, 'The MD5 digest of the content.'),
        modules: attribute(
          counts,
          countsBy(whole, ({ module }) => module),
          'Instances by module and type.',
        ),
        providers: attribute(
          counts,
          countsBy(whole, ({ provider }) => provider),
          'Instances by provider and type.',
        ),
        'resource-count': attribute(
          maybeCount,
          contents?.resourceCount ?? null,
          'Number of managed instances. Null until the state is read.',
        ),
        resources: attribute(
          maybeResources,
          whole?.resources ?? null,
          'The first 1000, or fewer if their names and addresses are long. Null in lists, and until the state is read.',
        ),
        'processing-warnings': attribute(
          maybeTexts,
          contents?.warnings ?? null,
          'The parts of the state that are not shown, and why: outputs or resources beyond the limits, or a state that is not JSON. Its content is kept whole. Null until the state is read.',
        ),
        'resources-processed': attribute(
          flag,
          version.outputsRead && contents !== undefined,
          'Whether outputs and resources are known. They are read in the background.',
        ),
        'processing-error': attribute(
          maybeText,
          version.unreadReason,
          'Why outputs and resources cannot be read; null if they can.',
        ),
        serial: attribute(
          count,
          version.serial,
          'Greater than the serial of the state version before, unless that check was skipped.',
        ),
        size: attribute(count, version.size, 'Size in bytes.'),
        'state-version': attribute(unknown, null),
        status: attribute(
          status,
          version.status,
          '`pending` until the content is uploaded, then `finalized`, until the retention policy of the workspace removes it.',
        ),
        'terraform-version': attribute(
          maybeText,
          contents?.terraformVersion ?? null,
          'The program that wrote the state. Null until the state is read.',
        ),
        'vcs-commit-sha': attribute(unknown, null),
        'vcs-commit-url': attribute(unknown, null),
      },
      relationships: {
        'created-by': attribute(ownerSchema, presentOwner(version.createdBy)),
        outputs: {
          data:
            outputIds &&
            optional(
              attribute(
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

const typeWord = z.enum(outputTypeNames);
const anything = z.unknown();

const stateOutput =
  ({ attribute, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ id, name, type, value, sensitive }: ShownOutput): Resource => ({
    id,
    type: outputType,
    attributes: {
      name: attribute(text, name),
      sensitive: attribute(flag, sensitive),
      type: attribute(typeWord, nameOfType(type)),
      value: attribute(
        anything,
        new RawJson(value),
        'Null for a sensitive output, except when the output is requested by its id.',
      ),
      'detailed-type': attribute(
        anything,
        new RawJson(type),
        'The type in the configuration language, such as `"string"` or `["list", "number"]`.',
      ),
    },
    links: { self: link(`${dialect.prefix}/${outputType}/${id}`) },
  });

export const presentStateOutput = stateOutput(presenting);

export const workspaceOutputType = 'workspace-outputs';

/** The same output next to its workspace, where clients know it by other names. */
const workspaceOutput =
  ({ attribute, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ id, name, type, value, sensitive }: ShownOutput): Resource => ({
    id,
    type: workspaceOutputType,
    attributes: {
      name: attribute(text, name),
      sensitive: attribute(flag, sensitive),
      'output-type': attribute(typeWord, nameOfType(type)),
      value: attribute(anything, new RawJson(value), 'Null for a sensitive output, which `self` shows.'),
    },
    links: { self: link(`${dialect.prefix}/${outputType}/${id}`) },
  });

export const presentWorkspaceOutput = workspaceOutput(presenting);

export const workspaceOutputSchema = described({ name: 'WorkspaceOutput' }, (words, dialect) =>
  workspaceOutput(words)(dialect)(anyView()),
);

export const stateOutputSchema = described({ name: 'StateVersionOutput' }, (words, dialect) =>
  stateOutput(words)(dialect)(anyView()),
);
