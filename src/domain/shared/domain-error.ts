/** Every refusal of the domain. A new code does not compile until the HTTP error table maps it. */
export type DomainErrorCode =
  | 'actor/unauthenticated'
  | 'resource/not-found'
  | 'shared/stale-revision'
  | 'attribute/invalid'
  | 'attribute/taken'
  | 'configuration-version/upload-refused'
  | 'configuration-version/fetch-refused'
  | 'configuration-version/not-archivable'
  | 'configuration-version/backing-data-unchanged'
  | 'policy-set-version/upload-refused'
  | 'bundle/malformed'
  | 'bundle/over-limit'
  | 'bundle/interrupted'
  | 'organization/over-quota'
  | 'owners-team/protected'
  | 'team-access/permissions-are-custom-only'
  | 'runs/in-progress'
  | 'repository/fetch-failed'
  | 'run/transition-refused'
  | 'run/not-blocked'
  | 'task-stage/transition-refused'
  | 'policy-outcomes/uncounted'
  | 'policy-trial/transition-refused'
  | 'policy-trial/busy'
  | 'lease/lost'
  | 'agent-report/invalid'
  | 'agent-pool/in-use'
  | 'project/not-removable'
  | 'user/protected'
  | 'user-tokens/limit-reached'
  | 'sign-in/not-configured'
  | 'sign-in/not-begun'
  | 'sign-in/refused'
  | 'sign-in/too-old'
  | 'sign-in/provider-unavailable'
  | 'notification/unverified'
  | 'notification/busy'
  | 'workspace/lock-refused'
  | 'workspace/not-safe-to-delete'
  | 'state-version/conflict'
  | 'state-version/outputs-unread'
  | 'state-version/outputs-errored'
  | 'changes/too-many-followers'
  | 'changes/no-room'
  | 'snapshots/busy'
  | 'service/unavailable'
  | 'service/storage-full';

/** The invalid part of a request, in camelCase, with slashes between nested names. `member` applies to any body. */
export type AtFault =
  | { readonly attribute: string }
  | { readonly relationship: string }
  | { readonly member: string }
  | { readonly parameter: string };

/** The details of a refusal: `AtFault`, and values that a caller in the same program may need. */
export type ErrorDetails = Readonly<Record<string, string>>;

/**
 * A refusal by a rule. The message is a sentence for the caller. Test `code` or `isDomainError`, not `instanceof`: two
 * copies of this package in one program have two classes.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: DomainErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    /** The underlying error, for the log; callers never see it. */
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

export const isDomainError = (error: unknown): error is DomainError =>
  error instanceof Error && error.name === 'DomainError' && 'code' in error;

/**
 * Whether a rule refused the operation, so that a retry would fail the same way. A temporary failure of the service is
 * different: the operation may or may not have taken effect, and a retry may succeed.
 */
export const isRefusal = (error: unknown): error is DomainError =>
  isDomainError(error) && !error.code.startsWith('service/');

export const isStale = (error: unknown): error is DomainError =>
  isDomainError(error) && error.code === 'shared/stale-revision';

/** A read changes nothing, so it conflicts with nothing: a stale revision that it meets is a temporary failure. */
export const unavailableIfStale = (error: unknown): unknown =>
  isStale(error)
    ? new DomainError('service/unavailable', 'the data changed while it was read', error.details, error)
    : error;

/** The same error for missing and hidden resources: a caller must not be able to distinguish them. */
export const notFound = (): DomainError => new DomainError('resource/not-found', 'resource not found');

export const noToken = (): DomainError =>
  new DomainError('actor/unauthenticated', 'no token was sent; send the header "Authorization: Bearer TOKEN"');

/**
 * Gives the `resource/not-found` that `find` throws the place in the body of the id that was looked for. Missing and hidden
 * resources still have the same error. `label` names the resource in the sentence.
 */
export function foundInBody<Found>(label: string, where: AtFault, find: () => Found): Found {
  try {
    return find();
  } catch (error) {
    if (!isDomainError(error) || error.code !== 'resource/not-found') throw error;
    const isUnknown = error.message === notFound().message;
    const sentence = isUnknown ? `${label} does not exist, or you cannot see it: check its id` : error.message;
    throw new DomainError(error.code, sentence, { ...where });
  }
}

export const invalidAttribute = (attribute: string, sentence: string): DomainError =>
  new DomainError('attribute/invalid', sentence, { attribute });

/** `label` is the attribute's name in the sentence. */
export const alreadyTaken = (attribute: string, label: string): DomainError =>
  new DomainError('attribute/taken', `${label} has already been taken`, { attribute });
