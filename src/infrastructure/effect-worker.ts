import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { secondsUntilRetry } from '../application/background/perform-effects.js';
import {
  effectLeaseSeconds,
  type Lane,
  laneNames,
  laneOf,
  lanes,
  type RetentionPlace,
  type VersionPlace,
} from '../application/index.js';
import type { Effect } from '../application/ports/repositories/effect.js';
import type { UseCases } from '../application/use-cases.js';
import { Loops } from './loops.js';

interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Receives the counts of background work. */
interface Meter {
  performed(lane: string, done: number, failed: number): void;
  choreFailed(): void;
}

type Performed =
  | 'performEffects'
  | 'reclaimLostRuns'
  | 'endOverdueResults'
  | 'endPolicyTrials'
  | 'createScheduledDestroys'
  | 'expireTeamAccess'
  | 'sweepBundles'
  | 'archiveOldVersions'
  | 'discardPolicyArchives'
  | 'applyDataRetention'
  | 'refusals'
  | 'forgetAuditEvents'
  | 'tokenUses'
  | 'storedSecrets'
  | 'addUpOutcomes'
  | 'advanceFills';

export interface Chores extends Pick<UseCases, Performed> {
  readonly rates: { settle(): Promise<void> };
  /** Older upload attempts cannot belong to a running process. */
  readonly abandonedAfterSeconds: number;
}

const everySeconds = {
  /** Covers work without a notification: expired leases, effects scheduled for later, a lost connection. */
  effects: 5,
  lostRuns: 5,
  overdueResults: 5,
  policyTrials: 15,
  scheduledDestroys: 15,
  endedAccess: 15,
  tokenUses: 15,
  sweep: 3600,
  oldVersions: 3600,
  refusals: 2,
  auditEvents: 3600,
  secrets: 3600,
  rates: 1,
  fills: 5,
  outcomes: 20,
  oldOutcomes: 3600,
};
/**
 * The hourly work first runs this many seconds after the start, each in a slot of its own, and at a random time in it:
 * instances that start together do not do it together.
 */
const firstSlots = {
  sweep: 15,
  oldVersions: 60,
  policyArchives: 105,
  dataRetention: 150,
  auditEvents: 195,
  oldOutcomes: 240,
};
const slotSeconds = 45;

/** Decides when repeated work runs. */
interface Pace {
  /** From 0 up to, but not including, 1. */
  random(): number;
  after(seconds: number, work: () => void): NodeJS.Timeout;
}

const ownPace: Pace = {
  random: Math.random,
  after: (seconds, work) => setTimeout(work, seconds * 1000).unref(),
};

/** Prevents every instance from querying an unavailable database continuously. */
const secondsAfterFailure = 2;

/** Rows of a batch are halved or doubled to take about this long, in milliseconds: requests wait for a batch. */
const batchTakes = { atLeast: 20, atMost: 40 };
/** Round trips to a slow database take that long for any number of rows. */
const batchRows = { smallest: 256, largest: 4096 };

/**
 * Performs background work: ordered effects, runs of lost agents, run tasks that do not report, scheduled destroy runs, recorded token uses,
 * abandoned uploads, old versions, recorded refusals, expired audit events, sums of policy outcomes.
 */
export class EffectWorker {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly retries = new Set<NodeJS.Timeout>();
  private running: Promise<void>[] = [];
  private readonly looking = new Loops(1);
  /** Detaches background work from the asynchronous context of the request that ordered it. */
  private readonly apart = AsyncLocalStorage.snapshot();
  private readonly loops = Object.fromEntries(
    laneNames.map((lane) => [lane, new Loops(lanes[lane].loops)]),
  ) as Readonly<Record<Lane, Loops>>;
  private renewal: NodeJS.Timeout | undefined;
  private stopping = false;
  /** Undefined until they are read. */
  private fillsLeft: number | undefined;

  constructor(
    private readonly chores: Chores,
    private readonly log: Log,
    private readonly meter: Meter,
    private readonly pace: Pace = ownPace,
  ) {}

