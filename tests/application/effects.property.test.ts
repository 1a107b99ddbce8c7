import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  type BackingDataChange,
  type ForgeEvent,
  type Lane,
  lanes,
  type RunAction,
  type Transaction,
} from '../../src/application/index.js';
import {
  type BundleKey,
  ConfigurationVersion,
  type ConfigurationVersionId,
  type ConfigurationVersionState,
  type IngressAttributes,
  isDomainError,
  type RunId,
  type RunState,
  type RunStatus,
  runStatusesHoldingWorkspace,
  runStatusesInProgress,
  type WorkspaceId,
  waitingRunStatuses,
} from '../../src/domain/index.js';
import { promised } from '../domain/specified-lifecycle.js';
import { byThemselves, ways } from '../domain/specified-runs.js';
import {
  archiveAfterDays,
  firstPage,
  objectIdOf,
  softDeleteDays,
  UncertainUnitOfWork,
  World,
} from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { aCommit } from '../support/builders.js';
import { fc, runs } from '../support/properties.js';
import { type Held, RunSteps } from '../support/run-steps.js';

const archives = await Promise.all(['one', 'two', 'three'].map((name) => archiveOf({ 'main.tf': `# ${name}` })));
const cloneUrl = 'https://git.example/acme/network.git';
const day = 86_400;
const lost = 'the connection was lost';
const outOfDisk = 'the disk is full';

type Moment = 'before it is kept' | 'after it is kept';

type Run = Pick<RunState, 'id' | 'workspaceId' | 'configurationVersionId' | 'status' | 'source' | 'planOnly'> &
  Pick<RunState, 'ownFiles' | 'statusTimestamps'>;

type Commit = Pick<IngressAttributes, 'branch' | 'commitSha' | 'isPullRequest'>;

/** The rows that are committed at one moment, the oldest first. */
interface Kept {
  readonly runs: ReadonlyMap<RunId, Run>;
  readonly versions: ReadonlyMap<ConfigurationVersionId, ConfigurationVersionState>;
  readonly currentVersions: ReadonlySet<ConfigurationVersionId>;
  /** The version of each order to queue a run, by the id of the order. */
  readonly orders: ReadonlyMap<number, ConfigurationVersionId>;
  readonly commits: ReadonlyMap<ConfigurationVersionId, Commit>;
}

const sql = {
  runs: `select id, workspace_id as workspaceId, configuration_version_id as configurationVersionId, status, source,
    plan_only as planOnly, own_files as ownFiles, status_timestamps as statusTimestamps from runs order by rowid`,
  versions: `select id, workspace_id as workspaceId, status, source, origin, auto_queue_runs as autoQueueRuns,
    bundle_key as bundle, bundle_sha256 as sha256, status_timestamps as statusTimestamps
    from configuration_versions order by rowid`,
  current: 'select current_configuration_version_id as id from workspaces',
  orders: `select id, payload from effects where kind = 'queue-run'`,
  commits: `select configuration_version_id as id, branch, commit_sha as commitSha, is_pull_request as isPullRequest
    from ingress_attributes`,
};

type Row = Readonly<Record<string, string | number | null>>;

const parsed = ({ statusTimestamps }: Row) => JSON.parse(String(statusTimestamps));

/** Runs until the process dies at one change, which is kept or not; no later change is. */
class MortalUnitOfWork extends UncertainUnitOfWork {
  /** Called after each committed change, in order, with the workspaces it held locked. */
  onKept: (before: Kept, after: Kept, turns: ReadonlySet<WorkspaceId>) => void = () => undefined;
  private left = Number.POSITIVE_INFINITY;
  private moment: Moment = 'before it is kept';
  /** The first error that `onKept` threw. */
  private fault: unknown;
  private latest: { readonly changes: number; readonly kept: Kept } | undefined;
  private seen: Kept | undefined;
  private turns = new Set<WorkspaceId>();

  /** The same object as long as no row is changed. */
  get kept(): Kept {
    const [{ changes } = { changes: -1 }] = this.select<{ changes: number }>('select total_changes() as changes');
    if (this.latest?.changes !== changes) this.latest = { changes, kept: this.readKept() };
    return this.latest.kept;
  }

