import {
  type Actor,
  type ExecutionDefaults,
  notFound,
  type Organization,
  type OrganizationSettings,
  ownersTeamName,
  type Team,
  type WithStanding,
} from '../../../domain/index.js';
import { invalidAttribute } from '../../../domain/shared/domain-error.js';
import { changedDefaults } from '../../../domain/shared/execution.js';
import { changingSite } from '../../../domain/supporting/audit/change.js';
import { initialDefaults, organization } from '../../../domain/supporting/organizations/organization.js';
import { checkEnforceable, initialSettings } from '../../../domain/supporting/organizations/organization-settings.js';
import { defaultTeamSettings } from '../../../domain/supporting/teams/team.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { IdentityProvider } from '../../ports/outside/identity-provider.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

export interface NewOrganization {
  readonly name: string;
  readonly email: string;
  readonly defaults?: Partial<ExecutionDefaults>;
  readonly settings?: Partial<OrganizationSettings>;
}

/** POST /organizations. The creator becomes its first owner. */
export class CreateOrganization {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'organizations' | 'memberships' | 'teams' | 'teamGroups' | 'rowLocks' | 'audit'
    >,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly identityProvider: Pick<IdentityProvider, 'configured'>,
  ) {}

  async execute(actor: Actor, command: NewOrganization): Promise<WithStanding<Organization>> {
    const { standing: site, done } = changingSite(actor, 'organizations/create');
    if (actor.kind !== 'user') throw notFound();
    const createdAt = this.clock.now();
    const { name, email } = command;
    const defaults = changedDefaults(initialDefaults, command.defaults ?? {});
    // A new organization has no pools.
    if (defaults.agentPoolId !== null)
      throw invalidAttribute('defaultAgentPool', 'Agent pool must belong to the organization');
    checkEnforceable(command.settings ?? {}, this.identityProvider.configured);
    const settings = { ...initialSettings, ...command.settings };
    const created = organization({
      id: this.ids.next('organization'),
      createdAt,
      name,
      email,
      defaults,
      settings,
      retention: null,
    });
    const owners: Team = {
      ...defaultTeamSettings,
      id: this.ids.next('team'),
      organizationId: created.id,
      organizationName: created.name,
      name: ownersTeamName,
      owners: true,
      usersCount: 0,
      createdAt,
      revision: 0,
    };
    const membership = {
      id: this.ids.next('membership'),
      organizationId: created.id,
      userId: actor.userId,
      createdAt,
      invitedEmail: null,
      identityId: null,
    };
    await this.unitOfWork.run(async (tx) => {
      // The owner must not be removed concurrently: the organization would have none.
      if (!(await tx.rowLocks.share({ kind: 'user', id: actor.userId }))) throw notFound();
      await tx.organizations.add(created);
      await tx.teams.add(owners);
      await tx.memberships.add(membership);
      await tx.teams.addMembers(owners, [actor.userId]);
      await tx.teamGroups.giveFirst(created.id);
      await tx.audit.add(done(created.id), 'site');
    });
    const teams = [{ teamId: owners.id, owners: true, access: owners.access }];
    return { subject: created, standing: { ...site, member: true, teams } };
  }
}
