import { type Action, type Actor, notFound, type UserId } from '../../../domain/index.js';
import { type Change, changingSite } from '../../../domain/supporting/audit/change.js';

/** The user who asks. Throws `resource/not-found` for other callers. */
export function ownUser(actor: Actor, action: Action): Pick<Change<unknown>, 'done'> & { readonly userId: UserId } {
  const { done } = changingSite(actor, action, actor.kind === 'user');
  if (actor.kind !== 'user') throw notFound();
  return { userId: actor.userId, done };
}
