import { jsonText, mediaType } from '../routing/document.js';
import type { Problem } from '../routing/error-table.js';
import type { Answer } from '../routing/route.js';
import { type HttpExchange, send } from './exchange.js';

/** Writes the head of an answer, and returns its body. */
const begin = (exchange: HttpExchange, { status, document, headers = {} }: Answer | Problem): string => {
  exchange.addHeaders(headers);
  if (document === undefined) {
    exchange.writeHead(status);
    return '';
  }
  const body = jsonText(document);
  exchange.writeHead(status, { 'Content-Type': mediaType, 'Content-Length': Buffer.byteLength(body) });
  return body;
};

/** Streams a response of unknown length. A failure from here on cuts it off. */
const stream = async (
  exchange: HttpExchange,
  { status, headers }: Answer,
  parts: AsyncIterable<string | Uint8Array>,
): Promise<void> => {
  const { request, response } = exchange;
  exchange.writeHead(status, { 'Content-Type': mediaType, ...headers });
  if (request.method !== 'HEAD') return send(parts, response);
  response.end();
  await parts[Symbol.asyncIterator]().return?.();
};

export const write = async (exchange: HttpExchange, answer: Answer): Promise<void> => {
  if (answer.parts === undefined) exchange.response.end(begin(exchange, answer));
  else await stream(exchange, answer, answer.parts);
};

/**
 * Answers a client that may still be sending, and reads on for `lingering` milliseconds: ending at once may reset the
 * connection and lose the response.
 */
export const refuse = (exchange: HttpExchange, problem: Problem, lingering: number): void => {
  const { request, response } = exchange;
  if (request.complete) {
    response.end(begin(exchange, problem));
    return;
  }
  exchange.refusedEarly = true;
  response.write(begin(exchange, problem));
  request.resume().once('end', () => response.end());
  const cut = setTimeout(() => request.destroy(), lingering).unref();
  response.once('close', () => clearTimeout(cut));
};
