import { z } from 'zod';
import type { ConfigurationVersionSummary, Include } from '../../../application/index.js';
import {
  type ConfigurationVersionId,
  type IngressAttributes,
  lifecycle,
  statuses,
  statusTraits,
} from '../../../domain/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Resource } from '../routing/document.js';
import { anyView, described, presenting, type Words } from '../routing/resource.js';
import { flag, maybeText, nothing, text, timestamps } from '../routing/resource-schema.js';

type Shapes = {
  readonly [Name in 'status' | 'statusTimestamps']: z.ZodType<ConfigurationVersionSummary[Name]>;
} & { readonly failure: z.ZodType<string | null> };

const shapes: Shapes = {
  failure: maybeText,
  status: z.enum(statuses),
  statusTimestamps: timestamps([...new Set(lifecycle.map(({ stamp }) => stamp))]),
};

/** The shapes of a version that waits for its files. */
const shapesOfNew: Shapes = { failure: nothing, status: z.literal('pending'), statusTimestamps: z.strictObject({}) };

const uploadUrlShape = z.url();

interface More {
  readonly uploadUrl?: string;
  readonly runIdOf?: (id: string) => string | null;
}

/** `upload-url` stands in the creating response and nowhere else. */
const configurationVersion =
  ({ is, optional, toOneOrNone, toOneOrNoneAt, link }: Words) =>
  (dialect: Dialect, include: ReadonlySet<Include> = new Set(), { uploadUrl, runIdOf }: More = {}) => {
    const { failure, status, statusTimestamps } = uploadUrl === undefined ? shapes : shapesOfNew;
    return (version: ConfigurationVersionSummary): Resource => {
      const self = `${dialect.prefix}/configuration-versions/${version.id}`;
      const commit = `${self}/ingress-attributes`;
      const { downloadable, readable } = statusTraits[version.status];
      return {
        id: version.id,
        type: dialect.configurationVersionType,
        attributes: {
          'auto-queue-runs': is(flag, version.autoQueueRuns, 'Whether a run is queued automatically after the upload.'),
          error: is(failure, version.failure?.error ?? null, 'Error code. Null unless the status is `errored`.'),
          'error-message': is(
            failure,
            version.failure?.errorMessage ?? null,
            'Error message. Null unless the status is `errored`.',
          ),
          provisional: is(
            flag,
            version.provisional,
            'Whether the version becomes current only after its run is applied.',
          ),
          source: is(
            text,
            version.source,
            'The source of the version: `tfe-api`, `terraform` (the CLI), `git` or the name of the version control system.',
          ),
          speculative: is(
            flag,
            version.speculative,
            'Whether the version is for speculative plans only. A speculative version never becomes current.',
          ),
          status: is(status, version.status),
          'status-timestamps': is(statusTimestamps, version.statusTimestamps),
          'upload-url':
            uploadUrl === undefined
              ? undefined
              : is(
                  uploadUrlShape,
                  uploadUrl,
                  'Upload the `.tar.gz` to this URL with PUT and no token. Only present in this response. Keep it secret.',
                ),
        },
        relationships: {
          'ingress-attributes':
            uploadUrl === undefined
              ? toOneOrNoneAt('ingress-attributes', readable ? version.ingressAttributesId : null, commit)
              : { data: is(nothing, null), links: { related: link(commit) } },
          run: include.has('run')
            ? optional(
                toOneOrNone('runs', runIdOf?.(version.id) ?? null),
                'The first run created from this version. Only present with `include=run`.',
              )
            : undefined,
        },
        links: {
          self: link(self),
          download: downloadable
            ? optional(link(`${self}/download`), 'Only present while the archive can be downloaded.')
            : undefined,
        },
      };
    };
  };

export const presentConfigurationVersion = configurationVersion(presenting);

const withRun: ReadonlySet<Include> = new Set<Include>(['run']);

export const configurationVersionSchema = described({ name: 'ConfigurationVersion' }, (words, dialect) =>
  configurationVersion(words)(dialect, withRun)(anyView({ status: 'uploaded' })),
);

/** A version in the answer that creates it. */
export const createdConfigurationVersionSchema = described(
  { name: 'CreatedConfigurationVersion', about: 'A new configuration version, waiting for the upload of its files.' },
  (words, dialect) =>
    configurationVersion(words)(dialect, new Set(), { uploadUrl: '' })(anyView({ status: 'pending' })),
);

const pullRequestNumber = z.int().nullable();

const ingressAttributes =
  ({ is, link }: Words) =>
  (dialect: Dialect) =>
  (versionId: ConfigurationVersionId, attributes: IngressAttributes): Resource => ({
    id: attributes.id,
    type: 'ingress-attributes',
    attributes: {
      branch: is(text, attributes.branch),
      'clone-url': is(text, attributes.cloneUrl),
      'commit-message': is(maybeText, attributes.commitMessage),
      'commit-sha': is(text, attributes.commitSha),
      'commit-url': is(maybeText, attributes.commitUrl),
      'compare-url': is(maybeText, attributes.compareUrl),
      identifier: is(text, attributes.identifier, 'The owner and name of the repository.'),
      'is-pull-request': is(flag, attributes.isPullRequest),
      'on-default-branch': is(flag, attributes.onDefaultBranch),
      'pull-request-number': is(pullRequestNumber, attributes.pullRequestNumber),
      'pull-request-url': is(maybeText, attributes.pullRequestUrl),
      'pull-request-title': is(maybeText, attributes.pullRequestTitle),
      'pull-request-body': is(maybeText, attributes.pullRequestBody),
      tag: is(maybeText, attributes.tag),
      'sender-username': is(maybeText, attributes.senderUsername),
      'sender-avatar-url': is(maybeText, attributes.senderAvatarUrl),
      'sender-html-url': is(maybeText, attributes.senderHtmlUrl),
    },
    links: { self: link(`${dialect.prefix}/configuration-versions/${versionId}/ingress-attributes`) },
  });

export const presentIngressAttributes = ingressAttributes(presenting);

export const ingressAttributesSchema = described(
  {
    name: 'IngressAttributes',
    about:
      'The commit that the version was fetched from. Attributes that the version control system did not report are null.',
  },
  (words, dialect) => ingressAttributes(words)(dialect)('', anyView()),
);
