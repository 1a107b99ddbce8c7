import type { WorkspaceReference } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { LockAction } from '../../../../domain/index.js';
import { answerCreated, answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { pageRequest } from '../../routing/pagination.js';
import { changes, creates, lists, removes, shows } from '../../routing/reference.js';
import { act, type Call, get, ok, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import { lockReason, newWorkspace, workspaceChange } from './workspace-requests.js';
import { changedWorkspaceSchema, presentWorkspace, workspaceSchema } from './workspace-resource.js';

const byId = (call: Call): WorkspaceReference => ({ id: parameter(call, 'id') });
const byName = (call: Call): WorkspaceReference => ({
  organizationName: parameter(call, 'organization'),
  name: parameter(call, 'name'),
});

export const workspaceRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newWorkspace(dialect);
  const readChange = workspaceChange(dialect);
  const readReason = lockReason(dialect);
  const present = presentWorkspace(dialect);
  const workspace = () => workspaceSchema(dialect);
  const changed = () => changedWorkspaceSchema(dialect);

  /** `suffix` ends the names of operations. */
  const ofOne = (path: string, suffix: string, reference: (call: Call) => WorkspaceReference): Route[] => [
    get(
      path,
      'workspaces/read',
      shows(`showWorkspace${suffix}`, 'Show a workspace', workspace),
      answerOne(present, (call) => use.showWorkspace.execute(call.actor, reference(call))),
    ),
    patch(
      path,
      'workspaces/update',
      changes(`updateWorkspace${suffix}`, 'Update a workspace', readChange, changed, {
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerOne(present, (call) => use.updateWorkspace.execute(call.actor, reference(call), readChange(call))),
    ),
    remove(
      path,
      'workspaces/delete',
      removes(`removeWorkspace${suffix}`, 'Delete a workspace and everything in it', 'runs/in-progress'),
      answerEmpty((call) => use.removeWorkspace.execute(call.actor, reference(call))),
    ),
  ];

  const changeLock =
    (action: LockAction): Route['handle'] =>
    async (call) => {
      const command = { action, reason: readReason(call) };
      return ok({ data: present(await use.changeWorkspaceLock.execute(call.actor, parameter(call, 'id'), command)) });
    };
  const refusals = ['workspace/lock-refused'] as const;

  return [
    get(
      '/organizations/:organization/workspaces',
      'organizations/read',
      lists('listWorkspaces', 'List workspaces of an organization', workspace),
      answerPage(present, (call) =>
        use.listWorkspaces.execute(call.actor, parameter(call, 'organization'), pageRequest(call.query)),
      ),
    ),
    post(
      '/organizations/:organization/workspaces',
      'workspaces/create',
      creates('createWorkspace', 'Create a workspace', readNew, changed, {
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerCreated(present, (call) =>
        use.createWorkspace.execute(call.actor, parameter(call, 'organization'), readNew(call)),
      ),
    ),
    ...ofOne('/organizations/:organization/workspaces/:name', 'ByName', byName),
    ...ofOne('/workspaces/:id', '', byId),
    post(
      '/workspaces/:id/actions/lock',
      'workspaces/lock',
      changes('lockWorkspace', 'Lock a workspace', readReason, workspace, { refusals }),
      changeLock('lock'),
    ),
    act(
      '/workspaces/:id/actions/unlock',
      'workspaces/lock',
      shows('unlockWorkspace', 'Unlock a workspace', workspace, { refusals }),
      changeLock('unlock'),
    ),
    act(
      '/workspaces/:id/actions/force-unlock',
      'workspaces/force-unlock',
      shows('forceUnlockWorkspace', 'Force-unlock a workspace', workspace, { refusals }),
      changeLock('force-unlock'),
    ),
    // Without it, the tfe provider takes the state for shared with the organization, and sends that with its next update.
    get(
      '/workspaces/:id/relationships/remote-state-consumers',
      'workspaces/read',
      lists(
        'listRemoteStateConsumers',
        'List remote state consumers of a workspace, of which there are none',
        workspace,
      ),
      answerPage(present, async (call) => {
        const request = pageRequest(call.query);
        await use.showWorkspace.execute(call.actor, byId(call));
        return { ...request, items: [], total: 0 };
      }),
    ),
  ];
};
