import {
  hasPart,
  type OrganizationRunFilter,
  type RunFilter,
} from '../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type {
  QueuedRun,
  RunCapacity,
  RunQueries,
  RunRepository,
  RunScope,
  WorkspaceActivity,
} from '../../../application/ports/repositories/run-repository.js';
import {
  type Actor,
  type Agent,
  type ConfigurationVersionId,
  type Instant,
  notFound,
  type OrganizationId,
  operationOf,
  queuedRunStatuses,
  Run,
  type RunId,
  type RunState,
  type RunStatus,
  runStatusesHoldingWorkspace,
  runStatusesInProgress,
  runStatusesUnderLease,
  type Standing,
  serves,
  type TeamId,
  type VersionFactsGathered,
  type WithStanding,
  type WorkspaceId,
  type WorkspaceVisibility,
  waitingRunStatuses,
} from '../../../domain/index.js';
import { standingIn, standingOn } from './memory-standing.js';
import { byText, type CurrentTables, checkRevision, type MemoryTables, pageOf } from './memory-tables.js';

const inProgress = ({ status }: RunState): boolean => runStatusesInProgress.includes(status);
const holds = ({ planOnly, status }: RunState): boolean => !planOnly && runStatusesHoldingWorkspace.includes(status);
const waits = ({ planOnly, status }: RunState): boolean => !planOnly && waitingRunStatuses.includes(status);
const claimable = ({ status }: RunState): boolean => status === 'plan_queued' || status === 'apply_queued';
const executed = ({ status }: RunState): boolean => runStatusesUnderLease.includes(status);
const bySequence = (a: RunState, b: RunState): number => a.sequence - b.sequence;

const maybeRestored = (state: RunState | undefined): Run | undefined => state && Run.restore(state);

/** The run that holds the workspace, or else the longest waiting one. */
export function currentRunOf({ runs }: MemoryTables, id: WorkspaceId): RunState | undefined {
  const own = [...runs.values()].filter(({ workspaceId }) => workspaceId === id).sort(bySequence);
  return own.find(holds) ?? own.find(waits);
}

export class MemoryRuns implements RunRepository, RunQueries {
  constructor(private readonly tables: CurrentTables) {}

  async find(id: RunId): Promise<Run | undefined> {
    return maybeRestored(this.living().find((run) => run.id === id));
  }

  async findFor(actor: Actor, id: RunId): Promise<WithStanding<Run> | undefined> {
    const tables = this.tables();
    const subject = await this.find(id);
    if (subject === undefined) return undefined;
    const workspace = tables.workspace(subject.state.workspaceId);
    if (workspace === undefined) return undefined;
    const standing = standingIn(tables, actor, workspace.organizationId);
    return { subject, standing: standingOn(tables, standing, workspace.id) };
  }

  async findByLease(digest: string): Promise<Run | undefined> {
    return maybeRestored(this.living().find(({ lease }) => lease?.digest === digest));
  }

  async add({ state }: Run): Promise<void> {
    this.checkIndexes(state);
    this.tables().runs.set(state.id, state);
  }

  async save({ state }: Run): Promise<void> {
    checkRevision(this.tables().runs.get(state.id), state);
    this.checkIndexes(state);
    this.tables().runs.set(state.id, state);
  }

  async aboutVersion(id: ConfigurationVersionId): Promise<VersionFactsGathered> {
    const tables = this.tables();
    const workspaceId = tables.configurationVersion(id)?.workspaceId;
    const workspace = workspaceId === undefined ? undefined : tables.workspace(workspaceId);
    const runs = [...tables.runs.values()].filter((run) => run.configurationVersionId === id);
    return {
      isCurrent: workspace?.currentConfigurationVersionId === id,
      runsInProgress: runs.some(inProgress),
      usedByRun: runs.length > 0,
    };
  }

  async anyApplying(scope: RunScope): Promise<boolean> {
    return this.living().some((run) => run.status === 'applying' && this.within(scope, run));
  }

  async takeSequence(workspaceId: WorkspaceId): Promise<{ sequence: number; hasTasks: boolean }> {
    const tables = this.tables();
    if (tables.workspace(workspaceId) === undefined) throw notFound();
    const hasTasks = [...tables.workspaceTasks.values()].some((task) => task.workspaceId === workspaceId);
    return { sequence: tables.next(workspaceId), hasTasks };
  }

