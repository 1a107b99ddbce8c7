import type { RunTaskInclude } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { RunTask } from '../../../../domain/index.js';
import { answerCreated, answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { include, textual, valuesOf } from '../../routing/parameters.js';
import { changes, creates, lists, removes, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import { type Call, get, ok, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import { newRunTask, newWorkspaceTask, runTaskChange, workspaceTaskChange } from './run-task-requests.js';
import { presentRunTask, presentWorkspaceTask, runTaskSchema, workspaceTaskSchema } from './run-task-resource.js';

const refusals = ['attribute/invalid', 'attribute/taken'] as const;
const taskParameters = {
  include: include<RunTaskInclude>({
    workspace_tasks: ['workspace-tasks'],
    'workspace_tasks.workspace': ['workspace-tasks', 'workspaces'],
  }),
};
const tasksParameters = {
  ...taskParameters,
  'search[name]': textual('Only run tasks with this text in their name.'),
};

export const runTaskRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newRunTask(dialect);
  const readChange = runTaskChange(dialect);
  const readAttachment = newWorkspaceTask(dialect);
  const readAttachmentChange = workspaceTaskChange(dialect);
  const present = presentRunTask(dialect);
  const presentAttachment = presentWorkspaceTask(dialect);
  const task = () => runTaskSchema(dialect);
  const attachment = () => workspaceTaskSchema(dialect);
  const included = schemasOf(neighbours, 'workspace-task', 'workspace');
  const relatedTo = async (call: Call, tasks: readonly RunTask[], wanted: ReadonlySet<RunTaskInclude>) =>
    presentRelated(neighbours, await use.showRelatedToRunTasks.execute(call.actor, tasks, wanted));
  const idOf = (call: Call) => parameter(call, 'id');
  const workspaceOf = (call: Call) => parameter(call, 'workspaceId');
  const attachmentOf = (call: Call) => parameter(call, 'workspaceTaskId');
  return [
    get(
      '/organizations/:organization/tasks',
      'run-tasks/manage',
      lists('listRunTasks', 'List run tasks of an organization', task, { parameters: tasksParameters, included }),
      async (call) => {
        const { 'search[name]': search, include: wanted } = valuesOf(tasksParameters, call.query);
        const name = parameter(call, 'organization');
        const page = await use.listRunTasks.execute(call.actor, name, pageRequest(call.query), search);
        const document = pageDocument(call.path, call.query, page, present);
        return ok(withIncluded(document, await relatedTo(call, page.items, wanted)));
      },
    ),
    post(
      '/organizations/:organization/tasks',
      'run-tasks/manage',
      creates('createRunTask', 'Create a run task', readNew, task, {
        about: 'The URL is called once the task is attached to a workspace. See `docs/run-tasks.md`.',
        refusals,
      }),
      answerCreated(present, (call) =>
        use.createRunTask.execute(call.actor, parameter(call, 'organization'), readNew(call)),
      ),
    ),
    get(
      '/tasks/:id',
      'run-tasks/manage',
      shows('showRunTask', 'Show a run task', task, { parameters: taskParameters, included }),
      async (call) => {
        const { include: wanted } = valuesOf(taskParameters, call.query);
        const shown = await use.showRunTask.execute(call.actor, idOf(call));
        return ok(withIncluded({ data: present(shown) }, await relatedTo(call, [shown], wanted)));
      },
    ),
    patch(
      '/tasks/:id',
      'run-tasks/manage',
      changes('updateRunTask', 'Update a run task', readChange, task, {
        about: 'An empty `hmac-key` removes the key.',
        refusals,
      }),
      answerOne(present, (call) => use.updateRunTask.execute(call.actor, idOf(call), readChange(call))),
    ),
    remove(
      '/tasks/:id',
      'run-tasks/manage',
      removes('removeRunTask', 'Delete a run task', {
        about:
          'Detaches it from its workspaces and ends its callback tokens. For a run that waits for it, the result is `errored`.',
      }),
      answerEmpty((call) => use.removeRunTask.execute(call.actor, idOf(call))),
    ),
    get(
      '/workspaces/:workspaceId/tasks',
      'workspace-tasks/read',
      lists('listWorkspaceTasks', 'List run tasks of a workspace', attachment),
      answerPage(presentAttachment, (call) =>
        use.listWorkspaceTasks.execute(call.actor, workspaceOf(call), pageRequest(call.query)),
      ),
    ),
    post(
      '/workspaces/:workspaceId/tasks',
      'workspace-tasks/manage',
      creates('addWorkspaceTask', 'Attach a run task to a workspace', readAttachment, attachment, {
        about: 'Runs that are created from then on call the task.',
        refusals,
      }),
      answerCreated(presentAttachment, (call) =>
        use.addWorkspaceTask.execute(call.actor, workspaceOf(call), readAttachment(call)),
      ),
    ),
    get(
      '/workspaces/:workspaceId/tasks/:workspaceTaskId',
      'workspace-tasks/read',
      shows('showWorkspaceTask', 'Show a run task of a workspace', attachment),
      answerOne(presentAttachment, (call) =>
        use.showWorkspaceTask.execute(call.actor, workspaceOf(call), attachmentOf(call)),
      ),
    ),
    patch(
      '/workspaces/:workspaceId/tasks/:workspaceTaskId',
      'workspace-tasks/manage',
      changes('updateWorkspaceTask', 'Update a run task of a workspace', readAttachmentChange, attachment, {
        about: 'Runs that were created before call the task as it was.',
        refusals: ['attribute/invalid'],
      }),
      answerOne(presentAttachment, (call) =>
        use.updateWorkspaceTask.execute(call.actor, workspaceOf(call), attachmentOf(call), readAttachmentChange(call)),
      ),
    ),
    remove(
      '/workspaces/:workspaceId/tasks/:workspaceTaskId',
      'workspace-tasks/manage',
      removes('removeWorkspaceTask', 'Detach a run task from a workspace', {
        about: 'Ends its callback tokens. For a run that waits for it, the result is `errored`.',
      }),
      answerEmpty((call) => use.removeWorkspaceTask.execute(call.actor, workspaceOf(call), attachmentOf(call))),
    ),
  ];
};
