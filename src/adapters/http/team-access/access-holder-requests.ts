import type { AccessHoldersQuery } from '../../../application/index.js';
import { type Action, organizationActions, projectActions, workspaceActions } from '../../../domain/index.js';
import { requiredOneOf, textual, valuesOf } from '../routing/parameters.js';
import { RequestError } from '../routing/request-error.js';
import { type Call, parameter } from '../routing/route.js';

export const heldActions = [...new Set<Action>([...workspaceActions, ...projectActions, ...organizationActions])];

const byWorkspace = 'filter[workspace][id]';
const byProject = 'filter[project][id]';

export const accessHolderParameters = {
  'filter[action]': requiredOneOf(heldActions, 'The right, as effective access names it.'),
  [byWorkspace]: textual(
    'The id of the workspace. Without it and a project, the right must be one on the organization.',
  ),
  [byProject]: textual(`The id of the project. Not together with \`${byWorkspace}\`.`),
};

/** Throws a 400 for a workspace and a project at once. */
export function accessHoldersQuery(call: Call): AccessHoldersQuery {
  const values = valuesOf(accessHolderParameters, call.query);
  const { [byWorkspace]: workspaceId, [byProject]: projectId } = values;
  if (workspaceId !== undefined && projectId !== undefined) {
    const detail = `only one of ${byWorkspace} and ${byProject} is allowed`;
    throw new RequestError(400, 'bad request', [{ parameter: byProject, detail }]);
  }
  const on = workspaceId === undefined ? projectId && { projectId } : { workspaceId };
  return {
    organizationName: parameter(call, 'organization'),
    action: values['filter[action]'],
    on: on || undefined,
  };
}
