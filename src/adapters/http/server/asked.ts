import { type AuditedThing, auditedKinds, type Refusal } from '../../../application/index.js';
import { isRefusal } from '../../../domain/index.js';
import { unknownActor } from '../../../domain/supporting/audit/audit-event.js';
import type { Asked } from '../routing/exchange.js';
import type { HttpExchange } from './exchange.js';

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
export function refusalOf(exchange: HttpExchange, error: unknown): Refusal | undefined {
  if (!isRefusal(error)) return undefined;
  const outcome = error.code;
  if (outcome === 'actor/unauthenticated') {
    const request = exchange.origin();
    return { actor: unknownActor, action: 'requests/authenticate', subject: null, about: undefined, outcome, request };
  }
  return exchange.asked && { ...exchange.asked, outcome };
}
