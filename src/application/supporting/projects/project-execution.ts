import type { Actor, Executed, ExecutionChange, Project, Standing, TokenOwner } from '../../../domain/index.js';
import { type ChosenExecution, chosenExecution, type PoolRepositories } from '../../authorization/chosen-execution.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

export interface ChangedProject extends Project {
  /** The owners of tokens of the newly named default pool, except for the caller. */
  readonly poolTokenCreators?: readonly TokenOwner[];
}

/** The new execution settings of a project, which its workspaces inherit. Throws as `chosenExecution`. */
export const projectExecution = (
  tx: Transaction<PoolRepositories>,
  actor: Actor,
  standing: Standing,
  current: Pick<Project, 'id' | 'organizationId' | keyof Executed>,
  change: ExecutionChange | undefined,
): Promise<ChosenExecution> =>
  chosenExecution(tx, actor, standing, current, change, {
    kind: 'project',
    allowedBy: (pool) => pool.organizationScoped || pool.allowedProjectIds.includes(current.id),
  });
