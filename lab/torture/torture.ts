import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { archiveOf } from '../../tests/support/archives.js';
import { check, type Violation } from './checker.js';
import { Client } from './client.js';
import { Cluster, type ClusterOptions, type Instance } from './cluster.js';
import { everywhere, type FaultName, faults, patientFaults, schedules, standbyFaults } from './faults.js';
import { HttpClient } from './http-client.js';
import { Journal, type Operation } from './journal.js';
import { finishRuns, live, lookAtAll, roles, unfinished } from './load.js';
import { Neighbours } from './neighbours.js';
import { Random } from './random.js';
import { setUp, sha256, type World } from './world.js';

export interface TortureOptions {
  readonly seed: number;
  /** The duration of faults and load. The checks afterwards take about as long, at most two minutes. */
  readonly seconds: number;
  /** Leaves out faults that are only noticed through timeouts, and does not wait for agents' leases to end. */
  readonly short: boolean;
  readonly print: (line: string) => void;
  /** Without faults: only the load, and the checks afterwards. */
  readonly calm?: boolean;
  /** Only this fault. */
  readonly only?: FaultName | undefined;
  readonly cluster?: ClusterOptions;
  /** The directory for journal, logs and findings, if there are findings. */
  readonly evidence: string;
}

export interface Tortured {
  /** Those of the load, by when they began in milliseconds. */
  readonly load: readonly Operation[];
  /** The errors that the instances logged. */
  readonly logged: readonly string[];
  readonly violations: readonly Violation[];
  readonly figures: Readonly<Record<string, unknown>>;
}

/** The maximum duration of a request in milliseconds: three attempts at a silent store, plus a margin. */
const bound = { short: 45_000, patient: 150_000 };
const restWithin = 240_000;
const recoveredWithin = 150_000;

/** Log lines that the faults explain: the database or the store is unreachable. */
const explained = /service\/unavailable|"fault":"HeadBucket|service\/storage-full|shared\/stale-revision/;

class Recoveries {
  readonly failures: string[] = [];
  readonly times = new Map<FaultName, number[]>();
  readonly strikes = new Map<FaultName, number>();

  note(fault: FaultName, milliseconds: number, strikes: number): void {
    this.times.set(fault, [...(this.times.get(fault) ?? []), milliseconds]);
    this.strikes.set(fault, (this.strikes.get(fault) ?? 0) + strikes);
  }
}

