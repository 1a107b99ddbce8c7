import { z } from 'zod';
import { type PolicySetVersion, policySetVersionStatuses } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { dateTime, maybeText, stampsOf, timestamps } from '../../routing/resource-schema.js';

const source = z.literal('tfe-api');
const status = z.enum(policySetVersionStatuses);
const statusTimestamps = timestamps(stampsOf(policySetVersionStatuses));
const uploadUrlShape = z
  .url()
  .describe('Upload the `.tar.gz` to this URL with PUT and no token. Only present in this response. Keep it secret.');

/** `upload` stands in the creating response and nowhere else. */
const policySetVersion =
  ({ is, toOne, link }: Words) =>
  (dialect: Dialect, uploadUrl?: string) =>
  (version: PolicySetVersion): Resource => ({
    id: version.id,
    type: 'policy-set-versions',
    attributes: {
      source: is(source, 'tfe-api'),
      status: is(status, version.status, '`ready` once an archive was uploaded.'),
      'status-timestamps': is(statusTimestamps, version.statusTimestamps),
      error: is(maybeText, version.failure?.error ?? null, 'Error code. Null unless the status is `errored`.'),
      'error-message': is(
        maybeText,
        version.failure?.errorMessage ?? null,
        'Error message, with the line of a fault in `policies.hcl`. Null unless the status is `errored`.',
      ),
      'created-at': is(dateTime, version.createdAt),
      'updated-at': is(dateTime, version.updatedAt),
    },
    relationships: { 'policy-set': toOne('policy-sets', version.policySetId ?? '') },
    links: {
      self: link(`${dialect.prefix}/policy-set-versions/${version.id}`),
      upload: uploadUrl === undefined ? undefined : is(uploadUrlShape, uploadUrl),
    },
  });

export const presentPolicySetVersion = policySetVersion(presenting);

export const policySetVersionSchema = described({ name: 'PolicySetVersion' }, (words, dialect) =>
  policySetVersion(words)(dialect)(anyView()),
);

/** A version in the answer that creates it. */
export const createdPolicySetVersionSchema = described(
  { name: 'CreatedPolicySetVersion', about: 'A new policy set version, waiting for the upload of its files.' },
  (words, dialect) => policySetVersion(words)(dialect, '')(anyView()),
);
