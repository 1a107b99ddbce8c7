import { type Lane, lanes } from '../ports/repositories/effect-lanes.js';

/** The bounds of a claim: the organization that had the last turn, and those that get nothing. */
export interface Turn {
  readonly after: string;
  readonly except: readonly string[];
}

interface Held {
  readonly lane: Lane;
  readonly effects: readonly { readonly organizationId: string }[];
}

/**
 * The loops of this process that have something in hand, by lane. An organization that has a loop gets another one only
 * while more than the lane's reserve are free. The last ones so go to organizations that have none: whatever one of
 * them does, it cannot take all.
 */
export class HeldLoops {
  private readonly held = new Set<Held>();
  private readonly last = new Map<Lane, string>();
  private readonly claiming = new Map<Lane, Promise<unknown>>();

  /** Claims of a lane are made one after the other, so that each knows what the others took. */
  inTurn<Claimed extends Held & { readonly limit: number }>(
    lane: Lane,
    claim: (turn: Turn) => Promise<Claimed>,
  ): Promise<Claimed> {
    const turn = async () => {
      const claimed = await claim({ after: this.last.get(lane) ?? '', except: this.exceptIn(lane) });
      if (claimed.effects.length === 0) return claimed;
      this.held.add(claimed);
      this.last.set(lane, this.lastServed(claimed));
      return claimed;
    };
    const made = (this.claiming.get(lane) ?? Promise.resolve()).then(turn, turn);
    this.claiming.set(lane, made);
    return made;
  }

  release(held: Held): void {
    this.held.delete(held);
  }

  private exceptIn(lane: Lane): readonly string[] {
    const busy = [...this.held].filter((one) => one.lane === lane);
    if (lanes[lane].loops - busy.length > lanes[lane].reserve) return [];
    return [...new Set(busy.flatMap(({ effects }) => effects.map(({ organizationId }) => organizationId)))];
  }

  /** The first, where there was room for more: it got the rest of the batch, which is another's next time. */
  private lastServed({ lane, effects, limit }: Held & { readonly limit: number }): string {
    const before = this.last.get(lane) ?? '';
    const inTurn = [...new Set(effects.map(({ organizationId }) => organizationId))].sort(
      (a, b) => Number(a <= before) - Number(b <= before) || (a < b ? -1 : 1),
    );
    return (inTurn.length === limit ? inTurn.at(-1) : inTurn[0]) ?? before;
  }
}
