import type { UseCases } from '../../../../application/use-cases.js';
import { answerCreated, answerEmpty, answerOne } from '../../routing/answering.js';
import type { Dialect } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { changes, creates, lists, relates, removes, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import { get, ok, parameter, patch, post, type Route, remove } from '../../routing/route.js';
import { readingIds } from '../../routing/schema.js';
import { withBindings } from '../tags/included-bindings.js';
import { workspaceType } from '../workspaces/workspace-requests.js';
import { newProject, projectChange, projectParameters, projectsParameters, projectsQuery } from './project-requests.js';
import { presentProject, projectSchema } from './project-resource.js';

export const projectRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newProject(dialect);
  const readChange = projectChange(dialect);
  const readWorkspaces = readingIds(dialect, workspaceType);
  const present = presentProject(dialect);
  const project = () => projectSchema(dialect);
  const included = schemasOf(neighbours, 'effective-tag-binding');
  return [
    get(
      '/organizations/:organization/projects',
      'organizations/read',
      lists('listProjects', 'List projects of an organization', project, {
        about: 'Only projects in which the caller has access to anything.',
        parameters: projectsParameters,
        included,
      }),
      async (call) => {
        const { filter, include } = projectsQuery(call);
        const name = parameter(call, 'organization');
        const page = await use.listProjects.execute(call.actor, name, pageRequest(call.query), filter);
        const projects = page.items.map(({ subject }) => subject);
        const related = await use.showRelatedToProjects.execute(projects, include);
        const document = pageDocument(call.path, call.query, page, (shown) =>
          present(withBindings(shown, related, include)),
        );
        return ok(withIncluded(document, presentRelated(neighbours, related)));
      },
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
      shows('showProject', 'Show a project', project, { parameters: projectParameters, included }),
      async (call) => {
        const { include } = valuesOf(projectParameters, call.query);
        const shown = await use.showProject.execute(call.actor, parameter(call, 'id'));
        const related = await use.showRelatedToProjects.execute([shown.subject], include);
        const data = present(withBindings(shown, related, include));
        return ok(withIncluded({ data }, presentRelated(neighbours, related)));
      },
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
