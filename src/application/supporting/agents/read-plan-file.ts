import { type ArtifactName, DomainError, notFound } from '../../../domain/index.js';
import { openBundle } from '../../files/open-bundle.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type LeaseHolder, leasedRun, requireStatus } from './lease-holder.js';

/** GET /agent/v1/runs/:id/artifacts/:name: the plan file stored by the planning agent, for the applying one. */
export class ReadPlanFile {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs' | 'runArtifacts'>,
    private readonly secrets: SecretGenerator,
    private readonly store: BundleStore,
  ) {}

  /**
   * Throws `lease/lost`, `run/transition-refused` unless the run is being applied, `resource/not-found` for
   * another artifact and without a plan file.
   */
  async execute(holder: LeaseHolder, name: string): Promise<AsyncIterable<Uint8Array>> {
    if (name !== ('plan-file' satisfies ArtifactName)) throw notFound();
    const bundle = await this.unitOfWork.read(async (tx) => {
      const run = await leasedRun(tx, this.secrets, holder);
      requireStatus(run, 'applying', 'plan file could not be read');
      return tx.runArtifacts.find(run.state.id, 'plan-file');
    });
    return openBundle(this.store, bundle, new DomainError('resource/not-found', 'the run has no plan file'));
  }
}
