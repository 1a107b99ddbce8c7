import { limits } from '../../routing/limits.js';

/** How a request proved whom it comes from: by nothing, by a valid token, or by a token and the lease of a run. */
export type Standing = 'unknown' | 'known' | 'leased';

/** The caller whose share of the memory a request counts against. */
export interface Holder {
  readonly key: string;
  readonly standing: Standing;
}

/** The share that has no room. */
export type Shortage = 'caller' | 'unauthenticated' | 'whole';

export class NoRoom extends Error {
  override readonly name = 'NoRoom';

  constructor(readonly shortage: Shortage) {
    super(`no memory: ${shortage}`);
  }
}

interface Group {
  readonly of: readonly Standing[];
  /** As a part of the whole. */
  readonly part: number;
  readonly shortage: Shortage;
}

const unknowns: Group = { of: ['unknown'], part: 1 / 8, shortage: 'unauthenticated' };
/** The rest is kept for requests under a lease. */
const withoutLease: Group = { of: ['unknown', 'known'], part: 3 / 4, shortage: 'whole' };
const everyone: Group = { of: ['unknown', 'known', 'leased'], part: 1, shortage: 'whole' };

/** The parts of the whole that one holder may have, and the groups that it shares parts with. */
const shares: Readonly<Record<Standing, { readonly own: number; readonly groups: readonly Group[] }>> = {
  unknown: { own: 1 / 32, groups: [unknowns, withoutLease, everyone] },
  known: { own: 1 / 8, groups: [withoutLease, everyone] },
  leased: { own: 1 / 8, groups: [everyone] },
};

/** A response that a client has not read for this long, in milliseconds, gives way when memory is short. */
const unreadFor = 1_000;

/** Memory that one request and its response take. */
export class Reservation {
  bytes = 0;

  constructor(
    private readonly budget: MemoryBudget,
    readonly holder: Holder,
  ) {}

  /** Throws `NoRoom`. */
  grow(bytes: number): void {
    this.budget.take(this, bytes);
  }

  shrink(bytes: number): void {
    this.budget.giveBack(this, bytes);
  }

  /** Its response waits for the client from now on. `cut` must end the response. */
  waits(cut: () => void): void {
    this.budget.waiting.set(this, { since: this.budget.now(), cut });
  }

  /** The client has read the response, or the part that was written. */
  isRead(): void {
    this.budget.waiting.delete(this);
  }

  release(): void {
    this.isRead();
    this.shrink(this.bytes);
  }
}

/**
 * The memory for request bodies and for responses that clients have not read. Grants or refuses at once. A response that
 * its client does not read gives way first.
 */
export class MemoryBudget {
  /** Oldest first. */
  readonly waiting = new Map<Reservation, { readonly since: number; readonly cut: () => void }>();
  private readonly byKey = new Map<string, number>();
  private readonly byStanding: Record<Standing, number> = { unknown: 0, known: 0, leased: 0 };
  private parsing = 0;

  /** `now` is in milliseconds and monotonic. */
  constructor(
    private readonly whole: number = limits.memory.max,
    readonly now = () => performance.now(),
  ) {}

  /** In bytes, with the memory of the parser. */
  get reserved(): number {
    return this.heldBy(everyone) + this.parsing;
  }

  /** Holds nothing until it grows. */
  reservation(holder: Holder): Reservation {
    return new Reservation(this, holder);
  }

  take(reservation: Reservation, bytes: number): void {
    const { holder } = reservation;
    while (bytes > 0) {
      const shortage = this.shortageFor(holder, bytes);
      if (shortage === undefined) break;
      if (!this.cutUnread(holder, shortage, reservation)) throw new NoRoom(shortage);
    }
    this.add(reservation, bytes);
  }

  giveBack(reservation: Reservation, bytes: number): void {
    this.add(reservation, -bytes);
  }

  /** Counts the memory of the one parser, which has a place of its own. */
  parserHolds(bytes: number): void {
    this.parsing = bytes;
  }

  private add(reservation: Reservation, bytes: number): void {
    const { key, standing } = reservation.holder;
    const held = (this.byKey.get(key) ?? 0) + bytes;
    if (held === 0) this.byKey.delete(key);
    else this.byKey.set(key, held);
    this.byStanding[standing] += bytes;
    reservation.bytes += bytes;
  }

  private heldBy({ of }: Group): number {
    let held = 0;
    for (const standing of of) held += this.byStanding[standing];
    return held;
  }

  private shortageFor({ key, standing }: Holder, bytes: number): Shortage | undefined {
    const { own, groups } = shares[standing];
    const held = this.byKey.get(key) ?? 0;
    // A holder of nothing may exceed its own share with one body.
    if (held > 0 && held + bytes > own * this.whole) return 'caller';
    return groups.find((group) => this.heldBy(group) + bytes > group.part * this.whole)?.shortage;
  }

  /** Cuts the response that has waited longest for its client, where that gives memory to `holder`. */
  private cutUnread({ key }: Holder, shortage: Shortage, own: Reservation): boolean {
    const before = this.now() - unreadFor;
    for (const [reservation, { since, cut }] of this.waiting) {
      if (since > before) return false;
      const { holder, bytes } = reservation;
      const helps = { caller: holder.key === key, unauthenticated: holder.standing === 'unknown', whole: true };
      if (!helps[shortage] || bytes === 0 || reservation === own) continue;
      reservation.release();
      cut();
      return true;
    }
    return false;
  }
}
