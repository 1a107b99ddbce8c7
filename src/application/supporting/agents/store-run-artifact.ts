import type { ArtifactName } from '../../../domain/index.js';
import { doneByAgent } from '../../../domain/supporting/audit/audit-event.js';
import { discard } from '../../files/discard.js';
import type { Uploads } from '../../files/uploads.js';
import type { BundleFacts, BundleInspector } from '../../ports/outside/bundle-inspector.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type LeaseHolder, leasedRun, lockedLeasedRun, requireStatus } from './lease-holder.js';

/**
 * PUT /agent/v1/runs/:id/artifacts/:name: stores an artifact of the plan while it arrives, without an open transaction;
 * the lease is checked before and after. A second upload replaces the first.
 */
export class StoreRunArtifact {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'runArtifacts' | 'effects' | 'audit'>,
    private readonly secrets: SecretGenerator,
    private readonly uploads: Uploads,
    private readonly inspector: BundleInspector,
  ) {}

  /**
   * Throws `lease/lost`, and `run/transition-refused` unless the run is being planned. After a refusal, or if reading
   * `body` throws, nothing is stored.
   */
  async execute(holder: LeaseHolder, name: ArtifactName, body: AsyncIterable<Uint8Array>): Promise<BundleFacts> {
    const before = await this.unitOfWork.read((tx) => leasedRun(tx, this.secrets, holder));
    requireStatus(before, 'planning', `${name} could not be stored`);
    const measurement = this.inspector.measure(body);
    await this.uploads.keep(this.unitOfWork, measurement, async (tx, bundle) => {
      const run = await lockedLeasedRun(tx, this.secrets, holder);
      requireStatus(run, 'planning', `${name} could not be stored`);
      const { id } = run.state;
      const replaced = await tx.runArtifacts.put(id, name, bundle);
      if (replaced !== null) await discard(tx, [replaced]);
      await tx.audit.add(doneByAgent(holder.agent, 'runs/store-artifact', id), run.state);
      return true;
    });
    const { bytes, sha256 } = measurement.facts();
    return { bytes, sha256 };
  }
}
