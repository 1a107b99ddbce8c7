import { type Actor, identityOf, type RequestTrace } from '../../authorization/actor.js';
import type { Action } from '../../authorization/policy.js';
import type { DomainErrorCode } from '../../shared/domain-error.js';
import type { AgentPoolId, Instant, OrganizationId, TokenId } from '../../shared/id.js';
import type { TokenOwner } from '../../shared/token-owner.js';

/** What is done without asking the policy: by the holder of an upload URL, an agent, a forge, or the service itself. */
export const unaskedActions = [
  'requests/authenticate',
  'configuration-versions/upload',
  'configuration-versions/fetch',
  'configuration-versions/fail',
  'configuration-versions/report',
  'configuration-versions/purge',
  'runs/claim',
  'runs/report',
  'runs/reclaim',
  'runs/fetch-files',
  'runs/fail',
  'runs/store-artifact',
  'state-versions/write',
  'state-versions/upload',
  'state-versions/upload-json',
  'policy-outcomes/report',
] as const;

export type AuditAction = Action | (typeof unaskedActions)[number];

/** Who did it. Of callers of the API and of agents there is an id, and the token they came with. */
export interface AuditActor {
  readonly kind: Actor['kind'] | 'agent' | 'upload-url' | 'forge' | 'system' | 'nobody';
  /** Of an agent, its pool's. */
  readonly id: string | null;
  readonly tokenId: TokenId | null;
}

/** Lists of ids, by what they are of. */
export type AuditDetail = Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;

/** Something that was changed, or that somebody was refused to change. */
export interface NewAuditEvent {
  readonly actor: AuditActor;
  readonly action: AuditAction;
  /** The id of what was changed or made; of a refusal, what the path of the request names. Null where that is nothing. */
  readonly subject: string | null;
  readonly outcome: 'done' | DomainErrorCode;
  /** More than one only of refusals, which are counted together. */
  readonly count: number;
  /** What a reader should know beyond that, by name; null where there is nothing. Never a secret. */
  readonly detail: AuditDetail | null;
  /** Null for what no request asked for. Of several, the first. */
  readonly request: RequestTrace | null;
}

export interface AuditEvent extends NewAuditEvent {
  /** Sorts by time. */
  readonly id: string;
  readonly at: Instant;
  /** Null for what happened to the site. */
  readonly organizationId: OrganizationId | null;
}

const digitsOf = (at: Instant): string => at.replaceAll(/\D/g, '');

/** Below every id of an event at this instant or later, and above every earlier one. */
export const auditIdsFrom = (at: Instant): string => `ae-${digitsOf(at)}`;

/** `chance` tells it from others of the same millisecond, and sorts it among them. */
export const auditEventId = (at: Instant, chance: string): string => `${auditIdsFrom(at)}-${chance}`;

const done = { outcome: 'done', count: 1, detail: null } as const;

/** The caller as the trail names it. */
export const auditActorOf = (actor: Actor): AuditActor => ({ ...identityOf(actor), tokenId: actor.tokenId });

const system: AuditActor = { kind: 'system', id: null, tokenId: null };

/** Who came with a token that is no good. */
export const unknownActor: AuditActor = { kind: 'nobody', id: null, tokenId: null };

/** What a caller of the API did. */
export const doneBy = (
  actor: Actor,
  action: Action,
  subject: string,
  detail: AuditDetail | null = null,
): NewAuditEvent => ({
  ...done,
  detail,
  actor: auditActorOf(actor),
  action,
  subject,
  request: actor.request ?? null,
});

/** What the service did of its own accord. */
export const doneBySystem = (action: AuditAction, subject: string): NewAuditEvent => ({
  ...done,
  actor: system,
  action,
  subject,
  request: null,
});

/** What the service would have done of its own accord. */
export const refusedToSystem = (action: AuditAction, subject: string, outcome: DomainErrorCode): NewAuditEvent => ({
  ...doneBySystem(action, subject),
  outcome,
});

/** What the service did not do on behalf of a creator who had lost the right to it. */
export const refusedToCreator = (creator: TokenOwner | null, action: Action, subject: string): NewAuditEvent => ({
  ...refusedToSystem(action, subject, 'resource/not-found'),
  ...(creator && { actor: { ...creator, tokenId: null } }),
});

export const agentActorOf = ({ poolId, tokenId }: { readonly poolId: AgentPoolId; readonly tokenId: TokenId }) =>
  ({ kind: 'agent', id: poolId, tokenId }) as const satisfies AuditActor;

/** What an agent did. */
export const doneByAgent = (
  agent: Parameters<typeof agentActorOf>[0] & { readonly request?: RequestTrace },
  action: AuditAction,
  subject: string,
): NewAuditEvent => ({ ...done, actor: agentActorOf(agent), action, subject, request: agent.request ?? null });

/** What the holder of an upload URL, or a forge, did: neither is known by name. */
export const doneFromOutside = (
  kind: 'upload-url' | 'forge',
  action: AuditAction,
  subject: string,
  request: RequestTrace | undefined,
): NewAuditEvent => ({
  ...done,
  actor: { kind, id: null, tokenId: null },
  action,
  subject,
  request: request ?? null,
});
