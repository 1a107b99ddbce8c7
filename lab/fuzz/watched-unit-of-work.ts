import type { Transaction, UnitOfWork } from '../../src/application/index.js';
import type { ConfigurationVersion, Run, RunId, RunStatus } from '../../src/domain/index.js';
import { promised, promisedOutcome, triggers } from '../../tests/domain/specified-lifecycle.js';
import { byThemselves, ended, underLease, ways } from '../../tests/domain/specified-runs.js';
import { mayFollow } from './states.js';

/** The statuses that a run can reach from there, including those it moves on to automatically. */
function reachable(from: RunStatus, byItself: boolean): ReadonlySet<RunStatus> {
  const found = new Set<RunStatus>();
  const go = (status: RunStatus, first: boolean) => {
    for (const [trigger, to] of Object.entries(ways[status])) {
      if (found.has(to) || !(first || (byThemselves as readonly string[]).includes(trigger))) continue;
      found.add(to);
      go(to, false);
    }
  };
  go(from, !byItself);
  return found;
}

/** The violations in a change of a run. */
function wrongWithRun(before: Run | undefined, { state }: Run): string | undefined {
  const from = before?.state.status;
  const reached = from === undefined ? reachable('pending', true) : reachable(from, false);
  const start = from ?? 'pending';
  if (state.status !== start && !reached.has(state.status)) return `went from ${start} to ${state.status}`;
  if (state.lease !== null && !underLease.includes(state.status)) return `has a lease, and is ${state.status}`;
  if (state.ownFiles !== null && ended.includes(state.status)) return `has files, and is ${state.status}`;
  return undefined;
}

type Facts = Parameters<typeof promisedOutcome>[2];

function wrongWithVersion(
  before: ConfigurationVersion | undefined,
  { state }: ConfigurationVersion,
  facts: Facts,
  now: string,
): string | undefined {
  if (before === undefined) return state.status === 'pending' ? undefined : `began ${state.status}`;
  const { status, bundle } = before.state;
  if (status === state.status && bundle?.key === state.bundle?.key) return undefined;
  const allowed = triggers.some((trigger) => {
    if (promised[trigger].to !== state.status) return false;
    const outcome = promisedOutcome(before.state, trigger, { ...facts, outdated: true }, now);
    return 'moves' in outcome;
  });
  return allowed ? undefined : `went from ${status} to ${state.status} with ${JSON.stringify(facts)}`;
}

/** Checks every status change on any backend, and remembers the expected rows. */
export class WatchedUnitOfWork implements UnitOfWork {
  readonly wrong: string[] = [];
  readonly runs = new Map<string, RunStatus>();
  readonly versions = new Map<string, string>();
  /** The current state of each workspace. */
  readonly states = new Map<string, string>();

  constructor(
    private readonly kept: UnitOfWork,
    private readonly now: () => string,
  ) {}

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.kept.read(work);
  }

  async run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    let runs = new Map<string, RunStatus>();
    let versions = new Map<string, string>();
    let states = new Map<string, string>();
    const result = await this.kept.run((tx) => {
      runs = new Map();
      versions = new Map();
      states = new Map();
      return work(this.watched(tx, runs, versions, states));
    });
    for (const [id, status] of runs) this.runs.set(id, status);
    for (const [id, status] of versions) this.versions.set(id, status);
    for (const [workspace, id] of states) this.states.set(workspace, id);
    return result;
  }

  private watched(
    tx: Transaction,
    runs: Map<string, RunStatus>,
    versions: Map<string, string>,
    states: Map<string, string>,
  ): Transaction {
    const saveRun = (how: 'add' | 'save') => async (run: Run) => {
      const before = how === 'add' ? undefined : await tx.runs.find(run.state.id);
      const wrong = wrongWithRun(before, run);
      if (wrong !== undefined) this.wrong.push(`${run.state.id} ${wrong}`);
      await tx.runs[how](run);
      runs.set(run.state.id, run.state.status);
    };
    const saveVersion = (how: 'add' | 'save') => async (version: ConfigurationVersion, becomesCurrent?: boolean) => {
      const { id } = version.state;
      const before = how === 'add' ? undefined : await tx.configurationVersions.find(id);
      const wrong = wrongWithVersion(before, version, await tx.runs.aboutVersion(id), this.now());
      if (wrong !== undefined) this.wrong.push(`${id} ${wrong}`);
      await tx.configurationVersions[how](version, becomesCurrent);
      versions.set(id, version.state.status);
    };
    const needsRun = async (id: RunId, needed: RunStatus, what: string) => {
      const status = (await tx.runs.find(id))?.state.status;
      if (status !== needed) this.wrong.push(`${what} was written while ${id} was ${status}`);
    };
    const addState: Transaction['stateVersions']['add'] = async (version, outputs) => {
      const { id, runId } = version;
      if (version.source === 'client' || runId === null) return tx.stateVersions.add(version, outputs);
      await needsRun(runId, 'applying', id);
      if (await tx.stateVersions.pending(runId)) this.wrong.push(`${id} is the second that ${runId} announced`);
      await tx.stateVersions.add(version, outputs);
    };
    const finalize: Transaction['stateVersions']['finalize'] = async (version, bundle) => {
      const { id, source, runId, workspaceId, createdBy, forced, serial, lineage } = version;
      if (source === 'agent' && runId !== null) await needsRun(runId, 'applying', id);
      const holder = (await tx.workspaces.find(workspaceId))?.lock?.by.id;
      if (source === 'client' && holder !== createdBy?.id) this.wrong.push(`${id} was written without the lock`);
      const before = await tx.stateVersions.current(workspaceId);
      if (!forced && before !== undefined && !mayFollow({ serial, lineage }, before))
        this.wrong.push(`${id} has the serial ${serial} of ${lineage} after ${before.serial} of ${before.lineage}`);
      await tx.stateVersions.finalize(version, bundle);
      states.set(workspaceId, id);
    };
    const put: Transaction['runArtifacts']['put'] = async (id, name, bundle) => {
      await needsRun(id, 'planning', name);
      return tx.runArtifacts.put(id, name, bundle);
    };
    return over(tx, {
      runArtifacts: over(tx.runArtifacts, { put }),
      stateVersions: over(tx.stateVersions, { add: addState, finalize }),
      runs: over(tx.runs, { add: saveRun('add'), save: saveRun('save') }),
      configurationVersions: over(tx.configurationVersions, { add: saveVersion('add'), save: saveVersion('save') }),
    });
  }
}

/** The same but for some members. */
const over = <Whole extends object>(whole: Whole, other: Partial<Whole>): Whole =>
  new Proxy(whole, {
    get: (target, name) => {
      if (Object.hasOwn(other, name)) return Reflect.get(other, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
