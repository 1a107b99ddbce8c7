/** Has what bears the same name done one after the other, in the order in which it was asked for. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.last.get(name) ?? Promise.resolve();
    const mine = before.then(task, task);
    this.last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(name) === mine) this.last.delete(name);
    }
  }
}
