import {
  type Page,
  type RunAction,
  runActions,
  type ShownRun,
  type UncountedPage,
} from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import { answerLocated, locates } from '../../configuration-versions/archive-location.js';
import {
  configurationVersionSchema,
  presentConfigurationVersion,
} from '../../configuration-versions/configuration-version-resource.js';
import { aboutComment, actWithComment, commentBody, readComment } from '../../routing/action-comment.js';
import { answerCreated, answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { creates, lists, listsUncounted, type Reference, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import { accepted, type Call, get, noContent, ok, parameter, post, type Route } from '../../routing/route.js';
import { presentWorkspace } from '../workspaces/workspace-resource.js';
import {
  newRun,
  organizationRunsParameters,
  organizationRunsQuery,
  queueParameters,
  runParameters,
  runsParameters,
  runsQuery,
} from './run-requests.js';
import {
  applySchema,
  decidingTeamSchema,
  planSchema,
  presentDecidingTeam,
  presentPhase,
  presentRun,
  presentRunCapacity,
  runCapacitySchema,
  runIdOf,
  runSchema,
} from './run-resource.js';

const actionsInWords: Readonly<Record<RunAction, Pick<Reference, 'operation' | 'summary' | 'about' | 'refusals'>>> = {
  apply: {
    operation: 'applyRun',
    summary: 'Apply a run',
    about: 'Confirms a run that waits for it. An agent then applies the plan as it is.',
  },
  discard: {
    operation: 'discardRun',
    summary: 'Discard a run',
    about: 'Ends a run that waits, without applying its plan.',
  },
  cancel: {
    operation: 'cancelRun',
    summary: 'Cancel a run',
    about:
      'Ends a run that no agent is executing. An agent that is executing it stops, and the run ends with its report.',
  },
  'force-cancel': {
    operation: 'forceCancelRun',
    summary: 'Cancel a run by force',
    about:
      'Ends a run whose agent was asked to stop and has not, from `force-cancel-available-at` on. Another run may start at once. Changes that the agent has not stored yet are missing in the state of the workspace.',
  },
  'force-execute': {
    operation: 'forceExecuteRun',
    summary: 'Execute a run by force',
    refusals: ['run/not-blocked'],
    about:
      'Discards the run that holds the workspace, and cancels or discards those that wait longer, so that this one starts. 403 for a run that waits for no other one; 409 if the one that holds the workspace cannot be discarded.',
  },
};

const planJsons = [
  {
    word: 'json-output',
    name: 'plan-json',
    action: 'plans/read-json-output',
    operation: 'readPlanJson',
    summary: 'Download the JSON execution plan',
  },
  {
    word: 'json-output-redacted',
    name: 'plan-json-redacted',
    action: 'runs/read',
    operation: 'readRedactedPlanJson',
    summary: 'Download the redacted JSON execution plan',
  },
] as const;

export const runRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newRun(dialect);
  const present = presentRun(dialect);
  const presentVersion = presentConfigurationVersion(dialect);
  const run = () => runSchema(dialect);
  const capacity = () => runCapacitySchema(dialect);
  const included = schemasOf(
    neighbours,
    'workspace',
    'configuration-version',
    'ingress-attributes',
    'task-stage',
    'user',
    'plan',
    'apply',
  );
  /** Next to one run, a workspace names its runs: none of them is included. */
  const besideOne: Neighbours = {
    ...neighbours,
    workspace: {
      ...neighbours.workspace,
      present: (shown) => presentWorkspace(dialect)({ ...shown, printsText: true }),
    },
  };

  /** `list` reads what is listed; the parameters include what is included. */
  const answerRuns =
    (list: (call: Call) => Promise<Page<ShownRun> | UncountedPage<ShownRun>>): Route['handle'] =>
    async (call) => {
      const { include } = valuesOf(queueParameters, call.query);
      const page = await list(call);
      const related = include.size === 0 ? [] : await use.showRelatedToRuns.execute(page.items, include);
      const document = pageDocument(call.path, call.query, page, present);
      return ok(withIncluded(document, presentRelated(neighbours, related)));
    };

  const action = (name: RunAction): Route =>
    actWithComment(
      `/runs/:id/actions/${name}`,
      runActions[name].action,
      () => ({
        ...actionsInWords[name],
        about: `${actionsInWords[name].about} ${aboutComment}`,
        body: commentBody,
        answers: { 202: null },
        refusals: ['run/transition-refused', ...(actionsInWords[name].refusals ?? [])],
      }),
      answerEmpty(
        (call) => use.changeRun.execute(call.actor, parameter(call, 'id'), name, readComment(call)),
        accepted,
      ),
    );

  return [
    post(
      '/runs',
      'runs/queue',
      creates('createRun', 'Create a run', readNew, run, {
        refusals: ['attribute/invalid', 'organization/over-quota'],
      }),
      answerCreated(present, (call) => use.createRun.execute(call.actor, readNew(call))),
    ),
    get(
      '/workspaces/:workspaceId/runs',
      'runs/read',
      lists('listRuns', 'List runs of a workspace', run, {
        about: 'Newest first.',
        parameters: runsParameters,
        included,
      }),
      answerRuns((call) =>
        use.listRuns.execute(call.actor, parameter(call, 'workspaceId'), pageRequest(call.query), runsQuery(call)),
      ),
    ),
    get(
      '/organizations/:organization/runs',
      'organizations/read',
      listsUncounted('listOrganizationRuns', 'List runs of an organization', run, {
        about:
          'Newest first. Runs of workspaces that the caller cannot read are left out. The answer has no total and no last page.',
        parameters: organizationRunsParameters,
        included,
      }),
      answerRuns((call) =>
        use.listOrganizationRuns.execute(
          call.actor,
          parameter(call, 'organization'),
          pageRequest(call.query),
          organizationRunsQuery(call),
        ),
      ),
    ),
    get(
      '/organizations/:organization/runs/queue',
      'organizations/read',
      lists('listQueuedRuns', 'List the run queue of an organization', run, {
        about: 'Running runs first, followed by waiting ones, oldest first.',
        parameters: queueParameters,
        included,
      }),
      answerRuns((call) =>
        use.listQueuedRuns.execute(call.actor, parameter(call, 'organization'), pageRequest(call.query)),
      ),
    ),
    get(
      '/organizations/:organization/capacity',
      'organizations/read',
      shows('showRunCapacity', 'Show the run capacity of an organization', capacity),
      async (call) => {
        const name = parameter(call, 'organization');
        return ok({ data: presentRunCapacity(name)(await use.showRunCapacity.execute(call.actor, name)) });
      },
    ),
    get(
      '/runs/:id',
      'runs/read',
      shows('showRun', 'Show a run', run, {
        parameters: runParameters,
        included,
      }),
      async (call) => {
        const { include } = valuesOf(runParameters, call.query);
        const shown = await use.showRun.execute(call.actor, parameter(call, 'id'));
        const related = include.size === 0 ? [] : await use.showRelatedToRuns.execute([shown], include);
        return ok(withIncluded({ data: present(shown) }, presentRelated(besideOne, related)));
      },
    ),
    get(
      '/runs/:id/deciding-teams',
      'runs/read',
      lists('listDecidingTeams', 'List the teams that may decide on a run', () => decidingTeamSchema(dialect), {
        about:
          'By name: the teams that the caller can see and whose members may confirm the run or override its policies, whichever it waits for. Empty while it waits for neither.',
      }),
      answerPage(presentDecidingTeam(dialect), (call) =>
        use.listDecidingTeams.execute(call.actor, parameter(call, 'id'), pageRequest(call.query)),
      ),
    ),
    action('apply'),
    action('discard'),
    action('cancel'),
    action('force-cancel'),
    action('force-execute'),
    get(
      '/runs/:id/configuration-version',
      'runs/read',
      shows('showRunConfigurationVersion', 'Show the configuration version of a run', () =>
        configurationVersionSchema(dialect),
      ),
      answerOne(presentVersion, (call) => use.showRunConfigurationVersion.execute(call.actor, parameter(call, 'id'))),
    ),
    get(
      '/runs/:id/configuration-version/download',
      'runs/read',
      locates('downloadRunConfigurationVersion', 'Download the configuration of a run'),
      answerLocated((call) => use.locateBundle.execute(call.actor, { runId: parameter(call, 'id') })),
    ),
    get(
      '/plans/:id',
      'runs/read',
      shows('showPlan', 'Show the plan of a run', () => planSchema(dialect)),
      async (call) => {
        const id = runIdOf(parameter(call, 'id'), 'plan');
        return ok({ data: presentPhase(dialect, 'plan')(await use.showRunPhase.execute(call.actor, id, 'plan')) });
      },
    ),
    ...planJsons.map(({ word, name, action, operation, summary }) =>
      get(
        `/plans/:id/${word}`,
        action,
        () => ({
          operation,
          summary,
          about: 'Returns 204 until the agent uploads the JSON plan, which it does before the plan finishes.',
          answers: { 200: { mediaType: 'application/json' }, 204: null },
          refusals: ['service/unavailable'],
        }),
        async (call) => {
          const parts = await use.readPlanJson.execute(call.actor, runIdOf(parameter(call, 'id'), 'plan'), name);
          return parts === undefined
            ? noContent
            : { status: 200, parts, headers: { 'Content-Type': 'application/json' } };
        },
      ),
    ),
    get(
      '/applies/:id',
      'runs/read',
      shows('showApply', 'Show the apply of a run', () => applySchema(dialect)),
      async (call) => {
        const id = runIdOf(parameter(call, 'id'), 'apply');
        return ok({ data: presentPhase(dialect, 'apply')(await use.showRunPhase.execute(call.actor, id, 'apply')) });
      },
    ),
  ];
};
