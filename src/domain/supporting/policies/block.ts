/** A value of an attribute. */
export type BlockValue =
  | string
  | number
  | boolean
  | null
  | readonly BlockValue[]
  | { readonly [name: string]: BlockValue };

/** A block such as `policy "name" { … }`. */
export interface Block {
  readonly type: string;
  readonly labels: readonly string[];
  readonly attributes: ReadonlyMap<string, BlockValue>;
  readonly blocks: readonly Block[];
  readonly line: number;
}

/** A fault in the text, with the number of its line. */
export class BlockFault extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}
