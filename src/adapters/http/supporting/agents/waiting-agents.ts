import { setTimeout as pause } from 'node:timers/promises';
import type { AgentPoolId } from '../../../../domain/index.js';

/** Those of a pool, the longest waiting first. */
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
 * Agents that wait at this instance. One look for each pool serves all that wait for its runs, however many, and wakes
 * one of them.
 */
export class WaitingAgents {
  private readonly rooms = new Map<AgentPoolId, Room>();

  constructor(
    /** In milliseconds. */
    private readonly betweenLooks = 500,
  ) {}

  /**
   * Resolves when there may be a run for the agent, when the time in milliseconds is over, or when `ended` is aborted.
   * `look` says whether there is a run for any agent of the pool.
   */
  async wait(poolId: AgentPoolId, look: () => Promise<boolean>, time: number, ended: AbortSignal): Promise<void> {
    const over = new AbortController();
    const leave = this.roomOf(poolId, look).enter(() => over.abort());
    try {
      await pause(time, undefined, { signal: AbortSignal.any([ended, over.signal]) }).catch(() => undefined);
    } finally {
      leave();
    }
  }

  /** Has the next agent of the pool look at once: often several runs come together. */
  claimed(poolId: AgentPoolId): void {
    this.rooms.get(poolId)?.lookAtOnce();
  }

  private roomOf(poolId: AgentPoolId, look: () => Promise<boolean>): Room {
    const present = this.rooms.get(poolId);
    if (present !== undefined) return present;
    const room = new Room(look, this.betweenLooks, () => this.rooms.delete(poolId));
    this.rooms.set(poolId, room);
    // Begins once the agent that opens it has entered.
    queueMicrotask(() => room.looks());
    return room;
  }
}
