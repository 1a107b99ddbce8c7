import type { ConfigurationVersion, OrderedEffect } from '../../domain/index.js';
import type { Transaction } from '../ports/unit-of-work.js';

/**
 * Hands what a transition ordered to the outbox, in the order of the version's transitions. A purge waits for days, and
 * nothing else behind it.
 */
export async function orderEffects(
  tx: Transaction,
  { state }: ConfigurationVersion,
  effects: readonly OrderedEffect[],
): Promise<void> {
  const isPurge = ({ kind }: OrderedEffect) => kind === 'purge-backing-data';
  await tx.effects.enqueue(
    state.id,
    effects.filter((effect) => !isPurge(effect)),
  );
  await tx.effects.enqueue(`purge ${state.id}`, effects.filter(isPurge), state.purgeAt ?? undefined);
}
