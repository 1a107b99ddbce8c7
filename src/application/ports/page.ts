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

/** Rows that follow each other in a list. A list is read whole from place to place: each row that stays is there once. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  /** The place of the last one; undefined when nothing comes after it. */
  readonly last: Place | undefined;
}
