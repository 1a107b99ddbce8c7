/** Every way the domain can say no. Adding a code fails compilation until the HTTP error table maps it. */
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
  | 'bundle/malformed'
  | 'bundle/over-limit'
  | 'bundle/interrupted'
  | 'organization/over-quota'
  | 'owners-team/protected'
  | 'team-access/permissions-are-custom-only'
  | 'runs/in-progress'
  | 'repository/fetch-failed'
  | 'run/transition-refused'
  | 'task-stage/transition-refused'
  | 'lease/lost'
  | 'agent-report/invalid'
  | 'agent-pool/in-use'
  | 'user/protected'
  | 'user-tokens/limit-reached'
  | 'workspace/lock-refused'
  | 'state-version/conflict'
  | 'state-version/outputs-unread'
  | 'service/unavailable'
  | 'service/storage-full';

/** The part of a request that is at fault, in camelCase, with slashes between nested names. `member` is of any body. */
export type AtFault =
  | { readonly attribute: string }
  | { readonly relationship: string }
  | { readonly member: string }
  | { readonly parameter: string };

/** What a refusal carries besides its sentence: `AtFault`, and what a caller in the program may want to know. */
export type ErrorDetails = Readonly<Record<string, string>>;

/**
 * A rule said no. The message is a sentence a caller may read. Test `code`, or `isDomainError`, and not
 * `instanceof`: two copies of this package in one program have two classes.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: DomainErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    /** What lies behind it, for the log; callers are never shown it. */
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

export const isDomainError = (error: unknown): error is DomainError =>
  error instanceof Error && error.name === 'DomainError' && 'code' in error;

/**
 * Whether a rule said no, and will say so again. What the service cannot do at the moment is no refusal: whether it was
 * done all the same nobody knows, and another try may succeed.
 */
export const isRefusal = (error: unknown): error is DomainError =>
  isDomainError(error) && !error.code.startsWith('service/');

/** The one sentence for what is missing and for what is hidden: a caller must not be able to tell them apart. */
export const notFound = (): DomainError => new DomainError('resource/not-found', 'resource not found');

export const invalidAttribute = (attribute: string, sentence: string): DomainError =>
  new DomainError('attribute/invalid', sentence, { attribute });

/** `label` is what the sentence calls it. */
export const alreadyTaken = (attribute: string, label: string): DomainError =>
  new DomainError('attribute/taken', `${label} has already been taken`, { attribute });
