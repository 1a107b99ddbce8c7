import { type Actor, authorized, type ConfigurationVersionId } from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** POST …/actions/archive: discards the uploaded files of a version that nothing uses any more. */
export class ArchiveConfigurationVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  execute(actor: Actor, id: ConfigurationVersionId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const seen = await tx.configurationVersions.findFor(actor, id);
      const version = authorized(seen, 'configuration-versions/archive');
      const facts = await tx.runs.aboutVersion(id);
      const { next, effects } = version.fire('archive', facts, this.clock.now());
      await tx.configurationVersions.save(next);
      await tx.effects.enqueue(id, effects);
    });
  }
}
