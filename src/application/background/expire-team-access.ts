import type { TeamProjectId, TeamWorkspaceId } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { endAccess, endProjectAccess } from '../team-access/access-ends.js';

const atATime = 100;

/**
 * Writes down the ends of temporary access, each with its audit event. Nothing waits for it: every right is computed
 * from the grant that is in force.
 */
export class ExpireTeamAccess {
  constructor(private readonly unitOfWork: UnitOfWork<'teamAccess' | 'projectAccess' | 'audit'>) {}

  /** Returns the ids of the rows. The failure of one row is thrown after the others were handled. */
  async execute(): Promise<readonly string[]> {
    const due = await this.unitOfWork.read(async (tx) => ({
      workspaces: await tx.teamAccess.due(atATime),
      projects: await tx.projectAccess.due(atATime),
    }));
    const ended: string[] = [];
    const failures: unknown[] = [];
    const attempt = async (id: string, end: Promise<boolean>) =>
      end.then(
        (done) => done && ended.push(id),
        (error: unknown) => failures.push(error),
      );
    for (const id of due.workspaces) await attempt(id, this.end(id));
    for (const id of due.projects) await attempt(id, this.endInProject(id));
    if (failures.length > 0) throw failures[0];
    return ended;
  }

  /** False if a request or another process was faster. */
  private end(id: TeamWorkspaceId): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      const row = await tx.teamAccess.findDue({ id });
      if (row !== undefined) await endAccess(tx, row);
      return row !== undefined;
    });
  }

  private endInProject(id: TeamProjectId): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      const row = await tx.projectAccess.findDue({ id });
      if (row !== undefined) await endProjectAccess(tx, row);
      return row !== undefined;
    });
  }
}
