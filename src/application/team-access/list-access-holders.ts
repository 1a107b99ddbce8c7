import { memberWith } from '../../domain/authorization/standing.js';
import {
  type Action,
  type Actor,
  authorize,
  authorizedView,
  DomainError,
  type EffectiveRight,
  effectiveRight,
  may,
  type OrganizationId,
  organizationActions,
  type ProjectId,
  projectActions,
  type Standing,
  type TeamId,
  type TeamInQuestion,
  teamsNeededFor,
  visibleRights,
  type WorkspaceId,
  workspaceActions,
} from '../../domain/index.js';
import type { AccessPlace, PersonAtPlace, TeamAtPlace } from '../ports/repositories/access-holders.js';
import { type Page, type PageRequest, pageOfAll } from '../ports/repositories/page.js';
import type { AccessHolder } from '../ports/repositories/team-workspace-repository.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';

export interface AccessHoldersQuery {
  readonly organizationName: string;
  readonly action: Action;
  /** Undefined for the organization itself. */
  readonly on: { readonly workspaceId: WorkspaceId } | { readonly projectId: ProjectId } | undefined;
}

/** A person or a team who holds a right, or could come to hold it. */
export interface RightHolder {
  readonly holder: AccessHolder;
  /** Null for a secret team that the caller cannot see. */
  readonly name: string | null;
  readonly invited: boolean;
  readonly right: EffectiveRight<Action>;
  readonly teamNames: ReadonlyMap<TeamId, string>;
}

export interface AccessHoldersPage extends Page<RightHolder> {
  /** Whether people and teams are all there: a workspace admin gets only the teams that they may read. */
  readonly complete: boolean;
  /** Whether the organization's own token holds the right. */
  readonly organizationToken: boolean;
  /** Those who do not hold the right, and could give it to themselves through a team that they join or whose token they issue. */
  readonly mayBecome: {
    readonly organizationToken: boolean;
    /** Whether fewer than 51 people were looked at, so that none is missing. */
    readonly complete: boolean;
    readonly listed: readonly {
      readonly holder: AccessHolder;
      readonly name: string;
      readonly by: readonly Action[];
    }[];
  };
}

const maxListed = 50;

/** The actions by which a caller comes to hold what a team holds. */
const joining = ['team-members/manage', 'team-tokens/manage'] as const satisfies readonly Action[];

/** GET /organizations/:name/who-can: people by name, and after them teams by name. */
export class ListAccessHolders {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'projects' | 'accessHolders'>) {}

  /** Throws `attribute/invalid` for an action of another kind of place. */
  execute(
    actor: Actor,
    { organizationName, action, on }: AccessHoldersQuery,
    page: PageRequest,
  ): Promise<AccessHoldersPage> {
    return this.unitOfWork.read(async (tx) => {
      const { organizationId, asker } = await this.placeFor(tx, actor, organizationName, on);
      checkAction(action, on);
      const place: AccessPlace = { organizationId, ...(on && { on }) };
      // Teams without access hold what every member holds, or nothing.
      const among = may(memberWith('team', []), action) ? undefined : 'with access';
      const all = await tx.accessHolders.teamsAt(place, among);
      const complete = may(asker, 'effective-access/list-all');
      const ground = new Ground(asker, action, all);
      const teams = all
        .filter(({ team }) => complete || may({ ...asker, team }, 'effective-access/read'))
        .flatMap((team) => ground.team(team));
      if (!complete) {
        const mayBecome = { organizationToken: false, complete: false, listed: [] };
        return { ...pageOfAll(teams, page), complete, organizationToken: false, mayBecome };
      }
      const people = await tx.accessHolders.people(organizationId, ground.needed, page);
      const before = Math.max(0, (page.number - 1) * page.size - people.total);
      const left = Math.min(page.size - people.items.length, Math.max(0, page.number * page.size - people.total));
      const items = [...people.items.flatMap((one) => ground.person(one)), ...teams.slice(before, before + left)];
      return {
        ...page,
        total: people.total + teams.length,
        items,
        complete,
        organizationToken: ground.organizationTokenHolds,
        mayBecome: await mayBecome(tx, organizationId, ground),
      };
    });
  }

  private async placeFor(
    tx: Transaction<'organizations' | 'workspaces' | 'projects'>,
    actor: Actor,
    organizationName: string,
    on: AccessHoldersQuery['on'],
  ): Promise<{ readonly organizationId: OrganizationId; readonly asker: Standing }> {
    const organization = authorizedView(await tx.organizations.findFor(actor, organizationName), 'organizations/read');
    const { id: organizationId } = organization.subject;
    if (on === undefined) {
      authorize(organization.standing, 'effective-access/list-all');
      return { organizationId, asker: organization.standing };
    }
    const { subject, standing } =
      'workspaceId' in on
        ? authorizedView(await tx.workspaces.findFor(actor, on.workspaceId), 'workspaces/read')
        : authorizedView(await tx.projects.findFor(actor, on.projectId), 'projects/read');
    if (subject.organizationId !== organizationId) authorizedView(undefined, 'workspaces/read');
    authorize(standing, 'effective-access/list');
    return { organizationId, asker: standing };
  }
}

