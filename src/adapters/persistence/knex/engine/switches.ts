/** Until every switch is set. In milliseconds. */
const usualInterval = 5_000;

/**
 * Which fills are complete, as this process knows it. Each is read from the database before the first unit of work, and again every
 * few seconds until it is set. A process that learns of one late uses the old query for longer, which is always right.
 */
export class Switches {
  private readonly unset: Set<string>;
  private first = true;
  private nextReading = 0;
  private reading: Promise<void> | undefined;

  constructor(
    names: readonly string[],
    /** Returns the names of those that are set. */
    private readonly read: () => Promise<readonly string[]>,
    private readonly interval = usualInterval,
  ) {
    this.unset = new Set(names);
  }

  /** Whether the fill is complete. */
  readonly has = (name: string): boolean => !this.unset.has(name);

  /** Reads them if it is time; the first reading has to be awaited. */
  due(): Promise<void> | undefined {
    if (this.unset.size === 0) return undefined;
    if (this.reading === undefined && performance.now() >= this.nextReading) this.reading = this.refresh();
    return this.first ? this.reading : undefined;
  }

  /** Resolves once nothing is being read. */
  async settled(): Promise<void> {
    await this.reading;
  }

  private async refresh(): Promise<void> {
    try {
      for (const name of await this.read()) this.unset.delete(name);
      this.first = false;
    } catch {
      // The next unit of work reports a database that does not respond.
    }
    this.nextReading = performance.now() + this.interval;
    this.reading = undefined;
  }
}
