import { DomainError, type PolicySetVersionId } from '../../../domain/index.js';
import { openBundle } from '../../files/open-bundle.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type LeaseHolder, leasedRun } from './lease-holder.js';

/**
 * GET /agent/v1/runs/:id/policy-set-versions/:versionId: the archive of a policy set as of the creation of the run. Throws
 * `lease/lost`, and `resource/not-found` for a version that no policy set of the run has.
 */
export class ReadRunPolicyArchive {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs' | 'policySetVersions' | 'taskStages'>,
    private readonly secrets: SecretGenerator,
    private readonly store: BundleStore,
  ) {}

  async execute(holder: LeaseHolder, id: PolicySetVersionId): Promise<AsyncIterable<Uint8Array>> {
    const bundle = await this.unitOfWork.read(async (tx) => {
      const run = await leasedRun(tx, this.secrets, holder);
      const evaluations = (await tx.taskStages.ofRun(run.state.id)).flatMap((stage) => stage.evaluations);
      const sets = evaluations.flatMap(({ policySets }) => policySets);
      const named = sets.some(({ archive }) => archive?.versionId === id);
      return named ? (await tx.policySetVersions.find(id))?.bundle : undefined;
    });
    const missing = new DomainError('resource/not-found', 'no policy set of the run has this version');
    return openBundle(this.store, bundle, missing);
  }
}
