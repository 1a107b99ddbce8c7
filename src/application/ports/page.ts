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
