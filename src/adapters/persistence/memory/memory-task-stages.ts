import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type {
  TaskResultRepository,
  TaskStageRepository,
} from '../../../application/ports/repositories/policy-repository.js';
import type {
  Actor,
  Instant,
  LocatedEvaluation,
  LocatedResult,
  OutcomeFilter,
  PolicyEvaluation,
  PolicyEvaluationId,
  PolicySetOutcome,
  PolicySetOutcomeId,
  RunId,
  TaskResultId,
  TaskResultOutcome,
  TaskStage,
  TaskStageId,
  TaskStageSummary,
  WithStanding,
  Workspace,
} from '../../../domain/index.js';
import { selects } from '../../../domain/policy-outcomes/policy-set-outcome.js';
import { inRunOrder } from '../../../domain/supporting/run-tasks/task-stage-name.js';
import { standingIn, standingOn } from './memory-standing.js';
import { byText, type CurrentTables, checkRevision, pageOf, present } from './memory-tables.js';

const byKind = byText<PolicyEvaluation>(({ kind }) => kind);

export class MemoryTaskStages implements TaskStageRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: TaskStageId): Promise<WithStanding<TaskStage> | undefined> {
    const stage = this.living(id);
    return stage && this.seen(actor, stage, stage);
  }

  async findEvaluationFor(actor: Actor, id: PolicyEvaluationId): Promise<WithStanding<LocatedEvaluation> | undefined> {
    const stage = this.stageOf(id);
    const evaluation = stage?.evaluations.find((one) => one.id === id);
    if (stage === undefined || evaluation === undefined) return undefined;
    const { policySets: _, ...located } = evaluation;
    return this.seen(actor, stage, { ...located, taskStageId: stage.id });
  }

  async findOutcomeFor(actor: Actor, id: PolicySetOutcomeId): Promise<WithStanding<PolicySetOutcome> | undefined> {
    const outcome = this.tables().policySetOutcomes.get(id);
    const stage = outcome && this.stageOf(outcome.policyEvaluationId);
    return stage && this.seen(actor, stage, outcome);
  }

  async ofRun(id: RunId): Promise<readonly TaskStage[]> {
    const rows = [...this.tables().taskStages.values()].filter(({ runId }) => runId === id);
    return inRunOrder(present(rows.map((row) => this.living(row.id))));
  }

  async idsOfRuns(ids: readonly RunId[]): Promise<ReadonlyMap<RunId, readonly TaskStageId[]>> {
    const ofRuns = Map.groupBy(await this.ofRuns(ids), ({ runId }) => runId);
    return new Map([...ofRuns].map(([id, stages]) => [id, inRunOrder(stages).map((stage) => stage.id)]));
  }

  async ofRuns(ids: readonly RunId[]): Promise<readonly TaskStageSummary[]> {
    const rows = [...this.tables().taskStages.values()].filter(({ runId }) => ids.includes(runId));
    const stages = present(rows.map(({ id }) => this.living(id)));
    return stages.map((stage) => ({
      ...stage,
      evaluations: stage.evaluations.map(({ id }) => ({ id })),
      results: stage.results.map(({ id }) => ({ id })),
    }));
  }

  async add(stage: TaskStage): Promise<void> {
    this.tables().taskStages.set(stage.id, stage);
  }

  async save(stage: TaskStage): Promise<void> {
    const { taskStages } = this.tables();
    checkRevision(taskStages.get(stage.id), stage);
    taskStages.set(stage.id, stage);
  }

  async addOutcomes(outcomes: readonly PolicySetOutcome[]): Promise<void> {
    for (const outcome of outcomes) this.tables().policySetOutcomes.set(outcome.id, outcome);
  }

  async dropOutcomes({ evaluations, results }: TaskStage): Promise<void> {
    const { policySetOutcomes, taskResultOutcomes } = this.tables();
    for (const { id } of results) taskResultOutcomes.delete(id);
    for (const { id, policyEvaluationId } of policySetOutcomes.values()) {
      if (evaluations.some((evaluation) => evaluation.id === policyEvaluationId)) policySetOutcomes.delete(id);
    }
  }

  async outcomes(
    id: PolicyEvaluationId,
    filters: readonly OutcomeFilter[],
    page: PageRequest,
  ): Promise<Page<PolicySetOutcome>> {
    const rows = this.stageOf(id) === undefined ? [] : [...this.tables().policySetOutcomes.values()];
    const own = rows.filter(({ policyEvaluationId }) => policyEvaluationId === id);
    const matching = own.filter((row) => filters.length === 0 || filters.some((filter) => selects(filter, row)));
    return pageOf(
      matching.sort((a, b) => a.position - b.position),
      page,
    );
  }

  private seen<Subject>(actor: Actor, stage: TaskStage, subject: Subject): WithStanding<Subject> | undefined {
    const tables = this.tables();
    const workspace = this.workspaceOf(stage);
    if (workspace === undefined) return undefined;
    return { subject, standing: standingOn(tables, standingIn(tables, actor, workspace.organizationId), workspace.id) };
  }

  private stageOf(id: PolicyEvaluationId): TaskStage | undefined {
    const row = [...this.tables().taskStages.values()].find((stage) => stage.evaluations.some((one) => one.id === id));
    return row && this.living(row.id);
  }

  private living(id: TaskStageId): TaskStage | undefined {
    const stage = this.tables().taskStages.get(id);
    return stage && this.workspaceOf(stage) && { ...stage, evaluations: stage.evaluations.toSorted(byKind) };
  }

  private workspaceOf({ runId }: TaskStage): Workspace | undefined {
    const run = this.tables().runs.get(runId);
    return run && this.tables().workspace(run.workspaceId);
  }
}

