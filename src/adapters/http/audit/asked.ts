import type { Request, Response } from 'express';
import { type AuditedThing, auditedKinds, type Refusal } from '../../../application/index.js';
import { isRefusal, type RequestTrace, unknownActor } from '../../../domain/index.js';
import { clientAddressOf } from '../client-address.js';

/** What somebody asks to have changed, as the audit trail tells it if it is refused. */
export type Asked = Omit<Refusal, 'outcome'>;

/** How the request came. The route stands for the path, which may be a secret. */
export const requestTraceOf = (request: Request, response: Response): RequestTrace => ({
  id: response.locals.trace.id,
  address: response.locals.trace.address ?? clientAddressOf(request) ?? null,
  route: `${request.method} ${response.locals.trace.route}`,
});

/** Whatever refuses the request from here on is recorded. */
export const asks = (response: Response, asked: Asked): void => {
  response.locals.asked = asked;
};

/** Longer ones are no ids of ours. */
const longestSubject = 200;

type Named = Readonly<Record<string, string>>;

const isAuditedKind = (word: string): word is AuditedThing['kind'] =>
  (auditedKinds as readonly string[]).includes(word);

const workspaceIn = (body: unknown): string | undefined => {
  const { data } = (body ?? {}) as { data?: { relationships?: { workspace?: { data?: { id?: unknown } } } } };
  const id = data?.relationships?.workspace?.data?.id;
  return typeof id === 'string' ? id : undefined;
};

/** What a request is about: what its path names, or the workspace its body does. `path` is the route's. */
export function askedAbout(path: string, parameters: Named, body: unknown): Pick<Asked, 'subject' | 'about'> {
  const [, kind = ''] = path.split('/');
  const names = Object.values(parameters);
  const [id] = names;
  if (id === undefined) {
    const workspaceId = workspaceIn(body)?.slice(0, longestSubject);
    if (workspaceId === undefined) return { subject: null, about: undefined };
    return { subject: workspaceId, about: { kind: 'workspaces', id: workspaceId } };
  }
  return {
    subject: names.join('/').slice(0, longestSubject),
    about: isAuditedKind(kind) && id.length <= longestSubject ? { kind, id } : undefined,
  };
}

/** Undefined for what is no refusal, and for the refusal of what would have changed nothing. */
export function refusalOf(request: Request, response: Response, error: unknown): Refusal | undefined {
  if (!isRefusal(error)) return undefined;
  const outcome = error.code;
  if (outcome === 'actor/unauthenticated') {
    const trace = requestTraceOf(request, response);
    return {
      actor: unknownActor,
      action: 'requests/authenticate',
      subject: null,
      about: undefined,
      outcome,
      request: trace,
    };
  }
  const asked = response.locals.asked as Asked | undefined;
  return asked && { ...asked, outcome };
}
