import type { UseCases } from '../../../application/use-cases.js';
import { answerEmpty, answerOne, answerPage } from '../routing/answering.js';
import type { Dialect } from '../routing/dialect.js';
import { pageRequest } from '../routing/pagination.js';
import { changes, lists, removes, shows } from '../routing/reference.js';
import { get, parameter, patch, post, type Route, remove } from '../routing/route.js';
import { aboutEnds } from './access-end.js';
import {
  newProjectAccess,
  projectAccessChange,
  projectAccessParameters,
  projectAccessQuery,
} from './project-access-requests.js';
import { presentProjectAccess, projectAccessSchema } from './project-access-resource.js';

const covered = 'A caller can give no more than they have in the project themselves.';

export const projectAccessRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newProjectAccess(dialect);
  const readChange = projectAccessChange(dialect);
  const present = presentProjectAccess(dialect);
  const access = () => projectAccessSchema(dialect);
  return [
    get(
      '/team-projects',
      'projects/read',
      lists('listProjectAccess', 'List team access to a project', access, {
        about: 'Members of the organization see the access of their own teams.',
        parameters: projectAccessParameters,
      }),
      answerPage(present, (call) =>
        use.listProjectAccess.execute(call.actor, projectAccessQuery(call), pageRequest(call.query)),
      ),
    ),
    // Answers 200 to a creation, as team access to a workspace does.
    post(
      '/team-projects',
      'project-access/manage',
      changes('addProjectAccess', 'Add team access to a project', readNew, access, {
        about: `A team has at most one access to a project. Permissions of single areas are allowed only with \`access\` set to \`custom\`. ${covered} ${aboutEnds}`,
        refusals: ['attribute/invalid', 'attribute/taken', 'team-access/permissions-are-custom-only'],
      }),
      answerOne(present, (call) => use.addProjectAccess.execute(call.actor, readNew(call))),
    ),
    get(
      '/team-projects/:id',
      'project-access/read',
      shows('showProjectAccess', 'Show team access to a project', access),
      answerOne(present, (call) => use.showProjectAccess.execute(call.actor, parameter(call, 'id'))),
    ),
    patch(
      '/team-projects/:id',
      'project-access/manage',
      changes('updateProjectAccess', 'Update team access to a project', readChange, access, {
        about: `Applies immediately. ${covered} ${aboutEnds}`,
        refusals: ['attribute/invalid', 'team-access/permissions-are-custom-only'],
      }),
      answerOne(present, (call) =>
        use.updateProjectAccess.execute(call.actor, parameter(call, 'id'), readChange(call)),
      ),
    ),
    remove(
      '/team-projects/:id',
      'project-access/manage',
      removes('removeProjectAccess', 'Remove team access from a project', {
        about: 'Takes effect with the next request. Rights on single workspaces remain.',
      }),
      answerEmpty((call) => use.removeProjectAccess.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
