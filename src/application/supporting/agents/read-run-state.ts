import { DomainError, type StateVersionId } from '../../../domain/index.js';
import { openBundle } from '../../files/open-bundle.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type LeaseHolder, leasedRun } from './lease-holder.js';

/** GET /agent/v1/runs/:id/state. */
export class ReadRunState {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs' | 'stateVersions'>,
    private readonly secrets: SecretGenerator,
    private readonly store: BundleStore,
  ) {}

  /**
   * The state the job named, or without an id the workspace's current one: during a plan-only run, which does not hold
   * the workspace, another run may change it. Throws `lease/lost`, and `resource/not-found` if there is none.
   */
  async execute(holder: LeaseHolder, id: StateVersionId | undefined): Promise<AsyncIterable<Uint8Array>> {
    const version = await this.unitOfWork.read(async (tx) => {
      const { workspaceId } = (await leasedRun(tx, this.secrets, holder)).state;
      const found = await (id === undefined ? tx.stateVersions.current(workspaceId) : tx.stateVersions.find(id));
      return found?.workspaceId === workspaceId ? found : undefined;
    });
    const missing = new DomainError('resource/not-found', 'the workspace has no such state version');
    return openBundle(this.store, version?.bundle, missing);
  }
}