  start(): void {
    this.every(everySeconds.effects, () => this.wakeWhatIsDue(), 0);
    // Continues after a halt, while effects are in hand. A failed renewal is tried again at the next interval, still in
    // time.
    this.renewal = setInterval(() => this.renewLeases(), (effectLeaseSeconds / 3) * 1000).unref();
    this.every(everySeconds.lostRuns, () => this.reclaimLostRuns());
    this.every(everySeconds.overdueResults, () => this.endOverdueResults());
    this.every(everySeconds.policyTrials, () => this.endPolicyTrials());
    this.every(everySeconds.scheduledDestroys, () => this.createScheduledDestroys());
    this.every(everySeconds.endedAccess, () => this.expireTeamAccess());
    this.every(everySeconds.tokenUses, () => this.chores.tokenUses.flush());
    const sweep = () => this.sweep(this.chores.abandonedAfterSeconds);
    this.every(everySeconds.sweep, sweep, this.within(firstSlots.sweep));
    this.every(everySeconds.oldVersions, () => this.archiveOldVersions(), this.within(firstSlots.oldVersions));
    this.every(everySeconds.oldVersions, () => this.discardPolicyArchives(), this.within(firstSlots.policyArchives));
    this.every(everySeconds.oldVersions, () => this.applyDataRetention(), this.within(firstSlots.dataRetention));
    this.every(everySeconds.refusals, () => this.chores.refusals.flush());
    this.every(everySeconds.auditEvents, () => this.forgetAuditEvents(), this.within(firstSlots.auditEvents));
    this.every(everySeconds.secrets, () => this.renewSecrets(), 0);
    this.every(everySeconds.rates, () => this.chores.rates.settle());
    this.every(everySeconds.fills, () => this.fill(), 0);
    const { addUpOutcomes } = this.chores;
    this.every(everySeconds.outcomes, () => this.whileMore(() => addUpOutcomes.execute()));
    const forget = () => this.whileMore(() => addUpOutcomes.forget());
    this.every(everySeconds.oldOutcomes, forget, this.within(firstSlots.oldOutcomes));
  }

  /** Claims nothing more; ordered effects wait for the next start. */
  halt(): void {
    this.stopping = true;
    this.chores.performEffects.halt();
    for (const timer of [...this.timers, ...this.retries]) clearTimeout(timer);
  }

  /** Notifies the worker of ordered effects of these kinds; undefined if the kinds are not known. */
  wake(kinds: readonly Effect['kind'][] | undefined): void {
    this.apart(() => {
      if (kinds !== undefined) for (const lane of new Set(kinds.map(laneOf))) this.wakeLane(lane);
      else this.looking.wake(() => this.wakeWhatIsDue().catch((error: unknown) => this.failed(error)));
    });
  }

  /** Gives up what is still in hand, so that another process need not wait for the end of its lease. */
  async release(): Promise<void> {
    await this.chores.performEffects.release().catch((error: unknown) => this.failed(error));
  }

  /** Resolves after the work in hand. */
  async stop(): Promise<void> {
    this.halt();
    await Promise.all(this.running);
    await Promise.all([this.looking, ...Object.values(this.loops)].map((loops) => loops.ended()));
    clearInterval(this.renewal);
    await this.chores.tokenUses.flush().catch((error: unknown) => this.failed(error));
    await this.chores.refusals.flush(true).catch((error: unknown) => this.failed(error));
  }

  async sweep(olderThanSeconds: number): Promise<void> {
    const discarded = await this.chores.sweepBundles.execute(olderThanSeconds);
    if (discarded > 0) this.log.info({ discarded }, 'abandoned uploads removed');
  }

  private wakeLane(lane: Lane): void {
    if (!this.stopping) this.loops[lane].wake(() => this.performEffects(lane));
  }

  private async wakeWhatIsDue(): Promise<void> {
    for (const lane of await this.chores.performEffects.lanesDue()) this.wakeLane(lane);
  }

  private async performEffects(lane: Lane): Promise<void> {
    try {
      let performed = 0;
      for (let more = true; more && !this.stopping; ) {
        const batch = await this.chores.performEffects.claim(lane);
        // A full batch may mean more work than one loop can do, and this loop may wait long for its own.
        if (batch.effects.length === lanes[lane].batch && lanes[lane].loops > 1) this.wakeLane(lane);
        const { done, failures, aside } = await this.chores.performEffects.perform(batch);
        this.meter.performed(lane, done, failures.length);
        for (const effect of aside) this.log.error({ effect }, 'effect put aside, because its attempts never ended');
        for (const { effect, error } of failures) {
          this.log.error({ effect, err: error }, 'effect failed, will be retried');
          this.retryLater(laneOf(effect.effect.kind), secondsUntilRetry(effect));
        }
        // A failed effect waits before it is due again, so this loop ends.
        more = batch.effects.length > 0;
        performed += done + aside.length;
      }
      // The next effects on the same subjects may belong to another lane.
      if (performed > 0 && !this.stopping) await this.wakeWhatIsDue();
    } catch (error) {
      this.failed(error);
      this.retryLater(lane, secondsAfterFailure);
    }
  }

  /** Longer waits are left to the periodic check for due effects. */
  private retryLater(lane: Lane, seconds: number): void {
    if (seconds > everySeconds.effects || this.stopping) return;
    const timer = setTimeout(
      () => {
        this.retries.delete(timer);
        this.wakeLane(lane);
      },
      seconds * 1000 + 10,
    ).unref();
    this.retries.add(timer);
  }

  private async archiveOldVersions(): Promise<void> {
    let archived = 0;
    let failure: unknown;
    let after: VersionPlace | undefined;
    do {
      const batch = await this.chores.archiveOldVersions.execute(after);
      archived += batch.archived;
      failure ??= batch.failure;
      after = batch.next;
    } while (after !== undefined && !this.stopping);
    if (archived > 0) this.log.info({ archived }, 'old versions archived');
    if (failure !== undefined) throw failure;
  }