export async function torture(options: TortureOptions): Promise<Tortured> {
  const { seed, seconds, short, print, calm = false, only } = options;
  const random = new Random(seed);
  const journal = new Journal();
  const longest = short ? bound.short : bound.patient;
  const http = new HttpClient(longest);
  const cluster = await Cluster.start(options.cluster);
  const neighbours = await Neighbours.start(cluster.directory);
  print(`seed ${seed}: ${seconds} s of ${calm ? 'load' : 'faults'} on ${cluster.instances.length} instances`);
  try {
    const urls = cluster.instances.map(({ url }) => url);
    const client = (name: string, at = urls) => new Client(name, random.fork(), journal, http, at);
    const world = await setUp(client('builder'), neighbours);

    const builtWith = journal.operations.length;
    const recoveries = new Recoveries();
    const end = performance.now() + seconds * 1000;
    const over = () => performance.now() > end;
    const lives = roles.flatMap((role) =>
      Array.from({ length: role.count }, (_, index) => live(client(`${role.name} ${index + 1}`), world, role, over)),
    );
    const probes = await Promise.all(
      cluster.instances.map(({ url }, index) => Probe.at(client(`probe ${index}`, [url]), world)),
    );
    const isLeftOut = (name: FaultName): boolean =>
      calm ||
      (short && patientFaults.includes(name)) ||
      (!options.cluster?.standby && standbyFaults.includes(name)) ||
      (only !== undefined && name !== only);
    const harms = schedules
      .map(({ weights, pause: between }) => ({ weights: without(weights, isLeftOut), between }))
      .filter(({ weights }) => Object.keys(weights).length > 0)
      .map((schedule) => harm(cluster, probes, random.fork(), schedule, recoveries, longest, over));
    await Promise.all([...lives, ...harms]);
    const load = journal.operations.slice(builtWith);
    print(`the load is over: ${journal.operations.length} operations; bringing everything to rest`);

    const restBegun = performance.now();
    const restClients = cluster.instances.map(({ url }, index) => client(`checker-${index}`, [url]));
    await toRest(cluster, restClients, client, world, short);
    print(`at rest after ${Math.round((performance.now() - restBegun) / 100) / 10} s`);
    await lookAtAll(
      cluster.instances.map(({ url }) => client('checker', [url])),
      world,
    );
    const exits = await Promise.all(cluster.instances.map((instance) => instance.stop()));
    const swept = await cluster.sweep();
    const atRest = await cluster.atRest();

    const unexpected = [
      ...recoveries.failures,
      ...cluster.faults,
      ...world.silentStreams,
      ...cluster.instances.flatMap(unexpectedLines),
      ...exits.flatMap((code, index) => (code === 0 ? [] : [`instance ${index} was stopped and ended with ${code}`])),
    ];
    print(
      `${journal.operations.length} operations on ${new Set(journal.operations.map(({ object }) => object)).size} objects; checking`,
    );
    const violations = check(journal.operations, atRest, { holders: world.holders, unexpected, bound: longest });
    const figures = {
      seed,
      seconds,
      ...figuresOf(journal.operations),
      faults: faultFigures(recoveries),
      'starts that a fault ended': cluster.instances.reduce((sum, { failedStarts }) => sum + failedStarts, 0),
      versions: count(atRest.versions.map(({ status }) => status)),
      runs: count(atRest.runs.map(({ status }) => status)),
      'queued by an upload': atRest.runs.filter(({ source }) => source === 'tfe-configuration-version').length,
      'run tasks reported': world.resultIds.size,
      'changes in streams': world.done.heard,
      'megabytes taken in': Math.round(world.done.bytes / 1e6),
      'bundles in the store': atRest.bundles.size,
      'attempts swept': swept,
      'lines logged as errors': cluster.instances.flatMap(errorLines).length,
      violations: violations.length,
    };
    if (violations.length > 0 || process.env.KEEP)
      await keepEvidence(options.evidence, { journal, cluster, violations, figures });
    return { violations, figures, load, logged: cluster.instances.flatMap(errorLines) };
  } finally {
    http.close();
    await neighbours.stop();
    await cluster.close();
  }
}

const without = (
  weights: Partial<Record<FaultName, number>>,
  isLeftOut: (name: FaultName) => boolean,
): Record<FaultName, number> =>
  Object.fromEntries(Object.entries(weights).filter(([name]) => !isLeftOut(name as FaultName))) as Record<
    FaultName,
    number
  >;

/** Checks that an instance takes an upload, which needs the database and the store. */
class Probe {
  private constructor(
    private readonly client: Client,
    private readonly workspaceId: string,
    private readonly bytes: Buffer,
  ) {}

  static async at(client: Client, { lockableId }: World): Promise<Probe> {
    return new Probe(client, lockableId, await archiveOf({ 'main.tf': client.name }));
  }

  async works(): Promise<boolean> {
    const path = `/workspaces/${this.workspaceId}/configuration-versions`;
    const body = { data: { type: 'configuration-version', attributes: { 'auto-queue-runs': false } } };
    const { outcome, json } = await this.client.api({ kind: 'create-version' }, 'POST', path, body);
    if (outcome !== 'done') return false;
    const url = new URL(json.data.attributes['upload-url']);
    const meant = { kind: 'upload', object: `version ${json.data.id}`, value: sha256(this.bytes) };
    return (await this.client.send(meant, { method: 'PUT', path: url.pathname, body: this.bytes })).outcome === 'done';
  }
}

/** Injects one fault after another, each until the affected instances take uploads again. */
async function harm(
  cluster: Cluster,
  probes: readonly Probe[],
  random: Random,
  { weights, between }: { readonly weights: Record<FaultName, number>; readonly between: number },
  recoveries: Recoveries,
  longest: number,
  over: () => boolean,
): Promise<void> {
  while (!over()) {
    await pause(random.between(0, 2 * between));
    const name = random.weighted(weights);
    const index = random.below(cluster.instances.length);
    const general = everywhere[name];
    await general?.prepare(cluster);
    const struck = performance.now();
    const strikes = await faults[name](cluster, cluster.instances[index] as Instance, random);
    const begun = general === undefined ? performance.now() : struck;
    // A fault that is only noticed through timeouts may strike at the same time.
    const within = Math.max(general?.recoveredWithin ?? recoveredWithin, longest);
    for (const [at, probe] of probes.entries()) {
      while ((general !== undefined || at === index) && !(await probe.works())) {
        if (performance.now() - begun > within) {
          recoveries.failures.push(`instance ${at} did not recover from: ${name}`);
          return;
        }
        await pause(20);
      }
    }
    recoveries.note(name, performance.now() - begun, strikes);
  }
}

