import { type Actor, identityOf, type RequestTrace } from '../../authorization/actor.js';
import type { Action } from '../../authorization/policy.js';
import type { DomainErrorCode } from '../../shared/domain-error.js';
import type {
  AgentPoolId,
  Instant,
  OrganizationId,
  RunTaskId,
  SessionId,
  TokenId,
  WorkspaceId,
} from '../../shared/id.js';
import { isIdOf } from '../../shared/id-prefixes.js';
import type { TokenOwner } from '../../shared/token-owner.js';

/** Actions outside the policy: by the holder of an upload URL, an agent, a forge, or the service itself. */
export const actionsOutsidePolicy = [
  'requests/authenticate',
  'sessions/start',
  'sessions/end',
  'sign-in-links/issue',
  'sign-in-links/redeem',
  'identities/link',
  'users/create-at-sign-in',
  'team-members/follow-groups',
  'team-access/expire',
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
  'state-versions/fail',
  'policy-sets/upload',
  'policy-sets/report',
  'policy-sets/fetch',
  'policy-sets/fail',
  'policy-sets/discard',
  'state-versions/delete-data',
  'policy-outcomes/report',
  'policy-trials/claim',
  'policy-trials/report',
  'policy-trials/end',
  'task-results/call',
  'task-results/report',
  'task-results/time-out',
  'notifications/give-up',
] as const;

export type AuditAction = Action | (typeof actionsOutsidePolicy)[number];

/** The identity that acted. API callers and agents have an id and the id of their token or session. */
export interface AuditActor {
  readonly kind: Actor['kind'] | 'agent' | 'run-task' | 'upload-url' | 'forge' | 'system' | 'nobody';
  /** For an agent, the id of its pool; for a run task, its id. */
  readonly id: string | null;
  readonly tokenId: TokenId | SessionId | null;
}

/** Lists of ids, keyed by their type. */
export type AuditDetail = Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;

/** A change, or a refused attempt at one. */
export interface NewAuditEvent {
  readonly actor: AuditActor;
  readonly action: AuditAction;
  /** The id of the changed or created resource; for a refusal, the id in the request path. Null if there is none. */
  readonly subject: string | null;
  readonly outcome: 'done' | DomainErrorCode;
  /** Greater than one only for refusals, which are aggregated. */
  readonly count: number;
  /** Further details by name; null if there are none. Never a secret. */
  readonly detail: AuditDetail | null;
  /** The name of the subject, where the change itself may remove it. Otherwise it is looked up. Never that of a person. */
  readonly subjectName?: string | undefined;
  /** A person's reason for an override. */
  readonly comment?: string | null;
  /** Null without a request. For aggregated events, the first request. */
  readonly request: RequestTrace | null;
}

/**
 * Names as they were when the event was recorded. The username of a person is null for an invited one; once the user was
 * deleted with their name, it is `deletedUser`.
 */
export interface AuditNames {
  readonly actor: string | null;
  readonly subject: string | null;
  readonly workspace: string | null;
}

export const deletedUser = 'deleted user';

export interface AuditEvent extends Omit<NewAuditEvent, 'subjectName' | 'comment'> {
  readonly names: AuditNames;
  /** The workspace that the event concerns; null for others, and for those that were recorded without it. */
  readonly workspaceId: WorkspaceId | null;
  readonly comment: string | null;
  /** Sorts by time. */
  readonly id: string;
  readonly at: Instant;
  /** Null for an event of the site. */
  readonly organizationId: OrganizationId | null;
}

const digitsOf = (at: Instant): string => at.replaceAll(/\D/g, '');

/** Below every id of an event at this instant or later, and above every earlier one. */
export const auditIdsFrom = (at: Instant): string => `ae-${digitsOf(at)}`;

/** `chance` distinguishes events of the same millisecond and orders them. */
export const auditEventId = (at: Instant, chance: string): string => `${auditIdsFrom(at)}-${chance}`;

const done = { outcome: 'done', count: 1, detail: null } as const;

/**
 * The event without what only the members of its organization may see: names of teams, which may be secret, and comments.
 */
export const withoutConfidences = (event: AuditEvent): AuditEvent => {
  const { actor, names, subject } = event;
  const isTeam = subject !== null && isIdOf('team', subject);
  const shown = { ...names, ...(actor.kind === 'team' && { actor: null }), ...(isTeam && { subject: null }) };
  return { ...event, names: shown, comment: null };
};

/** The caller as recorded in the audit trail. */
export const auditActorOf = (actor: Actor): AuditActor => ({ ...identityOf(actor), tokenId: actor.tokenId });

const system: AuditActor = { kind: 'system', id: null, tokenId: null };

/** A caller with an invalid token. */
export const unknownActor: AuditActor = { kind: 'nobody', id: null, tokenId: null };

/** An action of an API caller. */
export const doneBy = (
  actor: Actor,
  action: AuditAction,
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

/** An action of the service. */
export const doneBySystem = (action: AuditAction, subject: string): NewAuditEvent => ({
  ...done,
  actor: system,
  action,
  subject,
  request: null,
});

/** A refused action of the service. */
export const refusedToSystem = (action: AuditAction, subject: string, outcome: DomainErrorCode): NewAuditEvent => ({
  ...doneBySystem(action, subject),
  outcome,
});

/** An action of the service that was refused because its creator had lost the right to it. */
export const refusedToCreator = (creator: TokenOwner | null, action: Action, subject: string): NewAuditEvent => ({
  ...refusedToSystem(action, subject, 'resource/not-found'),
  ...(creator && { actor: { ...creator, tokenId: null } }),
});

/** The event with reasons, as sentences. */
export const because = (event: NewAuditEvent, ...reasons: readonly string[]): NewAuditEvent => ({
  ...event,
  detail: { ...event.detail, reasons: reasons.map((text) => ({ text })) },
});

export const agentActorOf = ({ poolId, tokenId }: { readonly poolId: AgentPoolId; readonly tokenId: TokenId }) =>
  ({ kind: 'agent', id: poolId, tokenId }) as const satisfies AuditActor;

/** An action of an agent. */
export const doneByAgent = (
  agent: Parameters<typeof agentActorOf>[0] & { readonly request?: RequestTrace },
  action: AuditAction,
  subject: string,
): NewAuditEvent => ({ ...done, actor: agentActorOf(agent), action, subject, request: agent.request ?? null });

/** An action of the holder of an upload URL or of a forge, neither of which has a known identity. */
export const doneFromOutside = (
  kind: 'upload-url' | 'forge',
  action: AuditAction,
  subject: string | null,
  request: RequestTrace | undefined,
): NewAuditEvent => ({
  ...done,
  actor: { kind, id: null, tokenId: null },
  action,
  subject,
  request: request ?? null,
});

export const runTaskActorOf = (taskId: RunTaskId | null): AuditActor => ({
  kind: 'run-task',
  id: taskId,
  tokenId: null,
});

/** An action of a run task with a callback token. */
export const doneByRunTask = (
  taskId: RunTaskId,
  action: AuditAction,
  subject: string,
  request: RequestTrace | undefined,
): NewAuditEvent => ({ ...done, actor: runTaskActorOf(taskId), action, subject, request: request ?? null });
