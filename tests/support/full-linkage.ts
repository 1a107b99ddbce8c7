interface Identifier {
  readonly type: string;
  readonly id: string;
}

interface Resource extends Identifier {
  readonly relationships?: Readonly<Record<string, { readonly data?: Identifier | readonly Identifier[] | null }>>;
}

const keyOf = ({ type, id }: Identifier): string => `${type} ${id}`;

/**
 * The included resources, by type and id, to which no relationship with `data` leads from the primary data. Clients find
 * included resources by these relationships alone ("full linkage" in JSON:API), and take the others for none.
 */
export function unlinkedIn(document: unknown): readonly string[] {
  const { data, included } = document as {
    readonly data?: Resource | readonly Resource[] | null;
    readonly included?: readonly Resource[];
  };
  if (included === undefined) return [];
  const unreached = new Map(included.map((resource) => [keyOf(resource), resource]));
  const reached: Resource[] = [data ?? []].flat();
  for (const { relationships = {} } of reached) {
    for (const identifier of Object.values(relationships).flatMap((one) => one.data ?? [])) {
      const next = unreached.get(keyOf(identifier));
      if (next !== undefined) reached.push(next);
      unreached.delete(keyOf(identifier));
    }
  }
  return [...unreached.keys()];
}
