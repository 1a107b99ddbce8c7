import { z } from 'zod';
import type { ShownPolicySetVersion } from '../../../../application/index.js';
import { type PolicyCommit, type PolicySetVersion, policySetVersionStatuses } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, maybeText, stampsOf, text, timestamps } from '../../routing/resource-schema.js';

const status = z.enum(policySetVersionStatuses);
const statusTimestamps = timestamps(stampsOf(policySetVersionStatuses));
const uploadUrlShape = z.url();

const commit =
  ({ attribute }: ResourceBuilder) =>
  ({ branch, cloneUrl, commitMessage, commitSha, commitUrl, identifier }: PolicyCommit) => ({
    branch: attribute(text, branch),
    'clone-url': attribute(text, cloneUrl),
    'commit-message': attribute(maybeText, commitMessage),
    'commit-sha': attribute(text, commitSha),
    'commit-url': attribute(maybeText, commitUrl, 'Null unless it was reported.'),
    identifier: attribute(text, identifier),
  });

/** Without an upload URL where it is included. */
const policySetVersion =
  (words: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ version, uploadUrl }: ShownPolicySetVersion): Resource => {
    const { attribute, optional, orNull, toOne, link } = words;
    return {
      id: version.id,
      type: 'policy-set-versions',
      attributes: {
        source: attribute(
          text,
          version.source,
          '`tfe-api` for an upload, otherwise the kind of version control system.',
        ),
        status: attribute(status, version.status, '`ready` once an archive was uploaded or fetched.'),
        'status-timestamps': attribute(statusTimestamps, version.statusTimestamps),
        error: attribute(maybeText, version.failure?.error ?? null, 'Error code. Null unless the status is `errored`.'),
        'error-message': attribute(
          maybeText,
          version.failure?.errorMessage ?? null,
          'Error message, with the line of a fault in `policies.hcl`. Null unless the status is `errored`.',
        ),
        'ingress-attributes': orNull(
          version.commit,
          commit(words),
          'The commit that the files were fetched from. Until then, the commit that was reported. Null for an upload.',
        ),
        'created-at': attribute(dateTime, version.createdAt),
        'updated-at': attribute(dateTime, version.updatedAt),
      },
      relationships: { 'policy-set': toOne('policy-sets', version.policySetId ?? '') },
      links: {
        self: link(`${dialect.prefix}/policy-set-versions/${version.id}`),
        upload: optional(
          uploadUrl === undefined ? undefined : attribute(uploadUrlShape, uploadUrl),
          'The URL to upload the `.tar.gz` to, with PUT and no token. Keep it secret. Only present for the creator of the version, while it waits for an upload, and never in `included`.',
        ),
      },
    };
  };

export const presentShownPolicySetVersion = policySetVersion(presenting);

export const presentPolicySetVersion = (dialect: Dialect) => (version: PolicySetVersion) =>
  presentShownPolicySetVersion(dialect)({ version });

export const policySetVersionSchema = described({ name: 'PolicySetVersion' }, (words, dialect) =>
  policySetVersion(words)(dialect)({ version: anyView(), uploadUrl: '' }),
);
