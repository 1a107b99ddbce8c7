import {
  type Actor,
  authorized,
  notFound,
  type StateVersion,
  type StateVersionId,
  type StateVersionOutputId,
  type WorkspaceId,
} from '../../../domain/index.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { Place, Slice } from '../../ports/repositories/page.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { ListedStateVersion } from './list-state-versions.js';
import { amongOthers, outputsAtOnce, type ShownOutput, withOutputsRead } from './shown-output.js';
import { readingUrls } from './state-urls.js';

/** A state version by its id, or a workspace's current one. */
export type StateVersionReference = { readonly id: StateVersionId } | { readonly workspaceId: WorkspaceId };

export interface ShownStateVersion extends ListedStateVersion {
  readonly outputIds: readonly StateVersionOutputId[];
}

/** GET /state-versions/:id and GET /workspaces/:id/current-state-version. */
export class ShowStateVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'stateVersions' | 'stateOutputs'>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  async execute(actor: Actor, reference: StateVersionReference): Promise<ShownStateVersion> {
    const shown = await this.unitOfWork.read(async (tx) => {
      const version = await find(tx, actor, reference);
      const contents = (await tx.stateVersions.contentsOf([version.id], true)).get(version.id);
      const outputIds = (await tx.stateOutputs.listed(version.id)).map((output) => output.id);
      return { version, outputIds, contents };
    });
    return { ...shown, urls: readingUrls(this.urls, shown.version, this.clock.now()) };
  }

  /** Its outputs, slice by slice: from the first, or after a place. */
  outputs(actor: Actor, id: StateVersionId, after: Place | undefined): Promise<Slice<ShownOutput>> {
    return this.unitOfWork.read(async (tx) => {
      const version = withOutputsRead(await find(tx, actor, { id }));
      const { items, last } = await tx.stateOutputs.slice(version.id, after?.name, outputsAtOnce);
      return { items: items.map(amongOthers), last };
    });
  }
}

async function find(
  tx: Transaction<'workspaces' | 'stateVersions'>,
  actor: Actor,
  reference: StateVersionReference,
): Promise<StateVersion> {
  if ('id' in reference) return authorized(await tx.stateVersions.findFor(actor, reference.id), 'state-versions/read');
  const workspaceId = authorized(await tx.workspaces.findIdFor(actor, reference.workspaceId), 'state-versions/read');
  const current = await tx.stateVersions.current(workspaceId);
  if (current === undefined) throw notFound();
  return current;
}
