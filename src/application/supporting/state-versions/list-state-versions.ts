import { type Actor, authorized, type StateContents, type StateVersion } from '../../../domain/index.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { readingUrls, type StateUrls } from './state-urls.js';

export interface StateVersionQuery {
  readonly organizationName: string;
  readonly workspaceName: string;
  readonly page: PageRequest;
}

export interface ListedStateVersion {
  readonly version: StateVersion;
  readonly urls: StateUrls;
  /** Undefined until it is read. In lists, without resources. */
  readonly contents: StateContents | undefined;
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
      const page = await tx.stateVersions.page(authorized(seen, 'state-versions/read').id, query.page);
      const ids = page.items.map(({ id }) => id);
      return { ...page, contents: await tx.stateVersions.contentsOf(ids, false) };
    });
    const now = this.clock.now();
    const { contents, ...page } = found;
    const items = page.items.map((version) => ({
      version,
      urls: readingUrls(this.urls, version, now),
      contents: contents.get(version.id),
    }));
    return { ...page, items };
  }
}
