import {
  type AccessChange,
  type Action,
  type Actor,
  authorize,
  isOwner,
  notFound,
  type Team,
  type TeamId,
  type TeamSettings,
  teamInQuestion,
  type WithStanding,
} from '../../../domain/index.js';
import { doneBy } from '../../../domain/supporting/audit/audit-event.js';
import { changedAccess, changeTeam, checkAccessChange } from '../../../domain/supporting/teams/team.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { mapGroup } from './map-group.js';

/** Unnamed settings keep their value. */
export interface TeamChange extends Partial<Omit<TeamSettings, 'access'>> {
  readonly access?: AccessChange;
}

/** PATCH /teams/:id. Settings, organization-level permissions and the group require separate rights. */
export class UpdateTeam {
  constructor(private readonly unitOfWork: UnitOfWork<'teams' | 'teamGroups' | 'audit'>) {}

  execute(actor: Actor, id: TeamId, change: TeamChange): Promise<WithStanding<Team>> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.teams.findFor(actor, id);
      if (seen === undefined) throw notFound();
      const { access: accessChange, ...settings } = change;
      const access = accessChange && changedAccess(seen.subject.access, accessChange);
      const needed: Action[] = [
        ...(access === undefined ? [] : (['teams/set-organization-access'] as const)),
        ...(access === undefined || Object.keys(settings).length > 0 ? (['teams/update'] as const) : []),
      ];
      const { ssoTeamId } = change;
      if (ssoTeamId !== undefined && ssoTeamId !== seen.subject.ssoTeamId) needed.push('teams/map-group');
      for (const action of needed) authorize(seen.standing, action);
      if (access !== undefined) checkAccessChange(seen.standing, seen.subject.access, access);
      const team = changeTeam(seen.subject, access === undefined ? settings : { ...settings, access });
      await tx.teams.save(team);
      // A group that was stored before it had an effect is mapped once an owner sends it.
      if (ssoTeamId !== undefined && isOwner(seen.standing)) await mapGroup(tx, team, ssoTeamId);
      await tx.audit.add(doneBy(actor, 'teams/update', id), team);
      return { subject: team, standing: { ...seen.standing, team: teamInQuestion(team) } };
    });
  }
}
