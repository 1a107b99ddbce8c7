import { DomainError, type DomainErrorCode } from '../../../domain/index.js';
import { internalProblem, type Problem, problemOf } from '../json-api/error-table.js';
import { badRequest, invalid, RequestError } from '../json-api/request-error.js';
import type { Refusal, RequestRefusal } from './reference.js';

/** One sentence with which each is told. */
const sentences: Readonly<Record<DomainErrorCode, string>> = {
  'actor/unauthenticated': 'a valid token is needed',
  'resource/not-found': 'resource not found',
  'shared/stale-revision': 'ws-ED4SgSFpvSTdHc2V was changed by somebody else',
  'attribute/invalid': 'Name may only hold letters, digits, - and _',
  'attribute/taken': 'Name has already been taken',
  'configuration-version/upload-refused': 'configuration could not be uploaded because its status is archived',
  'configuration-version/fetch-refused': 'the workspace is not linked to a repository',
  'configuration-version/not-archivable': 'configuration could not be archived because it is current',
  'configuration-version/backing-data-unchanged':
    'configuration could not be soft deleted because its status is pending',
  'bundle/malformed': 'the archive is not a gzip-compressed tar',
  'bundle/over-limit': 'the archive is larger than 104857600 bytes',
  'bundle/interrupted': 'the upload took too long',
  'organization/over-quota':
    'the organization keeps 5368709120 of the 5368709120 bytes that MAX_ORGANIZATION_BYTES allows, which leaves no room for this',
  'owners-team/protected': 'the owners team cannot be deleted',
  'team-access/permissions-are-custom-only': 'Runs can only be set when access is custom',
  'runs/in-progress': 'a run is in progress',
  'repository/fetch-failed': 'the repository could not be reached',
  'run/transition-refused': 'run could not be applied because its status is planning',
  'task-stage/transition-refused': 'task stage could not be overridden because its status is passed',
  'lease/lost': 'the run is not leased to this agent any more',
  'agent-report/invalid': 'Offset is past the end of the log',
  'agent-pool/in-use': 'workspaces use the agent pool',
  'user/protected': 'the last site administrator cannot be suspended',
  'user-tokens/limit-reached':
    'a user may have at most 100 API tokens: revoke one of them, or ask the operator to raise MAX_TOKENS_PER_USER',
  'workspace/lock-refused': 'workspace is already locked',
  'service/unavailable': 'the database does not answer at the moment',
  'service/storage-full': 'there is no space left for archives',
};

/** Which member of the body some of them point to. */
const attributes: Partial<Record<DomainErrorCode, string>> = {
  'attribute/invalid': 'name',
  'attribute/taken': 'name',
  'team-access/permissions-are-custom-only': 'runs',
  'repository/fetch-failed': 'vcs-repo',
};

const errors: Readonly<Record<Exclude<RequestRefusal, 500>, RequestError>> = {
  400: badRequest('the URL has a NUL character in it'),
  408: new RequestError(408, 'request timeout', [{ detail: 'the body took too long' }]),
  413: new RequestError(413, 'payload too large', [{ detail: 'the body is larger than 1048576 bytes' }]),
  414: new RequestError(414, 'uri too long', [{ detail: 'the URL is longer than 8192 characters' }]),
  415: new RequestError(415, 'unsupported media type', [{ detail: 'the body must be application/vnd.api+json' }]),
  422: invalid([{ detail: 'Name is required', pointer: '/data/attributes/name' }]),
  429: new RequestError(429, 'Too many requests', [{ detail: "You have exceeded the API's rate limit." }], {
    'Retry-After': '1',
  }),
};

const errorOf = (refusal: DomainErrorCode): DomainError => {
  const attribute = attributes[refusal];
  return new DomainError(refusal, sentences[refusal], attribute === undefined ? {} : { attribute });
};

/** What a refusal is answered with, for an example: made as the answer itself is. */
export function problemFor(refusal: Refusal): Problem {
  if (refusal === 500) return internalProblem;
  return problemOf(typeof refusal === 'number' ? errors[refusal] : errorOf(refusal)) ?? internalProblem;
}
