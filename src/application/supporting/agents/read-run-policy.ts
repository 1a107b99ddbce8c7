import { DomainError } from '../../../domain/index.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type LeaseHolder, leasedRun } from './lease-holder.js';

/**
 * GET /agent/v1/runs/:id/policies/:sha256: the code of a policy from the time the run was created. Throws `lease/lost`,
 * and `resource/not-found` for code that none of the run's policies has.
 */
export class ReadRunPolicy {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'policies' | 'taskStages'>,
    private readonly secrets: SecretGenerator,
  ) {}

  execute(holder: LeaseHolder, sha256: string): Promise<string> {
    return this.unitOfWork.read(async (tx) => {
      const run = await leasedRun(tx, this.secrets, holder);
      const stages = await tx.taskStages.ofRun(run.state.id);
      const evaluations = stages.flatMap((stage) => stage.evaluations);
      const sets = evaluations.flatMap(({ policySets }) => policySets);
      const named = sets.flatMap(({ policies }) => policies.map((policy) => policy.code));
      const workspace = named.includes(sha256) ? await tx.workspaces.find(run.state.workspaceId) : undefined;
      const code = workspace && (await tx.policies.findCode(workspace.organizationId, sha256));
      if (code === undefined) throw new DomainError('resource/not-found', 'no policy of the run has this code');
      return code;
    });
  }
}
