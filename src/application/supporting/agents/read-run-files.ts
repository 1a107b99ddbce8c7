import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type LeaseHolder, leasedRun } from './lease-holder.js';

/** GET /agent/v1/runs/:id/configuration: the `.tar.gz` the run uses. Throws `lease/lost`. */
export class ReadRunFiles {
  constructor(
    private readonly unitOfWork: UnitOfWork<'configurationVersions' | 'runs'>,
    private readonly secrets: SecretGenerator,
    private readonly store: BundleStore,
  ) {}

  async execute(holder: LeaseHolder): Promise<AsyncIterable<Uint8Array>> {
    const key = await this.unitOfWork.read(async (tx) => {
      const { ownFiles, configurationVersionId } = (await leasedRun(tx, this.secrets, holder)).state;
      return ownFiles?.key ?? (await tx.configurationVersions.find(configurationVersionId))?.state.bundle?.key;
    });
    const bytes = key === undefined ? undefined : await this.store.read(key);
    if (bytes === undefined) throw new Error(`the files of ${holder.runId} are missing`);
    return bytes;
  }
}
