import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type { TaskStageRepository } from '../../../application/ports/repositories/policy-repository.js';
import type {
  Actor,
  LocatedEvaluation,
  OutcomeFilter,
  PolicyEvaluation,
  PolicyEvaluationId,
  PolicySetOutcome,
  PolicySetOutcomeId,
  RunId,
  TaskStage,
  TaskStageId,
  TaskStageSummary,
  WithStanding,
  Workspace,
} from '../../../domain/index.js';
import { selects } from '../../../domain/policy-outcomes/policy-set-outcome.js';
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

  async ofRun(id: RunId): Promise<TaskStage | undefined> {
    const row = [...this.tables().taskStages.values()].find(({ runId }) => runId === id);
    return row && this.living(row.id);
  }

  async idsOfRuns(ids: readonly RunId[]): Promise<ReadonlyMap<RunId, TaskStageId>> {
    return new Map((await this.ofRuns(ids)).map((stage) => [stage.runId, stage.id]));
  }

  async ofRuns(ids: readonly RunId[]): Promise<readonly TaskStageSummary[]> {
    const rows = [...this.tables().taskStages.values()].filter(({ runId }) => ids.includes(runId));
    const stages = present(rows.map(({ id }) => this.living(id)));
    return stages.map((stage) => ({ ...stage, evaluations: stage.evaluations.map(({ id }) => ({ id })) }));
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

  async dropOutcomes({ evaluations }: TaskStage): Promise<void> {
    const { policySetOutcomes } = this.tables();
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
