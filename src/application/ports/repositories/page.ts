/** The requested part of a list. Numbers start at 1. */
export interface PageRequest {
  readonly number: number;
  readonly size: number;
}

interface PageItems<Item> extends PageRequest {
  readonly items: readonly Item[];
  /** The number of the newest rows that a search looked at; undefined if it looked at all. */
  readonly searched?: number;
}

/** Past the end, `items` is empty and `total` is still correct. */
export interface Page<Item> extends PageItems<Item> {
  readonly total: number;
}

/** Part of a list that grows for as long as the service is used: to count it would take longer every day. */
export interface UncountedPage<Item> extends PageItems<Item> {
  /** Whether the next page has items. */
  readonly more: boolean;
}

/** A page of a list that is in memory. */
export const pageOfAll = <Item>(all: readonly Item[], page: PageRequest): Page<Item> => {
  const start = (page.number - 1) * page.size;
  return { ...page, total: all.length, items: all.slice(start, start + page.size) };
};

/** The most rows that a search for a part of a text looks at, since no index finds one. */
export const newestSearched = 10_000;

/** The position of a row in a list: its sort key, and a tie-breaker. */
export interface Place {
  readonly name: string;
  readonly tie: string;
}

/** A memory limit: the number of rows, and the total characters of more than one row. */
export interface SliceSize {
  readonly rows: number;
  readonly characters: number;
}

/** The first rows within the limit; at least one. */
export function fitting<Row extends { readonly size: number }>(rows: readonly Row[], max: SliceSize): readonly Row[] {
  let characters = 0;
  const end = rows.slice(0, max.rows).findIndex(({ size }, index) => {
    characters += size;
    return index > 0 && characters > max.characters;
  });
  return rows.slice(0, end === -1 ? max.rows : end);
}

/** All rows, in parts within the limit. */
export function* partsWithin<Row extends { readonly size: number }>(
  rows: readonly Row[],
  max: SliceSize,
): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; ) {
    const part = fitting(rows.slice(from, from + max.rows), max);
    yield part;
    from += part.length;
  }
}

/** Consecutive rows of a list. Reading a list slice by slice returns each row that stays exactly once. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  /** The place of the last row; undefined at the end. */
  readonly last: Place | undefined;
}
