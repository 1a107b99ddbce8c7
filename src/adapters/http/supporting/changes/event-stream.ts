export const eventStreamType = 'text/event-stream';

/** Proxies must pass each event on as it comes. */
export const eventStreamHeaders = { 'Content-Type': eventStreamType, 'X-Accel-Buffering': 'no' };

/** A line that clients ignore. */
export const heartbeat = ':\n\n';

export const serverSent = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Resolves after the time, or when the signal is aborted. `wake` receives what resolves it earlier. */
export const rest = (milliseconds: number, ended: AbortSignal, wake: (now: () => void) => void = () => {}) =>
  new Promise<void>((resolve) => {
    const over = () => {
      clearTimeout(timer);
      ended.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    ended.addEventListener('abort', over);
    wake(over);
    if (ended.aborted) over();
  });