  private readKept(): Kept {
    const by = (query: string, read: (row: Row) => unknown) =>
      new Map(this.select<Row>(query).map((row) => [row.id, read(row)])) as never;
    return {
      runs: by(sql.runs, (row) => ({
        ...row,
        planOnly: row.planOnly === 1,
        ownFiles: row.ownFiles && { key: row.ownFiles },
        statusTimestamps: parsed(row),
      })),
      versions: by(sql.versions, (row) => ({
        ...row,
        autoQueueRuns: row.autoQueueRuns === 1,
        bundle: row.bundle && { key: row.bundle, sha256: row.sha256 },
        statusTimestamps: parsed(row),
      })),
      currentVersions: new Set(this.select<{ id: ConfigurationVersionId }>(sql.current).map(({ id }) => id)),
      orders: by(sql.orders, ({ payload }) => JSON.parse(String(payload)).versionId),
      commits: by(sql.commits, (row) => row),
    };
  }

  dieAfter(changes: number, moment: Moment): void {
    this.left = changes;
    this.moment = moment;
  }

  revive(): void {
    this.left = Number.POSITIVE_INFINITY;
    this.failing = undefined;
  }

  override async run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    this.left -= 1;
    if (this.left < 0) this.failing ??= this.moment;
    try {
      return await super.run((tx) => {
        this.look();
        this.turns = new Set();
        return work(notingTurns(tx, this.turns));
      });
    } finally {
      if (this.failing !== undefined) this.failing = 'before it is kept';
    }
  }

  /** Commits one change at a time, so that two checks have at most one between them. */
  look(): void {
    const { kept, seen } = this;
    this.seen = kept;
    if (seen === undefined || kept === seen) return;
    try {
      this.onKept(seen, kept, this.turns);
    } catch (error) {
      this.fault ??= error;
    }
  }

  /** Throws the first fault found in any committed change. */
  judge(): void {
    this.look();
    if (this.fault !== undefined) throw this.fault;
  }
}

/** A change that writes a workspace's row keeps others from it until it commits. */
function notingTurns(tx: Transaction, turns: Set<WorkspaceId>): Transaction {
  const workspaces = Object.create(tx.workspaces) as Transaction['workspaces'];
  workspaces.lockRow = (id) => {
    turns.add(id);
    return tx.workspaces.lockRow(id);
  };
  workspaces.save = (workspace) => {
    turns.add(workspace.id);
    return tx.workspaces.save(workspace);
  };
  const runs = Object.create(tx.runs) as Transaction['runs'];
  runs.takeSequence = (id) => {
    turns.add(id);
    return tx.runs.takeSequence(id);
  };
  return { ...tx, workspaces, runs };
}

const onward = (status: RunStatus, passed: readonly RunStatus[] = []): readonly RunStatus[] => [
  status,
  ...byThemselves.flatMap((trigger) => {
    const next = ways[status][trigger];
    // A run is queued again after its run tasks.
    return next === undefined || [status, ...passed].includes(next) ? [] : onward(next, [status, ...passed]);
  }),
];

/** Whether one trigger, followed by automatic ones, leads from the one status to the other. */
const isWay = (from: RunStatus, to: RunStatus): boolean =>
  onward(from).includes(to) || Object.values(ways[from]).some((next) => onward(next).includes(to));

const isVersionWay = (from: ConfigurationVersionState['status'], to: ConfigurationVersionState['status']): boolean =>
  from === to || Object.values(promised).some((row) => row.from.includes(from) && row.to === to);

const autoQueued = ({ runs }: Kept, id: ConfigurationVersionId): number =>
  [...runs.values()].filter((run) => run.configurationVersionId === id && run.source === 'tfe-configuration-version')
    .length;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

