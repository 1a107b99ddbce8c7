/** One line of a metric. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A scrape, parsed by the rules of the text format. */
export class Scrape {
  constructor(
    readonly types: ReadonlyMap<string, string>,
    readonly series: readonly Series[],
  ) {}

  /** The samples that have at least these labels. */
  of(name: string, labels: Readonly<Record<string, string>> = {}): readonly Series[] {
    return this.series.filter(
      (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    );
  }

  /** The sum of their values; undefined without samples. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.of(name, labels);
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }
}

const metricName = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/;
const sampleLine = new RegExp(`^(${metricName})(?:\\{(${labelPair.source}(?:,${labelPair.source})*)\\})? (\\S+)$`);

const numberOf = (text: string): number => {
  if (/^[+-]Inf$/.test(text)) return text === '+Inf' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) throw new Error(`${text} is not a number`);
  return Number(text);
};

/** The metric that a line of this name belongs to. */
const familyOf = (name: string, types: ReadonlyMap<string, string>): string | undefined => {
  if (types.has(name)) return name;
  const [, base = '', part] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
  const type = types.get(base);
  return type === 'histogram' || (type === 'summary' && part !== 'bucket') ? base : undefined;
};

/** Throws on anything that Prometheus would refuse or its conventions forbid. */
export function parseExposition(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  const closed = new Set<string>();
  const series: Series[] = [];
  let current: string | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const comment = new RegExp(`^# (HELP|TYPE) (${metricName}) (.+)$`).exec(line);
    if (comment !== null) {
      const [, kind, name = '', rest = ''] = comment;
      if (kind === 'HELP') {
        if (helped.has(name)) throw new Error(`${name} is described twice`);
        helped.add(name);
      } else {
        if (types.has(name)) throw new Error(`${name} has two types`);
        if (!['counter', 'gauge', 'histogram', 'summary'].includes(rest)) throw new Error(`${rest} is not a type`);
        types.set(name, rest);
      }
      continue;
    }
    const [, name = '', pairs = '', ...more] = sampleLine.exec(line) ?? [];
    if (name === '') throw new Error(`this is not a sample: ${line}`);
    const family = familyOf(name, types);
    if (family === undefined || !helped.has(family)) throw new Error(`${name} is not described before`);
    if (family !== current) {
      if (closed.has(family)) throw new Error(`the lines of ${family} are not together`);
      if (current !== undefined) closed.add(current);
      current = family;
    }
    const labels: Record<string, string> = {};
    for (const [, label = '', value = ''] of pairs.matchAll(new RegExp(labelPair, 'g'))) {
      if (label in labels) throw new Error(`${label} is there twice: ${line}`);
      labels[label] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
    }
    const key = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(key)) throw new Error(`this is there twice: ${line}`);
    seen.add(key);
    series.push({ name, labels, value: numberOf(more.at(-1) ?? '') });
  }
  checkConventions(types, series);
  return new Scrape(types, series);
}

function checkConventions(types: ReadonlyMap<string, string>, series: readonly Series[]): void {
  for (const { name, value } of series) {
    const isCounter = types.get(name) === 'counter';
    if (isCounter && !name.endsWith('_total')) throw new Error(`the counter ${name} does not end with _total`);
    if (isCounter && !(value >= 0)) throw new Error(`the counter ${name} is ${value}`);
    // The client library has gauges of its own with such names.
    const ours = name.startsWith('gatehouse_');
    if (ours && !isCounter && name.endsWith('_total')) throw new Error(`${name} is not a counter`);
  }
  for (const [name, type] of types) {
    if (type === 'histogram') checkHistogram(name, series);
  }
}

function checkHistogram(name: string, series: readonly Series[]): void {
  const without = ({ le: _, ...labels }: Readonly<Record<string, string>>) =>
    JSON.stringify(Object.entries(labels).sort());
  const groups = Map.groupBy(
    series.filter((one) => [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(one.name)),
    ({ labels }) => without(labels),
  );
  for (const [labels, group] of groups) {
    const buckets = group.filter((one) => one.name.endsWith('_bucket'));
    const bounds = buckets.map(({ labels: { le = '' } }) => numberOf(le));
    const rising = (values: readonly number[]) =>
      values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0));
    const count = group.find((one) => one.name === `${name}_count`)?.value;
    const whole =
      bounds.at(-1) === Number.POSITIVE_INFINITY &&
      rising(bounds) &&
      rising(buckets.map(({ value }) => value)) &&
      buckets.at(-1)?.value === count &&
      group.some((one) => one.name === `${name}_sum`);
    if (!whole) throw new Error(`${name} ${labels} is not a histogram`);
  }
}
