import type { Related, RelatedKind, ViewOf } from '../../../application/index.js';
import type { Resource } from './document.js';
import type { ResourceSchema, Resources } from './resource-schema.js';
import type { Neighbour } from './route.js';

/** How each kind of resource is included: areas must not import each other in a circle. */
export type Neighbours = { readonly [Kind in RelatedKind]: Neighbour<ViewOf<Kind>> };

/** For the description of the API. */
export const schemasOf =
  (neighbours: Neighbours, ...kinds: readonly [RelatedKind, ...RelatedKind[]]) =>
  (): Resources =>
    kinds.map((kind) => neighbours[kind].schema()) as readonly ResourceSchema[] as Resources;

const presentOne = <Kind extends RelatedKind>(
  neighbours: Neighbours,
  { kind, view }: { readonly kind: Kind; readonly view: ViewOf<Kind> },
): Resource => neighbours[kind].present(view);

/** Each resource once, however many refer to it. */
export function presentRelated(neighbours: Neighbours, related: readonly Related[]): readonly Resource[] {
  const presented = related.map((one) => presentOne(neighbours, one as never));
  return [...new Map(presented.map((resource) => [`${resource.type} ${resource.id}`, resource])).values()];
}