type Command =
  | {
      readonly kind: 'create version';
      readonly autoQueue: boolean;
      readonly speculative: boolean;
      readonly provisional: boolean;
    }
  | { readonly kind: 'upload'; readonly which: number; readonly archive: number }
  | {
      readonly kind: 'create run';
      readonly which: number | undefined;
      readonly planOnly: boolean;
      readonly savePlan: boolean;
      readonly autoApply: boolean;
    }
  /** For a version whose files are discarded. */
  | { readonly kind: 'run again' }
  | { readonly kind: 'change run'; readonly which: number; readonly action: RunAction }
  | { readonly kind: 'claim' }
  | {
      readonly kind: 'report';
      readonly which: number;
      readonly outcome: 'well' | 'nothing to do' | 'failed' | 'canceled';
    }
  | { readonly kind: 'heartbeat'; readonly which: number }
  | { readonly kind: 'override' }
  | { readonly kind: 'lock'; readonly action: 'lock' | 'unlock' }
  | { readonly kind: 'backing data'; readonly which: number; readonly action: BackingDataChange | 'archive' }
  | {
      readonly kind: 'push';
      readonly what: 'new' | 'again' | 'redelivered' | 'missing' | 'pull request';
      readonly archive: number;
    }
  | { readonly kind: 'fetch' }
  | { readonly kind: 'disk'; readonly full: boolean }
  | { readonly kind: 'time'; readonly seconds: number }
  | { readonly kind: 'worker'; readonly lane: Lane; readonly workers: number }
  /** The worker and the agents have nothing to wait for. */
  | { readonly kind: 'go on' }
  | { readonly kind: 'reclaim' }
  | { readonly kind: 'sweep' }
  /** After this number of seconds. */
  | { readonly kind: 'archive old'; readonly seconds: number };

/** A command, and the point at which the process dies in it, if it does. */
interface Step {
  readonly command: Command;
  readonly death: { readonly changes: number; readonly moment: Moment } | null;
}

/** The history, as read from committed changes, and the program of its agents and forges. */
class Life {
  readonly steps: RunSteps;
  /** How often an upload's order to queue a run was performed, and how many runs it had to make. */
  readonly queued = new Map<ConfigurationVersionId, { orders: number; runs: number }>();
  reclaimed = 0;
  retired = 0;
  private readonly objectIds = new Map<ConfigurationVersionId, string>();
  private readonly hands: Held[] = [];
  private readonly commits: string[] = [];
  private readonly archiveOfCommit = new Map<string, Buffer>();
  private webhookId = '';
  private deliveries = 0;

  private constructor(
    readonly world: World,
    private readonly unitOfWork: MortalUnitOfWork,
    steps: RunSteps,
  ) {
    this.steps = steps;
  }

  static async begin(withPolicies: boolean): Promise<Life> {
    const unitOfWork = new MortalUnitOfWork();
    const world = await World.create({ unitOfWork });
    const life = new Life(world, unitOfWork, await RunSteps.of(world));
    if (withPolicies) await life.steps.policySet('soft', [['tags', 'mandatory']], { overridable: true });
    const repository = { cloneUrl, branch: 'main', credential: null };
    const { id } = world.workspace;
    const { subject } = await world.useCases.updateWorkspace.execute(world.owner, { id }, { repository });
    life.webhookId = subject.repository?.webhookId ?? '';
    unitOfWork.onKept = (before, after, turns) => life.check(before, after, turns);
    return life;
  }

  private get kept(): Kept {
    return this.unitOfWork.kept;
  }

  get versions(): readonly ConfigurationVersionState[] {
    return [...this.kept.versions.values()];
  }

  get runs(): readonly Run[] {
    return [...this.kept.runs.values()];
  }

  /** The stored bytes that rows refer to, by their kind. */
  get references(): ReadonlyMap<BundleKey, string> {
    const found = new Map<BundleKey, string>();
    for (const { bundle } of this.versions) if (bundle !== null) found.set(bundle.key, bundle.sha256);
    for (const { ownFiles, configurationVersionId } of this.runs) {
      const commit = this.kept.commits.get(configurationVersionId)?.commitSha ?? '';
      if (ownFiles !== null) found.set(ownFiles.key, sha256(this.archiveOfCommit.get(commit) ?? Buffer.alloc(0)));
    }
    return found;
  }

