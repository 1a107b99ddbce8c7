import { covers } from '../../domain/authorization/claims.js';
import { endOf } from '../../domain/authorization/future.js';
import type { TeamWorkspace, TeamWorkspaceState } from '../../domain/index.js';
import {
  type EndBounds,
  type Grant,
  type Instant,
  later,
  may,
  type ProjectGrant,
  type Standing,
} from '../../domain/index.js';
import { doneBySystem } from '../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../ports/outside/clock.js';
import type { TeamProjectView } from '../ports/repositories/team-project-repository.js';
import type { Transaction } from '../ports/repositories/unit-of-work.js';

/** The bounds of the access to a workspace that the caller with this standing gives. */
export const workspaceBounds = (clock: Clock, standing: Standing): EndBounds<Grant> => ({
  now: clock.now(),
  rightEnds: () => endOf(standing, (future) => may(future, 'team-access/manage')),
});

/** The same for a project, where the caller also has to have what they give. */
export const projectBounds = (clock: Clock, standing: Standing): EndBounds<ProjectGrant> => ({
  now: clock.now(),
  rightEnds: (given): Instant | null =>
    endOf(standing, (future) => may(future, 'project-access/manage') && covers(future, given)),
});

export const endsBy = (clock: Clock, days: number | undefined): Instant | undefined =>
  days === undefined ? undefined : later(clock.now(), days * 86_400);

/** Records the end of access whose row is changed or removed with it. */
export const noteEnd = (
  tx: Transaction<'audit'>,
  { id, workspaceId }: Pick<TeamWorkspaceState, 'id' | 'workspaceId'>,
): Promise<void> => tx.audit.add(doneBySystem('team-access/expire', id), { workspaceId });

export const noteEndInProject = (
  tx: Transaction<'audit'>,
  { teamProject, organizationId }: TeamProjectView,
): Promise<void> => tx.audit.add(doneBySystem('team-access/expire', teamProject.state.id), { organizationId });

/** Writes down that the grant of a stored row has ended: the row keeps the grant in force, or goes. */
export async function endAccess(tx: Transaction<'teamAccess' | 'audit'>, row: TeamWorkspace): Promise<void> {
  const left = row.expire();
  if (left === undefined) await tx.teamAccess.remove(row.state.id);
  else await tx.teamAccess.save(left);
  await noteEnd(tx, row.state);
}

export async function endProjectAccess(
  tx: Transaction<'projectAccess' | 'audit'>,
  row: TeamProjectView,
): Promise<void> {
  const left = row.teamProject.expire();
  if (left === undefined) await tx.projectAccess.remove(row.teamProject);
  else await tx.projectAccess.save(left);
  await noteEndInProject(tx, row);
}