const located = ({ id: taskStageId, runId, stage, results }: TaskStage): readonly LocatedResult[] =>
  results.map((result) => ({ ...result, taskStageId, runId, stage }));

export class MemoryTaskResults implements TaskResultRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: TaskResultId): Promise<WithStanding<LocatedResult> | undefined> {
    const tables = this.tables();
    const subject = await this.find(id);
    const workspace = subject && this.workspaceOf(subject);
    if (subject === undefined || workspace === undefined) return undefined;
    return { subject, standing: standingOn(tables, standingIn(tables, actor, workspace.organizationId), workspace.id) };
  }

  async find(id: TaskResultId): Promise<LocatedResult | undefined> {
    return this.all().find((result) => result.id === id);
  }

  async byToken(digest: string): Promise<LocatedResult | undefined> {
    return this.all().find(({ tokenDigest }) => tokenDigest === digest);
  }

  async overdue(now: Instant, limit: number): Promise<readonly LocatedResult[]> {
    return this.all()
      .filter(({ deadline }) => deadline !== null && deadline <= now)
      .sort(byText(({ deadline }) => deadline ?? ''))
      .slice(0, limit);
  }

  async endTask(of: Parameters<TaskResultRepository['endTask']>[0], now: Instant): Promise<void> {
    const { taskStages } = this.tables();
    for (const [id, stage] of taskStages) {
      const ends = ({ taskId, workspaceTaskId, tokenDigest, deadline }: TaskStage['results'][number]) =>
        ('taskId' in of ? taskId === of.taskId : workspaceTaskId === of.workspaceTaskId) &&
        (tokenDigest !== null || deadline !== null);
      if (!stage.results.some(ends)) continue;
      const results = stage.results.map((result) =>
        ends(result) ? { ...result, tokenDigest: null, deadline: result.deadline && now } : result,
      );
      taskStages.set(id, { ...stage, results, revision: stage.revision + 1 });
    }
  }

  async keepOutcomes(id: TaskResultId, outcomes: readonly TaskResultOutcome[]): Promise<void> {
    this.tables().taskResultOutcomes.set(id, outcomes);
  }

  async outcomes(id: TaskResultId, page: PageRequest): Promise<Page<TaskResultOutcome>> {
    return pageOf((await this.find(id)) ? (this.tables().taskResultOutcomes.get(id) ?? []) : [], page);
  }

  private all(): LocatedResult[] {
    const stages = [...this.tables().taskStages.values()].filter((stage) => this.workspaceOf(stage));
    return stages.flatMap(located);
  }

  private workspaceOf({ runId }: Pick<TaskStage, 'runId'>) {
    const run = this.tables().runs.get(runId);
    return run && this.tables().workspace(run.workspaceId);
  }
}
