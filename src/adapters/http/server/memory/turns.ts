/** Gives one turn at a time, to the groups that wait in rotation, and within a group in the order of asking. */
export class Turns {
  /** The groups that wait, the next one first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private taken = false;

  /** Whether any of them waits. */
  get areWanted(): boolean {
    return this.waiting.size > 0;
  }

  /** Resolves with the function that ends the turn, which may be called more than once. */
  async take(group: string): Promise<() => void> {
    if (this.taken) {
      await new Promise<void>((begin) => {
        const queue = this.waiting.get(group);
        if (queue === undefined) this.waiting.set(group, [begin]);
        else queue.push(begin);
      });
    }
    this.taken = true;
    let ended = false;
    return () => {
      if (!ended) this.next();
      ended = true;
    };
  }

  private next(): void {
    const [first] = this.waiting;
    if (first === undefined) {
      this.taken = false;
      return;
    }
    const [group, queue] = first;
    const begin = queue.shift();
    this.waiting.delete(group);
    if (queue.length > 0) this.waiting.set(group, queue);
    begin?.();
  }
}
