import type { UseCases } from '../../../../application/use-cases.js';
import { answerCreated, answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { pageRequest } from '../../routing/pagination.js';
import { changes, creates, lists, relates, removes, shows } from '../../routing/reference.js';
import { get, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import { readingIds } from '../../routing/schema.js';
import { workspaceType } from '../workspaces/workspace-requests.js';
import { newProject, projectChange, projectsFilter, projectsParameters } from './project-requests.js';
import { presentProject, projectSchema } from './project-resource.js';

export const projectRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newProject(dialect);
  const readChange = projectChange(dialect);
  const readWorkspaces = readingIds(dialect, workspaceType);
  const present = presentProject(dialect);
  const project = () => projectSchema(dialect);
  return [
    get(
      '/organizations/:organization/projects',
      'organizations/read',
      lists('listProjects', 'List projects of an organization', project, {
        about: 'Only projects in which the caller has access to anything.',
        parameters: projectsParameters,
      }),
      answerPage(present, (call) =>
        use.listProjects.execute(
          call.actor,
          parameter(call, 'organization'),
          pageRequest(call.query),
          projectsFilter(call),
        ),
      ),
    ),
    post(
      '/organizations/:organization/projects',
      'projects/create',
      creates('createProject', 'Create a project', readNew, project, {
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerCreated(present, (call) =>
        use.createProject.execute(call.actor, parameter(call, 'organization'), readNew(call)),
      ),
    ),
    get(
      '/projects/:id',
      'projects/read',
      shows('showProject', 'Show a project', project),
      answerOne(present, (call) => use.showProject.execute(call.actor, parameter(call, 'id'))),
    ),
    patch(
      '/projects/:id',
      'projects/update',
      changes('updateProject', 'Update a project', readChange, project, {
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerOne(present, (call) => use.updateProject.execute(call.actor, parameter(call, 'id'), readChange(call))),
    ),
    remove(
      '/projects/:id',
      'projects/delete',
      removes('removeProject', 'Delete a project', {
        about: 'The default project and projects that have workspaces cannot be deleted.',
        refusals: ['project/not-removable'],
      }),
      answerEmpty((call) => use.removeProject.execute(call.actor, parameter(call, 'id'))),
    ),
    post(
      '/projects/:id/relationships/workspaces',
      'projects/move-workspaces',
      relates('moveWorkspaces', 'Move workspaces to a project', readWorkspaces, 'attribute/invalid'),
      answerEmpty((call) => use.moveWorkspaces.execute(call.actor, parameter(call, 'id'), readWorkspaces(call))),
    ),
  ];
};
