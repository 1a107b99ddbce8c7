import { setTimeout as pause } from 'node:timers/promises';

/** Those who wait for the same, the longest waiting first. */
class Room {
  private readonly waiting = new Set<() => void>();
  private hurry = new AbortController();

  constructor(
    private readonly look: () => Promise<boolean>,
    private readonly betweenLooks: number,
    private readonly close: () => void,
  ) {}

  /** Returns what takes the agent away. */
  enter(wake: () => void): () => void {
    this.waiting.add(wake);
    return () => this.waiting.delete(wake);
  }

  lookAtOnce(): void {
    this.hurry.abort();
  }

  /** Looks until no agent waits. */
  async looks(): Promise<void> {
    while (this.waiting.size > 0) {
      await pause(this.betweenLooks, undefined, { signal: this.hurry.signal }).catch(() => undefined);
      this.hurry = new AbortController();
      // A look that fails is repeated by the agent that it wakes, whose request then has the reason.
      if (this.waiting.size > 0 && (await this.look().catch(() => true))) this.wakeOne();
    }
    // In the same turn, so that no agent enters a room without looks.
    this.close();
  }

  private wakeOne(): void {
    const [first] = this.waiting;
    first?.();
  }
}

/**
 * Agents that wait at this instance. One look serves all that wait for the same, however many, and wakes one of them.
 */
export class WaitingAgents {
  private readonly rooms = new Map<string, Room>();

  constructor(
    /** In milliseconds. */
    private readonly betweenLooks = 500,
  ) {}

  /**
   * Resolves when there may be work for the agent, when the time in milliseconds is over, or when `ended` is aborted.
   * `what` names what agents wait for: all that name the same may claim it. `look` says whether it is there.
   */
  async wait(what: string, look: () => Promise<boolean>, time: number, ended: AbortSignal): Promise<void> {
    const over = new AbortController();
    const leave = this.roomOf(what, look).enter(() => over.abort());
    try {
      await pause(time, undefined, { signal: AbortSignal.any([ended, over.signal]) }).catch(() => undefined);
    } finally {
      leave();
    }
  }

  /** Has the next agent look at once: often several runs come together. */
  claimed(what: string): void {
    this.rooms.get(what)?.lookAtOnce();
  }

  private roomOf(what: string, look: () => Promise<boolean>): Room {
    const present = this.rooms.get(what);
    if (present !== undefined) return present;
    const room = new Room(look, this.betweenLooks, () => this.rooms.delete(what));
    this.rooms.set(what, room);
    // Begins once the agent that opens it has entered.
    queueMicrotask(() => room.looks());
    return room;
  }
}
