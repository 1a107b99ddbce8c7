import { type AtFault, DomainError } from './domain-error.js';

/**
 * How many workspaces, projects or policies a set may name, and workspaces a run task: every answer with it holds all of
 * them.
 */
export const maxAttached = 5_000;

/** The ids in order. Throws `attribute/invalid`, at `where`, if they are more than a set may name. */
export function attached<Id extends string>(ids: readonly Id[], where: AtFault): readonly Id[] {
  if (ids.length > maxAttached) {
    const most = maxAttached.toLocaleString('en');
    throw new DomainError('attribute/invalid', `A set can name at most ${most} of them: name projects or tags`, where);
  }
  return [...ids].sort();
}