function checkAction(action: Action, on: AccessHoldersQuery['on']): void {
  const known: readonly Action[] =
    on === undefined ? organizationActions : 'workspaceId' in on ? workspaceActions : projectActions;
  if (known.includes(action)) return;
  const label = on === undefined ? 'an organization' : 'workspaceId' in on ? 'a workspace' : 'a project';
  throw new DomainError('attribute/invalid', `filter[action] must be an action on ${label}: ${known.join(', ')}`, {
    parameter: 'filter[action]',
  });
}

/** The teams of the organization that may hold the action, and the rights that they give. */
class Ground {
  private readonly byId: ReadonlyMap<TeamId, TeamAtPlace>;
  private readonly inQuestion: ReadonlyMap<TeamId, TeamInQuestion>;
  private readonly teamNames: ReadonlyMap<TeamId, string>;

  constructor(
    private readonly asker: Standing,
    readonly action: Action,
    readonly all: readonly TeamAtPlace[],
  ) {
    this.byId = new Map(all.map((one) => [one.standing.teamId, one]));
    this.inQuestion = new Map(all.map(({ team }) => [team.teamId, team]));
    const seen = all.filter(({ team }) => may({ ...asker, team }, 'teams/read'));
    this.teamNames = new Map(seen.map(({ team, name }) => [team.teamId, name]));
  }

  get needed(): readonly (readonly (readonly TeamId[])[])[] {
    return teamsNeededFor(this.member('user', this.all), this.action);
  }

  get organizationTokenHolds(): boolean {
    return may({ ...this.member('organization', []) }, this.action);
  }

  member(kind: 'user' | 'team' | 'organization', teams: readonly TeamAtPlace[]): Standing {
    return memberWith(
      kind,
      teams.map(({ standing }) => standing),
    );
  }

  standingOf({ teamIds }: PersonAtPlace): Standing {
    const own = new Set(teamIds);
    return this.member(
      'user',
      this.all.filter(({ standing }) => own.has(standing.teamId)),
    );
  }

  team(one: TeamAtPlace): readonly RightHolder[] {
    const { teamId } = one.standing;
    const name = this.teamNames.get(teamId) ?? null;
    return this.holding({ kind: 'team', id: teamId }, name, false, this.member('team', [one]));
  }

  person(one: PersonAtPlace): readonly RightHolder[] {
    return this.holding({ kind: 'user', id: one.userId }, one.name, one.invited, this.standingOf(one));
  }

  private holding(
    holder: AccessHolder,
    name: string | null,
    invited: boolean,
    standing: Standing,
  ): readonly RightHolder[] {
    const [right] = visibleRights(this.asker, this.inQuestion, [effectiveRight(standing, this.action)]);
    return right?.held ? [{ holder, name, invited, right, teamNames: this.teamNames }] : [];
  }

  /** The actions by which a holder of this standing comes to hold the right, in one step; none if they hold it. */
  ways(standing: Standing): readonly Action[] {
    if (may(standing, this.action)) return [];
    const gaining = this.all.filter((one) =>
      may({ ...standing, teams: [...standing.teams, one.standing], actor: 'user' }, this.action),
    );
    return joining.filter((action) => gaining.some(({ team }) => may({ ...standing, team }, action)));
  }

  /** The teams that hold a permission by which others can be joined. */
  get managing(): readonly TeamId[] {
    return this.all
      .filter(({ standing: { access } }) => access.has('manage-teams') || access.has('manage-membership'))
      .map(({ standing }) => standing.teamId);
  }

  teamsIn(ids: readonly TeamId[]): readonly TeamAtPlace[] {
    return ids.flatMap((id) => this.byId.get(id) ?? []);
  }
}

async function mayBecome(
  tx: Transaction<'accessHolders'>,
  organizationId: OrganizationId,
  ground: Ground,
): Promise<AccessHoldersPage['mayBecome']> {
  const { managing } = ground;
  const alternatives = managing.length === 0 ? [] : [[managing]];
  const people = await tx.accessHolders.people(organizationId, alternatives, { number: 1, size: maxListed });
  const listed = people.items.flatMap((one) => {
    const by = ground.ways(ground.standingOf(one));
    return by.length === 0 ? [] : [{ holder: { kind: 'user', id: one.userId } as const, name: one.name, by }];
  });
  const ofTeams = ground.teamsIn(managing).flatMap((one) => {
    const by = ground.ways(ground.member('team', [one]));
    const holder = { kind: 'team', id: one.standing.teamId } as const;
    return by.length === 0 ? [] : [{ holder, name: one.name, by }];
  });
  return {
    organizationToken: ground.ways(ground.member('organization', [])).length > 0,
    complete: people.total <= maxListed,
    listed: [...listed, ...ofTeams],
  };
}
