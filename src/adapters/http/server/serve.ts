import { type AuditedThing, auditedKinds } from '../../../application/index.js';
import { isOpenTo, notFound } from '../../../domain/index.js';
import { agentActorOf, auditActorOf } from '../../../domain/supporting/audit/audit-event.js';
import { documentKindOf } from '../routing/document-kind.js';
import type { AuditedRequest } from '../routing/exchange.js';
import { refuseMisspelled } from '../routing/misspelled-attributes.js';
import { explained } from '../routing/names-for-ids.js';
import { refuseOthers } from '../routing/parameters.js';
import { partsOf } from '../routing/query.js';
import { hasBody, readBody, readBytes } from '../routing/read-body.js';
import { RequestError } from '../routing/request-error.js';
import type { PlainRoute, RequestContext, Route } from '../routing/route.js';
import type { AgentRoute } from '../supporting/agents/agent-api-routes.js';
import { write } from './answers.js';
import type { Callers } from './callers.js';
import type { HttpExchange } from './exchange.js';
import { checkUrl } from './failures.js';

/** Serves one exchange, or rejects with the reason. */
export type Serve = (exchange: HttpExchange) => Promise<void>;

const bodyFor = async (route: Route, exchange: HttpExchange, call: RequestContext): Promise<unknown> => {
  const { body } = route;
  if (body === 'ignored') {
    // Otherwise its first bytes would stay in memory until the response ends.
    if (hasBody(exchange.request)) exchange.request.resume();
    return undefined;
  }
  if (body === 'read') return readBody(exchange, documentKindOf(route));
  if ('bytes' in body) return readBytes(exchange, body.bytes);
  exchange.admit(await body.admit(call));
  return readBody(exchange, body.document);
};

/** Longer values are not ids of this service. */
const longestSubject = 200;

type Named = Readonly<Record<string, string>>;

const isAuditedKind = (word: string): word is AuditedThing['kind'] =>
  (auditedKinds as readonly string[]).includes(word);

type Related = Readonly<Partial<Record<string, { readonly data?: { readonly id?: unknown } }>>>;

/** The workspace or the project that a body names. */
const placeIn = (body: unknown): AuditedThing | undefined => {
  const { data } = (body ?? {}) as { data?: { relationships?: Related } };
  for (const [name, kind] of [
    ['workspace', 'workspaces'],
    ['project', 'projects'],
  ] as const) {
    const id = data?.relationships?.[name]?.data?.id;
    if (typeof id === 'string') return { kind, id: id.slice(0, longestSubject) };
  }
  return undefined;
};

/** The subject of a request: the one its path names, or the place in its body. `path` is the route's. */
function askedAbout(path: string, parameters: Named, body: unknown): Pick<AuditedRequest, 'subject' | 'about'> {
  const [, kind = ''] = path.split('/');
  const names = Object.values(parameters);
  const [id] = names;
  if (id === undefined) {
    const place = placeIn(body);
    return { subject: place?.id ?? null, about: place };
  }
  return {
    subject: names.join('/').slice(0, longestSubject),
    about: isAuditedKind(kind) && id.length <= longestSubject ? { kind, id } : undefined,
  };
}

/** An endpoint of the API: authenticates the caller, reads the body and writes what the handler returns. */
export const serving =
  (callers: Callers) =>
  (route: Route): Serve =>
  async (exchange) => {
    const { request } = exchange;
    const caller = await callers.actorOf(exchange);
    checkUrl(request);
    const [path, query] = partsOf(request.originalUrl);
    const parameters = request.params as Record<string, string>;
    const { path: pattern, action } = route;
    const asked =
      route.method === 'get' || action === null
        ? undefined
        : { actor: auditActorOf(caller), action, request: exchange.origin() };
    const actor = asked === undefined ? caller : { ...caller, request: asked.request };
    // An invalid body must not reveal to this caller that the endpoint exists.
    const isOpen = isOpenTo(caller, action);
    const call = {
      actor,
      sameActor: () => callers.sameActor(exchange),
      waiting: () => exchange.waiting(),
      parameters,
      query,
      header: (name: string) => request.get(name),
      path,
    };
    const explain = (error: unknown) => {
      throw explained(pattern, parameters, error);
    };
    // Who may not send a long body is refused before it is read.
    if (asked !== undefined && typeof route.body === 'object') {
      exchange.audits({ ...askedAbout(pattern, parameters, undefined), ...asked });
    }
    const body = isOpen ? await bodyFor(route, exchange, call).catch(explain) : undefined;
    if (asked !== undefined) exchange.audits({ ...askedAbout(pattern, parameters, body), ...asked });
    if (!isOpen) throw notFound();
    if (route.refusesOthers) {
      refuseOthers(route.parameters, call.query);
      refuseMisspelled(route, body);
    }
    const answer = await route.handle({ ...call, body }).catch(explain);
    // Writing may take as long as the client takes to read.
    exchange.leaveTurn();
    await write(exchange, answer);
  };

/** For a part of the API family that is not served: asks for a token, and then says why. */
export const refusing =
  (callers: Callers) =>
  (detail: string): Serve =>
  async (exchange) => {
    await callers.actorOf(exchange);
    checkUrl(exchange.request);
    throw new RequestError(404, 'not found', [{ detail }]);
  };

/** An endpoint of the agents' interface. */
export const servingAgents =
  (callers: Callers) =>
  ({ action, handle }: AgentRoute): Serve =>
  async (exchange) => {
    const known = await callers.agentOf(exchange);
    const agent = { ...known, request: exchange.origin() };
    if (action !== null) {
      exchange.audits({
        actor: agentActorOf(agent),
        action,
        subject: String(exchange.request.params.id ?? '') || null,
        about: { kind: 'agent-pools', id: agent.poolId },
        request: agent.request,
      });
    }
    checkUrl(exchange.request);
    await handle(agent, exchange);
  };

/** For routes that need no token, or one of their own. */
export const servingPlainly =
  (callers: Callers) =>
  ({ countedAs, handle, refuse }: PlainRoute): Serve =>
  async (exchange) => {
    exchange.refuse = refuse;
    callers.count(exchange, countedAs);
    checkUrl(exchange.request);
    await handle(exchange);
  };
