import { type Actor, authorized, type ConfigurationVersionId, notFound } from '../../domain/index.js';
import type { CapabilityUrls } from '../ports/capability-urls.js';
import type { Clock } from '../ports/clock.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** GET /configuration-versions/:id/download: a temporary URL of the uploaded bytes. */
export class LocateBundle {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  async execute(actor: Actor, id: ConfigurationVersionId): Promise<string> {
    const seen = await this.unitOfWork.read((tx) => tx.configurationVersions.findFor(actor, id));
    if (!authorized(seen, 'configuration-versions/read').downloadable) throw notFound();
    return this.urls.issue('download', id, this.clock.now());
  }
}