  /** Invariants of every committed change. */
  private check(before: Kept, after: Kept, turns: ReadonlySet<WorkspaceId>): void {
    for (const run of after.runs.values()) {
      const was = before.runs.get(run.id);
      const from = was?.status ?? 'pending';
      if (!isWay(from, run.status)) throw new Error(`${run.id} went from ${from} to ${run.status}`);
      if (was?.status !== run.status && !turns.has(run.workspaceId))
        throw new Error(`${run.id} was changed out of turn`);
    }
    const holding = [...after.runs.values()].filter(
      (run) => !run.planOnly && runStatusesHoldingWorkspace.includes(run.status),
    );
    if (holding.length > 1) throw new Error(`${holding.map(({ id }) => id).join(' and ')} hold the workspace`);
    for (const version of after.versions.values()) {
      const was = before.versions.get(version.id);
      const from = was?.status ?? 'pending';
      if (!isVersionWay(from, version.status)) throw new Error(`${version.id} went from ${from} to ${version.status}`);
      const taken = was?.bundle != null && (was.bundle.key !== version.bundle?.key || was.status !== version.status);
      if (taken && !turns.has(version.workspaceId)) {
        throw new Error(`a run that is being made may use ${version.id}, whose files were changed out of turn`);
      }
    }
    this.checkArchived(before, after);
    this.checkQueued(before, after);
    this.checkCommits(after);
    const bytes = Reflect.get(this.world.store, 'attempts') as ReadonlyMap<BundleKey, { readonly bytes?: Buffer }>;
    for (const key of this.references.keys()) {
      if (bytes.get(key)?.bytes === undefined) throw new Error(`${key} is referred to, and its bytes are missing`);
    }
  }

  /** An archived version was not needed by anything. */
  private checkArchived(before: Kept, after: Kept): void {
    for (const { id, status, origin } of after.versions.values()) {
      if (status !== 'archived' || before.versions.get(id)?.status !== 'uploaded') continue;
      const current = after.currentVersions.has(id);
      const used = [...after.runs.values()].some(
        (run) => run.configurationVersionId === id && runStatusesInProgress.includes(run.status),
      );
      if (used || (current && origin === 'api')) throw new Error(`${id} was archived while it was needed`);
    }
  }

  /** A run is made in the same change that deletes its order. */
  private checkQueued(before: Kept, after: Kept): void {
    const carriedOut = [...before.orders].flatMap(([id, versionId]) => (after.orders.has(id) ? [] : [versionId]));
    for (const id of after.versions.keys()) {
      const orders = carriedOut.filter((versionId) => versionId === id).length;
      const state = before.versions.get(id);
      const usable = state !== undefined && ConfigurationVersion.restore(state).usableInRuns;
      const expected = orders > 0 && usable ? 1 : 0;
      const made = autoQueued(after, id) - autoQueued(before, id);
      if (made !== expected) throw new Error(`${made} runs were queued for ${id} where ${expected} was to be`);
      const known = this.queued.get(id) ?? { orders: 0, runs: 0 };
      this.queued.set(id, { orders: known.orders + orders, runs: known.runs + expected });
    }
  }

  private checkCommits(after: Kept): void {
    const reported = new Set<string>();
    for (const { id, status, source } of after.versions.values()) {
      const commit = after.commits.get(id);
      if (commit === undefined || status === 'errored' || source === 'git') continue;
      const key = `${commit.branch} ${commit.commitSha} ${commit.isPullRequest}`;
      if (reported.has(key)) throw new Error(`${key} was made a version twice`);
      reported.add(key);
    }
  }

  async take({ command, death }: Step): Promise<void> {
    if (death !== null) this.unitOfWork.dieAfter(death.changes, death.moment);
    try {
      await this.perform(command);
    } catch (error) {
      // A refusal is an ordinary answer; a process that dies gives none.
      const died = error instanceof Error && error.message === lost;
      if (!isDomainError(error) && !died) throw error;
    } finally {
      this.unitOfWork.revive();
    }
    this.unitOfWork.judge();
  }

