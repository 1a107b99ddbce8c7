import {
  type Actor,
  authorized,
  managing,
  notFound,
  type VariableSet,
  type VariableSetId,
} from '../../../domain/index.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** Throws `resource/not-found` unless the caller may manage the set. */
export async function managedSet(
  tx: Transaction<'variableSets'>,
  actor: Actor,
  id: VariableSetId,
): Promise<VariableSet> {
  const seen = await tx.variableSets.findFor(actor, id);
  if (seen === undefined) throw notFound();
  return authorized(seen, managing(seen.subject));
}
