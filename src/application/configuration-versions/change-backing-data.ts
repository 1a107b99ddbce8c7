import { type Actor, type ConfigurationVersionId, later } from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Settings } from '../ports/outside/settings.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { keepVersion } from './keep-version.js';

export type BackingDataChange = 'soft-delete' | 'restore' | 'permanently-delete';

/** POST …/actions/{soft_delete,restore,permanently_delete}_backing_data: they differ only in their trigger. */
export class ChangeBackingData {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'configurationVersions' | 'runs' | 'effects' | 'audit'>,
    private readonly clock: Clock,
    private readonly settings: Pick<Settings, 'softDeleteDays'>,
  ) {}

  /** Throws `configuration-version/backing-data-unchanged` if the version's state, origin or use forbids it. */
  execute(actor: Actor, id: ConfigurationVersionId, change: BackingDataChange): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.configurationVersions.findFor(actor, id);
      const { subject: version, done } = changing(actor, seen, 'configuration-versions/manage-backing-data');
      // Serializes with run creation: a concurrent run either commits first or sees the change.
      await tx.workspaces.lockRow(version.state.workspaceId);
      const now = this.clock.now();
      const purge = change === 'soft-delete' ? { purgeAt: later(now, this.settings.softDeleteDays * 86_400) } : {};
      await keepVersion(tx, version.fire(change, await tx.runs.aboutVersion(id), now, purge));
      await tx.audit.add(done(id), version.state);
    });
  }
}
