import { setTimeout as pause } from 'node:timers/promises';
import type { Fate } from '../../tests/support/s3-server.js';
import type { Cluster, Instance } from './cluster.js';
import type { Line } from './fault-proxy.js';
import type { Random } from './random.js';

/** Does some harm, and ends when it is over, with how often it struck. `hit` is the instance that is meant. */
type Fault = (cluster: Cluster, hit: Instance, random: Random) => Promise<number>;

const moments = (random: Random, lowest: number, highest: number) => pause(random.between(lowest, highest));

const kill: Fault = async (_, hit, random) => {
  await hit.kill();
  await moments(random, 0, 1500);
  await hit.start();
  return 1;
};

const killAll: Fault = async ({ instances }) => {
  await Promise.all(instances.map((instance) => instance.kill()));
  await Promise.all(instances.map((instance) => instance.start()));
  return instances.length;
};

const onLine = (of: (hit: Instance) => Line, harm: (line: Line, random: Random) => number | Promise<number>): Fault => {
  return async (_, hit, random) => harm(of(hit), random);
};

const refusing = async (line: Line, random: Random) => {
  line.refuse();
  const cut = line.cut();
  await moments(random, 200, 2500);
  line.accept();
  return cut;
};
/** Requests are still performed, but their responses are lost: the outcome of a commit is unknown. */
const mute = async (line: Line, random: Random) => {
  const muted = line.mute();
  await moments(random, 50, 300);
  line.cut();
  return muted;
};
/** Commits are performed, but their responses are lost. */
const unheard = async (line: Line, random: Random) => {
  const before = line.trapped();
  line.trap('COMMIT');
  await moments(random, 100, 1000);
  line.trap(undefined);
  return line.trapped() - before;
};
const stalling = async (line: Line, random: Random) => {
  line.stall();
  await moments(random, 200, 4000);
  line.resume();
  return 1;
};
/** Slows down all traffic, so that most requests are under way when the line is cut. */
const slow = async (line: Line, random: Random) => {
  line.delay(random.between(5, 60));
  await moments(random, 500, 2000);
  if (random.chance(0.7)) line.cut();
  line.delay(0);
  return 1;
};

const failingStore: Fault = async (cluster, _, random) => {
  const weights = { serve: 50, refuse: 20, drop: 10, 'serve then drop': 12, 'cut short': 8 };
  cluster.fate = (): Fate => random.weighted(weights);
  await moments(random, 500, 3000);
  cluster.fate = () => 'serve';
  return 1;
};

/** A store that takes what it never answers. */
const silentStore: Fault = async (cluster, _, random) => {
  cluster.fate = (): Fate => (random.chance(0.2) ? 'stall' : 'serve');
  await moments(random, 300, 800);
  cluster.fate = () => 'serve';
  return 1;
};

/** The primary dies, and the standby takes its place. */
const failOver: Fault = async (cluster) => {
  await cluster.failOver();
  return 1;
};

const database = ({ database: line }: Instance): Line => line;
const store = ({ store: line }: Instance): Line => line;

/** Everything that is done to the cluster, by name. */
export const faults = {
  'one killed': kill,
  'all killed': killAll,
  'database cut': onLine(database, (line) => line.cut()),
  'database answers lost': onLine(database, mute),
  'commits unheard of': onLine(database, unheard),
  'database refused': onLine(database, refusing),
  'database stalled': onLine(database, stalling),
  'database slow': onLine(database, slow),
  'database sessions ended': (cluster) => cluster.terminateBackends(),
  'store cut': onLine(store, (line) => line.cut()),
  'store refused': onLine(store, refusing),
  'store stalled': onLine(store, stalling),
  'store slow': onLine(store, slow),
  'store failing': failingStore,
  'database swallowed': onLine(database, (line) => line.swallow()),
  'store swallowed': onLine(store, (line) => line.swallow()),
  'store silent': silentStore,
  'primary lost': failOver,
  'migrate under load': (cluster) => cluster.upgrade(),
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof faults;

/** Faults that are only noticed through a timeout. */
export const patientFaults: readonly FaultName[] = ['database swallowed', 'store swallowed', 'store silent'];

/** A fault that hits every instance, and that all of them must have recovered from in time. */
export interface Everywhere {
  /** Before it strikes. */
  readonly prepare: (cluster: Cluster) => Promise<void>;
  /** In milliseconds from the strike. */
  readonly recoveredWithin: number;
}

export const everywhere: Partial<Readonly<Record<FaultName, Everywhere>>> = {
  'primary lost': { prepare: (cluster) => cluster.replaceStandby(), recoveredWithin: 60_000 },
};

/** Faults of a database that has a standby. */
export const standbyFaults: readonly FaultName[] = ['primary lost'];

type Schedule = Partial<Readonly<Record<FaultName, number>>>;

/** Up to five faults at a time: of a process, of its connections to the database and the store, of the database, and an upgrade. */
export const schedules: readonly { readonly pause: number; readonly weights: Schedule }[] = [
  { pause: 1500, weights: { 'one killed': 12, 'all killed': 1 } },
  {
    pause: 400,
    weights: {
      'database cut': 4,
      'database answers lost': 3,
      'commits unheard of': 8,
      'database slow': 6,
      'database refused': 2,
      'database stalled': 2,
      'database sessions ended': 2,
      'database swallowed': 1,
    },
  },
  {
    pause: 800,
    weights: {
      'store cut': 4,
      'store failing': 6,
      'store refused': 2,
      'store stalled': 2,
      'store slow': 1,
      'store swallowed': 1,
      'store silent': 1,
    },
  },
  { pause: 4000, weights: { 'primary lost': 1 } },
  { pause: 3000, weights: { 'migrate under load': 1 } },
];
