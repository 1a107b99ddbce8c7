import { actingFor } from '../../../domain/authorization/actor.js';
import { type Action, type Actor, may, type Seen, type TokenOwner } from '../../../domain/index.js';

/**
 * What `find` finds for the user or team that created something, with the standing it has now. Undefined when nobody
 * knows who that was. For capability URLs and effects, which act later on a right that was asked for once.
 */
export async function seenByCreator<Subject>(
  creator: TokenOwner | null,
  find: (actor: Actor) => Promise<Seen<Subject> | undefined>,
): Promise<Seen<Subject> | undefined> {
  const actor = creator && actingFor(creator);
  return actor ? find(actor) : undefined;
}

/** Deleted and suspended creators, and those who left the organization, have no standing, and so may do nothing. */
export const stillMay = <Subject>(seen: Seen<Subject> | undefined, action: Action): seen is Seen<Subject> =>
  seen !== undefined && may(seen.standing, action);
