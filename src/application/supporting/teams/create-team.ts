import {
  type Actor,
  authorize,
  type Team,
  type TeamSettings,
  teamInQuestion,
  type WithStanding,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import {
  changedAccess,
  changeTeam,
  checkAccessChange,
  defaultTeamSettings,
} from '../../../domain/supporting/teams/team.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { mapGroup } from './map-group.js';
import type { TeamChange } from './update-team.js';

/** POST /organizations/:name/teams. Granting organization-level permissions requires the right to grant them; mapping a group requires an owner. */
export class CreateTeam {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'teams' | 'teamGroups' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  execute(
    actor: Actor,
    organizationName: string,
    given: TeamChange & Pick<TeamSettings, 'name'>,
  ): Promise<WithStanding<Team>> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.organizations.findFor(actor, organizationName);
      const { subject: organization, standing, done } = changing(actor, seen, 'teams/create');
      const bare: Team = {
        ...defaultTeamSettings,
        name: given.name,
        id: this.ids.next('team'),
        organizationId: organization.id,
        organizationName: organization.name,
        owners: false,
        usersCount: 0,
        createdAt: this.clock.now(),
        revision: -1,
      };
      const { access: accessChange = {}, ...settings } = given;
      const access = changedAccess(bare.access, accessChange);
      if (access.size > 0) {
        authorize({ ...standing, team: { ...teamInQuestion(bare), secret: false } }, 'teams/set-organization-access');
        checkAccessChange(standing, bare.access, access);
      }
      const { ssoTeamId = null } = given;
      if (ssoTeamId !== null) authorize(standing, 'teams/map-group');
      const team = changeTeam(bare, { ...settings, access });
      await tx.teams.add(team);
      if (ssoTeamId !== null) await mapGroup(tx, team, ssoTeamId);
      await tx.audit.add(done(team.id), team);
      return { subject: team, standing: { ...standing, team: teamInQuestion(team) } };
    });
  }
}
