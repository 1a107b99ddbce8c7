import type { ShownRun, ShownWorkspace } from '../../../application/index.js';
import type { UseCases } from '../../../application/use-cases.js';
import { aboutComment, actWithComment, commentBody, readComment } from '../routing/action-comment.js';
import { answerOne, answerPage } from '../routing/answering.js';
import type { Dialect } from '../routing/dialect.js';
import { withIncluded } from '../routing/document.js';
import { pageDocument, pageParameters, pageRequest } from '../routing/pagination.js';
import { valuesOf } from '../routing/parameters.js';
import { lists, serving, shows } from '../routing/reference.js';
import { get, type Neighbour, ok, parameter, type Route } from '../routing/route.js';
import { presentWorkspace, workspaceSchema } from '../supporting/workspaces/workspace-resource.js';
import { groupParameter, outcomeCountParameters, policyOutcomesQuery } from './outcome-count-requests.js';
import { outcomeCountsDocument, outcomeCountsSchema } from './outcome-count-resource.js';
import { outcomeFilterParameters, outcomeFilters, taskStageParameters } from './policy-outcome-requests.js';
import {
  policyEvaluationSchema,
  policySetOutcomeSchema,
  presentPolicyEvaluation,
  presentPolicySetOutcome,
  presentTaskStage,
  taskStageSchema,
} from './policy-outcome-resource.js';
import { presentTaskOutcome, presentTaskResult, taskOutcomeSchema, taskResultSchema } from './task-result-resource.js';

export const policyOutcomeRoutes = (use: UseCases, dialect: Dialect, runs: Neighbour<ShownRun>): Route[] => {
  const presentStage = presentTaskStage(dialect);
  const presentBesideRun = (shown: ShownWorkspace) =>
    presentWorkspace(dialect)({ ...shown, printsText: true, withoutRuns: true });
  const presentEvaluation = presentPolicyEvaluation(dialect);
  const presentOutcome = presentPolicySetOutcome(dialect);
  const stage = () => taskStageSchema(dialect);
  const resultShape = () => taskResultSchema(dialect);
  const presentResult = presentTaskResult(dialect);
  const evaluationShape = () => policyEvaluationSchema(dialect);
  const included = () => [runs.schema(), workspaceSchema(dialect), evaluationShape(), resultShape()] as const;
  return [
    get(
      '/organizations/:organization/policy-outcome-counts',
      'organizations/read',
      serving(outcomeCountParameters, () => ({
        operation: 'countPolicyOutcomes',
        summary: 'Count policy outcomes of an organization',
        about:
          'Counts the results of each policy in runs whose policies are evaluated, by the day on which the run was created. A repeated evaluation counts once, as it was last made. Workspaces that the caller cannot read, and deleted ones, are left out. Days are in their order, other groups begin with what failed, was overridden or errored most often.',
        query: { ...groupParameter, ...pageParameters },
        answers: { 200: outcomeCountsSchema(dialect) },
        refusals: ['policy-outcomes/uncounted', 422],
      })),
      async (call) => {
        const query = policyOutcomesQuery(call);
        const page = await use.countPolicyOutcomes.execute(call.actor, query, pageRequest(call.query));
        return ok(outcomeCountsDocument(call, page));
      },
    ),
    get(
      '/runs/:runId/task-stages',
      'policy-outcomes/read',
      lists('listTaskStages', 'List task stages of a run', stage),
      answerPage(presentStage, (call) =>
        use.listTaskStages.execute(call.actor, parameter(call, 'runId'), pageRequest(call.query)),
      ),
    ),
    get(
      '/task-stages/:id',
      'policy-outcomes/read',
      shows('showTaskStage', 'Show a task stage', stage, {
        parameters: taskStageParameters,
        included,
      }),
      async (call) => {
        const { include } = valuesOf(taskStageParameters, call.query);
        const { run, ...seen } = await use.showTaskStage.execute(call.actor, parameter(call, 'id'), include.has('run'));
        const workspace =
          run !== undefined && include.has('workspace')
            ? await use.showWorkspace.execute(call.actor, { id: run.run.workspaceId })
            : undefined;
        const { id: taskStageId, runId, stage: name, evaluations, results } = seen.subject;
        return ok(
          withIncluded({ data: presentStage(seen) }, [
            ...(run === undefined ? [] : [runs.present(run)]),
            ...(workspace === undefined ? [] : [presentBesideRun(workspace)]),
            ...(include.has('policy-evaluations')
              ? evaluations.map((evaluation) => presentEvaluation({ ...evaluation, taskStageId }))
              : []),
            ...(include.has('task-results')
              ? results.map((result) => presentResult({ ...result, taskStageId, runId, stage: name }))
              : []),
          ]),
        );
      },
    ),
    actWithComment(
      '/task-stages/:id/actions/override',
      'policy-outcomes/override',
      shows('overrideTaskStage', 'Override failed policies and run tasks of a task stage', stage, {
        about: `Lets the run continue. Possible while the stage awaits an override, which every failed policy set must allow. Only the stage after the plan awaits one. ${aboutComment}`,
        body: commentBody,
        refusals: ['task-stage/transition-refused'],
      }),
      answerOne(presentStage, (call) =>
        use.overrideTaskStage.execute(call.actor, parameter(call, 'id'), readComment(call)),
      ),
    ),
    get(
      '/task-results/:id',
      'policy-outcomes/read',
      shows('showTaskResult', 'Show the result of a run task', resultShape),
      answerOne(presentResult, (call) => use.showTaskResult.execute(call.actor, parameter(call, 'id'))),
    ),
    get(
      '/task-results/:taskResultId/outcomes',
      'policy-outcomes/read',
      lists('listTaskResultOutcomes', 'List outcomes of a run task', () => taskOutcomeSchema(dialect)),
      answerPage(presentTaskOutcome, (call) =>
        use.listTaskResultOutcomes.execute(call.actor, parameter(call, 'taskResultId'), pageRequest(call.query)),
      ),
    ),
    get(
      '/task-stages/:taskStageId/policy-evaluations',
      'policy-outcomes/read',
      lists('listPolicyEvaluations', 'List policy evaluations of a task stage', evaluationShape),
      answerPage(presentEvaluation, (call) =>
        use.listPolicyEvaluations.execute(call.actor, parameter(call, 'taskStageId'), pageRequest(call.query)),
      ),
    ),
    get(
      '/policy-evaluations/:id',
      'policy-outcomes/read',
      shows('showPolicyEvaluation', 'Show a policy evaluation', evaluationShape),
      answerOne(presentEvaluation, (call) => use.showPolicyEvaluation.execute(call.actor, parameter(call, 'id'))),
    ),
    get(
      '/policy-evaluations/:policyEvaluationId/policy-set-outcomes',
      'policy-outcomes/read',
      lists(
        'listPolicySetOutcomes',
        'List policy set outcomes of a policy evaluation',
        () => policySetOutcomeSchema(dialect),
        { parameters: outcomeFilterParameters },
      ),
      async (call) => {
        const id = parameter(call, 'policyEvaluationId');
        const query = { id, filters: outcomeFilters(call.query), page: pageRequest(call.query) };
        const page = await use.listPolicySetOutcomes.execute(call.actor, query);
        return ok(pageDocument(call.path, call.query, page, presentOutcome));
      },
    ),
    get(
      '/policy-set-outcomes/:id',
      'policy-outcomes/read',
      shows('showPolicySetOutcome', 'Show a policy set outcome', () => policySetOutcomeSchema(dialect)),
      answerOne(presentOutcome, (call) => use.showPolicySetOutcome.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
