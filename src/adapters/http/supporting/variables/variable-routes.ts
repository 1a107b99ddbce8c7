import type { UseCases } from '../../../../application/use-cases.js';
import { answerCreated, answerEmpty, answerOne } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { changes, creates, removes, shows } from '../../routing/reference.js';
import { listSchema } from '../../routing/resource-schema.js';
import { type Call, get, ok, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import { newVariable, variableChange } from './variable-requests.js';
import { presentVariable, variableSchema } from './variable-resource.js';

const refusals = ['attribute/invalid', 'attribute/taken'] as const;

export const variableRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newVariable(dialect);
  const readChange = variableChange(dialect);
  const present = presentVariable(dialect);
  const variable = () => variableSchema(dialect);
  const workspaceOf = (call: Call) => parameter(call, 'workspaceId');
  const idOf = (call: Call) => parameter(call, 'variableId');
  return [
    get(
      '/workspaces/:workspaceId/vars',
      'variables/read',
      () => ({
        operation: 'listVariables',
        summary: 'List workspace variables',
        about: 'Sorted by key. Not paginated: the response has no `links` and no `meta`.',
        answers: { 200: listSchema(variable()) },
      }),
      async (call) => ok({ data: (await use.listVariables.execute(call.actor, workspaceOf(call))).map(present) }),
    ),
    get(
      '/workspaces/:workspaceId/all-vars',
      'variables/read',
      () => ({
        operation: 'listAllVariables',
        summary: 'List workspace variables with those of its variable sets',
        about:
          'The variables that a run receives, sorted by key. A variable is left out if another with its key and category overrides it. Not paginated: the response has no `links` and no `meta`.',
        answers: { 200: listSchema(variable()) },
      }),
      async (call) => ok({ data: (await use.listAllVariables.execute(call.actor, workspaceOf(call))).map(present) }),
    ),
    post(
      '/workspaces/:workspaceId/vars',
      'variables/manage',
      creates('createVariable', 'Create a workspace variable', readNew, variable, { refusals }),
      answerCreated(present, (call) => use.createVariable.execute(call.actor, workspaceOf(call), readNew(call))),
    ),
    get(
      '/workspaces/:workspaceId/vars/:variableId',
      'variables/read',
      shows('showVariable', 'Show a workspace variable', variable),
      answerOne(present, (call) => use.showVariable.execute(call.actor, workspaceOf(call), idOf(call))),
    ),
    patch(
      '/workspaces/:workspaceId/vars/:variableId',
      'variables/manage',
      changes('updateVariable', 'Update a workspace variable', readChange, variable, {
        about:
          'A sensitive variable cannot be made non-sensitive, its key cannot be changed, and its category only together with its value.',
        refusals,
      }),
      async (call) => {
        const [workspaceId, id] = [workspaceOf(call), idOf(call)];
        const changed = await use.updateVariable.execute(call.actor, workspaceId, id, readChange(call));
        return ok({ data: present(changed) });
      },
    ),
    remove(
      '/workspaces/:workspaceId/vars/:variableId',
      'variables/manage',
      removes('removeVariable', 'Delete a workspace variable'),
      answerEmpty((call) => use.removeVariable.execute(call.actor, workspaceOf(call), idOf(call))),
    ),
  ];
};
