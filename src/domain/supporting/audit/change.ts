import { type Actor, standingOnSite } from '../../authorization/actor.js';
import { type Action, authorizedView, type WithStanding } from '../../authorization/policy.js';
import { type AuditDetail, doneBy, type NewAuditEvent } from './audit-event.js';

/** A subject that the caller may change. */
export interface Change<Subject> extends WithStanding<Subject> {
  /** The event that records the change. `id` is that of the changed or created resource. */
  readonly done: (id: string, detail?: AuditDetail | null) => NewAuditEvent;
}

/** Like `authorizedView`, or `see`, for a change: the action that the caller needs is the one that is recorded. */
export const changing = <Subject>(
  actor: Actor,
  seen: WithStanding<Subject> | undefined,
  action: Action,
  see: typeof authorizedView = authorizedView,
): Change<Subject> => ({
  ...see(seen, action),
  done: (id, detail) => ({ ...doneBy(actor, action, id, detail), subjectName: nameOf(seen?.subject, id) }),
});

/** The name of the subject, if `id` is its id. */
function nameOf(subject: unknown, id: string): string | undefined {
  const named = subject as { readonly id?: unknown; readonly name?: unknown } | null | undefined;
  return named?.id === id && typeof named.name === 'string' ? named.name : undefined;
}

/** The same outside any organization. `own` is true if the subject is the caller's own. */
export const changingSite = (actor: Actor, action: Action, own = false): Change<Actor> =>
  changing(actor, { subject: actor, standing: standingOnSite(actor, own) }, action);
