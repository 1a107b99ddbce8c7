import type { AccessLevel, Actor, RequestedPermissions, TeamWorkspaceId, Unnamed } from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import { changedGrant } from '../../domain/team-access/team-workspace.js';
import type { TeamWorkspaceView } from '../ports/repositories/team-workspace-repository.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/** Unnamed settings keep their value. */
export interface TeamAccessChange {
  readonly access: AccessLevel | undefined;
  readonly permissions: RequestedPermissions;
  readonly unnamed: Unnamed;
}

/** PATCH /team-workspaces/:id. */
export class UpdateTeamAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'teamAccess' | 'audit'>) {}

  execute(actor: Actor, id: TeamWorkspaceId, change: TeamAccessChange): Promise<TeamWorkspaceView> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: current, done } = changing(actor, await tx.teamAccess.findFor(actor, id), 'team-access/manage');
      const grant = changedGrant(current.grant, change.access, change.permissions, change.unnamed);
      const next = { ...current, grant, revision: current.revision + 1 };
      await tx.teamAccess.save(next);
      await tx.audit.add(done(id), next);
      return next;
    });
  }
}
