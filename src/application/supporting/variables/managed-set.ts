import { type Actor, managing, notFound, type VariableSet, type VariableSetId } from '../../../domain/index.js';
import { type Change, changing } from '../../../domain/supporting/audit/change.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** Throws `resource/not-found` unless the caller may manage the set. */
export async function managedSet(
  tx: Transaction<'variableSets'>,
  actor: Actor,
  id: VariableSetId,
): Promise<Change<VariableSet>> {
  const seen = await tx.variableSets.findFor(actor, id);
  if (seen === undefined) throw notFound();
  return changing(actor, seen, managing(seen.subject));
}