  async anotherHolds(workspaceId: WorkspaceId, except: RunId): Promise<boolean> {
    return this.living().some((run) => run.workspaceId === workspaceId && run.id !== except && holds(run));
  }

  async before({ state }: Run, limit: number): Promise<readonly Run[]> {
    const others = this.living().filter(({ id, workspaceId }) => workspaceId === state.workspaceId && id !== state.id);
    const waiting = others.filter((run) => waits(run) && run.sequence < state.sequence).sort(bySequence);
    return [...waiting.slice(0, limit - 1), ...others.filter(holds)].map((run) => Run.restore(run));
  }

  async nextWaiting(workspaceId: WorkspaceId): Promise<Run | undefined> {
    const waiting = this.living().filter((run) => run.workspaceId === workspaceId && waits(run));
    return maybeRestored(waiting.sort(bySequence)[0]);
  }

  async nextClaimable({ poolId }: Pick<Agent, 'poolId'>): Promise<RunId | undefined> {
    const tables = this.tables();
    const pool = tables.agentPool(poolId);
    const served = (run: RunState) => {
      const workspace = tables.workspace(run.workspaceId);
      return pool !== undefined && workspace !== undefined && serves(pool, workspace);
    };
    const runs = this.living().filter((run) => claimable(run) && served(run));
    return runs.sort(byText(({ createdAt }) => createdAt))[0]?.id;
  }

