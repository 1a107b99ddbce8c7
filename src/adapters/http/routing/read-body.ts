import type { Request } from 'express';
import { mediaType } from './document.js';
import { limits } from './limits.js';
import { badRequest, RequestError } from './request-error.js';

const longestMilliseconds = 30_000;

const most = { levels: limits.depth.most, items: limits.items.most };

export const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

const mediaTypes: readonly string[] = [mediaType, 'application/json'];

const notJson = badRequest('the body is not valid JSON or contains a NUL character');
const tooDeepFor = (levels: number) => badRequest(`the body is nested deeper than ${levels} levels`);
export const tooDeep = tooDeepFor(most.levels);
export const tooWide = badRequest(`the body has an array or object with more than ${most.items} items`);

const unsupported = (detail: string) => new RequestError(415, 'unsupported media type', [{ detail }]);

export const tooLarge = (largest: number) =>
  new RequestError(413, 'payload too large', [{ detail: `the body is larger than ${largest} bytes` }]);

/** Passes a body on. Throws a 413 as early as possible. */
export async function* atMost(
  largest: number,
  request: Request,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > largest) throw tooLarge(largest);
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > largest) throw tooLarge(largest);
    yield chunk;
  }
}

const tooSlow = () =>
  new RequestError(408, 'request timeout', [{ detail: 'the body took too long to arrive' }], { Connection: 'close' });

/**
 * Whether brackets nest deeper than in any document. Checked before JSON is parsed: from 16 MiB of brackets alone, V8
 * makes 600 MB in three seconds.
 */
export function isTooDeep(json: Uint8Array, levels: number = most.levels): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (inText) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

/** Throws a 400 for text with a NUL in it, about which databases disagree, and for more in one place than in any document. */
export function checkJson(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw notJson;
  } else if (typeof value === 'object' && value !== null) {
    let items = 0;
    for (const name in value) {
      if (name.includes('\0')) throw notJson;
      items += 1;
      if (items > most.items) throw tooWide;
      checkJson((value as Readonly<Record<string, unknown>>)[name]);
    }
  }
}

/** The unparsed body. Throws a 400, 408 or 413. */
export async function readBytes(request: Request, largest: number, timeout = longestMilliseconds): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The socket stays open when reading ends early, so that the client can still read the error response.
  const body = request.iterator({ destroyOnReturn: false });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), timeout);
  });
  try {
    for (;;) {
      const next = await Promise.race([body.next(), late]);
      if (next.done) break;
      size += next.value.byteLength;
      if (size > largest) throw tooLarge(largest);
      chunks.push(next.value);
    }
  } catch (error) {
    throw (error as { code?: string }).code === 'ECONNRESET'
      ? badRequest('the body ended before it was complete')
      : error;
  } finally {
    clearTimeout(timer);
    void body.return?.();
  }
  if (!request.complete) throw badRequest('the body ended before it was complete');
  return Buffer.concat(chunks, size);
}

// Says no charset, or that one.
const isUtf8 = (type: string): boolean => /;\s*charset="?(?!utf-8"?\s*(?:;|$))/i.exec(type) === null;

function checkMediaType(request: Request): void {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaTypes.includes(type)) return;
  throw unsupported(`the body must be ${mediaType}`);
}

/**
 * The unread JSON of a long body, or undefined without a body. Parsed, it takes many times its memory, so call
 * `readJson` for one at a time. Throws a 400, 408, 413 or 415.
 */
export async function readLongBody(
  request: Request,
  largest: number,
  timeout?: number,
): Promise<Uint8Array | undefined> {
  if (!hasBody(request)) return undefined;
  checkMediaType(request);
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = request.headers;
  if (encoding.toLowerCase() !== 'identity') throw unsupported('the body must not have a Content-Encoding');
  if (!isUtf8(type)) throw unsupported('the body must be UTF-8');
  if (Number(request.headers['content-length'] ?? 0) > largest) throw tooLarge(largest);
  return readBytes(request, largest, timeout);
}

/** The parsed JSON of a long body. Its nesting is checked, and nothing else. Throws a 400. */
export function readJson(body: Uint8Array | undefined, levels: number = most.levels): unknown {
  if (body === undefined) return undefined;
  if (isTooDeep(body, levels)) throw tooDeepFor(levels);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw notJson;
  }
}

/** The body as JSON; undefined when it is missing or empty. Throws a 400, 408, 413 or 415. */
export async function readBody(
  request: Request,
  largest: number = limits.body.most,
  timeout?: number,
): Promise<unknown> {
  const body = await readLongBody(request, largest, timeout);
  if (body?.length === 0) return {};
  const value = readJson(body);
  checkJson(value);
  return value;
}
