/** One thing wrong with a request. */
export interface Fault {
  readonly detail: string;
  /** A JSON pointer into the body. */
  readonly pointer?: string;
  /** A query parameter. */
  readonly parameter?: string;
}

/** The request itself cannot be understood or taken, whatever it asks for. One error object per fault. */
export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    readonly status: 400 | 403 | 404 | 405 | 408 | 413 | 414 | 415 | 422 | 429 | 431 | 503,
    readonly title: string,
    readonly faults: readonly Fault[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(faults.map((fault) => fault.detail).join('; '));
  }
}

export const badRequest = (detail: string): RequestError => new RequestError(400, 'bad request', [{ detail }]);

export const invalid = (faults: readonly Fault[]): RequestError => new RequestError(422, 'invalid attribute', faults);

export const invalidParameter = (parameter: string, detail: string): RequestError => invalid([{ parameter, detail }]);

export const noSuchRoute = (): RequestError => new RequestError(404, 'not found', [{ detail: 'resource not found' }]);
