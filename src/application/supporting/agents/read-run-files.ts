import { DomainError } from '../../../domain/index.js';
import { openBundle } from '../../files/open-bundle.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type LeaseHolder, leasedRun } from './lease-holder.js';

/** GET /agent/v1/runs/:id/configuration: the `.tar.gz` the run uses. */
export class ReadRunFiles {
  constructor(
    private readonly unitOfWork: UnitOfWork<'configurationVersions' | 'runs'>,
    private readonly secrets: SecretGenerator,
    private readonly store: BundleStore,
  ) {}

  /** Throws `lease/lost`, and `resource/not-found` if the bytes were discarded. */
  async execute(holder: LeaseHolder): Promise<AsyncIterable<Uint8Array>> {
    const files = await this.unitOfWork.read(async (tx) => {
      const { ownFiles, configurationVersionId } = (await leasedRun(tx, this.secrets, holder)).state;
      return ownFiles ?? (await tx.configurationVersions.find(configurationVersionId))?.state.bundle;
    });
    return openBundle(this.store, files, new DomainError('resource/not-found', 'the files of the run are missing'));
  }
}
