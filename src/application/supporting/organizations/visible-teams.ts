import { asQuestion, may, type Standing } from '../../../domain/index.js';
import type { MembershipView } from '../../ports/repositories/organization-repository.js';

/** The membership without the teams the caller may not know of. */
export const withVisibleTeams = (membership: MembershipView, standing: Standing): MembershipView => ({
  ...membership,
  teams: membership.teams.filter((team) => may({ ...standing, team: asQuestion(team) }, 'teams/read')),
});
