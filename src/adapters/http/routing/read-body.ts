import type { Request } from 'express';
import { type BodyKind, bodyKinds } from './body-kinds.js';
import { mediaType } from './document.js';
import type { Exchange, WholeBody } from './exchange.js';
import { freeBytes } from './free-bytes.js';
import { JsonReader } from './json-reader.js';
import { limits } from './limits.js';
import { bytesPerValue, checkJson, countValues, jsonOf, tooManyValues } from './read-json.js';
import { badRequest, RequestError } from './request-error.js';

export const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

const mediaTypes: readonly string[] = [mediaType, 'application/json'];

const unsupported = (detail: string) => new RequestError(415, 'unsupported media type', [{ detail }]);

export const tooLarge = (largest: number) =>
  new RequestError(413, 'payload too large', [{ detail: `the body is larger than ${largest} bytes` }]);

const late = {
  silent: 'the body did not begin to arrive in time. Send it with the head of the request',
  slow: 'the body took too long to arrive',
} as const;

export const tooSlow = (lateness: keyof typeof late) =>
  new RequestError(408, 'request timeout', [{ detail: late[lateness] }], { Connection: 'close' });

export const unfinished = () => badRequest('the body ended before it was complete');

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

/** A long body in memory, during the turn of its request. */
async function readInTurn(exchange: Exchange, body: WholeBody): Promise<Uint8Array> {
  const turn = await exchange.turn();
  turn.took(body.size);
  const bytes = Buffer.allocUnsafeSlow(body.size);
  let at = 0;
  for await (const slice of body.slices()) {
    bytes.set(slice, at);
    at += slice.byteLength;
  }
  return bytes;
}

/** The unparsed body. Throws a 400, 408 or 413, and a 429 or 503 when there is no memory for it. */
export async function readBytes(exchange: Exchange, { bytes }: BodyKind): Promise<Uint8Array> {
  const body = await exchange.body(bytes.max);
  return body.inMemory ?? readInTurn(exchange, body);
}

// Says no charset, or that one.
const isUtf8 = (type: string): boolean => /;\s*charset="?(?!utf-8"?\s*(?:;|$))/i.exec(type) === null;

function checkMediaType(request: Request): void {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = request.headers;
  const essence = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!mediaTypes.includes(essence)) {
    throw unsupported(`the body must be JSON with the header "Content-Type: ${mediaType}"`);
  }
  if (encoding.toLowerCase() !== 'identity') throw unsupported('the body must not have a Content-Encoding');
  if (!isUtf8(type)) throw unsupported('the body must be UTF-8');
}

/** A body of fewer values reserves no memory for them: it is small compared to the memory of the request itself. */
const fewValues = 500;

async function parseInTurn(exchange: Exchange, body: WholeBody, { levels, values }: BodyKind): Promise<unknown> {
  const turn = await exchange.turn();
  const reader = new JsonReader({ levels: levels.max, values: values.max });
  for await (const slice of body.slices()) {
    reader.read(slice);
    turn.took(reader.taken);
  }
  return reader.end();
}

/** Only the reader says where a fault is. */
function parseWhole(body: Uint8Array, { levels, values }: BodyKind): unknown {
  try {
    return jsonOf(body);
  } catch (error) {
    const reader = new JsonReader({ levels: levels.max, values: values.max });
    reader.read(body);
    reader.end();
    throw error;
  }
}

async function parse(exchange: Exchange, body: WholeBody, kind: BodyKind): Promise<unknown> {
  if (body.inMemory !== undefined) {
    const values = countValues(body.inMemory, kind.levels.max);
    if (values > kind.values.max) throw tooManyValues(kind.values.max);
    if (values <= limits.values.max) {
      if (values > fewValues) exchange.reserve(values * bytesPerValue);
      return parseWhole(body.inMemory, kind);
    }
  }
  return parseInTurn(exchange, body, kind);
}

/**
 * The parsed JSON of a body, undefined when there is none. Its nesting and the number of its values are checked, and
 * nothing else. Long bodies, and those with many values, are parsed in turn. Throws a 400, 408, 413 or 415, and a 429 or
 * 503 when there is no memory for it.
 */
export async function readJson(exchange: Exchange, kind: BodyKind): Promise<unknown> {
  const { request } = exchange;
  if (!hasBody(request)) return undefined;
  checkMediaType(request);
  const body = await exchange.body(kind.bytes.max);
  if (body.size === 0) return {};
  try {
    return await parse(exchange, body, kind);
  } finally {
    if (body.inMemory !== undefined) freeBytes(body.inMemory);
  }
}

/** The body as a document; undefined when it is missing or empty. Throws as `readJson`. */
export async function readBody(exchange: Exchange, kind: BodyKind = bodyKinds.plain): Promise<unknown> {
  const value = await readJson(exchange, kind);
  checkJson(value);
  return value;
}
