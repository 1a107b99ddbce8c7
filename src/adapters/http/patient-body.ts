import type { Request } from 'express';
import { DomainError } from '../../domain/index.js';
import type { Patience } from './http-server.js';

/** An upload that will not come to its end. */
export const interrupted = (sentence: string): DomainError => new DomainError('bundle/interrupted', sentence);

/**
 * The request's body as it arrives; throws `bundle/interrupted` when the client falls silent or takes too long.
 * `received` hears how many bytes each part has.
 */
export async function* patiently(
  request: Request,
  patience: Patience,
  stopped: AbortSignal,
  received: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  // The socket stays open when reading ends early, so that the client can still be told why.
  const chunks = request.iterator({ destroyOnReturn: false });
  const deadline = Date.now() + patience.total;
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
      const left = Math.min(patience.idle, deadline - Date.now());
      timer = setTimeout(() => giveUp(interrupted('the upload took too long')), Math.max(0, left));
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
