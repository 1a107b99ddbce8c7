import {
  type Actor,
  authorized,
  type ConfigurationVersion,
  type ConfigurationVersionId,
  notFound,
  type RunId,
} from '../../domain/index.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { CapabilityUrls } from '../ports/outside/capability-urls.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { versionOfRun } from '../supporting/runs/show-run-configuration-version.js';

export type BundleReference = { readonly id: ConfigurationVersionId } | { readonly runId: RunId };

/**
 * GET /configuration-versions/:id/download and GET /runs/:id/configuration-version/download: a temporary URL of the
 * store or of the service, which checks the version's state again on use.
 */
export class LocateBundle {
  constructor(
    private readonly unitOfWork: UnitOfWork<'configurationVersions' | 'runs'>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
    private readonly store: BundleStore,
  ) {}

  async execute(actor: Actor, reference: BundleReference): Promise<string> {
    const version = await this.unitOfWork.read((tx) => this.find(tx, actor, reference));
    const bundle = version?.downloadable ? version.state.bundle : null;
    if (version === undefined || bundle === null) throw notFound();
    return (
      (await this.store.temporaryUrl(bundle.key)) ?? this.urls.issue('download', version.state.id, this.clock.now())
    );
  }

  private async find(
    tx: Transaction<'configurationVersions' | 'runs'>,
    actor: Actor,
    reference: BundleReference,
  ): Promise<ConfigurationVersion | undefined> {
    if ('runId' in reference) return tx.configurationVersions.find(await versionOfRun(tx, actor, reference.runId));
    return authorized(await tx.configurationVersions.findFor(actor, reference.id), 'configuration-versions/read');
  }
}
