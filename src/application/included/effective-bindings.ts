import type { TagBindingOwner } from '../../domain/index.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';
import { type Related, related } from './related.js';

/** To include with workspaces or projects that the caller may read. */
export const effectiveBindings = async (
  tx: Transaction<'tagBindings'>,
  kind: TagBindingOwner['kind'],
  ids: readonly TagBindingOwner['id'][],
): Promise<readonly Related[]> => (await tx.tagBindings.effectiveOf(kind, ids)).map(related('effective-tag-binding'));