  async withExpiredLease(now: Instant, limit: number): Promise<readonly RunId[]> {
    const expired = this.living().flatMap(({ id, lease }) =>
      lease !== null && lease.expiresAt <= now ? { id, at: lease.expiresAt } : [],
    );
    return expired
      .sort(byText(({ at }) => at))
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async countWaiting(most: number): Promise<ReadonlyMap<RunStatus, number>> {
    const runs = [...this.tables().runs.values()];
    const waiting = [runs.filter(({ status }) => waitingRunStatuses.includes(status)), runs.filter(claimable)];
    const byStatus = Map.groupBy(
      waiting.flatMap((some) => some.slice(0, most)),
      ({ status }) => status,
    );
    return new Map(Array.from(byStatus, ([status, some]) => [status, some.length]));
  }

  async among(ids: readonly RunId[]): Promise<readonly RunState[]> {
    return this.living().filter(({ id }) => ids.includes(id));
  }

  async page(workspaceId: WorkspaceId, page: PageRequest, filter: RunFilter = {}): Promise<Page<RunState>> {
    const own = this.living().filter((run) => run.workspaceId === workspaceId && this.matches(run, filter));
    return pageOf(
      own.sort((a, b) => bySequence(b, a)),
      page,
    );
  }

  async pageOfOrganization(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
    { workspaceNames, ...filter }: OrganizationRunFilter = {},
  ): Promise<Page<WithStanding<RunState>>> {
    const tables = this.tables();
    const matching = this.living().filter((run) => {
      const workspace = tables.workspace(run.workspaceId);
      return (
        workspace?.organizationId === organizationId &&
        (workspaceNames === undefined || workspaceNames.includes(workspace.name)) &&
        this.isVisible(visibility, run) &&
        this.matches(run, filter)
      );
    });
    const found = pageOf(matching.sort(byText(({ createdAt }) => createdAt)).reverse(), page);
    const items = found.items.map((run) => ({ subject: run, standing: standingOn(tables, standing, run.workspaceId) }));
    return { ...found, items };
  }

  async queue(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Promise<Page<WithStanding<QueuedRun>>> {
    const tables = this.tables();
    const visible = this.queueOf(organizationId).filter(({ run }) => this.isVisible(visibility, run));
    const found = pageOf(visible, page);
    const items = found.items.map((subject) => ({
      subject,
      standing: standingOn(tables, standing, subject.run.workspaceId),
    }));
    return { ...found, items };
  }

  async positionsOf(workspaceId: WorkspaceId, ids: readonly RunId[]): Promise<ReadonlyMap<RunId, number>> {
    const queue = this.queueOf(this.tables().workspace(workspaceId)?.organizationId);
    return new Map(queue.filter(({ run }) => ids.includes(run.id)).map(({ run, position }) => [run.id, position]));
  }

  async capacityOf(organizationId: OrganizationId): Promise<RunCapacity> {
    const queue = this.queueOf(organizationId);
    const running = queue.filter(({ run }) => executed(run)).length;
    return { pending: queue.length - running, running };
  }

  async activityOf(ids: readonly WorkspaceId[]): Promise<ReadonlyMap<WorkspaceId, WorkspaceActivity>> {
    const known = ids.filter((id) => this.tables().workspaces.has(id));
    return new Map(known.map((id) => [id, this.activity(id)]));
  }

  private activity(id: WorkspaceId): WorkspaceActivity {
    const tables = this.tables();
    const runs = [...tables.runs.values()].filter(({ workspaceId }) => workspaceId === id).sort(bySequence);
    const states = [...tables.stateVersions.values()].filter(
      ({ workspaceId, status }) => workspaceId === id && status === 'finalized',
    );
    const working = runs.find(holds);
    const state = states.at(-1);
    return {
      workingRunId: working?.id ?? null,
      currentRunId: (working ?? runs.find(waits))?.id ?? null,
      latestRunId: runs.at(-1)?.id ?? null,
      runsCount: tables.sequences.get(id) ?? 0,
      stateVersionId: state?.id ?? null,
      resourceCount: (state && tables.stateContents.get(state.id)?.resourceCount) ?? null,
    };
  }

  async firstOfVersions(
    ids: readonly ConfigurationVersionId[],
  ): Promise<ReadonlyMap<ConfigurationVersionId, RunState>> {
    const runs = this.living().filter((run) => ids.includes(run.configurationVersionId));
    const latestFirst = runs.sort((a, b) => bySequence(b, a));
    return new Map(latestFirst.map((run) => [run.configurationVersionId, run]));
  }

  private isVisible(visibility: WorkspaceVisibility, { workspaceId }: RunState): boolean {
    const granted = (teamId: TeamId) => this.tables().hasAccess(teamId, workspaceId);
    return visibility === 'all' || visibility.throughTeams.some(granted);
  }

  private matches(run: RunState, { search, user, commit, ...filter }: RunFilter): boolean {
    const tables = this.tables();
    const { commitSha, senderUsername } = tables.ingressAttributes.get(run.configurationVersionId) ?? {};
    const organizationId = tables.workspaces.get(run.workspaceId)?.organizationId;
    const membership = [...tables.memberships.values()].find(
      (one) => one.userId === run.createdBy?.id && one.organizationId === organizationId,
    );
    const creator = membership && tables.user(membership.userId)?.username;
    const people = [senderUsername, creator];
    const within = (part: string | undefined, ...texts: readonly (string | null | undefined)[]) =>
      part === undefined || texts.some((text) => text != null && hasPart(text, part));
    return (
      (filter.statuses?.includes(run.status) ?? true) &&
      (filter.sources?.includes(run.source) ?? true) &&
      (filter.operations?.includes(operationOf(run)) ?? true) &&
      run.createdAt >= (filter.since ?? '') &&
      (filter.before === undefined || run.createdAt < filter.before) &&
      within(search, run.id, run.options.message, commitSha, ...people) &&
      within(user, ...people) &&
      within(commit, commitSha)
    );
  }

  private queueOf(organizationId: OrganizationId | undefined): readonly QueuedRun[] {
    const queued = this.living().filter(
      ({ status, workspaceId }) =>
        queuedRunStatuses.includes(status) && this.tables().workspace(workspaceId)?.organizationId === organizationId,
    );
    const inOrder = queued.sort(byText(({ createdAt, id }) => `${createdAt} ${id}`));
    return [...inOrder.filter(executed), ...inOrder.filter((run) => !executed(run))].map((run, index) => ({
      run,
      position: index + 1,
    }));
  }

  private living(): RunState[] {
    const tables = this.tables();
    return [...tables.runs.values()].filter((run) => tables.workspace(run.workspaceId) !== undefined);
  }

  private within(scope: RunScope, run: RunState): boolean {
    if ('workspaceId' in scope) return run.workspaceId === scope.workspaceId;
    return this.tables().workspace(run.workspaceId)?.organizationId === scope.organizationId;
  }

  /** Refuses what a database's unique indexes would refuse. */
  private checkIndexes(next: RunState): void {
    for (const run of this.tables().runs.values()) {
      if (run.id === next.id || run.workspaceId !== next.workspaceId) continue;
      if (run.sequence === next.sequence) throw new Error(`${run.id} and ${next.id} have one sequence number`);
      if (holds(run) && holds(next)) throw new Error(`${run.id} and ${next.id} hold one workspace`);
    }
  }
}
