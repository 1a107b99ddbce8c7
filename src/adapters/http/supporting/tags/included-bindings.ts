import { z } from 'zod';
import type { Related } from '../../../../application/index.js';
import type { EffectiveTagBinding, TagBindingOwner } from '../../../../domain/index.js';
import type { ResourceBuilder } from '../../routing/resource.js';
import { text } from '../../routing/resource-schema.js';

const type = 'effective-tag-bindings' as const;
const identifiers = z.array(z.strictObject({ id: text, type: z.literal(type) }));

export interface WithBindings {
  /** Those that are included. */
  readonly effectiveTagBindings?: readonly EffectiveTagBinding[];
}

/** Clients find the bindings of a workspace or project among all included ones by its relationship. */
export function withBindings<Shown extends { readonly subject: { readonly id: TagBindingOwner['id'] } }>(
  shown: Shown,
  beside: readonly Related[],
  include: ReadonlySet<string>,
): Shown & WithBindings {
  if (!include.has(type)) return shown;
  const bindings = beside.flatMap((one) => (one.kind === 'effective-tag-binding' ? one.view : []));
  return { ...shown, effectiveTagBindings: bindings.filter(({ appliesTo }) => appliesTo === shown.subject.id) };
}

/** The relationships of a workspace or project at this path to its bindings. */
export const bindingRelationships = (
  { attribute, optional, link }: ResourceBuilder,
  self: string,
  effectiveTagBindings: WithBindings['effectiveTagBindings'],
) => ({
  'tag-bindings': { links: { related: link(`${self}/tag-bindings`) } },
  [type]: {
    data: optional(
      effectiveTagBindings &&
        attribute(
          identifiers,
          effectiveTagBindings.map(({ id }) => ({ id, type })),
        ),
      'Absent unless they are included.',
    ),
    links: { related: link(`${self}/effective-tag-bindings`) },
  },
});