/** Waits until every run has ended and every effect is performed. */
async function toRest(
  cluster: Cluster,
  [first]: readonly Client[],
  client: (name: string) => Client,
  world: World,
  short: boolean,
): Promise<void> {
  const deadline = performance.now() + restWithin;
  // No live agent holds a run now: the remaining leases belong to agents that are gone.
  if (short) await cluster.endLeases();
  let finished = false;
  const others = unfinished.map(async (step, index) => {
    const other = client(`last ${index}`);
    while (!finished && performance.now() < deadline) {
      await step(other, world);
      await pause(20);
    }
  });
  for (let done = false; !done && performance.now() < deadline; ) {
    const undone = await cluster.undone();
    done = (await finishRuns(first as Client, world)) && undone.length === 0;
    if (!done) await pause(300);
  }
  finished = true;
  await Promise.all(others);
}

interface LogLine {
  readonly level?: number;
  readonly err?: unknown;
}

const errorLines = ({ printed }: Instance): readonly string[] =>
  printed
    .flatMap((text) => text.split('\n'))
    .filter((line) => {
      if (!line.startsWith('{')) return /rror|ended by itself|^\s+at /.test(line);
      try {
        return ((JSON.parse(line) as LogLine).level ?? 0) >= 50;
      } catch {
        // The truncated last line of a killed process.
        return false;
      }
    });

const unexpectedLines = (instance: Instance): readonly string[] =>
  errorLines(instance)
    .filter((line) => !explained.test(line))
    .map((line) => `${instance.name}: ${line}`);

const count = (words: readonly string[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const word of words.toSorted()) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
};

const quantile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor((sorted.length - 1) * share))] ?? 0);

function figuresOf(operations: readonly Operation[]) {
  const asked = operations.filter(({ status, client }) => status !== 200 || !client.startsWith('checker'));
  const kinds = Object.fromEntries(
    [...Map.groupBy(asked, ({ object, kind }) => `${kind} ${object.split(' ')[0]}`.trim())]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([kind, list]) => {
        const by = count(list.map(({ outcome }) => outcome));
        return [kind, `${by.done ?? 0} done, ${by.refused ?? 0} refused, ${by.unknown ?? 0} unknown`];
      }),
  );
  const took = operations.map(({ begun, ended }) => ended - begun).sort((a, b) => a - b);
  return {
    operations: { all: operations.length, ...count(operations.map(({ outcome }) => outcome)) },
    kinds,
    answers: count(operations.map(({ status }) => String(status))),
    'milliseconds per request': { p50: quantile(took, 0.5), p99: quantile(took, 0.99), longest: quantile(took, 1) },
  };
}

const faultFigures = ({ times, strikes }: Recoveries) =>
  Object.fromEntries(
    [...times].map(([name, all]) => {
      const sorted = all.toSorted((a, b) => a - b);
      const figures = `recovered in p50 ${quantile(sorted, 0.5)} ms, at most ${quantile(sorted, 1)} ms`;
      return [name, `${all.length} times, ${strikes.get(name)} struck, ${figures}`];
    }),
  );

async function keepEvidence(
  directory: string,
  found: { journal: Journal; cluster: Cluster; violations: readonly Violation[]; figures: object },
): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'journal.jsonl'), found.journal.toString());
  await writeFile(join(directory, 'violations.json'), JSON.stringify(found.violations, undefined, 2));
  await writeFile(join(directory, 'figures.json'), JSON.stringify(found.figures, undefined, 2));
  for (const { name, printed } of found.cluster.instances) {
    for (const text of printed) await appendFile(join(directory, `${name.replace(' ', '-')}.log`), text);
  }
}