  private async discardPolicyArchives(): Promise<void> {
    let discarded = 0;
    for (let batch = 1; batch > 0 && !this.stopping; discarded += batch) {
      batch = await this.chores.discardPolicyArchives.execute();
    }
    if (discarded > 0) this.log.info({ discarded }, 'unneeded policy archives discarded');
  }

  private async applyDataRetention(): Promise<void> {
    let [archived, deleted] = [0, 0];
    let failure: unknown;
    let after: RetentionPlace | undefined;
    do {
      const batch = await this.chores.applyDataRetention.execute(after);
      archived += batch.archived;
      deleted += batch.deleted;
      failure ??= batch.failure;
      after = batch.next;
    } while (after !== undefined && !this.stopping);
    if (archived + deleted > 0) this.log.info({ archived, deleted }, 'data removed that workspaces keep no longer');
    if (failure !== undefined) throw failure;
  }

  private async forgetAuditEvents(): Promise<void> {
    let forgotten = 0;
    for (let more = true; more && !this.stopping; ) {
      const batch = await this.chores.forgetAuditEvents.execute();
      forgotten += batch.forgotten;
      more = batch.more;
    }
    if (forgotten > 0) this.log.info({ forgotten }, 'old audit events forgotten');
  }

  /** `work` returns whether there may be more. Half of the time belongs to requests. */
  private async whileMore(work: () => Promise<boolean>): Promise<void> {
    for (let more = true; more && !this.stopping; ) {
      const began = performance.now();
      more = await work();
      if (more) await pause(performance.now() - began);
    }
  }

  private async renewSecrets(): Promise<void> {
    const { sealed, lost } = await this.chores.storedSecrets.renew();
    if (lost > 0)
      this.log.error(
        { lost },
        'some stored secrets cannot be decrypted with any signing secret: add the one they were encrypted with to SIGNING_SECRET, or link those workspaces and set those variables again',
      );
    else this.log.info({ sealed }, 'every stored secret is sealed with the first signing secret');
  }

  /** Once nothing is left, nothing is asked. */
  private async fill(): Promise<void> {
    if (this.fillsLeft === 0) return;
    const names = await this.chores.advanceFills.pending();
    this.fillsLeft = names.length;
    for (const name of names) await this.fillOne(name);
  }

  private async fillOne(name: string): Promise<void> {
    let count = batchRows.smallest;
    let rows = 0;
    for (let complete = false; !complete && !this.stopping; ) {
      const began = performance.now();
      const batch = await this.chores.advanceFills.execute(name, count);
      if (batch === undefined) return;
      const took = performance.now() - began;
      if (took > batchTakes.atMost) count = Math.max(batchRows.smallest, count / 2);
      else if (took < batchTakes.atLeast) count = Math.min(batchRows.largest, count * 2);
      rows += batch.rows;
      complete = batch.complete;
      // Half of the time belongs to requests.
      await pause(took);
    }
    if (!this.stopping) this.log.info({ fill: name, rows }, 'rows from before the migration are filled');
  }

  private async reclaimLostRuns(): Promise<void> {
    const runs = await this.chores.reclaimLostRuns.execute();
    if (runs.length > 0) this.log.info({ runs }, 'runs taken from lost agents');
  }

  private async endOverdueResults(): Promise<void> {
    const results = await this.chores.endOverdueResults.execute();
    if (results.length > 0) this.log.info({ results }, 'run tasks did not report in time');
  }

  private async endPolicyTrials(): Promise<void> {
    const trials = await this.chores.endPolicyTrials.execute();
    if (trials.length > 0) this.log.info({ trials }, 'policy trials failed: their time has passed');
  }

  private async createScheduledDestroys(): Promise<void> {
    const runs = await this.chores.createScheduledDestroys.execute();
    if (runs.length > 0) this.log.info({ runs }, 'scheduled destroy runs created');
  }

  private async expireTeamAccess(): Promise<void> {
    const access = await this.chores.expireTeamAccess.execute();
    if (access.length > 0) this.log.info({ access }, 'temporary access ended');
  }

  private async renewLeases(): Promise<void> {
    await this.chores.performEffects.renew().catch((error: unknown) => this.failed(error));
  }

  private failed(error: unknown): void {
    this.meter.choreFailed();
    this.log.error({ err: error }, 'background work failed');
  }

  private within(slot: number): number {
    return slot + this.pace.random() * slotSeconds;
  }

  /** Runs `chore` repeatedly, the pause counted from its end. A failure is logged and does not stop the repetition. */
  private every(seconds: number, chore: () => Promise<void>, first = seconds): void {
    const index = this.timers.length;
    const turn = () => {
      this.running[index] = chore().then(
        () => schedule(seconds),
        (error: unknown) => {
          this.failed(error);
          schedule(Math.max(seconds, secondsAfterFailure));
        },
      );
    };
    const schedule = (pause: number) => {
      if (!this.stopping) this.timers[index] = this.pace.after(pause, turn);
    };
    schedule(first);
  }
}
