import type { UseCases } from '../../../../application/use-cases.js';
import { answerCreated, answerEmpty, answerOne, answerPage } from '../../routing/answering.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { pageRequest } from '../../routing/pagination.js';
import { changes, creates, lists, relates, removes, shows } from '../../routing/reference.js';
import { get, ok, parameter, patch, post, type Route, remove, removeListed } from '../../routing/route.js';
import { readingIds } from '../../routing/schema.js';
import { newTeam, teamChange } from './team-requests.js';
import { presentTeam, teamSchema } from './team-resource.js';

/** The two ways members are named, as types and in operations. */
const memberTypes: readonly { readonly type: TypeName; readonly named: string; readonly inWords: string }[] = [
  { type: { singular: 'user', plural: 'users' }, named: 'Users', inWords: 'users' },
  {
    type: { singular: 'organization-membership', plural: 'organization-memberships' },
    named: 'Memberships',
    inWords: 'organization memberships',
  },
];

export const teamRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newTeam(dialect);
  const readChange = teamChange(dialect);
  const present = presentTeam(dialect);
  const teamShape = () => teamSchema(dialect);
  const members = memberTypes.flatMap(({ type, named, inWords }) => {
    const read = readingIds(dialect, type);
    const change = (kind: 'add' | 'remove') =>
      answerEmpty((call) => use.changeTeamMembers.execute(call.actor, parameter(call, 'id'), kind, read(call)));
    const path = `/teams/:id/relationships/${type.plural}`;
    return [
      post(
        path,
        'team-members/manage',
        relates(`addTeam${named}`, `Add ${inWords} to a team`, read, 'attribute/invalid'),
        change('add'),
      ),
      removeListed(
        path,
        'team-members/manage',
        relates(
          `removeTeam${named}`,
          `Remove ${inWords} from a team`,
          read,
          'attribute/invalid',
          'owners-team/protected',
        ),
        change('remove'),
      ),
    ];
  });
  return [
    get(
      '/organizations/:organization/teams',
      'organizations/read',
      lists('listTeams', 'List teams of an organization', teamShape),
      answerPage(present, (call) =>
        use.listTeams.execute(call.actor, parameter(call, 'organization'), pageRequest(call.query)),
      ),
    ),
    post(
      '/organizations/:organization/teams',
      'teams/create',
      creates('createTeam', 'Create a team', readNew, teamShape, {
        refusals: ['attribute/invalid', 'attribute/taken'],
      }),
      answerCreated(present, (call) =>
        use.createTeam.execute(call.actor, parameter(call, 'organization'), readNew(call)),
      ),
    ),
    get('/teams/:id', 'teams/read', shows('showTeam', 'Show a team', teamShape), async (call) => {
      const { members: users, membershipIds, ...seen } = await use.showTeam.execute(call.actor, parameter(call, 'id'));
      return ok({ data: presentTeam(dialect, users, membershipIds)(seen) });
    }),
    patch(
      '/teams/:id',
      'teams/update',
      changes('updateTeam', 'Update a team', readChange, teamShape, {
        refusals: ['attribute/invalid', 'attribute/taken', 'owners-team/protected'],
      }),
      answerOne(present, (call) => use.updateTeam.execute(call.actor, parameter(call, 'id'), readChange(call))),
    ),
    remove(
      '/teams/:id',
      'teams/delete',
      removes('removeTeam', 'Delete a team', { refusals: ['owners-team/protected'] }),
      answerEmpty((call) => use.removeTeam.execute(call.actor, parameter(call, 'id'))),
    ),
    ...members,
  ];
};