  private async perform(command: Command): Promise<unknown> {
    const { world, steps } = this;
    const { useCases, owner, workspace } = world;
    switch (command.kind) {
      case 'create version': {
        const { autoQueue: autoQueueRuns, speculative, provisional } = command;
        const given = { workspaceId: workspace.id, autoQueueRuns, speculative, provisional, source: 'tfe-api' };
        const { version, uploadUrl } = await useCases.createConfigurationVersion.execute(owner, given);
        return this.objectIds.set(version.id, objectIdOf(uploadUrl));
      }
      case 'upload': {
        const objectId = pick([...this.objectIds.values()].slice(-3), command.which);
        return objectId && world.upload({ objectId }, pick(archives, command.archive) ?? Buffer.alloc(0));
      }
      case 'create run': {
        const { which, planOnly, savePlan, autoApply } = command;
        const id = which === undefined ? undefined : pick(this.versions.slice(-4), which)?.id;
        return steps.create({ configurationVersionId: id, planOnly, savePlan, autoApply });
      }
      case 'run again': {
        const archived = this.versions.findLast(({ status, origin }) => status === 'archived' && origin !== 'api');
        return archived && steps.create({ configurationVersionId: archived.id });
      }
      case 'change run': {
        const run = pick(this.runs.slice(-4), command.which);
        return run && steps.change(run.id, command.action);
      }
      case 'claim':
        return this.claim();
      case 'report': {
        const held = pick(this.hands.slice(-2), command.which);
        return held && this.report(held, command.outcome);
      }
      case 'heartbeat':
        return pick(this.hands.slice(-2), command.which)?.heartbeat();
      case 'override': {
        const [stage] = this.unitOfWork.select<{ id: string }>(
          "select id from task_stages where status = 'awaiting_override'",
        );
        return stage && useCases.overrideTaskStage.execute(owner, stage.id);
      }
      case 'lock':
        return useCases.changeWorkspaceLock.execute(owner, workspace.id, { action: command.action, reason: null });
      case 'backing data': {
        const version = pick(this.versions, command.which);
        if (version === undefined) return undefined;
        return command.action === 'archive'
          ? useCases.archiveConfigurationVersion.execute(owner, version.id)
          : useCases.changeBackingData.execute(owner, version.id, command.action);
      }
      case 'push':
        return this.push(command.what, pick(archives, command.archive) ?? Buffer.alloc(0));
      case 'fetch':
        return useCases.fetchCommit.execute(owner, workspace.id);
      case 'disk':
        world.repositories.broken = command.full ? new Error(outOfDisk) : undefined;
        return undefined;
      case 'time':
        return world.clock.advance(command.seconds);
      case 'worker':
        return this.workSideBySide(command.lane, command.workers);
      case 'go on':
        return this.goOn();
      case 'reclaim':
        return this.reclaim();
      case 'sweep':
        return useCases.sweepBundles.execute(0);
      case 'archive old':
        world.clock.advance(command.seconds);
        return this.archiveOld();
    }
  }

  /** An agent can read all that it claims. */
  private async claim(): Promise<Held | undefined> {
    const held = await this.steps.claim();
    if (held === undefined) return undefined;
    this.hands.push(held);
    const { run, version } = held.job;
    const commit = this.kept.commits.get(version.id)?.commitSha ?? '';
    const expected =
      run.ownFiles === null ? version.bundle?.sha256 : sha256(this.archiveOfCommit.get(commit) ?? Buffer.alloc(0));
    expect(sha256(await held.files())).toBe(expected);
    return held;
  }

  private async report(held: Held, outcome: 'well' | 'nothing to do' | 'failed' | 'canceled'): Promise<unknown> {
    const { phase, run } = held.job;
    if (this.kept.runs.get(run.id)?.status === 'post_plan_running') {
      return held.judgeAll(() => (outcome === 'well' ? 'passed' : 'failed'));
    }
    await held.log(0, 'working\n');
    if (outcome === 'failed') return held.report(phase, { outcome: 'errored', message: 'no such provider' });
    if (outcome === 'canceled') return held.report(phase, { outcome: 'canceled' });
    return phase === 'plan' ? held.planned(outcome === 'well') : held.applied();
  }

  private async push(
    what: 'new' | 'again' | 'redelivered' | 'missing' | 'pull request',
    archive: Buffer,
  ): Promise<unknown> {
    const { repositories, useCases } = this.world;
    if (what === 'new' || what === 'pull request' || this.commits.length === 0) {
      const sha = repositories.push(cloneUrl, 'main', archive);
      this.archiveOfCommit.set(sha, archive);
      this.commits.push(sha);
    }
    if (what !== 'redelivered') this.deliveries += 1;
    const sha = what === 'missing' ? `nowhere-${this.deliveries}` : (this.commits.at(-1) ?? '');
    const isPullRequest = what === 'pull request';
    const event: ForgeEvent = {
      forge: 'github',
      repositoryUrls: [cloneUrl],
      defaultBranch: 'main',
      ref: isPullRequest ? 'refs/pull/7/head' : 'refs/heads/main',
      ...(isPullRequest ? { baseBranch: 'main', fromFork: false } : {}),
      commit: aCommit({
        branch: isPullRequest ? 'subnets' : 'main',
        commitSha: sha,
        isPullRequest,
        pullRequestNumber: isPullRequest ? 7 : null,
      }),
    };
    const delivery = { id: `delivery-${this.deliveries}`, event };
    return useCases.receiveWebhook.execute(this.webhookId, () => delivery);
  }

