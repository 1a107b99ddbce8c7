import type { Dialect } from '../dialect.js';
import { withIncluded } from '../json-api/document.js';
import { pageDocument, pageRequest } from '../json-api/pagination.js';
import { act, get, ok, parameter, type Route } from '../route.js';
import { presentRun } from '../runs/run-resource.js';
import type { UseCases } from '../use-cases.js';
import { presentWorkspace } from '../workspaces/workspace-resource.js';
import { outcomeFilters, taskStageIncludes } from './policy-outcome-requests.js';
import { presentPolicyEvaluation, presentPolicySetOutcome, presentTaskStage } from './policy-outcome-resource.js';

export const policyOutcomeRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const presentStage = presentTaskStage(dialect);
  const presentEvaluation = presentPolicyEvaluation(dialect);
  const presentOutcome = presentPolicySetOutcome(dialect);
  return [
    get('/runs/:runId/task-stages', 'policy-outcomes/read', async (call) => {
      const page = await use.listTaskStages.execute(call.actor, parameter(call, 'runId'), pageRequest(call.query));
      return ok(pageDocument(call.path, call.query, page, presentStage));
    }),
    get('/task-stages/:id', 'policy-outcomes/read', async (call) => {
      const include = call.query.known('include', taskStageIncludes);
      const { run, ...seen } = await use.showTaskStage.execute(call.actor, parameter(call, 'id'), include.has('run'));
      const workspace =
        run !== undefined && include.has('workspace')
          ? await use.showWorkspace.execute(call.actor, { id: run.run.workspaceId })
          : undefined;
      const { id: taskStageId, evaluations } = seen.subject;
      return ok(
        withIncluded({ data: presentStage(seen) }, [
          ...(run === undefined ? [] : [presentRun(dialect)(run)]),
          ...(workspace === undefined ? [] : [presentWorkspace(dialect)(workspace)]),
          ...(include.has('policy-evaluations')
            ? evaluations.map((evaluation) => presentEvaluation({ ...evaluation, taskStageId }))
            : []),
        ]),
      );
    }),
    act('/task-stages/:id/actions/override', 'policy-outcomes/override', async (call) =>
      ok({ data: presentStage(await use.overrideTaskStage.execute(call.actor, parameter(call, 'id'))) }),
    ),
    get('/task-stages/:taskStageId/policy-evaluations', 'policy-outcomes/read', async (call) => {
      const id = parameter(call, 'taskStageId');
      const page = await use.listPolicyEvaluations.execute(call.actor, id, pageRequest(call.query));
      return ok(pageDocument(call.path, call.query, page, presentEvaluation));
    }),
    get('/policy-evaluations/:id', 'policy-outcomes/read', async (call) =>
      ok({ data: presentEvaluation(await use.showPolicyEvaluation.execute(call.actor, parameter(call, 'id'))) }),
    ),
    get('/policy-evaluations/:policyEvaluationId/policy-set-outcomes', 'policy-outcomes/read', async (call) => {
      const id = parameter(call, 'policyEvaluationId');
      const query = { id, filters: outcomeFilters(call.query), page: pageRequest(call.query) };
      const page = await use.listPolicySetOutcomes.execute(call.actor, query);
      return ok(pageDocument(call.path, call.query, page, presentOutcome));
    }),
    get('/policy-set-outcomes/:id', 'policy-outcomes/read', async (call) =>
      ok({ data: presentOutcome(await use.showPolicySetOutcome.execute(call.actor, parameter(call, 'id'))) }),
    ),
  ];
};
