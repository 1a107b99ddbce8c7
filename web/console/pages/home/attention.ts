import type { Schemas } from '../../api/client.ts';

type Attributes = Schemas['client.Attention']['attributes'];

export type Kind = keyof Attributes;

/** An item of one of the lists, with the organization that it is in. */
export type Item<K extends Kind> = Attributes[K]['items'][number] & { readonly organization: string };

export interface Listed<K extends Kind> {
  readonly items: readonly Item<K>[];
  /** Undefined if all of them are in `items`; otherwise their number, which may be a minimum. */
  readonly total: string | undefined;
}

/** The same list of several organizations as one. A token that is in each of them comes once. */
export function listed<K extends Kind>(
  attentions: readonly Schemas['client.Attention'][],
  kind: K,
  order: (one: Item<K>, other: Item<K>) => number,
): Listed<K> {
  const lists = attentions.map(({ id, attributes }) => ({ organization: id, ...attributes[kind] }));
  const byId = new Map<string, Item<K>>();
  for (const { organization, items } of lists) {
    for (const item of items) byId.set(item.id, { ...item, organization } as Item<K>);
  }
  const total = lists.reduce((sum, list) => sum + list['total-count'], 0);
  const isComplete = lists.every(({ complete }) => complete);
  const shown = lists.reduce((sum, { items }) => sum + items.length, 0);
  return {
    items: [...byId.values()].sort(order),
    total: isComplete && total === shown ? undefined : isComplete ? String(total) : `${total} or more`,
  };
}

/** Instants compare as texts. */
export const earlierFirst = (one: string, other: string): number => (one < other ? -1 : 1);
