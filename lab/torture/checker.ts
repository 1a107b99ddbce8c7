import type { Transition } from '../../src/domain/configuration-versions/lifecycle.js';
import { lifecycle, type RunStatus, runStatusesHoldingWorkspace, type Stamp } from '../../src/domain/index.js';
import { fromStore, type Operation } from './journal.js';
import { judge, type Model, shortestImpossible } from './linearizable.js';
import { keepsFiles, missing, register, run, version } from './models.js';

export interface VersionAtRest {
  readonly id: string;
  readonly status: string;
  readonly origin: string;
  readonly autoQueue: boolean;
  readonly stamps: Readonly<Record<string, string>>;
  readonly bundleKey: string | null;
  readonly sha256: string | null;
}

export interface RunAtRest {
  readonly id: string;
  readonly workspaceId: string;
  readonly versionId: string;
  readonly status: string;
  readonly source: string;
  readonly planOnly: boolean;
}

/** A file of a state version: the state, or its JSON. */
export interface StateAtRest {
  readonly id: string;
  readonly bundleKey: string;
  readonly sha256: string | null;
}

/** The final contents, after all faults and all work. */
export interface AtRest {
  readonly versions: readonly VersionAtRest[];
  readonly runs: readonly RunAtRest[];
  readonly states: readonly StateAtRest[];
  /** Digests of the bundles in the store, by key. */
  readonly bundles: ReadonlyMap<string, string>;
  /** Other objects in the store: marks of open attempts, and unfinished multipart uploads. */
  readonly leftovers: readonly string[];
  /** Ordered effects that were not performed, except those due in the future. */
  readonly undone: readonly string[];
}

/** Observations during the run. */
export interface Noticed {
  /** The runs that hold one workspace according to one response. */
  readonly holders: readonly { readonly workspaceId: string; readonly runs: readonly string[] }[];
  /** Lines of the instances' logs that no fault explains. */
  readonly unexpected: readonly string[];
  /** The longest a request may take, in milliseconds. */
  readonly bound: number;
}

export interface Violation {
  readonly rule: string;
  readonly what: string;
  readonly evidence: readonly unknown[];
}

const isMissing = <Item>(item: Item | undefined): item is undefined => item === undefined;

/** The violations in the outcome of a torture run. */
export function check(operations: readonly Operation[], atRest: AtRest, noticed: Noticed): readonly Violation[] {
  return [
    ...unexplainedHistories([...operations, ...standing(operations, atRest)]),
    ...foreignBytes(operations, atRest),
    ...tokensPerOwner(operations),
    ...queuedRuns(operations, atRest),
    ...storeContents(atRest),
    ...lifecycleWalks(atRest),
    ...holders(atRest, noticed),
    ...answers(operations, noticed),
  ];
}

const violation = (rule: string, what: string, ...evidence: readonly unknown[]): Violation => ({
  rule,
  what,
  evidence,
});

