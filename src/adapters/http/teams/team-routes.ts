import type { Dialect, TypeName } from '../dialect.js';
import { pageDocument, pageRequest } from '../json-api/pagination.js';
import { created, get, noContent, ok, parameter, patch, post, type Route, remove, removeListed } from '../route.js';
import type { UseCases } from '../use-cases.js';
import { newTeam, references, teamChange } from './team-requests.js';
import { presentTeam } from './team-resource.js';

/** The two ways members are named: by user and by membership. */
const memberTypes: Readonly<Record<string, TypeName>> = {
  users: { singular: 'user', plural: 'users' },
  'organization-memberships': { singular: 'organization-membership', plural: 'organization-memberships' },
};

export const teamRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newTeam(dialect);
  const readChange = teamChange(dialect);
  const present = presentTeam(dialect);
  const members = Object.entries(memberTypes).flatMap(([relationship, type]) => {
    const read = references(dialect, type);
    const change = (kind: 'add' | 'remove'): Route['handle'] => {
      return async (call) => {
        await use.changeTeamMembers.execute(call.actor, parameter(call, 'id'), kind, read(call));
        return noContent;
      };
    };
    const path = `/teams/:id/relationships/${relationship}`;
    return [
      post(path, 'team-members/manage', change('add')),
      removeListed(path, 'team-members/manage', change('remove')),
    ];
  });
  return [
    get('/organizations/:organization/teams', 'organizations/read', async (call) => {
      const name = parameter(call, 'organization');
      const page = await use.listTeams.execute(call.actor, name, pageRequest(call.query));
      return ok(pageDocument(call.path, call.query, page, present));
    }),
    post('/organizations/:organization/teams', 'teams/create', async (call) => {
      const seen = await use.createTeam.execute(call.actor, parameter(call, 'organization'), readNew(call));
      return created({ data: present(seen) });
    }),
    get('/teams/:id', 'teams/read', async (call) => {
      const { members: users, ...seen } = await use.showTeam.execute(call.actor, parameter(call, 'id'));
      return ok({ data: presentTeam(dialect, users)(seen) });
    }),
    patch('/teams/:id', 'teams/update', async (call) => {
      return ok({ data: present(await use.updateTeam.execute(call.actor, parameter(call, 'id'), readChange(call))) });
    }),
    remove('/teams/:id', 'teams/delete', async (call) => {
      await use.removeTeam.execute(call.actor, parameter(call, 'id'));
      return noContent;
    }),
    ...members,
  ];
};
