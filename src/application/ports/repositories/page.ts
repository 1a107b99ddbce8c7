/** Which part of a list is asked for. Numbers start at 1. */
export interface PageRequest {
  readonly number: number;
  readonly size: number;
}

/** Past the end, `items` is empty and `total` still true. */
export interface Page<Item> extends PageRequest {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Where a row of a list stands: by what it is sorted, and what tells it from others that are sorted by the same. */
export interface Place {
  readonly name: string;
  readonly tie: string;
}

/** How much may be in memory at once: so many rows, of so many characters in all where more than one is taken. */
export interface SliceSize {
  readonly rows: number;
  readonly characters: number;
}

/** The first ones that are no more than that; of rows one at least. */
export function fitting<Row extends { readonly size: number }>(rows: readonly Row[], most: SliceSize): readonly Row[] {
  let characters = 0;
  const end = rows.slice(0, most.rows).findIndex(({ size }, index) => {
    characters += size;
    return index > 0 && characters > most.characters;
  });
  return rows.slice(0, end === -1 ? most.rows : end);
}

/** Rows that follow each other in a list. A list is read whole from place to place: each row that stays is there once. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  /** The place of the last one; undefined when nothing comes after it. */
  readonly last: Place | undefined;
}
