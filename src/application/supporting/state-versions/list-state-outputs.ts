import { type Actor, authorized, type StateVersionId, type WorkspaceId } from '../../../domain/index.js';
import type { Page, PageRequest, Place, Slice } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { amongOthers, outputsAtOnce, type ShownOutput, withOutputsRead } from './shown-output.js';

/** GET /state-versions/:id/outputs. */
export class ListStateOutputs {
  constructor(private readonly unitOfWork: UnitOfWork<'stateVersions' | 'stateOutputs'>) {}

  async execute(actor: Actor, id: StateVersionId, page: PageRequest): Promise<Page<ShownOutput>> {
    const found = await this.unitOfWork.read(async (tx) => {
      const seen = await tx.stateVersions.findFor(actor, id);
      return tx.stateOutputs.page(withOutputsRead(authorized(seen, 'state-version-outputs/read')).id, page);
    });
    return { ...found, items: found.items.map(amongOthers) };
  }
}

/**
 * GET /workspaces/:id/current-state-version-outputs, slice by slice: clients read this list without pagination. All
 * outputs belong to one state, even if another becomes current meanwhile.
 */
export class ListCurrentOutputs {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'stateVersions' | 'stateOutputs'>) {}

  /** Starts with the first output, or after a place. Empty while the workspace has no state. */
  execute(actor: Actor, workspaceId: WorkspaceId, after: Place | undefined): Promise<Slice<ShownOutput>> {
    return this.unitOfWork.read(async (tx) => {
      const id = authorized(await tx.workspaces.findIdFor(actor, workspaceId), 'state-version-outputs/read');
      const current = after === undefined ? await tx.stateVersions.current(id) : undefined;
      const versionId = after?.tie ?? (current && withOutputsRead(current).id);
      if (versionId === undefined) return { items: [], last: undefined };
      const { items, last } = await tx.stateOutputs.slice(versionId, after?.name, outputsAtOnce);
      return { items: items.map(amongOthers), last };
    });
  }
}
