import type { BundleKey } from '../../domain/index.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';

/** Orders the removal of bundles that no row refers to any more. */
export async function discard(tx: Transaction<'effects'>, keys: readonly BundleKey[]): Promise<void> {
  await tx.effects.enqueueEach(
    keys.map((bundleKey) => ({ subject: bundleKey, effect: { kind: 'discard-bundle', bundleKey } })),
  );
}
