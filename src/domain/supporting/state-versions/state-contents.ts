/** A resource of a state; `count` is the number of its instances. */
export interface StateResource {
  readonly name: string;
  /** Begins with `data.` for one that is only read. */
  readonly type: string;
  /** The address of its module, or `root`. */
  readonly module: string;
  /** The address of its provider's configuration, as the state has it. */
  readonly provider: string;
  readonly count: number;
}

/** The parts of a state that are shown, apart from its outputs. */
export interface StateContents {
  /** The version of the program that wrote it; null if it does not say. */
  readonly terraformVersion: string | null;
  /** The number of instances that are managed, not only read. */
  readonly resourceCount: number;
  /** In the order of the state, within `maxResources`. */
  readonly resources: readonly StateResource[];
  /** A sentence for each reason for which parts of the state are not shown. */
  readonly warnings: readonly string[];
}

/** The limits of the stored resources of one state. Lengths are in characters. */
export const maxResources = {
  count: 1000,
  /** All names, types and addresses together, with `overhead` for each resource. */
  lengthInAll: 512 * 1024,
  overhead: 64,
} as const;
