import { type Actor, authorizedView, may, type WorkspaceId, workspaceVisibility } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { OrganizationRunFilter, RunFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest, UncountedPage } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ShownRun, showingAll, showingEach } from './show-run.js';

/** A calendar year in UTC, or the past 365 days. */
export type Timeframe = number | 'year';

export interface RunsQuery extends Omit<RunFilter, 'since' | 'before'> {
  readonly timeframe?: Timeframe | undefined;
}

const year = 365 * 24 * 60 * 60 * 1000;

const startOf = (calendarYear: number): string => `${calendarYear}-01-01T00:00:00.000Z`;

/** The part of a filter that says when runs were created. */
function createdIn(timeframe: Timeframe | undefined, clock: Clock): Pick<RunFilter, 'since' | 'before'> {
  if (timeframe === undefined) return {};
  if (timeframe === 'year') return { since: new Date(Date.parse(clock.now()) - year).toISOString() };
  return { since: startOf(timeframe), before: startOf(timeframe + 1) };
}

/** GET /workspaces/:id/runs: newest first. */
export class ListRuns {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'taskStages' | 'runComments'>,
    private readonly clock: Clock,
  ) {}

  execute(
    actor: Actor,
    workspaceId: WorkspaceId,
    page: PageRequest,
    { timeframe, ...filter }: RunsQuery = {},
  ): Promise<Page<ShownRun>> {
    return this.unitOfWork.read(async (tx) => {
      const { standing } = authorizedView(await tx.workspaces.findIdFor(actor, workspaceId), 'runs/read');
      const found = await tx.runs.page(workspaceId, page, { ...filter, ...createdIn(timeframe, this.clock) });
      return { ...found, items: await showingAll(tx, found.items, standing) };
    });
  }
}

export type OrganizationRunsQuery = RunsQuery & Pick<OrganizationRunFilter, 'workspaceNames' | 'agentPoolNames'>;

/** GET /organizations/:name/runs: newest first, of the workspaces the caller may read. */
export class ListOrganizationRuns {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'runs' | 'taskStages' | 'runComments'>,
    private readonly clock: Clock,
  ) {}

  execute(
    actor: Actor,
    organizationName: string,
    page: PageRequest,
    { timeframe, agentPoolNames, ...rest }: OrganizationRunsQuery = {},
  ): Promise<UncountedPage<ShownRun>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(
        await tx.organizations.findFor(actor, organizationName),
        'organizations/read',
      );
      const visibility = workspaceVisibility(standing);
      // Others would learn which names pools have.
      const pools = agentPoolNames && (may(standing, 'agent-pools/list') ? agentPoolNames : []);
      if (pools?.length === 0) return { ...page, items: [], more: false };
      const filter = { ...rest, ...createdIn(timeframe, this.clock), agentPoolNames: pools };
      const found = await tx.runs.pageOfOrganization(subject.id, standing, visibility, page, filter);
      return { ...found, items: await showingEach(tx, found.items) };
    });
  }
}
