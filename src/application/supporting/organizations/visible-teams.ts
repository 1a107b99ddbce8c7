import { asQuestion, may, type Standing } from '../../../domain/index.js';
import type { MembershipView } from '../../ports/repositories/organization-repository.js';

/** The membership without the teams hidden from the caller. */
export const withVisibleTeams = (membership: MembershipView, standing: Standing): MembershipView => ({
  ...membership,
  teams: membership.teams.filter((team) => may({ ...standing, team: asQuestion(team) }, 'teams/read')),
});
