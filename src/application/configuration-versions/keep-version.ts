import type { Fired, OrderedEffect } from '../../domain/index.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';

/**
 * Saves a version after a transition and enqueues the transition's effects, in the order of the version's transitions.
 * A purge is scheduled days ahead, and no other effect waits behind it. Throws `shared/stale-revision`.
 */
export async function keepVersion(
  tx: Transaction<'configurationVersions' | 'effects'>,
  { next, effects }: Fired,
): Promise<void> {
  const { id, purgeAt } = next.state;
  const isPurge = ({ kind }: OrderedEffect) => kind === 'purge-backing-data';
  await tx.configurationVersions.save(next);
  await tx.effects.enqueue(
    id,
    effects.filter((effect) => !isPurge(effect)),
  );
  await tx.effects.enqueue(`purge ${id}`, effects.filter(isPurge), purgeAt ?? undefined);
}
