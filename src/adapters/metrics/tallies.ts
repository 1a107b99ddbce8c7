/*
 * Numbers that are changed on the way of every request, and seldom read. The client library finds a number by its labels,
 * made into text, each time it is changed, and takes ten times as long.
 */

export type Labels = Readonly<Record<string, string>>;

/** One line of a metric. */
export interface Sample {
  /** Where it is not the metric's. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric as it is read. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  samples(): readonly Sample[];
}

interface Description<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
}

/** The members of a metric, each with its labels, made when first asked for. */
class Members<Member> {
  private readonly members = new Map<string, { readonly labels: Labels; readonly member: Member }>();

  constructor(
    private readonly labelNames: readonly string[],
    private readonly make: () => Member,
  ) {}

  of(values: readonly string[]): Member {
    const key = values.join('\0');
    let known = this.members.get(key);
    if (known === undefined) {
      const labels = Object.fromEntries(this.labelNames.map((name, place) => [name, values[place] ?? '']));
      known = { labels, member: this.make() };
      this.members.set(key, known);
    }
    return known.member;
  }

  all(): Iterable<{ readonly labels: Labels; readonly member: Member }> {
    return this.members.values();
  }
}

export interface Count {
  value: number;
}

/** A counter, or a gauge of what is going on now. */
export class Counts<Label extends string = never> implements Metric {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  private readonly members: Members<Count>;

  constructor(
    readonly type: 'counter' | 'gauge',
    { name, help, labelNames }: Description<Label>,
  ) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    this.members = new Members(labelNames, () => ({ value: 0 }));
  }

  /** By label values, in the order of their names; 0 from then on. To be kept by whoever changes it often. */
  of(...values: string[]): Count {
    return this.members.of(values);
  }

  samples(): readonly Sample[] {
    return Array.from(this.members.all(), ({ labels, member }) => ({ labels, value: member.value }));
  }
}

/** In seconds. From a row read by its id to an upload over a bad line. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60] as const;

/** How long something took, again and again. */
export class Duration {
  /** By bound; the last took longer than any. */
  readonly counts: number[] = Array.from({ length: bounds.length + 1 }, () => 0);
  sum = 0;

  observe(seconds: number): void {
    let place = 0;
    while (place < bounds.length && seconds > (bounds[place] as number)) place += 1;
    this.counts[place] = (this.counts[place] as number) + 1;
    this.sum += seconds;
  }
}

export class Durations<Label extends string = never> implements Metric {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  private readonly members: Members<Duration>;

  constructor({ name, help, labelNames }: Description<Label>) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    this.members = new Members(labelNames, () => new Duration());
  }

  /** As of `Counts`. */
  of(...values: string[]): Duration {
    return this.members.of(values);
  }

  samples(): readonly Sample[] {
    return Array.from(this.members.all(), ({ labels, member }) => this.samplesOf(labels, member)).flat();
  }

  private samplesOf(labels: Labels, { counts, sum }: Duration): readonly Sample[] {
    let count = 0;
    const buckets = counts.map((more, place) => {
      count += more;
      return { metricName: `${this.name}_bucket`, labels: { ...labels, le: bounds[place] ?? '+Inf' }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}

/** A gauge that is looked up when it is read; without a line where there is nothing to tell. */
export class Reading<Label extends string = never> implements Metric {
  readonly type = 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];

  constructor(
    { name, help, labelNames }: Description<Label>,
    readonly samples: () => readonly (Sample & { readonly labels: Readonly<Record<Label, string>> })[],
  ) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
  }
}
