import { memberWith } from '../../domain/authorization/standing.js';
import { type Actor, authorizedView, may, type TeamId, type WorkspaceId } from '../../domain/index.js';
import type { TeamAtPlace } from '../ports/repositories/access-holders.js';
import { type Page, type PageRequest, pageOfAll } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { askerOf, type EffectiveAccess, shownAccess } from './show-effective-access.js';

/** GET /workspaces/:id/effective-access/teams, by name. The teams that `ShowEffectiveAccess` would show, each as it does. */
export class ListEffectiveAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'accessHolders'>) {}

  /** Limited to `teamIds`, if set; ids of teams that the caller cannot ask about are left out. */
  execute(
    actor: Actor,
    workspaceId: WorkspaceId,
    teamIds: readonly TeamId[] | undefined,
    page: PageRequest,
  ): Promise<Page<EffectiveAccess>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(await tx.workspaces.findFor(actor, workspaceId), 'workspaces/read');
      const { organizationId, projectId } = subject;
      const heldBy = ({ name, team, standing: of }: TeamAtPlace) => ({
        subject: { name, invited: false, projectId, teams: new Map([[of.teamId, { ...team, name }]]) },
        standing: memberWith('team', [of]),
      });
      const teams = await tx.accessHolders.teamsAt({ organizationId, on: { workspaceId } }, teamIds);
      const seen = teams
        .map((one) => {
          const holder = { kind: 'team', id: one.standing.teamId } as const;
          const held = heldBy(one);
          return { workspaceId, holder, held, asker: askerOf(actor, standing, holder, held) };
        })
        .filter(({ asker }) => may(asker, 'effective-access/read'));
      const found = pageOfAll(seen, page);
      return { ...found, items: found.items.map(shownAccess) };
    });
  }
}
