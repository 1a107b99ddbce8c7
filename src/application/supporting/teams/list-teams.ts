import {
  type Actor,
  authorizedView,
  type Team,
  teamInQuestion,
  teamVisibility,
  type WithStanding,
} from '../../../domain/index.js';
import type { TeamFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name/teams: those the caller may see. */
export class ListTeams {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'teams'>) {}

  execute(
    actor: Actor,
    organizationName: string,
    page: PageRequest,
    filter: TeamFilter = {},
  ): Promise<Page<WithStanding<Team>>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(
        await tx.organizations.findFor(actor, organizationName),
        'organizations/read',
      );
      const found = await tx.teams.page(subject.id, teamVisibility(standing), page, filter);
      return {
        ...found,
        items: found.items.map((team) => ({ subject: team, standing: { ...standing, team: teamInQuestion(team) } })),
      };
    });
  }
}
