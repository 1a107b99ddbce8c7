import type { HttpExchange } from './exchange.js';
import type { EndOfRequest, FollowRequest, HttpMeter } from './observation.js';

/** Takes one line per request, and one per fault of the service. Neither holds a secret or a capability URL. */
export interface RequestLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The observers of requests. */
export interface Observers {
  readonly log: RequestLog;
  readonly meter: HttpMeter;
  /** Set if traces are made of requests. */
  readonly follow?: FollowRequest | undefined;
}

/** Serves an exchange, and counts, logs and traces it. `ended` is called when its connection needs it no longer. */
export const observe = (
  { log, meter, follow }: Observers,
  exchange: HttpExchange,
  serve: () => void,
  ended: () => void,
): void => {
  const begun = performance.now();
  const { request, response } = exchange;
  let endTrace: EndOfRequest | undefined;
  meter.requestBegun();
  response.on('close', () => {
    ended();
    const { method } = request;
    const { id, route, address, actor, cutOffFor, refusedEarly } = exchange;
    const status = cutOffFor ?? (response.writableFinished || refusedEarly ? response.statusCode : 499);
    const ms = performance.now() - begun;
    meter.requestEnded(method, route, status, ms / 1000);
    endTrace?.(route, status);
    log.info({ request: id, method, route, status, ms: Math.round(ms * 10) / 10, address, actor }, 'request');
  });
  if (follow === undefined) serve();
  else endTrace = follow(request, exchange.id, serve);
};
