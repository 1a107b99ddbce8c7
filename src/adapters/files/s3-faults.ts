import { DomainError } from '../../domain/index.js';

/** The store's error, or why it gave none, without the parts that may repeat the request. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';

  constructor(
    operation: string,
    error: unknown,
    readonly status = statusOf(error),
    readonly noCredentials = lacksCredentials(error),
    readonly isBucketMissing = (error as Error).name === 'NoSuchBucket',
  ) {
    const { name, message } = error as Error;
    // The response to a HEAD has no body.
    const words = name.startsWith('Unknown') || name === String(status) ? [] : [`${name}: ${message}`];
    super([operation, ...(status === undefined ? [] : [`returned ${status}`]), ...words].join(', '));
  }
}

export const unavailable = (operation: string, error: unknown): DomainError =>
  new DomainError('service/unavailable', 'the archive store is unavailable', {}, new StoreFault(operation, error));

const metadataOf = (error: unknown): { httpStatusCode?: number; clockSkewCorrected?: boolean } =>
  (error as { $metadata?: object }).$metadata ?? {};

const statusOf = (error: unknown): number | undefined => metadataOf(error).httpStatusCode;

/** Whether the store reports that it did nothing and may accept a retry; the clock skew is then corrected. */
export const refusedForNow = (error: unknown): boolean =>
  [429, 503].includes(statusOf(error) ?? 0) || metadataOf(error).clockSkewCorrected === true;

/** Whether the outcome is unknown: the request may have taken effect, or may still do so. */
export const isOpen = (error: unknown): boolean => {
  const status = statusOf(error);
  return status === undefined ? !lacksCredentials(error) : !refusedForNow(error) && (status >= 500 || status === 408);
};

const lacksCredentials = (error: unknown): boolean => (error as Error).name === 'CredentialsProviderError';

/** For the `catch` of a request: undefined where the store has no such object. */
export function undefinedIfMissing(error: unknown): undefined {
  const fault = faultOf(error);
  if (fault.status !== 404 || fault.isBucketMissing) throw error;
}

/** The store's error behind the error that a request ended with. */
export const faultOf = (error: unknown): StoreFault => (error as DomainError).cause as StoreFault;
