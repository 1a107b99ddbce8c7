import type { ConfigurationVersionSummary, Include } from '../../../application/index.js';
import { type IngressAttributes, statusTraits } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOne, toOneAt } from '../json-api/document.js';

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
