import type { StateVersionReference } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import { answerCreated, answerOne, answerPage } from '../../routing/answering.js';
import { bodyKinds } from '../../routing/body-kinds.js';
import type { Dialect } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { creates, lists, type Refusal, shows } from '../../routing/reference.js';
import { listSchema } from '../../routing/resource-schema.js';
import { type Call, get, ok, parameter, patch, postLong, type Route } from '../../routing/route.js';
import { wholeList } from '../../routing/whole-list.js';
import {
  newStateVersion,
  rollback,
  stateVersionParameters,
  stateVersionsParameters,
  stateVersionsQuery,
} from './state-version-requests.js';
import {
  presentStateOutput,
  presentStateVersion,
  stateOutputSchema,
  stateVersionSchema,
} from './state-version-resource.js';

const whileWriting: readonly Refusal[] = [
  'attribute/invalid',
  'workspace/lock-refused',
  'runs/in-progress',
  'bundle/interrupted',
  'service/storage-full',
];

export const stateVersionRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const present = presentStateVersion(dialect);
  const presentOutput = presentStateOutput(dialect);
  const readNew = newStateVersion(dialect);
  const readRollback = rollback(dialect);
  const version = () => stateVersionSchema(dialect);
  const output = () => stateOutputSchema(dialect);

  const showsOne = (operation: string, summary: string) =>
    shows(operation, summary, version, {
      parameters: stateVersionParameters,
      refusals: ['state-version/outputs-unread', 'state-version/outputs-errored'],
      included: () => [output()],
    });
  const show = async (call: Call, reference: StateVersionReference) => {
    const withOutputs = valuesOf(stateVersionParameters, call.query).include.has('outputs');
    const shown = await use.showStateVersion.execute(call.actor, reference);
    const data = present(shown);
    if (!withOutputs) return ok({ data });
    return wholeList(
      (after) => use.showStateVersion.outputs(call.actor, shown.version.id, after),
      presentOutput,
      (included) => withIncluded({ data }, included),
    );
  };

  return [
    postLong(bodyKinds.state, async (call) => {
      const { organizationId } = await use.createStateVersion.admit(call.actor, parameter(call, 'workspaceId'));
      return { organization: organizationId, holds: 'lock' };
    })(
      '/workspaces/:workspaceId/state-versions',
      'state-versions/create',
      creates('createStateVersion', 'Create a state version', readNew, version, {
        about:
          'The caller must hold the lock of the workspace. The state version becomes current when its content is stored: at once if the request contains it, otherwise after the upload to `hosted-state-upload-url`.',
        refusals: [...whileWriting, 'state-version/conflict'],
      }),
      answerCreated(present, (call) => use.createStateVersion.execute(call.actor, readNew(call))),
    ),
    patch(
      '/workspaces/:workspaceId/state-versions',
      'state-versions/create',
      creates('rollBackState', 'Roll back to an earlier state version', readRollback, version, {
        about:
          'The caller must hold the lock of the workspace. A new state version with the content and serial of the earlier one becomes current.',
        refusals: whileWriting,
      }),
      answerCreated(present, (call) => use.rollBackState.execute(call.actor, readRollback(call))),
    ),
    get(
      '/state-versions',
      'state-versions/read',
      lists('listStateVersions', 'List state versions of a workspace', version, {
        about: 'Newest first.',
        parameters: stateVersionsParameters,
      }),
      answerPage(present, (call) => use.listStateVersions.execute(call.actor, stateVersionsQuery(call))),
    ),
    get('/state-versions/:id', 'state-versions/read', showsOne('showStateVersion', 'Show a state version'), (call) =>
      show(call, { id: parameter(call, 'id') }),
    ),
    get(
      '/workspaces/:workspaceId/current-state-version',
      'state-versions/read',
      showsOne('showCurrentStateVersion', 'Show the current state version of a workspace'),
      (call) => show(call, { workspaceId: parameter(call, 'workspaceId') }),
    ),
    get(
      '/state-versions/:id/outputs',
      'state-version-outputs/read',
      lists('listStateVersionOutputs', 'List outputs of a state version', output, {
        about: 'Sorted by name.',
        refusals: ['state-version/outputs-unread', 'state-version/outputs-errored'],
      }),
      async (call) => {
        const { actor, path, query } = call;
        const id = parameter(call, 'id');
        const { rows, ...page } = await use.listStateOutputs.execute(actor, id, pageRequest(query));
        const around = pageDocument(path, query, { ...page, items: [] }, presentOutput);
        return wholeList(
          async (after) => (after === undefined ? rows : use.listStateOutputs.after(actor, id, after)),
          presentOutput,
          (data) => ({ ...around, data }),
        );
      },
    ),
    get(
      '/workspaces/:workspaceId/current-state-version-outputs',
      'state-version-outputs/read',
      () => ({
        operation: 'listCurrentStateVersionOutputs',
        summary: 'List outputs of the current state version of a workspace',
        about: 'Not paginated. Empty while the workspace has no state.',
        answers: { 200: listSchema(output()) },
        refusals: ['state-version/outputs-unread', 'state-version/outputs-errored'],
      }),
      (call) =>
        wholeList(
          (after) => use.listCurrentOutputs.execute(call.actor, parameter(call, 'workspaceId'), after),
          presentOutput,
        ),
    ),
    get(
      '/state-version-outputs/:id',
      'state-version-outputs/read',
      shows('showStateVersionOutput', 'Show a state version output', output, {
        about: 'The only operation that returns the value of a sensitive output.',
      }),
      answerOne(presentOutput, (call) => use.showStateOutput.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
