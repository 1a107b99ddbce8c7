import {
  type Actor,
  authorize,
  authorizedView,
  type EffectiveRight,
  effectiveAccess,
  identityOf,
  may,
  notFound,
  type ProjectId,
  type Standing,
  type TeamId,
  teamNameKey,
  visibleRights,
  type WithStanding,
  type WorkspaceId,
} from '../../domain/index.js';
import type { AccessHolder, HolderView } from '../ports/repositories/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

export interface EffectiveAccess {
  readonly workspaceId: WorkspaceId;
  readonly projectId: ProjectId;
  readonly holder: AccessHolder;
  /** Null for a team that the caller cannot see, other than by its access to the workspace. */
  readonly name: string | null;
  /** Whether the person has not accepted the invitation: the rights are those that the teams will give. */
  readonly invited: boolean;
  /** By team name. */
  readonly rights: readonly EffectiveRight[];
  /** The names of the teams that the caller can see. */
  readonly teamNames: ReadonlyMap<TeamId, string>;
}

/** The caller's standing towards the holder. */
export function askerOf(
  actor: Actor,
  standing: Standing,
  holder: AccessHolder,
  held: WithStanding<HolderView>,
): Standing {
  const caller = identityOf(actor);
  const own = caller.kind === holder.kind && caller.id === holder.id;
  const team = holder.kind === 'team' && held.subject.teams.get(holder.id);
  if (!team) return { ...standing, own };
  const [{ grant, projectGrant } = {}] = held.standing.teams;
  const grantOn = grant ? 'workspace' : projectGrant && 'project';
  return { ...standing, own, team: { ...team, ...(grantOn && { grantOn }) } };
}

interface Shown extends Pick<EffectiveAccess, 'workspaceId' | 'holder'> {
  readonly asker: Standing;
  readonly held: WithStanding<HolderView>;
}

/** The answer for an asker who may read it. */
export function shownAccess({ workspaceId, holder, asker, held }: Shown): EffectiveAccess {
  const { name, invited, projectId, teams } = held.subject;
  const seen = [...teams.values()].filter((team) => may({ ...asker, team }, 'teams/read'));
  const key = ({ teamId }: { readonly teamId: TeamId }) => teamNameKey(teams.get(teamId)?.name ?? '');
  const inOrder = held.standing.teams.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  return {
    workspaceId,
    projectId,
    holder,
    invited,
    name: holder.kind === 'user' || seen.length > 0 ? name : null,
    rights: visibleRights(asker, teams, effectiveAccess({ ...held.standing, teams: inOrder })),
    teamNames: new Map(seen.map((team) => [team.teamId, team.name])),
  };
}

/** GET /workspaces/:id/effective-access */
export class ShowEffectiveAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'teamAccess'>) {}

  execute(actor: Actor, workspaceId: WorkspaceId, holder: AccessHolder): Promise<EffectiveAccess> {
    return this.unitOfWork.read(async (tx) => {
      const { standing } = authorizedView(await tx.workspaces.findIdFor(actor, workspaceId), 'workspaces/read');
      const held = await tx.teamAccess.holder(holder, workspaceId);
      if (held === undefined) throw notFound();
      const asker = askerOf(actor, standing, holder, held);
      authorize(asker, 'effective-access/read');
      return shownAccess({ workspaceId, holder, asker, held });
    });
  }
}
