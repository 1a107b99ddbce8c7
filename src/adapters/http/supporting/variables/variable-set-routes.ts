import type { Page, PageRequest, VariableSetFilter, VariableSetInclude } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { Actor, Attachments, VariableSet } from '../../../../domain/index.js';
import { answerCreated, answerEmpty, answerOne } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { changes, creates, lists, relates, removes, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import { listSchema } from '../../routing/resource-schema.js';
import { type Call, get, ok, parameter, patch, post, type Route, remove, removeListed } from '../../routing/route.js';
import { readingIds } from '../../routing/schema.js';
import { workspaceType } from '../workspaces/workspace-requests.js';
import { newVariable, variableChange } from './variable-requests.js';
import { presentVariable, variableSchema } from './variable-resource.js';
import {
  newVariableSet,
  projectType,
  variableSetChange,
  variableSetParameters,
  variableSetsParameters,
  variableSetsQuery,
} from './variable-set-requests.js';
import { presentVariableSet, variableSetSchema } from './variable-set-resource.js';

const refusals = ['attribute/invalid', 'attribute/taken'] as const;

/** Finds a page of variable sets of whatever the path names. */
type Lister = (actor: Actor, of: string, page: PageRequest, filter: VariableSetFilter) => Promise<Page<VariableSet>>;

export const variableSetRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newVariableSet(dialect);
  const readChange = variableSetChange(dialect);
  const present = presentVariableSet(dialect);
  const set = () => variableSetSchema(dialect);
  const included = schemasOf(neighbours, 'variable', 'workspace', 'project');
  const idOf = (call: Call) => parameter(call, 'id');
  const relatedTo = async (call: Call, sets: readonly VariableSet[], include: ReadonlySet<VariableSetInclude>) =>
    include.size === 0
      ? []
      : presentRelated(neighbours, await use.showRelatedToVariableSets.execute(call.actor, sets, include));
  const answerList =
    (name: string, list: Lister): Route['handle'] =>
    async (call) => {
      const { filter, include } = variableSetsQuery(call);
      const page = await list(call.actor, parameter(call, name), pageRequest(call.query), filter);
      const document = pageDocument(call.path, call.query, page, present);
      return ok(withIncluded(document, await relatedTo(call, page.items, include)));
    };
  const listing = { parameters: variableSetsParameters, included };
  const attaching = (list: keyof Attachments) => {
    const [word, read] =
      list === 'workspaceIds'
        ? (['workspaces', readingIds(dialect, workspaceType)] as const)
        : (['projects', readingIds(dialect, projectType)] as const);
    const path = `/varsets/:id/relationships/${word}` as const;
    const named = word === 'workspaces' ? 'Workspaces' : 'Projects';
    const change = (what: 'attach' | 'detach') =>
      answerEmpty((call) => use.attachVariableSet.execute(call.actor, idOf(call), what, list, read(call)));
    return [
      post(
        path,
        'variable-sets/manage',
        relates(`attachVariableSetTo${named}`, `Attach a variable set to ${word}`, read, 'attribute/invalid'),
        change('attach'),
      ),
      removeListed(
        path,
        'variable-sets/manage',
        relates(`detachVariableSetFrom${named}`, `Detach a variable set from ${word}`, read),
        change('detach'),
      ),
    ];
  };
  return [
    get(
      '/organizations/:organization/varsets',
      'variable-sets/list',
      lists('listVariableSets', 'List variable sets of an organization', set, {
        about: 'Only variable sets that the caller may manage.',
        ...listing,
      }),
      answerList('organization', (...asked) => use.listVariableSets.execute(...asked)),
    ),
    post(
      '/organizations/:organization/varsets',
      'variable-sets/manage',
      creates('createVariableSet', 'Create a variable set', readNew, set, {
        about: 'The `vars` relationship contains whole variables. Runs that were claimed before do not receive them.',
        refusals,
      }),
      answerCreated(present, (call) =>
        use.createVariableSet.execute(call.actor, parameter(call, 'organization'), readNew(call)),
      ),
    ),
    get(
      '/workspaces/:id/varsets',
      'variables/read',
      lists('listWorkspaceVariableSets', 'List variable sets that apply to a workspace', set, listing),
      answerList('id', (...asked) => use.listWorkspaceVariableSets.execute(...asked)),
    ),
    get(
      '/projects/:id/varsets',
      'variable-sets/list-in-project',
      lists('listProjectVariableSets', 'List variable sets that apply to a whole project', set, listing),
      answerList('id', (...asked) => use.listProjectVariableSets.execute(...asked)),
    ),
    get(
      '/varsets/:id',
      'variable-sets/manage',
      shows('showVariableSet', 'Show a variable set', set, { parameters: variableSetParameters, included }),
      async (call) => {
        const { include } = valuesOf(variableSetParameters, call.query);
        const shown = await use.showVariableSet.execute(call.actor, idOf(call));
        return ok(withIncluded({ data: present(shown) }, await relatedTo(call, [shown], include)));
      },
    ),
    patch(
      '/varsets/:id',
      'variable-sets/manage',
      changes('updateVariableSet', 'Update a variable set', readChange, set, {
        about:
          'Named lists of workspaces and projects are replaced as a whole; variables in `vars` are added. A set that becomes global loses its attachments.',
        refusals,
      }),
      answerOne(present, (call) => use.updateVariableSet.execute(call.actor, idOf(call), readChange(call))),
    ),
    remove(
      '/varsets/:id',
      'variable-sets/manage',
      removes('removeVariableSet', 'Delete a variable set', { about: 'Its variables are deleted with it.' }),
      answerEmpty((call) => use.removeVariableSet.execute(call.actor, idOf(call))),
    ),
    ...attaching('workspaceIds'),
    ...attaching('projectIds'),
    ...variableRoutesOf(use, dialect),
  ];
};