  private async archiveOld(): Promise<void> {
    this.retired += (await this.world.useCases.archiveOldVersions.execute()).archived;
  }

  private async reclaim(): Promise<void> {
    this.reclaimed += (await this.world.useCases.reclaimLostRuns.execute()).length;
  }

  private async goOn(): Promise<void> {
    for (const lane of ['fetches', 'local', 'quick', 'discards', 'quick'] as const) await this.work(lane);
    const held = await this.claim();
    if (held !== undefined) await this.report(held, 'nothing to do');
    await this.work('quick');
  }

  private async workSideBySide(lane: Lane, workers: number): Promise<void> {
    const ended = await Promise.allSettled(Array.from({ length: workers }, () => this.work(lane)));
    for (const turn of ended) if (turn.status === 'rejected') throw turn.reason;
  }

  /** One pass of the worker, which fails only where a fault was injected. */
  private async work(lane: Lane): Promise<void> {
    const { failures } = await this.world.useCases.performEffects.execute(lane);
    for (const { effect, error } of failures) {
      const { message } = error as Error;
      if (message !== lost && message !== outOfDisk) throw new Error(`${effect.effect.kind} failed`, { cause: error });
    }
  }

  /** Ends all faults and performs everything that can be performed. */
  async comeToRest(): Promise<void> {
    const { world } = this;
    world.repositories.broken = undefined;
    const unlock = { action: 'force-unlock', reason: null } as const;
    await world.useCases.changeWorkspaceLock.execute(world.owner, world.workspace.id, unlock).catch(() => undefined);
    for (let turn = 0; turn < 200; turn += 1) {
      const { items } = await world.useCases.listFailingEffects.execute(world.administrator, firstPage);
      for (const { id, status } of items) {
        if (status === 'put_aside') await world.useCases.retryEffect.execute(world.administrator, String(id));
      }
      for (const lane of Object.keys(lanes) as Lane[]) await this.work(lane);
      world.clock.advance(600);
      await this.reclaim();
      const held = await this.claim();
      if (held !== undefined) await held.planned(false).catch(() => held.applied());
      if (held !== undefined) await held.judgeAll(() => 'passed').catch(() => undefined);
      const idle = held === undefined && world.ordered.every(({ kind }) => kind === 'purge-backing-data');
      if (idle) break;
    }
    world.clock.advance(softDeleteDays * day);
    await world.performEffects();
    world.clock.advance(1);
    await world.useCases.sweepBundles.execute(0);
    this.unitOfWork.judge();
  }
}

const pick = <Item>(items: readonly Item[], which: number): Item | undefined =>
  items.length === 0 ? undefined : items[which % items.length];

const which = fc.nat({ max: 11 });

