import { memberWith } from '../../../domain/authorization/standing.js';
import {
  type Actor,
  authorizedView,
  decisionsDue,
  dueDecisions,
  may,
  type RunId,
  type RunStatus,
  type TeamId,
} from '../../../domain/index.js';
import { type Page, type PageRequest, pageOfAll } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** A team whose members may take the decision that a run waits for. */
export interface DecidingTeam {
  readonly teamId: TeamId;
  readonly name: string;
}

/** The right to take the decision that a run of this status waits for. */
const actionDue = (status: RunStatus) =>
  dueDecisions.map((decision) => decisionsDue[decision]).find(({ statuses }) => statuses.includes(status))?.action;

/** GET /runs/:id/deciding-teams, by name: those that the caller can see. None while the run waits for no decision. */
export class ListDecidingTeams {
  constructor(private readonly unitOfWork: UnitOfWork<'runs' | 'workspaces' | 'accessHolders'>) {}

  execute(actor: Actor, id: RunId, page: PageRequest): Promise<Page<DecidingTeam>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(await tx.runs.findFor(actor, id), 'runs/read');
      const { workspaceId, status } = subject.state;
      const action = actionDue(status);
      const workspace = action && (await tx.workspaces.find(workspaceId));
      if (!workspace) return pageOfAll([], page);
      const { organizationId } = workspace;
      const found = await tx.accessHolders.teamsAt({ organizationId, on: { workspaceId } }, 'with access');
      const teams = found.filter((one) => {
        const member = memberWith('user', [one.standing]);
        return may({ ...standing, team: one.team }, 'teams/read') && may(member, action);
      });
      const all = teams.map(({ team: { teamId }, name }) => ({ teamId, name }));
      return pageOfAll(all, page);
    });
  }
}
