import {
  type Actor,
  authorized,
  authorizedView,
  type WorkspaceId,
  workspaceVisibility,
} from '../../../domain/index.js';
import type { TagFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { CountedTag } from '../../ports/repositories/tag-repository.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /organizations/:name/tags: those of workspaces that the caller may read, which alone are counted. */
export class ListTags {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'tags'>) {}

  execute(
    actor: Actor,
    organizationName: string,
    page: PageRequest,
    filter: TagFilter = {},
  ): Promise<Page<CountedTag>> {
    return this.unitOfWork.read(async (tx) => {
      const seen = await tx.organizations.findFor(actor, organizationName);
      const { subject, standing } = authorizedView(seen, 'organizations/read');
      return tx.tags.page(subject.id, workspaceVisibility(standing), page, filter);
    });
  }
}

/** GET /workspaces/:id/relationships/tags. */
export class ListWorkspaceTags {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'tags'>) {}

  execute(
    actor: Actor,
    workspaceId: WorkspaceId,
    page: PageRequest,
    filter: Pick<TagFilter, 'search'> = {},
  ): Promise<Page<CountedTag>> {
    return this.unitOfWork.read(async (tx) => {
      const { organizationName } = authorized(await tx.workspaces.findFor(actor, workspaceId), 'workspaces/read');
      const seen = await tx.organizations.findFor(actor, organizationName);
      const { subject, standing } = authorizedView(seen, 'organizations/read');
      return tx.tags.page(subject.id, workspaceVisibility(standing), page, { ...filter, workspaceId });
    });
  }
}
