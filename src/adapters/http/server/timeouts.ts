import type { Request, Response } from 'express';
import { DomainError } from '../../../domain/index.js';
import type { StreamTimes } from '../routing/exchange.js';
import { hasBody } from '../routing/read-body.js';
import { type Pace, usualPace } from './memory/arrivals.js';

/** How long clients may take, in milliseconds. A slower client is cut off without affecting the others. */
export interface Timeouts {
  /** For the head of a request, from the connection or the last response on. */
  readonly head: number;
  /** Between two signs of life of a client that sends its files, or reads a response. */
  readonly idle: number;
  /** For an upload; request and response together get one `idle` more. */
  readonly total: number;
  /** For a client that was refused before it had sent everything, to read the error response. */
  readonly lingering: number;
  /** For a body that is held in memory. */
  readonly pace: Pace;
  readonly stream: StreamTimes;
}

export const defaultTimeouts: Timeouts = {
  head: 15_000,
  idle: 30_000,
  total: 3_600_000,
  lingering: 5_000,
  pace: usualPace,
  stream: { heartbeat: 25_000, longest: 300_000, betweenEvents: 1_000, betweenLists: 5_000 },
};

/**
 * Ends requests whose client neither sends nor reads: others need its connection, and the file or database result
 * behind it. Bodies being read have a timeout of their own, and a 408. Returns a timer that must be cleared when the
 * response closes.
 */
export const cutOff = (request: Request, response: Response, { idle, total, lingering }: Timeouts): NodeJS.Timeout => {
  // Silence is not a fault while there is nothing to read: the service may be busy, or an agent may wait for a run.
  response.on('timeout', () => {
    if (request.socket.writableLength > 0) request.destroy();
  });
  if (hasBody(request)) {
    response.on('finish', () => {
      if (!request.complete) setTimeout(() => request.complete || request.destroy(), lingering).unref();
    });
  }
  return setTimeout(() => request.destroy(), total + idle).unref();
};

/** An upload that will not be completed. */
export const interrupted = (sentence: string): DomainError => new DomainError('bundle/interrupted', sentence);

/**
 * The request's body as it arrives; throws `bundle/interrupted` when the client falls silent or takes too long.
 * `received` is called with the number of bytes in each part.
 */
export async function* withTimeouts(
  request: Request,
  timeouts: Timeouts,
  stopped: AbortSignal,
  received: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  // The socket stays open when reading ends early, so that the client can still read the error response.
  const chunks = request.iterator({ destroyOnReturn: false });
  const deadline = Date.now() + timeouts.total;
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (reason: DomainError) => void = () => {};
  const onStop = () => giveUp(interrupted('the service is stopping'));
  stopped.addEventListener('abort', onStop, { once: true });
  try {
    for (;;) {
      if (stopped.aborted) throw interrupted('the service is stopping');
      const silence = new Promise<never>((_, reject) => {
        giveUp = reject;
      });
      const left = Math.min(timeouts.idle, deadline - Date.now());
      timer = setTimeout(() => giveUp(interrupted('the upload took too long; try again')), Math.max(0, left));
      const next = await Promise.race([chunks.next(), silence]);
      clearTimeout(timer);
      if (next.done) return;
      received(next.value.length);
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener('abort', onStop);
    void chunks.return?.();
  }
}
