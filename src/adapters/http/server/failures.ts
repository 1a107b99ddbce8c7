import type { Request } from 'express';
import type { Refusal, Refusals } from '../../../application/index.js';
import { isRefusal, unavailableIfStale } from '../../../domain/shared/domain-error.js';
import { unknownActor } from '../../../domain/supporting/audit/audit-event.js';
import { internalProblem, type Problem, problemOf } from '../routing/error-table.js';
import { limits } from '../routing/limits.js';
import { badRequest, noSuchRoute, RequestError } from '../routing/request-error.js';
import { refuse } from './answers.js';
import type { HttpExchange } from './exchange.js';
import type { RequestLog } from './request-log.js';

/** Throws a 414, or a 400: as in bodies, databases disagree about NUL in text. */
export const checkUrl = ({ originalUrl }: Request): void => {
  if (originalUrl.length > limits.url.max) {
    throw new RequestError(414, 'uri too long', [{ detail: `the URL is longer than ${limits.url.max} characters` }]);
  }
  if (originalUrl.includes('%00')) throw badRequest('the URL contains a NUL character');
  const { max } = limits.parameters;
  if (originalUrl.length > max && originalUrl.split('&', max + 1).length > max) {
    throw badRequest(`the query has more than ${max} parameters`);
  }
};

/** The problem when no route matches the request. */
export const unmatched = (request: Request): unknown => {
  try {
    checkUrl(request);
  } catch (refusal) {
    return refusal;
  }
  return noSuchRoute();
};

/** Express itself refuses a path that it cannot decode. */
const problemOfExpress = (error: unknown): Problem | undefined =>
  (error as { status?: unknown }).status === 400
    ? problemOf(new RequestError(400, 'bad request', [{ detail: 'the request is malformed' }]))
    : undefined;

/** Undefined for errors that are not refusals, and for refused requests that would have changed nothing. */
function refusalOf(exchange: HttpExchange, error: unknown): Refusal | undefined {
  if (!isRefusal(error)) return undefined;
  const outcome = error.code;
  if (outcome === 'actor/unauthenticated' && exchange.actor === undefined) {
    const request = exchange.origin();
    return { actor: unknownActor, action: 'requests/authenticate', subject: null, about: undefined, outcome, request };
  }
  return exchange.audited && { ...exchange.audited, outcome };
}

/** Ends an exchange that failed with `error`. Never throws. */
export type Fail = (exchange: HttpExchange, error: unknown) => void;

/** `lingering` is how long, in milliseconds, a client that is still sending has to read the error response. */
export const failing = (log: RequestLog, refusals: Pick<Refusals, 'note'>, lingering: number): Fail => {
  const logFault = ({ id, route }: HttpExchange, err: unknown) =>
    log.error({ request: id, route, err }, 'request failed');

  const fail: Fail = (exchange, cause) => {
    const { request, response } = exchange;
    const error = request.method === 'GET' || request.method === 'HEAD' ? unavailableIfStale(cause) : cause;
    if (request.destroyed && !request.complete) {
      // The client disconnected: no response is possible, and this is not a fault.
      response.destroy();
      return;
    }
    const refusal = refusalOf(exchange, error);
    if (refusal !== undefined) refusals.note(refusal);
    const known = problemOf(error) ?? problemOfExpress(error);
    const problem = known ?? internalProblem;
    if (problem.isFault) logFault(exchange, error);
    if (response.headersSent) {
      exchange.cutOffFor = problem.status;
      response.destroy();
    } else if (exchange.refuse !== undefined && request.complete) exchange.refuse(exchange, problem);
    else refuse(exchange, problem, lingering);
  };

  return (exchange, error) => {
    try {
      fail(exchange, error);
    } catch (fault) {
      logFault(exchange, fault);
      exchange.response.destroy();
    }
  };
};
