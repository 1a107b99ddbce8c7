import { type Actor, authorized, type StateVersion } from '../../../domain/index.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

export interface StateVersionQuery {
  readonly organizationName: string;
  readonly workspaceName: string;
  readonly page: PageRequest;
}

export interface ListedStateVersion {
  readonly version: StateVersion;
  /** Absolute; a temporary credential for the bytes. */
  readonly downloadUrl: string;
}

/** GET /state-versions. */
export class ListStateVersions {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'stateVersions'>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  async execute(actor: Actor, query: StateVersionQuery): Promise<Page<ListedStateVersion>> {
    const { organizationName, workspaceName } = query;
    const found = await this.unitOfWork.read(async (tx) => {
      const seen = await tx.workspaces.findByNameFor(actor, organizationName, workspaceName);
      return tx.stateVersions.page(authorized(seen, 'state-versions/read').id, query.page);
    });
    const now = this.clock.now();
    const items = found.items.map((version) => ({
      version,
      downloadUrl: this.urls.issue('state-download', version.id, now),
    }));
    return { ...found, items };
  }
}
