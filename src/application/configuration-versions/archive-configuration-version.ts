import type { Actor, ConfigurationVersionId } from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { Clock } from '../ports/outside/clock.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { keepVersion } from './keep-version.js';

/** POST …/actions/archive: discards the uploaded files of an unused version. */
export class ArchiveConfigurationVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'configurationVersions' | 'runs' | 'effects' | 'audit'>,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: ConfigurationVersionId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.configurationVersions.findFor(actor, id);
      const { subject: version, done } = changing(actor, seen, 'configuration-versions/archive');
      // Serializes with run creation: a concurrent run either commits first or sees the version as archived.
      await tx.workspaces.lockRow(version.state.workspaceId);
      const facts = await tx.runs.aboutVersion(id);
      await keepVersion(tx, version.fire('archive', facts, this.clock.now()));
      await tx.audit.add(done(id), version.state);
    });
  }
}
