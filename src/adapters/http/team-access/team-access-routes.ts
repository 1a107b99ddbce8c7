import { z } from 'zod';
import type { UseCases } from '../../../application/use-cases.js';
import { answerEmpty, answerOne } from '../routing/answering.js';
import type { Dialect } from '../routing/dialect.js';
import { pageDocument, pageParameters, pageRequestOrNone } from '../routing/pagination.js';
import { changes, removes, serving, shows } from '../routing/reference.js';
import { listSchema, pageSchema } from '../routing/resource-schema.js';
import { get, ok, parameter, patch, post, type Route, remove } from '../routing/route.js';
import { wholeList } from '../routing/whole-list.js';
import { aboutEnds } from './access-end.js';
import { newTeamAccess, teamAccessChange, teamAccessParameters, teamAccessQuery } from './team-access-requests.js';
import { presentTeamAccess, teamAccessSchema } from './team-access-resource.js';

export const teamAccessRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newTeamAccess(dialect);
  const readChange = teamAccessChange(dialect);
  const present = presentTeamAccess(dialect);
  const access = () => teamAccessSchema(dialect);
  return [
    get(
      '/team-workspaces',
      'team-access/list',
      serving(teamAccessParameters, () => ({
        operation: 'listTeamAccess',
        summary: 'List team access to a workspace',
        about:
          'Not paginated unless `page[number]` or `page[size]` is given. Without them, the response has no `links` and no `meta`.',
        query: pageParameters,
        answers: { 200: z.union([listSchema(access()), pageSchema(access())]) },
        refusals: [422],
      })),
      async (call) => {
        const [query, page] = [teamAccessQuery(call), pageRequestOrNone(call.query)];
        if (page === undefined) {
          return wholeList((after) => use.listWholeTeamAccess.execute(call.actor, query, after), present);
        }
        const found = await use.listTeamAccess.execute(call.actor, query, page);
        return ok(pageDocument(call.path, call.query, found, present));
      },
    ),
    // The contract answers 200 to a creation here.
    post(
      '/team-workspaces',
      'team-access/manage',
      changes('addTeamAccess', 'Add team access to a workspace', readNew, access, {
        about: `A team has at most one access to a workspace. Permissions of single areas are allowed only with \`access\` set to \`custom\`. ${aboutEnds}`,
        refusals: ['attribute/invalid', 'attribute/taken', 'team-access/permissions-are-custom-only'],
      }),
      answerOne(present, (call) => use.addTeamAccess.execute(call.actor, readNew(call))),
    ),
    get(
      '/team-workspaces/:id',
      'team-access/read',
      shows('showTeamAccess', 'Show team access to a workspace', access, {
        about: 'Members of the organization see the access of their own teams and of visible teams.',
      }),
      answerOne(present, (call) => use.showTeamAccess.execute(call.actor, parameter(call, 'id'))),
    ),
    patch(
      '/team-workspaces/:id',
      'team-access/manage',
      changes('updateTeamAccess', 'Update team access to a workspace', readChange, access, {
        about: `Changing to a fixed level removes the permissions of a custom access. Applies immediately. An unnamed end stays. ${aboutEnds}`,
        refusals: ['attribute/invalid', 'team-access/permissions-are-custom-only'],
      }),
      answerOne(present, (call) => use.updateTeamAccess.execute(call.actor, parameter(call, 'id'), readChange(call))),
    ),
    remove(
      '/team-workspaces/:id',
      'team-access/manage',
      removes('removeTeamAccess', 'Remove team access from a workspace', {
        about: 'Takes effect with the next request. Rights that team members have through other teams remain.',
      }),
      answerEmpty((call) => use.removeTeamAccess.execute(call.actor, parameter(call, 'id'))),
    ),
  ];
};