/** Operations with an object; the others are only counted. */
function byObject(operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> {
  return Map.groupBy(
    operations.filter(({ object }) => object !== ''),
    ({ object }) => object,
  );
}

const kindOf = (object: string): string => object.split(' ')[0] ?? '';

const modelOf = (object: string, history: readonly Operation[]): Model => {
  if (kindOf(object) === 'version') return version;
  return kindOf(object) === 'run' ? run : register(history);
};

/** The final database contents for every object that clients saw, as read operations. */
function standing(operations: readonly Operation[], { versions, runs }: AtRest): readonly Operation[] {
  const end = operations.reduce((last, { ended }) => Math.max(last, ended), 0) + 1;
  const rows = new Map<string, string>([
    ...versions.map(
      ({ id, status, sha256 }) => [`version ${id}`, keepsFiles.has(status) ? `${status} ${sha256}` : status] as const,
    ),
    ...runs.map(({ id, status }) => [`run ${id}`, status] as const),
  ]);
  return [...byObject(operations).keys()]
    .filter((object) => ['version', 'run'].includes(kindOf(object)))
    .map((object) => ({
      number: -1,
      client: 'database',
      instance: -1,
      object,
      kind: kindOf(object) === 'run' ? 'show' : 'stands',
      value: rows.get(object) ?? missing,
      begun: end,
      ended: end,
      outcome: 'done',
      status: 0,
      retryAfter: 0,
    }));
}

/** Every acknowledged change exists, and the history of every object is linearizable. */
function* unexplainedHistories(operations: readonly Operation[]): Generator<Violation> {
  for (const [object, history] of byObject(operations)) {
    const model = modelOf(object, history);
    const verdict = judge(history, model);
    if (verdict === 'explained') continue;
    yield violation(
      'acknowledged changes are there',
      `${object}: its history is ${verdict}`,
      ...shortestImpossible(history, model),
    );
  }
}

/** A version holds only bytes that a client sent completely for that version. */
function* foreignBytes(operations: readonly Operation[], { versions }: AtRest): Generator<Violation> {
  const sent = Map.groupBy(
    operations.filter(({ kind }) => kind === 'upload'),
    ({ object }) => object,
  );
  for (const { id, origin, sha256 } of versions) {
    if (sha256 === null || origin !== 'api') continue;
    const uploads = sent.get(`version ${id}`) ?? [];
    // A refused upload may repeat the stored bytes; any other bytes of it were never stored.
    if (!uploads.some(({ value, outcome }) => value === sha256 && outcome !== 'refused')) {
      yield violation('only bytes that were sent', `version ${id} holds ${sha256}`, ...uploads);
    }
  }
}

/** At the end, all instances accept the same token of an owner, and at most one. */
function* tokensPerOwner(operations: readonly Operation[]): Generator<Violation> {
  for (const [object, history] of byObject(operations)) {
    if (kindOf(object) !== 'token') continue;
    const lastChange = history.reduce(
      (last, { kind, begun }) => (kind === 'put' || kind === 'remove' ? Math.max(last, begun) : last),
      0,
    );
    const settled = history.filter(
      ({ kind, begun, client }) => kind === 'accepted' && begun > lastChange && client === 'checker',
    );
    const accepted = new Set(settled.map(({ value }) => value));
    if (accepted.size > 1)
      yield violation('one token per owner', `${object}: ${accepted.size} are accepted`, ...settled);
  }
}

const undoes: ReadonlySet<string> = new Set(['archive', 'soft-delete', 'permanently-delete']);

/** An auto-queueing version queued exactly one run. */
function* queuedRuns(operations: readonly Operation[], { versions, runs }: AtRest): Generator<Violation> {
  const histories = byObject(operations);
  const queued = Map.groupBy(
    runs.filter(({ source }) => source === 'tfe-configuration-version'),
    ({ versionId }) => versionId,
  );
  for (const { id, autoQueue, stamps } of versions) {
    const here = queued.get(id) ?? [];
    const history = histories.get(`version ${id}`) ?? [];
    const uploaded = stamps['uploaded-at'] !== undefined;
    const max = autoQueue && uploaded ? 1 : 0;
    // A version that was archived or deleted before its run was queued gets none.
    const least = history.some(({ kind, outcome }) => undoes.has(kind) && outcome !== 'refused') ? 0 : max;
    if (here.length > max || here.length < least) {
      yield violation(
        'every auto-queued run once',
        `version ${id} queued ${here.length} runs, not ${max}`,
        ...here,
        ...history,
      );
    }
  }
}

/** Live versions and states have intact files, and the store holds nothing else. */
function* storeContents({ versions, states, bundles, leftovers, undone }: AtRest): Generator<Violation> {
  const isLive = ({ bundleKey, status }: VersionAtRest) => bundleKey !== null && keepsFiles.has(status);
  const live = [...versions.filter(isLive), ...states];
  for (const { id, bundleKey, sha256 } of live) {
    const stored = bundles.get(bundleKey ?? '');
    if (stored !== sha256) {
      yield violation(
        'archives of live versions',
        `version ${id} wants ${sha256}, the store holds ${stored ?? 'nothing'}`,
      );
    }
  }
  const wanted = new Set(live.map(({ bundleKey }) => bundleKey));
  for (const key of bundles.keys())
    if (!wanted.has(key)) yield violation('no orphans', `nothing refers to bundle ${key}`);
  for (const leftover of leftovers) yield violation('no orphans', `left in the store: ${leftover}`);
  for (const effect of undone) yield violation('ordered work is done', effect);
}

const rows: readonly (Transition & { readonly stamp: string })[] = lifecycle;

/** The timestamps of a version match a path through the lifecycle table that ends in its status. */
function* lifecycleWalks({ versions }: AtRest): Generator<Violation> {
  for (const { id, status, stamps } of versions) {
    const walked = Object.entries(stamps).sort(([, a], [, b]) => a.localeCompare(b));
    const reached = new Set<string>([
      'pending',
      ...walked.flatMap(([stamp]) => rows.filter((row) => row.stamp === (stamp as Stamp)).map(({ to }) => to)),
    ]);
    const stray = walked.find(
      ([stamp]) => !rows.some((row) => row.stamp === stamp && row.from.some((from) => reached.has(from))),
    );
    const lastAt = walked.at(-1)?.[1];
    const last = walked
      .filter(([, at]) => at === lastAt)
      .flatMap(([stamp]) => rows.filter((row) => row.stamp === stamp).map(({ to }) => to));
    const ends: readonly string[] = walked.length === 0 ? ['pending'] : last;
    if (!isMissing(stray) || !ends.includes(status)) {
      yield violation(
        'history is a walk of the lifecycle',
        `version ${id} is ${status} after ${JSON.stringify(stamps)}`,
      );
    }
  }
}

const holding: readonly string[] = runStatusesHoldingWorkspace satisfies readonly RunStatus[];

/** At most one run that is not plan-only holds a workspace at a time. */
function* holders({ runs }: AtRest, noticed: Noticed): Generator<Violation> {
  const atRest = Map.groupBy(
    runs.filter(({ status, planOnly }) => !planOnly && holding.includes(status)),
    ({ workspaceId }) => workspaceId,
  );
  const all = [
    ...noticed.holders,
    ...[...atRest].map(([workspaceId, held]) => ({ workspaceId, runs: held.map(({ id }) => id) })),
  ];
  for (const { workspaceId, runs: held } of all) {
    if (held.length > 1)
      yield violation('one run holds a workspace', `workspace ${workspaceId} is held by ${held.join(' and ')}`);
  }
}

const faultsOfTheEnvironment = [503, 507];

/** Faults are reported with their own status, and every request ends within the bound. */
function* answers(operations: readonly Operation[], { bound, unexpected }: Noticed): Generator<Violation> {
  for (const operation of operations) {
    const { kind, status, begun, ended, retryAfter } = operation;
    if (kind === fromStore) continue;
    if (status >= 500 && !faultsOfTheEnvironment.includes(status))
      yield violation('no unexpected fault', `returned ${status}`, operation);
    if (status === 503 && !(retryAfter > 0))
      yield violation('503 says when to retry', 'without Retry-After', operation);
    if (ended - begun > bound) yield violation('every request ends', `took ${Math.round(ended - begun)} ms`, operation);
  }
  for (const line of unexpected) yield violation('no unexpected error is logged', line);
}
