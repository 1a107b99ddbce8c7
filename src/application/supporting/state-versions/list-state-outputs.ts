import {
  type Actor,
  authorized,
  may,
  type StateVersionId,
  type StateVersionOutputId,
  type WithStanding,
  type Workspace,
  type WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest, Place, Slice } from '../../ports/repositories/page.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { amongOthers, outputsAtOnce, type ShownOutput, withOutputsRead } from './shown-output.js';

type Stored = Transaction<'stateVersions' | 'stateOutputs'>;

/** A page with its first rows: all of them may be a hundred times the longest value. */
export interface PageOfOutputs extends Omit<Page<never>, 'items'> {
  readonly rows: Slice<ShownOutput>;
}

/** GET /state-versions/:id/outputs, a page slice by slice. */
export class ListStateOutputs {
  constructor(private readonly unitOfWork: UnitOfWork<'stateVersions' | 'stateOutputs'>) {}

  execute(actor: Actor, id: StateVersionId, page: PageRequest): Promise<PageOfOutputs> {
    return this.unitOfWork.read(async (tx) => {
      const versionId = await readable(tx, actor, id);
      const names = (await tx.stateOutputs.listed(versionId)).map(({ name }) => name);
      const start = (page.number - 1) * page.size;
      const rows = Math.max(0, Math.min(page.size, names.length - start));
      return { ...page, total: names.length, rows: await rowsAfter(tx, versionId, names[start - 1], rows) };
    });
  }

  /** The page's rows after a place. */
  after(actor: Actor, id: StateVersionId, { name, tie }: Place): Promise<Slice<ShownOutput>> {
    return this.unitOfWork.read(async (tx) => rowsAfter(tx, await readable(tx, actor, id), name, Number(tie)));
  }
}

async function readable(tx: Stored, actor: Actor, id: StateVersionId): Promise<StateVersionId> {
  return withOutputsRead(authorized(await tx.stateVersions.findFor(actor, id), 'state-version-outputs/read')).id;
}

/** Reads the first of `rows` rows. The place of the last one counts those that are left. */
async function rowsAfter(
  tx: Stored,
  id: StateVersionId,
  name: string | undefined,
  rows: number,
): Promise<Slice<ShownOutput>> {
  if (rows === 0) return { items: [], last: undefined };
  const { items, last } = await tx.stateOutputs.slice(id, name, { ...outputsAtOnce, rows });
  const left = rows - items.length;
  return {
    items: items.map(amongOthers),
    last: last !== undefined && left > 0 ? { name: last.name, tie: `${left}` } : undefined,
  };
}

/** The outputs of a workspace that are shown next to it. */
export interface OutputsBeside {
  readonly ids: readonly StateVersionOutputId[];
  /** The first of them. */
  readonly rows: Slice<ShownOutput>;
}

/**
 * GET /workspaces/:id/current-state-version-outputs, slice by slice: clients read this list without pagination. All
 * outputs belong to one state, even if another becomes current meanwhile.
 */
export class ListCurrentOutputs {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'stateVersions' | 'stateOutputs'>) {}

  /**
   * The ids of all outputs, and the first of them, for a caller who sees the workspace: empty without the right to read
   * outputs. `execute` returns the others.
   */
  async beside({ subject, standing }: WithStanding<Workspace>): Promise<OutputsBeside> {
    const none: OutputsBeside = { ids: [], rows: { items: [], last: undefined } };
    if (!may(standing, 'state-version-outputs/read')) return none;
    return this.unitOfWork.read(async (tx) => {
      const current = await tx.stateVersions.current(subject.id);
      if (current === undefined) return none;
      const { id } = withOutputsRead(current);
      const ids = (await tx.stateOutputs.listed(id)).map((output) => output.id);
      return { ids, rows: await sliceAfter(tx, id, undefined) };
    });
  }

  /** Starts with the first output, or after a place. Empty while the workspace has no state. */
  execute(actor: Actor, workspaceId: WorkspaceId, after: Place | undefined): Promise<Slice<ShownOutput>> {
    return this.unitOfWork.read(async (tx) => {
      const id = authorized(await tx.workspaces.findIdFor(actor, workspaceId), 'state-version-outputs/read');
      const current = after === undefined ? await tx.stateVersions.current(id) : undefined;
      const versionId = after?.tie ?? (current && withOutputsRead(current).id);
      if (versionId === undefined) return { items: [], last: undefined };
      return sliceAfter(tx, versionId, after?.name);
    });
  }
}

async function sliceAfter(tx: Stored, id: StateVersionId, name: string | undefined): Promise<Slice<ShownOutput>> {
  const { items, last } = await tx.stateOutputs.slice(id, name, outputsAtOnce);
  return { items: items.map(amongOthers), last };
}
