import type { RunTriggerInclude } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { WorkspaceRunTrigger } from '../../../../domain/index.js';
import { answerCreated, answerEmpty } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { creates, lists, removes, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import { type Call, get, ok, parameter, post, type Route, remove } from '../../routing/route.js';
import { newRunTrigger, runTriggerParameters, runTriggersParameters } from './run-trigger-requests.js';
import { presentRunTrigger, runTriggerSchema } from './run-trigger-resource.js';

export const runTriggerRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newRunTrigger(dialect);
  const present = presentRunTrigger(dialect);
  const runTrigger = () => runTriggerSchema(dialect);
  const included = schemasOf(neighbours, 'workspace');
  const relatedTo = async (
    { actor }: Call,
    triggers: readonly WorkspaceRunTrigger[],
    wanted: ReadonlySet<RunTriggerInclude>,
  ) => presentRelated(neighbours, await use.showRelatedToRunTriggers.execute(actor, triggers, wanted));
  const idOf = (call: Call) => parameter(call, 'id');
  const workspaceOf = (call: Call) => parameter(call, 'workspaceId');
  return [
    get(
      '/workspaces/:workspaceId/run-triggers',
      'run-triggers/read',
      lists('listRunTriggers', 'List run triggers of a workspace', runTrigger, {
        about: 'Only those whose other workspace the caller may read. Its admins see all inbound ones.',
        parameters: runTriggersParameters,
        included,
      }),
      async (call) => {
        const { 'filter[run-trigger][type]': type, include } = valuesOf(runTriggersParameters, call.query);
        const page = await use.listRunTriggers.execute(call.actor, workspaceOf(call), type, pageRequest(call.query));
        const document = pageDocument(call.path, call.query, page, present);
        return ok(withIncluded(document, await relatedTo(call, page.items, include)));
      },
    ),
    post(
      '/workspaces/:workspaceId/run-triggers',
      'run-triggers/manage',
      creates('createRunTrigger', 'Create a run trigger', readNew, runTrigger, {
        about:
          'Each applied run of the source workspace then queues a run of this workspace. Requires permission to read runs of the source. See `docs/run-triggers.md`.',
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerCreated(present, (call) => use.createRunTrigger.execute(call.actor, workspaceOf(call), readNew(call))),
    ),
    get(
      '/run-triggers/:id',
      'run-triggers/read',
      shows('showRunTrigger', 'Show a run trigger', runTrigger, { parameters: runTriggerParameters, included }),
      async (call) => {
        const { include } = valuesOf(runTriggerParameters, call.query);
        const shown = await use.showRunTrigger.execute(call.actor, idOf(call));
        return ok(withIncluded({ data: present(shown) }, await relatedTo(call, [shown], include)));
      },
    ),
    remove(
      '/run-triggers/:id',
      'run-triggers/manage',
      removes('removeRunTrigger', 'Delete a run trigger', { about: 'Runs that it has queued stay.' }),
      answerEmpty((call) => use.removeRunTrigger.execute(call.actor, idOf(call))),
    ),
  ];
};
