import type { Dialect } from '../dialect.js';
import { pageDocument } from '../json-api/pagination.js';
import { wholeList } from '../json-api/whole-list.js';
import { get, noContent, ok, parameter, patch, post, type Route, remove } from '../route.js';
import type { UseCases } from '../use-cases.js';
import { newTeamAccess, teamAccessChange, teamAccessPage, teamAccessQuery } from './team-access-requests.js';
import { presentTeamAccess } from './team-access-resource.js';

export const teamAccessRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newTeamAccess(dialect);
  const readChange = teamAccessChange(dialect);
  const present = presentTeamAccess(dialect);
  return [
    get('/team-workspaces', 'team-access/list', async (call) => {
      const [query, page] = [teamAccessQuery(call), teamAccessPage(call)];
      if (page === undefined) {
        return wholeList((after) => use.listWholeTeamAccess.execute(call.actor, query, after), present);
      }
      const found = await use.listTeamAccess.execute(call.actor, query, page);
      return ok(pageDocument(call.path, call.query, found, present));
    }),
    // The contract answers 200 to a creation here.
    post('/team-workspaces', 'team-access/manage', async (call) =>
      ok({ data: present(await use.addTeamAccess.execute(call.actor, readNew(call))) }),
    ),
    get('/team-workspaces/:id', 'team-access/read', async (call) =>
      ok({ data: present(await use.showTeamAccess.execute(call.actor, parameter(call, 'id'))) }),
    ),
    patch('/team-workspaces/:id', 'team-access/manage', async (call) =>
      ok({ data: present(await use.updateTeamAccess.execute(call.actor, parameter(call, 'id'), readChange(call))) }),
    ),
    remove('/team-workspaces/:id', 'team-access/manage', async (call) => {
      await use.removeTeamAccess.execute(call.actor, parameter(call, 'id'));
      return noContent;
    }),
  ];
};
