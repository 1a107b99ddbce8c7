import { actingFor } from '../../domain/authorization/actor.js';
import { type Action, type Actor, may, type RunState, type TokenOwner, type WithStanding } from '../../domain/index.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';

/**
 * The result of `find` for the user or team that created a resource, with its current standing. Undefined if the
 * creator is unknown. For capability URLs and effects, which act later on a right checked once.
 */
export async function findForCreator<Subject>(
  creator: TokenOwner | null,
  find: (actor: Actor) => Promise<WithStanding<Subject> | undefined>,
): Promise<WithStanding<Subject> | undefined> {
  const actor = creator && actingFor(creator);
  return actor ? find(actor) : undefined;
}

/** Deleted or suspended creators, and those who left the organization, have no standing, and therefore no rights. */
export const stillMay = <Subject>(
  seen: WithStanding<Subject> | undefined,
  action: Action,
): seen is WithStanding<Subject> => seen !== undefined && may(seen.standing, action);

/** The workspace of a version or a run, with the standing of its creator. */
export const findWorkspaceForCreator = (
  tx: Transaction<'workspaces'>,
  { createdBy, workspaceId }: Pick<RunState, 'createdBy' | 'workspaceId'>,
) => findForCreator(createdBy, (actor) => tx.workspaces.findIdFor(actor, workspaceId));
