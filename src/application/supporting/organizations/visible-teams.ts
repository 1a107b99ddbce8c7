import { may, type Standing, type Team, teamInQuestion, type WithStanding } from '../../../domain/index.js';
import type { MembershipView } from '../../ports/repositories/organization-repository.js';

/** The membership without the teams hidden from the caller. */
export const withVisibleTeams = (membership: MembershipView, standing: Standing): MembershipView => ({
  ...membership,
  teams: membership.teams.filter((team) => may({ ...standing, team: teamInQuestion(team) }, 'teams/read')),
});

/** The teams of memberships, with the caller's standing towards each. `standing` is that on their organization. */
export const teamsOf = (memberships: readonly MembershipView[], standing: Standing): readonly WithStanding<Team>[] =>
  memberships
    .flatMap(({ teams }) => teams)
    .map((team) => ({ subject: team, standing: { ...standing, team: teamInQuestion(team) } }));