function variableRoutesOf(use: UseCases, dialect: Dialect): Route[] {
  const readNew = newVariable(dialect);
  const readChange = variableChange(dialect);
  const present = presentVariable(dialect);
  const variable = () => variableSchema(dialect);
  const of = (call: Call) => parameter(call, 'id');
  const idOf = (call: Call) => parameter(call, 'setVariableId');
  const path = '/varsets/:id/relationships/vars';
  const onePath = '/varsets/:id/relationships/vars/:setVariableId';
  return [
    get(
      path,
      'variable-sets/manage',
      () => ({
        operation: 'listSetVariables',
        summary: 'List variables of a variable set',
        about: 'Sorted by key. Not paginated: the response has no `links` and no `meta`.',
        answers: { 200: listSchema(variable()) },
      }),
      async (call) => ok({ data: (await use.listSetVariables.execute(call.actor, of(call))).map(present) }),
    ),
    post(
      path,
      'variable-sets/manage',
      creates('createSetVariable', 'Create a variable in a variable set', readNew, variable, { refusals }),
      answerCreated(present, (call) => use.createSetVariable.execute(call.actor, of(call), readNew(call))),
    ),
    get(
      onePath,
      'variable-sets/manage',
      shows('showSetVariable', 'Show a variable of a variable set', variable),
      answerOne(present, (call) => use.showSetVariable.execute(call.actor, of(call), idOf(call))),
    ),
    patch(
      onePath,
      'variable-sets/manage',
      changes('updateSetVariable', 'Update a variable of a variable set', readChange, variable, {
        about: 'A sensitive variable has the restrictions of a sensitive workspace variable.',
        refusals,
      }),
      answerOne(present, (call) => use.updateSetVariable.execute(call.actor, of(call), idOf(call), readChange(call))),
    ),
    remove(
      onePath,
      'variable-sets/manage',
      removes('removeSetVariable', 'Delete a variable of a variable set'),
      answerEmpty((call) => use.removeSetVariable.execute(call.actor, of(call), idOf(call))),
    ),
  ];
}
