import type { WorkspaceReference } from '../../../application/index.js';
import type { Action, LockAction } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { pageDocument, pageRequest } from '../json-api/pagination.js';
import { act, type Call, created, get, noContent, ok, parameter, patch, post, type Route, remove } from '../route.js';
import type { UseCases } from '../use-cases.js';
import { lockReason, newWorkspace, workspaceChange } from './workspace-requests.js';
import { presentWorkspace } from './workspace-resource.js';

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

  const ofOne = (path: string, reference: (call: Call) => WorkspaceReference): Route[] => [
    get(path, 'workspaces/read', async (call) => {
      return ok({ data: present(await use.showWorkspace.execute(call.actor, reference(call))) });
    }),
    patch(path, 'workspaces/update', async (call) => {
      return ok({ data: present(await use.updateWorkspace.execute(call.actor, reference(call), readChange(call))) });
    }),
    remove(path, 'workspaces/delete', async (call) => {
      await use.removeWorkspace.execute(call.actor, reference(call));
      return noContent;
    }),
  ];

  const lock = (endpoint: typeof act, lockAction: LockAction, action: Action): Route =>
    endpoint(`/workspaces/:id/actions/${lockAction}`, action, async (call) => {
      const command = { action: lockAction, reason: readReason(call) };
      return ok({ data: present(await use.changeWorkspaceLock.execute(call.actor, parameter(call, 'id'), command)) });
    });

  return [
    get('/organizations/:organization/workspaces', 'organizations/read', async (call) => {
      const name = parameter(call, 'organization');
      const page = await use.listWorkspaces.execute(call.actor, name, pageRequest(call.query));
      return ok(pageDocument(call.path, call.query, page, present));
    }),
    post('/organizations/:organization/workspaces', 'workspaces/create', async (call) => {
      const seen = await use.createWorkspace.execute(call.actor, parameter(call, 'organization'), readNew(call));
      return created({ data: present(seen) });
    }),
    ...ofOne('/organizations/:organization/workspaces/:name', byName),
    ...ofOne('/workspaces/:id', byId),
    lock(post, 'lock', 'workspaces/lock'),
    lock(act, 'unlock', 'workspaces/lock'),
    lock(act, 'force-unlock', 'workspaces/force-unlock'),
  ];
};
