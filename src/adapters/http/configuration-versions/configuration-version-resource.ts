import { z } from 'zod';
import type { ConfigurationVersionSummary, Include } from '../../../application/index.js';
import { type IngressAttributes, lifecycle, statuses, statusTraits } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne, toOneAt } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import { linkIn, perDialect, resourceSchema, timestamps, toOneSchema } from '../json-api/resource-schema.js';

/** `upload-url` stands in the creating response and nowhere else. */
export const presentConfigurationVersion =
  (
    dialect: Dialect,
    include: ReadonlySet<Include> = new Set(),
    { uploadUrl, runIdOf }: { readonly uploadUrl?: string; readonly runIdOf?: (id: string) => string | null } = {},
  ) =>
  (version: ConfigurationVersionSummary): Resource => {
    const self = `${dialect.prefix}/configuration-versions/${version.id}`;
    const { downloadable, readable } = statusTraits[version.status];
    return {
      id: version.id,
      type: dialect.configurationVersionType,
      attributes: {
        'auto-queue-runs': version.autoQueueRuns,
        error: version.failure?.error ?? null,
        'error-message': version.failure?.errorMessage ?? null,
        provisional: version.provisional,
        source: version.source,
        speculative: version.speculative,
        status: version.status,
        'status-timestamps': version.statusTimestamps,
        'upload-url': uploadUrl,
      },
      relationships: {
        'ingress-attributes': toOneAt(
          'ingress-attributes',
          readable ? version.ingressAttributesId : null,
          `${self}/ingress-attributes`,
        ),
        run: include.has('run') ? toOne('runs', runIdOf?.(version.id) ?? null) : undefined,
      },
      links: { self, download: downloadable ? `${self}/download` : undefined },
    };
  };

export const presentIngressAttributes = (attributes: IngressAttributes): Resource => ({
  id: attributes.id,
  type: 'ingress-attributes',
  attributes: {
    branch: attributes.branch,
    'clone-url': attributes.cloneUrl,
    'commit-message': attributes.commitMessage,
    'commit-sha': attributes.commitSha,
    'commit-url': attributes.commitUrl,
    'compare-url': attributes.compareUrl,
    identifier: attributes.identifier,
    'is-pull-request': attributes.isPullRequest,
    'on-default-branch': attributes.onDefaultBranch,
    'pull-request-number': attributes.pullRequestNumber,
    'pull-request-url': attributes.pullRequestUrl,
    'pull-request-title': attributes.pullRequestTitle,
    'pull-request-body': attributes.pullRequestBody,
    tag: attributes.tag,
    'sender-username': attributes.senderUsername,
    'sender-avatar-url': attributes.senderAvatarUrl,
    'sender-html-url': attributes.senderHtmlUrl,
  },
});

const attributesOf = (parts: {
  readonly failure: z.ZodType;
  readonly status: z.ZodType;
  readonly stamps: z.ZodType;
}) => ({
  'auto-queue-runs': z.boolean().describe('Whether a run is queued as soon as the files are there.'),
  error: parts.failure.describe('A short code; null unless it is errored.'),
  'error-message': parts.failure.describe('Why it is errored, in a sentence.'),
  provisional: z.boolean().describe('Becomes current only when its run is applied.'),
  source: z.string().describe('What made it: `tfe-api`, `terraform` (the command line), `git` or the name of a forge.'),
  speculative: z.boolean().describe('Only ever planned; never becomes current.'),
  status: parts.status,
  'status-timestamps': parts.stamps,
});

export const configurationVersionSchema = perDialect((dialect) => {
  const link = linkIn(dialect);
  return resourceSchema(dialect, {
    name: 'ConfigurationVersion',
    type: dialect.configurationVersionType,
    attributes: attributesOf({
      failure: z.string().nullable(),
      status: z.enum(statuses),
      stamps: timestamps([...new Set(lifecycle.map(({ stamp }) => stamp))]),
    }),
    relationships: {
      'ingress-attributes': toOneSchema('ingress-attributes', { nullable: true, related: link }),
      run: toOneSchema('runs', { nullable: true })
        .describe('The first run made from it; there with `include=run` only.')
        .optional(),
    },
    links: { self: link, download: link.describe('There while its files can be had.').optional() },
    example: presentConfigurationVersion(dialect)(examples.configurationVersion),
  });
});

/** A version in the answer that creates it. */
export const createdConfigurationVersionSchema = perDialect((dialect) => {
  const link = linkIn(dialect);
  return resourceSchema(dialect, {
    name: 'CreatedConfigurationVersion',
    type: dialect.configurationVersionType,
    description: 'A new configuration version, which waits for its files.',
    attributes: {
      ...attributesOf({ failure: z.null(), status: z.literal('pending'), stamps: z.strictObject({}) }),
      'upload-url': z.url().describe('Takes the `.tar.gz` in a PUT, without a token. Shown this once; keep it secret.'),
    },
    relationships: {
      'ingress-attributes': z.strictObject({ data: z.null(), links: z.strictObject({ related: link }) }),
    },
    links: { self: link },
    example: presentConfigurationVersion(dialect, new Set(), { uploadUrl: examples.uploadUrl })(
      examples.createdConfigurationVersion,
    ),
  });
});

const told = z.string().nullable();

export const ingressAttributesSchema = perDialect((dialect) =>
  resourceSchema(dialect, {
    name: 'IngressAttributes',
    type: 'ingress-attributes',
    description: 'The commit a version was fetched from. Null is what the forge did not say.',
    attributes: {
      branch: z.string(),
      'clone-url': z.string(),
      'commit-message': told,
      'commit-sha': z.string(),
      'commit-url': told,
      'compare-url': told,
      identifier: z.string().describe('Owner and name of the repository.'),
      'is-pull-request': z.boolean(),
      'on-default-branch': z.boolean(),
      'pull-request-number': z.int().nullable(),
      'pull-request-url': told,
      'pull-request-title': told,
      'pull-request-body': told,
      tag: told,
      'sender-username': told,
      'sender-avatar-url': told,
      'sender-html-url': told,
    },
    example: presentIngressAttributes(examples.ingressAttributes),
  }),
);
