import { type Actor, type AutoDestroy, type Instant, identityOf, may, type Standing } from '../../../domain/index.js';
import { invalidAttribute } from '../../../domain/shared/domain-error.js';

/**
 * The scheduled destruction after a change; undefined keeps it. Throws `attribute/invalid` for a caller who may not apply
 * runs, in whose name the destroy run will be created.
 */
export function chosenAutoDestroy(
  actor: Actor,
  standing: Standing,
  current: AutoDestroy | null,
  at: Instant | null | undefined,
): AutoDestroy | null {
  if (at === undefined || at === current?.at) return current;
  if (at === null) return null;
  if (!may(standing, 'runs/apply')) {
    throw invalidAttribute('autoDestroyAt', 'Auto destroy at requires permission to apply runs');
  }
  return { at, by: identityOf(actor) };
}
