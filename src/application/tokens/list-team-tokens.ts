import { type Actor, type ApiToken, seenBy, teamTokenVisibility } from '../../domain/index.js';
import type { TeamTokenSort } from '../ports/repositories/api-token-repository.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

export interface TeamTokensQuery {
  readonly organizationName: string;
  readonly page: PageRequest;
  /** A part of the team's name, case-insensitive. */
  readonly search: string | undefined;
  readonly sort: TeamTokenSort;
}

/** GET /organizations/:name/team-tokens: those the caller may manage, without their secrets. */
export class ListTeamTokens {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'tokens'>) {}

  execute(actor: Actor, { organizationName, page, ...query }: TeamTokensQuery): Promise<Page<ApiToken>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = seenBy(
        await tx.organizations.findFor(actor, organizationName),
        'organizations/read',
      );
      const visibility = teamTokenVisibility(standing);
      return tx.tokens.pageOfTeams({ organizationId: subject.id, visibility, ...query }, page);
    });
  }
}
