import { type Actor, type ApiToken, authorizedView, type Instant, teamTokenVisibility } from '../../domain/index.js';
import type { Clock } from '../ports/outside/clock.js';
import type { ExpiryRange, TeamTokenSort } from '../ports/repositories/api-token-repository.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

export const expiryStatuses = [
  'active',
  'expiring_in_7_days',
  'expiring_in_30_days',
  'expired',
  'no_expiration',
] as const;

export type ExpiryStatus = (typeof expiryStatuses)[number];

const day = 24 * 60 * 60 * 1000;

/** A token that has not expired is active, also if it never will. */
function rangesOf(status: ExpiryStatus, now: Instant): readonly ExpiryRange[] {
  const within = (days: number) => [{ after: now, until: new Date(Date.parse(now) + days * day).toISOString() }];
  switch (status) {
    case 'active':
      return ['never', { after: now }];
    case 'expiring_in_7_days':
      return within(7);
    case 'expiring_in_30_days':
      return within(30);
    case 'expired':
      return [{ until: now }];
    case 'no_expiration':
      return ['never'];
  }
}

export interface TeamTokensQuery {
  readonly organizationName: string;
  readonly page: PageRequest;
  /** A part of the team's name, case-insensitive. */
  readonly search: string | undefined;
  /** Only tokens with one of these statuses; undefined for all. */
  readonly expiry?: readonly ExpiryStatus[] | undefined;
  readonly sort: TeamTokenSort;
}

/** GET /organizations/:name/team-tokens: those the caller may manage, without their secrets. */
export class ListTeamTokens {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'tokens'>,
    private readonly clock: Clock,
  ) {}

  execute(
    actor: Actor,
    { organizationName, page, expiry: statuses, ...query }: TeamTokensQuery,
  ): Promise<Page<ApiToken>> {
    const now = this.clock.now();
    const expiry = statuses?.flatMap((status) => rangesOf(status, now));
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(
        await tx.organizations.findFor(actor, organizationName),
        'organizations/read',
      );
      const visibility = teamTokenVisibility(standing);
      return tx.tokens.pageOfTeams({ organizationId: subject.id, visibility, expiry, ...query }, page);
    });
  }
}
