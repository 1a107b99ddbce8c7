import { type Related, type RelatedToTeams, related, type TeamInclude } from '../../../../application/index.js';
import type { UseCases } from '../../../../application/use-cases.js';
import type { Team, WithStanding } from '../../../../domain/index.js';
import { answerCreated, answerEmpty, answerOne } from '../../routing/answering.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { withIncluded } from '../../routing/document.js';
import { pageDocument, pageRequest } from '../../routing/pagination.js';
import { valuesOf } from '../../routing/parameters.js';
import { changes, creates, lists, relates, removes, shows } from '../../routing/reference.js';
import { type Neighbours, presentRelated, schemasOf } from '../../routing/related.js';
import { get, ok, parameter, patch, post, type Route, remove, removeListed } from '../../routing/route.js';
import { readingIds } from '../../routing/schema.js';
import { newTeam, teamChange, teamParameters, teamsParameters, teamsQuery } from './team-requests.js';
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

const relatedOf = ({ members, memberships }: RelatedToTeams, include: ReadonlySet<TeamInclude>): readonly Related[] => [
  ...(include.has('users') ? [...members.values()].flat().map(related('user')) : []),
  ...[...memberships.values()].flat().map(related('membership')),
];

export const teamRoutes = (use: UseCases, dialect: Dialect, neighbours: Neighbours): Route[] => {
  const readNew = newTeam(dialect);
  const readChange = teamChange(dialect);
  const present = presentTeam(dialect);
  const teamShape = () => teamSchema(dialect);
  const included = schemasOf(neighbours, 'user', 'membership');
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
      lists('listTeams', 'List teams of an organization', teamShape, { parameters: teamsParameters, included }),
      async (call) => {
        const { filter, include } = teamsQuery(call);
        const name = parameter(call, 'organization');
        const page = await use.listTeams.execute(call.actor, name, pageRequest(call.query), filter);
        if (include.size === 0) return ok(pageDocument(call.path, call.query, page, present));
        const found = await use.showRelatedToTeams.execute(page.items, include);
        const membersOf = ({ id }: Team) => (include.has('users') ? found.members.get(id) : undefined);
        const membershipsOf = ({ id }: Team) =>
          include.has('memberships') ? (found.memberships.get(id) ?? []).map((one) => one.id) : undefined;
        const presentOne = (seen: WithStanding<Team>) =>
          presentTeam(dialect, membersOf(seen.subject), membershipsOf(seen.subject))(seen);
        const document = pageDocument(call.path, call.query, page, presentOne);
        return ok(withIncluded(document, presentRelated(neighbours, relatedOf(found, include))));
      },
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
    get(
      '/teams/:id',
      'teams/read',
      shows('showTeam', 'Show a team', teamShape, { parameters: teamParameters, included }),
      async (call) => {
        const { include } = valuesOf(teamParameters, call.query);
        const {
          members: users,
          membershipIds,
          ...seen
        } = await use.showTeam.execute(call.actor, parameter(call, 'id'));
        const data = presentTeam(dialect, users, membershipIds)(seen);
        if (include.size === 0) return ok({ data });
        const found = await use.showRelatedToTeams.execute([seen], include);
        return ok(withIncluded({ data }, presentRelated(neighbours, relatedOf(found, include))));
      },
    ),
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
      removes('removeTeam', 'Delete a team', {
        about: 'Revokes its token and removes its access to workspaces.',
        refusals: ['owners-team/protected'],
      }),
      answerEmpty((call) => use.removeTeam.execute(call.actor, parameter(call, 'id'))),
    ),
    ...members,
  ];
};
