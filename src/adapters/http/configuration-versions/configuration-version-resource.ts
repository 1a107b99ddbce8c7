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
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
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
  ({ attribute, optional, toOneOrNone, toOneOrNoneAt, link }: ResourceBuilder) =>
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
          'auto-queue-runs': attribute(
            flag,
            version.autoQueueRuns,
            'Whether a run is queued automatically after the upload.',
          ),
          error: attribute(failure, version.failure?.error ?? null, 'Error code. Null unless the status is `errored`.'),
          'error-message': attribute(
            failure,
            version.failure?.errorMessage ?? null,
            'Error message. Null unless the status is `errored`.',
          ),
          provisional: attribute(
            flag,
            version.provisional,
            'Whether the version becomes current only after its run is applied.',
          ),
          source: attribute(
            text,
            version.source,
            'The source of the version: `tfe-api`, `terraform` (the CLI), `git` or the name of the version control system.',
          ),
          speculative: attribute(
            flag,
            version.speculative,
            'Whether the version is for speculative plans only. A speculative version never becomes current.',
          ),
          status: attribute(status, version.status),
          'status-timestamps': attribute(statusTimestamps, version.statusTimestamps),
          'upload-url':
            uploadUrl === undefined
              ? undefined
              : attribute(
                  uploadUrlShape,
                  uploadUrl,
                  'Upload the `.tar.gz` to this URL with PUT and no token. Only present in this response. Keep it secret.',
                ),
        },
        relationships: {
          'ingress-attributes':
            uploadUrl === undefined
              ? toOneOrNoneAt('ingress-attributes', readable ? version.ingressAttributesId : null, commit)
              : { data: attribute(nothing, null), links: { related: link(commit) } },
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
  ({ attribute, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (versionId: ConfigurationVersionId, attributes: IngressAttributes): Resource => ({
    id: attributes.id,
    type: 'ingress-attributes',
    attributes: {
      branch: attribute(text, attributes.branch),
      'clone-url': attribute(text, attributes.cloneUrl),
      'commit-message': attribute(maybeText, attributes.commitMessage),
      'commit-sha': attribute(text, attributes.commitSha),
      'commit-url': attribute(maybeText, attributes.commitUrl),
      'compare-url': attribute(maybeText, attributes.compareUrl),
      identifier: attribute(text, attributes.identifier, 'The owner and name of the repository.'),
      'is-pull-request': attribute(flag, attributes.isPullRequest),
      'on-default-branch': attribute(flag, attributes.onDefaultBranch),
      'pull-request-number': attribute(pullRequestNumber, attributes.pullRequestNumber),
      'pull-request-url': attribute(maybeText, attributes.pullRequestUrl),
      'pull-request-title': attribute(maybeText, attributes.pullRequestTitle),
      'pull-request-body': attribute(maybeText, attributes.pullRequestBody),
      tag: attribute(maybeText, attributes.tag),
      'sender-username': attribute(maybeText, attributes.senderUsername),
      'sender-avatar-url': attribute(maybeText, attributes.senderAvatarUrl),
      'sender-html-url': attribute(maybeText, attributes.senderHtmlUrl),
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