const commands: Readonly<Record<Command['kind'], readonly [weight: number, fc.Arbitrary<Command>]>> = {
  'create version': [
    8,
    fc.record({
      kind: fc.constant('create version'),
      autoQueue: fc.boolean(),
      speculative: fc.constantFrom(false, false, false, true),
      provisional: fc.boolean(),
    }),
  ],
  upload: [10, fc.record({ kind: fc.constant('upload'), which, archive: which })],
  'create run': [
    8,
    fc.record({
      kind: fc.constant('create run'),
      which: fc.option(which, { nil: undefined }),
      planOnly: fc.constantFrom(false, false, true),
      savePlan: fc.constantFrom(false, false, true),
      autoApply: fc.boolean(),
    }),
  ],
  'run again': [4, fc.record({ kind: fc.constant('run again') })],
  'change run': [
    6,
    fc.record({
      kind: fc.constant('change run'),
      which,
      action: fc.constantFrom('apply', 'apply', 'discard', 'cancel'),
    }),
  ],
  claim: [10, fc.record({ kind: fc.constant('claim') })],
  report: [
    12,
    fc.record({
      kind: fc.constant('report'),
      which,
      outcome: fc.constantFrom('well', 'well', 'well', 'nothing to do', 'failed', 'canceled'),
    }),
  ],
  heartbeat: [1, fc.record({ kind: fc.constant('heartbeat'), which })],
  override: [2, fc.record({ kind: fc.constant('override') })],
  lock: [2, fc.record({ kind: fc.constant('lock'), action: fc.constantFrom('lock', 'unlock', 'unlock') })],
  'backing data': [
    14,
    fc.record({
      kind: fc.constant('backing data'),
      which,
      action: fc.constantFrom('soft-delete', 'soft-delete', 'restore', 'permanently-delete', 'archive'),
    }),
  ],
  push: [
    8,
    fc.record({
      kind: fc.constant('push'),
      what: fc.constantFrom('new', 'new', 'again', 'redelivered', 'missing', 'pull request'),
      archive: which,
    }),
  ],
  fetch: [2, fc.record({ kind: fc.constant('fetch') })],
  disk: [2, fc.record({ kind: fc.constant('disk'), full: fc.constantFrom(true, false, false) })],
  time: [
    6,
    fc.record({ kind: fc.constant('time'), seconds: fc.constantFrom(1, 10, 61, 600, day, softDeleteDays * day) }),
  ],
  worker: [
    20,
    fc.record({
      kind: fc.constant('worker'),
      // The others have work only now and then.
      lane: fc.constantFrom<Lane>('quick', 'quick', 'discards', ...(Object.keys(lanes) as Lane[])),
      workers: fc.constantFrom(1, 1, 2),
    }),
  ],
  'go on': [8, fc.record({ kind: fc.constant('go on') })],
  reclaim: [3, fc.record({ kind: fc.constant('reclaim') })],
  sweep: [2, fc.record({ kind: fc.constant('sweep') })],
  'archive old': [
    6,
    fc.record({ kind: fc.constant('archive old'), seconds: fc.constantFrom(0, (archiveAfterDays + 1) * day) }),
  ],
} as never;

const aStep: fc.Arbitrary<Step> = fc.record({
  command: fc.oneof(...Object.values(commands).map(([weight, arbitrary]) => ({ weight, arbitrary }))),
  death: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    {
      weight: 2,
      arbitrary: fc.record({
        changes: fc.nat({ max: 5 }),
        moment: fc.constantFrom<Moment>('before it is kept', 'after it is kept'),
      }),
    },
  ),
});

describe('whatever happens, and wherever the process dies', () => {
  it('everything that was ordered happens, once, and nothing is lost or left over', async () => {
    const met = { queued: 0, refetched: 0, purged: 0, reclaimed: 0, archived: 0, retired: 0 };
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(aStep, { minLength: 20, maxLength: 80 }), async (withPolicies, steps) => {
        const life = await Life.begin(withPolicies);
        for (const step of steps) await life.take(step);
        await life.comeToRest();

        expect(life.world.ordered).toEqual([]);
        for (const { id, autoQueueRuns, statusTimestamps } of life.versions) {
          const uploaded = autoQueueRuns && statusTimestamps['uploaded-at'] !== undefined;
          const { orders, runs } = life.queued.get(id) ?? { orders: 0, runs: 0 };
          expect({ id, orders }).toEqual({ id, orders: uploaded ? 1 : 0 });
          const made = life.runs.filter(
            (run) => run.configurationVersionId === id && run.source === 'tfe-configuration-version',
          );
          expect({ id, runs: made.length }).toEqual({ id, runs });
          met.queued += runs;
        }
        const held = await life.world.bundles();
        expect(new Map([...held].map(([key, bytes]) => [key, sha256(bytes)]))).toEqual(life.references);
        // Every run that could proceed has done so.
        const holding = life.runs.filter((run) => !run.planOnly && runStatusesHoldingWorkspace.includes(run.status));
        const waiting = life.runs.filter((run) => !run.planOnly && waitingRunStatuses.includes(run.status));
        if (holding.length === 0) expect(waiting).toEqual([]);

        met.refetched += life.runs.filter(({ statusTimestamps }) => statusTimestamps['fetching-at']).length;
        met.purged += life.versions.filter(({ status }) => status === 'backing_data_permanently_deleted').length;
        met.reclaimed += life.reclaimed;
        met.retired += life.retired;
        met.archived += life.versions.filter(
          (one) => one.origin === 'version-control' && one.status === 'archived',
        ).length;
        await life.world.unitOfWork.close();
      }),
      { numRuns: runs(1_200) },
    );
    // A status that never occurred was not tested.
    for (const [what, times] of Object.entries(met)) expect([what, times > 0]).toEqual([what, true]);
  });
});
