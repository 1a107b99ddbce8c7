import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Statuses of responses that cannot have a body. */
const empty: readonly (number | undefined)[] = [204, 205, 304];

/**
 * Sends bytes no faster than the server takes them: `fetch` would keep them all in memory. Rejects as `fetch` does: with
 * the reason of the signal, or with a `TypeError` that has the cause.
 */
export async function sendStream(
  url: URL,
  {
    body,
    signal,
    ...options
  }: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: ReadableStream<Uint8Array>;
    readonly signal: AbortSignal;
  },
): Promise<Response> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  try {
    const request = send(url, { ...options, signal });
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    const bytes = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
    pipeline(bytes, request).catch(() => undefined);
    const [message] = await answered;
    // A server may answer before it has read everything.
    message.once('end', () => request.writableFinished || request.destroy());
    const { statusCode: status = 502, headers } = message;
    const said = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]));
    const text = Readable.toWeb(message) as ReadableStream<Uint8Array>;
    return new Response(empty.includes(status) ? null : text, { status, headers: said as [string, string][] });
  } catch (cause) {
    signal.throwIfAborted();
    throw new TypeError('the connection failed', { cause });
  }
}
