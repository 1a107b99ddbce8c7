import express, { type Request, type Response } from 'express';
import { mediaType } from './document.js';
import { badRequest, RequestError } from './request-error.js';

const largestBody = 1024 * 1024;
const longestMilliseconds = 30_000;

/** Databases disagree about NUL in text, so none gets that far. */
const withoutNul = (_key: string, value: unknown): unknown => {
  if (typeof value === 'string' && value.includes('\0')) throw new SyntaxError('NUL in text');
  return value;
};

const parserOf = (limit: number) =>
  express.json({ limit, type: () => true, strict: false, inflate: false, reviver: withoutNul });

export const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

const mediaTypes: readonly string[] = [mediaType, 'application/json'];

const refusals: Readonly<Record<string, RequestError>> = {
  'entity.parse.failed': badRequest('the body is not valid JSON, or has a NUL character in it'),
  'request.size.invalid': badRequest('the body is not as long as Content-Length says'),
  'request.aborted': badRequest('the body broke off'),
  'encoding.unsupported': new RequestError(415, 'unsupported media type', [
    { detail: 'the body must not be content-encoded' },
  ]),
  'charset.unsupported': new RequestError(415, 'unsupported media type', [{ detail: 'the body must be UTF-8' }]),
};

const tooLarge = (largest: number) =>
  new RequestError(413, 'payload too large', [{ detail: `the body is larger than ${largest} bytes` }]);

const tooSlow = () =>
  new RequestError(408, 'request timeout', [{ detail: 'the body took too long' }], { Connection: 'close' });

/** The body as it is. Throws a 400, 408 or 413. */
export async function readBytes(
  request: Request,
  largest: number,
  patience = longestMilliseconds,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The socket stays open when reading ends early, so that the client can still be told why.
  const body = request.iterator({ destroyOnReturn: false });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), patience);
  });
  try {
    for (;;) {
      const next = await Promise.race([body.next(), late]);
      if (next.done) break;
      size += next.value.byteLength;
      if (size > largest) {
        throw new RequestError(413, 'payload too large', [{ detail: `the body is larger than ${largest} bytes` }]);
      }
      chunks.push(next.value);
    }
  } catch (error) {
    throw (error as { code?: string }).code === 'ECONNRESET' ? badRequest('the body broke off') : error;
  } finally {
    clearTimeout(timer);
    void body.return?.();
  }
  if (!request.complete) throw badRequest('the body broke off');
  return Buffer.concat(chunks, size);
}

/** The body as JSON, or undefined when there is none. Throws a 400, 408, 413 or 415. */
export async function readBody(
  request: Request,
  response: Response,
  largest = largestBody,
  patience = longestMilliseconds,
): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!mediaTypes.includes(type)) {
    throw new RequestError(415, 'unsupported media type', [{ detail: `the body must be ${mediaType}` }]);
  }
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(tooSlow());
    }, patience);
    parserOf(largest)(request, response, (error?: unknown) => {
      clearTimeout(timer);
      if (error === undefined) {
        resolve();
        return;
      }
      const { type: fault = '' } = error as { type?: string };
      reject(fault === 'entity.too.large' ? tooLarge(largest) : (refusals[fault] ?? error));
    });
  });
  return request.body;
}
