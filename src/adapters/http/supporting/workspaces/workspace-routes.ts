import type { RelatedKind, WorkspaceReference } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { LockAction } from '../../../../domain/index.js';
import { answerCreated, answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { changes, creates, lists, relates, removes, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import {
  type Answer,
  act,
  type Call,
  get,
  ok,
  parameter,
  patch,
  post,
  type Route,
  remove,
  removeListed,
} from '../../routing/route.js';
import { readingIds } from '../../routing/schema.js';
import { wholeList } from '../../routing/whole-list.js';
import { presentWorkspaceOutput, workspaceOutputSchema } from '../state-versions/state-version-resource.js';
import { withBindings } from '../tags/included-bindings.js';
import {
  lockReason,
  newWorkspace,
  workspaceChange,
  workspaceParameters,
  workspacesParameters,
  workspacesQuery,
  workspaceType,
} from './workspace-requests.js';
import { changedWorkspaceSchema, presentWorkspace, workspaceSchema } from './workspace-resource.js';

const byId = (call: Call): WorkspaceReference => ({ id: parameter(call, 'id') });
const byName = (call: Call): WorkspaceReference => ({
  organizationName: parameter(call, 'organization'),
  name: parameter(call, 'name'),
});

const kinds = [
  'organization',
  'project',
  'run',
  'plan',
  'configuration-version',
  'ingress-attributes',
  'user',
  'team',
  'effective-tag-binding',
  'state-version',
] as const satisfies readonly RelatedKind[];

export const workspaceRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newWorkspace(dialect);
  const readChange = workspaceChange(dialect);
  const readReason = lockReason(dialect);
  const present = presentWorkspace(dialect);
  const workspace = () => workspaceSchema(dialect);
  const changed = () => changedWorkspaceSchema(dialect);

  const show = async (call: Call, reference: WorkspaceReference): Promise<Answer> => {
    const { include } = valuesOf(workspaceParameters, call.query);
    const shown = await use.showWorkspace.execute(call.actor, reference);
    if (include.size === 0) return ok({ data: present(shown) });
    const wanted = new Set([...include].filter((one) => one !== 'outputs'));
    const related = await use.showRelatedToWorkspaces.execute(call.actor, [shown], wanted);
    const withoutOutputs = withBindings(shown, related, include);
    const beside = presentRelated(neighbours, related);
    if (!include.has('outputs')) return ok(withIncluded({ data: present(withoutOutputs) }, beside));
    const { ids: outputIds, rows } = await use.listCurrentOutputs.beside(shown);
    const data = present({ ...withoutOutputs, outputIds });
    return wholeList(
      async (after) =>
        after === undefined ? rows : use.listCurrentOutputs.execute(call.actor, shown.subject.id, after),
      presentWorkspaceOutput(dialect),
      (outputs) => withIncluded({ data }, [...beside, ...outputs]),
    );
  };

  /** `suffix` ends the names of operations. */
  const ofOne = (path: string, suffix: string, reference: (call: Call) => WorkspaceReference): Route[] => [
    get(
      path,
      'workspaces/read',
      shows(`showWorkspace${suffix}`, 'Show a workspace', workspace, {
        parameters: workspaceParameters,
        included: () => [...schemasOf(neighbours, ...kinds)(), workspaceOutputSchema(dialect)],
        refusals: ['state-version/outputs-unread', 'state-version/outputs-errored'],
      }),
      (call) => show(call, reference(call)),
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
      removes(`removeWorkspace${suffix}`, 'Delete a workspace and everything in it', {
        about:
          'Deletes its states, configuration versions and runs. Infrastructure is not destroyed. Refused while a run is being applied. If the organization does not allow force deletion, only owners delete a workspace that manages resources. Cannot be undone.',
        refusals: ['runs/in-progress'],
      }),
      answerEmpty((call) => use.removeWorkspace.execute(call.actor, reference(call))),
    ),
    act(
      `${path}/actions/safe-delete`,
      'workspaces/delete',
      removes(`safelyRemoveWorkspace${suffix}`, 'Delete a workspace, unless it is locked or manages resources', {
        refusals: ['runs/in-progress', 'workspace/not-safe-to-delete'],
      }),
      answerEmpty((call) => use.removeWorkspace.execute(call.actor, reference(call), { safely: true })),
    ),
  ];

  const changeLock =
    (action: LockAction): Route['handle'] =>
    async (call) => {
      const command = { action, reason: readReason(call) };
      return ok({ data: present(await use.changeWorkspaceLock.execute(call.actor, parameter(call, 'id'), command)) });
    };
  const refusals = ['workspace/lock-refused'] as const;

  const consumersPath = '/workspaces/:id/relationships/remote-state-consumers';
  const readConsumers = readingIds(dialect, workspaceType);
  const changeConsumers = (change: 'add' | 'replace' | 'remove') =>
    answerEmpty((call) =>
      use.changeStateConsumers.execute(call.actor, parameter(call, 'id'), change, readConsumers(call)),
    );

  return [
    get(
      '/organizations/:organization/workspaces',
      'organizations/read',
      lists('listWorkspaces', 'List workspaces of an organization', workspace, {
        parameters: workspacesParameters,
        included: schemasOf(neighbours, ...kinds),
      }),
      async (call) => {
        const { filter, include } = workspacesQuery(call);
        const name = parameter(call, 'organization');
        const page = await use.listWorkspaces.execute(call.actor, name, pageRequest(call.query), filter);
        const related =
          include.size === 0 ? [] : await use.showRelatedToWorkspaces.execute(call.actor, page.items, include);
        const document = pageDocument(call.path, call.query, page, (shown) =>
          present(withBindings(shown, related, include)),
        );
        return ok(withIncluded(document, presentRelated(neighbours, related)));
      },
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
    get(
      consumersPath,
      'workspaces/read',
      lists('listStateConsumers', 'List remote state consumers of a workspace', workspace),
      answerPage(present, (call) =>
        use.listStateConsumers.execute(call.actor, parameter(call, 'id'), pageRequest(call.query)),
      ),
    ),
    post(
      consumersPath,
      'workspaces/update',
      relates('addStateConsumers', 'Add remote state consumers', readConsumers, 'attribute/invalid'),
      changeConsumers('add'),
    ),
    patch(
      consumersPath,
      'workspaces/update',
      relates('replaceStateConsumers', 'Replace remote state consumers', readConsumers, 'attribute/invalid'),
      changeConsumers('replace'),
    ),
    removeListed(
      consumersPath,
      'workspaces/update',
      relates('removeStateConsumers', 'Remove remote state consumers', readConsumers),
      changeConsumers('remove'),
    ),
    post(
      '/workspaces/:id/actions/lock',
      'workspaces/lock',
      changes('lockWorkspace', 'Lock a workspace', readReason, workspace, {
        about:
          'Runs that have not started wait until it is unlocked. Refused while it is locked, also by a run in progress.',
        refusals,
      }),
      changeLock('lock'),
    ),
    act(
      '/workspaces/:id/actions/unlock',
      'workspaces/lock',
      shows('unlockWorkspace', 'Unlock a workspace', workspace, {
        about: 'Only the caller who locked it can unlock it.',
        refusals,
      }),
      changeLock('unlock'),
    ),
    act(
      '/workspaces/:id/actions/force-unlock',
      'workspaces/force-unlock',
      shows('forceUnlockWorkspace', 'Force-unlock a workspace', workspace, {
        about: 'Unlocks it for any user or team that locked it, but not for a run in progress.',
        refusals,
      }),
      changeLock('force-unlock'),
    ),
  ];
};
