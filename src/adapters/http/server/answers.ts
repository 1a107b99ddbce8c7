import { jsonText, mediaType } from '../routing/document.js';
import type { Problem } from '../routing/error-table.js';
import { freeBytes } from '../routing/free-bytes.js';
import type { Answer } from '../routing/route.js';
import type { HttpExchange } from './exchange.js';

/** Streams a response of unknown length. A failure from here on cuts it off. */
const stream = async (
  exchange: HttpExchange,
  { status, headers, takes = 0 }: Answer,
  parts: AsyncIterable<string | Uint8Array>,
): Promise<void> => {
  const { request, response } = exchange;
  try {
    if (takes > 0 && request.method !== 'HEAD') exchange.reserve(takes);
  } catch (error) {
    await parts[Symbol.asyncIterator]().return?.();
    throw error;
  }
  exchange.writeHead(status, { 'Content-Type': mediaType, ...headers });
  if (request.method !== 'HEAD') return exchange.send(takes > 0 ? exchange.inTurn(parts) : parts);
  response.end();
  await parts[Symbol.asyncIterator]().return?.();
};

export const write = async (exchange: HttpExchange, answer: Answer): Promise<void> => {
  const { status, document, headers } = answer;
  if (answer.parts !== undefined) return stream(exchange, answer, answer.parts);
  if (headers !== undefined) exchange.addHeaders(headers);
  if (document === undefined) exchange.writeHead(status).end();
  else exchange.respond(status, { 'Content-Type': mediaType }, jsonText(document));
};

/** How long the body of a client that was refused for want of memory is read, in milliseconds. */
const brieflyLingering = 1_000;

/**
 * Answers a client that may still be sending, and reads on for `lingering` milliseconds: ending at once may reset the
 * connection and lose the response.
 */
export const refuse = (exchange: HttpExchange, { status, document, headers }: Problem, lingering: number): void => {
  const { request, response } = exchange;
  const body = JSON.stringify(document);
  const length = Buffer.byteLength(body);
  exchange.putHeaders(headers);
  exchange.writeHead(status, { 'Content-Type': mediaType, 'Content-Length': length });
  if (request.complete) {
    response.end(body);
    exchange.waits(length);
    return;
  }
  exchange.refusedEarly = true;
  response.write(body);
  // The memory of each part is free at once: garbage collection comes late to it.
  request.on('data', freeBytes);
  request.once('end', () => response.end());
  const wait = exchange.lacksMemory ? Math.min(lingering, brieflyLingering) : lingering;
  const cut = setTimeout(() => request.destroy(), wait).unref();
  response.once('close', () => clearTimeout(cut));
};
