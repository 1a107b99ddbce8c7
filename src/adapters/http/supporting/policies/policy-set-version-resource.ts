import { z } from 'zod';
import { type PolicyCommit, type PolicySetVersion, policySetVersionStatuses } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { dateTime, maybeText, stampsOf, text, timestamps } from '../../routing/resource-schema.js';

const status = z.enum(policySetVersionStatuses);
const statusTimestamps = timestamps(stampsOf(policySetVersionStatuses));
const uploadUrlShape = z
  .url()
  .describe('Upload the `.tar.gz` to this URL with PUT and no token. Only present in this response. Keep it secret.');

const commit =
  ({ is }: Words) =>
  ({ branch, cloneUrl, commitMessage, commitSha, commitUrl, identifier }: PolicyCommit) => ({
    branch: is(text, branch),
    'clone-url': is(text, cloneUrl),
    'commit-message': is(maybeText, commitMessage),
    'commit-sha': is(text, commitSha),
    'commit-url': is(maybeText, commitUrl, 'Null unless it was reported.'),
    identifier: is(text, identifier),
  });

/** `upload` stands in the creating response and nowhere else. */
const policySetVersion =
  (words: Words) =>
  (dialect: Dialect, uploadUrl?: string) =>
  (version: PolicySetVersion): Resource => {
    const { is, orNull, toOne, link } = words;
    return {
      id: version.id,
      type: 'policy-set-versions',
      attributes: {
        source: is(text, version.source, '`tfe-api` for an upload, otherwise the kind of version control system.'),
        status: is(status, version.status, '`ready` once an archive was uploaded or fetched.'),
        'status-timestamps': is(statusTimestamps, version.statusTimestamps),
        error: is(maybeText, version.failure?.error ?? null, 'Error code. Null unless the status is `errored`.'),
        'error-message': is(
          maybeText,
          version.failure?.errorMessage ?? null,
          'Error message, with the line of a fault in `policies.hcl`. Null unless the status is `errored`.',
        ),
        'ingress-attributes': orNull(
          version.commit,
          commit(words),
          'The commit that the files were fetched from. Until then, the commit that was reported. Null for an upload.',
        ),
        'created-at': is(dateTime, version.createdAt),
        'updated-at': is(dateTime, version.updatedAt),
      },
      relationships: { 'policy-set': toOne('policy-sets', version.policySetId ?? '') },
      links: {
        self: link(`${dialect.prefix}/policy-set-versions/${version.id}`),
        upload: uploadUrl === undefined ? undefined : is(uploadUrlShape, uploadUrl),
      },
    };
  };

export const presentPolicySetVersion = policySetVersion(presenting);

export const policySetVersionSchema = described({ name: 'PolicySetVersion' }, (words, dialect) =>
  policySetVersion(words)(dialect)(anyView()),
);

/** A version in the answer that creates it. */
export const createdPolicySetVersionSchema = described(
  { name: 'CreatedPolicySetVersion', about: 'A new policy set version, waiting for the upload of its files.' },
  (words, dialect) => policySetVersion(words)(dialect, '')(anyView()),
);
