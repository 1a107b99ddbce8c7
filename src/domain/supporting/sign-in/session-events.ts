import type { Actor } from '../../authorization/actor.js';
import { type AuditDetail, doneBy, type NewAuditEvent } from '../audit/audit-event.js';
import type { EndedSession } from './session.js';

/** The token that the session was made from. */
const tokenOf = ({ tokenId }: EndedSession): AuditDetail | null =>
  tokenId === null ? null : { 'authentication-tokens': [{ id: tokenId }] };

export const sessionStarted = (actor: Actor, session: EndedSession): NewAuditEvent =>
  doneBy(actor, 'sessions/start', session.id, tokenOf(session));

export const sessionEnded = (actor: Actor, session: EndedSession): NewAuditEvent =>
  doneBy(actor, 'sessions/end', session.id, tokenOf(session));

/** The ends of those that were made from tokens: of the others, the change that ends them is recorded. */
export const tokenSessionsEnded = (actor: Actor, ended: readonly EndedSession[]): readonly NewAuditEvent[] =>
  ended.filter(({ tokenId }) => tokenId !== null).map((session) => sessionEnded(actor, session));
