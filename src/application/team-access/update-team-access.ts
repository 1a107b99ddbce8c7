import {
  type AccessLevel,
  type Actor,
  authorized,
  type RequestedPermissions,
  type TeamWorkspaceId,
  type Unnamed,
} from '../../domain/index.js';
import { doneBy } from '../../domain/supporting/audit/audit-event.js';
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
      const current = authorized(await tx.teamAccess.findFor(actor, id), 'team-access/manage');
      const grant = changedGrant(current.grant, change.access, change.permissions, change.unnamed);
      const next = { ...current, grant, revision: current.revision + 1 };
      await tx.teamAccess.save(next);
      await tx.audit.add(doneBy(actor, 'team-access/manage', id), next);
      return next;
    });
  }
}
