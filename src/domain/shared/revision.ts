/** State that is saved only on top of the revision that was read; a save based on an older one is refused. */
export interface Revised {
  readonly revision: number;
}

/** The state after a change. Nothing else increments a revision. */
export const revised = <State extends Revised>(
  current: State,
  change: Partial<Omit<State, 'revision'>> = {},
): State => ({ ...current, ...change, revision: current.revision + 1 });
