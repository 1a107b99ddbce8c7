import { memberWith } from '../../domain/authorization/standing.js';
import {
  type Actor,
  authorizedView,
  effectiveAccessVisibility,
  may,
  type TeamId,
  type WorkspaceId,
} from '../../domain/index.js';
import type { AccessPlace, TeamAtPlace } from '../ports/repositories/access-holders.js';
import { type Page, type PageRequest, pageOfAll } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { askerOf, type EffectiveAccess, shownAccess } from './show-effective-access.js';

/** GET /workspaces/:id/effective-access/teams, by name. The teams that `ShowEffectiveAccess` would show, each as it does. */
export class ListEffectiveAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'teams' | 'accessHolders'>) {}

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
      const towards = ({ name, team, standing: of }: TeamAtPlace) => {
        const holder = { kind: 'team', id: of.teamId } as const;
        const held = {
          subject: { name, invited: false, projectId, teams: new Map([[of.teamId, { ...team, name }]]) },
          standing: memberWith('team', [of]),
        };
        return { workspaceId, holder, held, asker: askerOf(actor, standing, holder, held) };
      };
      const place: AccessPlace = { organizationId, on: { workspaceId } };
      const among = teamIds ?? effectiveAccessVisibility(standing);
      if (among === 'all') {
        // An organization may have tens of thousands of teams.
        const found = await tx.teams.page(organizationId, 'all', page);
        const ids = found.items.map(({ id }) => id);
        const items = await tx.accessHolders.teamsAt(place, ids);
        return { ...found, items: items.map(towards).map(shownAccess) };
      }
      const teams = await tx.accessHolders.teamsAt(place, among);
      const found = pageOfAll(
        teams.map(towards).filter(({ asker }) => may(asker, 'effective-access/read')),
        page,
      );
      return { ...found, items: found.items.map(shownAccess) };
    });
  }
}
