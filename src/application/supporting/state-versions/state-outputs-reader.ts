import type { ReportedOutput, StateOutput, StateVersion, StateVersionId } from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import { afterActivity } from '../../../domain/supporting/workspaces/auto-destroy.js';
import { inTurns, longestSlice } from '../../files/in-slices.js';
import { openBundle } from '../../files/open-bundle.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import { partsWithin } from '../../ports/repositories/page.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { outputsAtOnce } from './shown-output.js';
import { scanState } from './state-scanner.js';

/** Reads what is shown of a state from its bytes, after it has become the current one. Agents report its outputs themselves. */
export class StateOutputsReader {
  constructor(
    private readonly unitOfWork: UnitOfWork<'stateVersions'>,
    private readonly ids: IdGenerator,
    private readonly box: SecretBox,
    private readonly store: BundleStore,
  ) {}

  /**
   * Returns the work that keeps them; undefined where there is nothing to read any more. If they are many, most are
   * kept before that, in transactions of their own: a single one would hold the event loop for too long.
   */
  async read(
    id: StateVersionId,
  ): Promise<((tx: Transaction<'stateVersions' | 'workspaces'>) => Promise<void>) | undefined> {
    const version = await this.unitOfWork.read((tx) => tx.stateVersions.find(id));
    if (version === undefined || version.bundle === null) return undefined;
    const partsOf = (outputs: readonly ReportedOutput[]) => keptInParts(outputs, id, this.ids, this.box);
    const keep = (part: readonly StateOutput[]) => this.unitOfWork.run((tx) => addOutputsOnce(tx, id, part));
    const bytes = await openBundle(this.store, version.bundle);
    const scanned = await scanState(
      bytes,
      version.outputsRead
        ? undefined
        : async (outputs) => {
            for await (const part of partsOf(outputs)) await keep(part);
          },
    );
    let last: readonly StateOutput[] = [];
    for await (const part of partsOf(scanned.outputs)) {
      if (last.length > 0) await keep(last);
      last = part;
    }
    return async (tx) => {
      const now = await tx.stateVersions.find(id);
      if (now === undefined) return;
      if (!now.outputsRead) await tx.stateVersions.keepOutputs(id, last);
      await tx.stateVersions.keepContents(id, scanned.contents);
      if (now.unreadReason !== null) await tx.stateVersions.markUnread(id, null);
      await this.postponeDestruction(tx, now, scanned.contents.resourceCount > 0);
    };
  }

  /** Records that it is not read. */
  async abandon(tx: Transaction<'stateVersions' | 'audit'>, id: StateVersionId, reason: string): Promise<void> {
    const version = await tx.stateVersions.find(id);
    if (version === undefined) return;
    await tx.stateVersions.markUnread(id, reason);
    await tx.audit.add(doneBySystem('state-versions/fail', id), version);
  }

  /** A new state is the activity after which a workspace's activity duration counts. */
  private async postponeDestruction(
    tx: Transaction<'stateVersions' | 'workspaces'>,
    { id, workspaceId, createdAt }: StateVersion,
    hasResources: boolean,
  ): Promise<void> {
    const scheduled = async () => {
      const workspace = await tx.workspaces.find(workspaceId);
      return workspace?.autoDestroy?.activityDuration ? workspace : undefined;
    };
    if ((await scheduled()) === undefined) return;
    await tx.workspaces.lockRow(workspaceId);
    const [workspace, current] = [await scheduled(), await tx.stateVersions.current(workspaceId)];
    if (workspace?.autoDestroy == null || current?.id !== id) return;
    const autoDestroy = afterActivity(workspace.autoDestroy, createdAt, hasResources);
    await tx.workspaces.save(revised(workspace, { autoDestroy }));
  }
}

/** Does nothing once another attempt has added them all, or the state is gone. */
export async function addOutputsOnce(
  tx: Transaction<'stateVersions'>,
  id: StateVersionId,
  outputs: readonly StateOutput[],
  areLast = false,
): Promise<void> {
  const version = await tx.stateVersions.find(id);
  if (version?.outputsRead !== false) return;
  await (areLast ? tx.stateVersions.keepOutputs(id, outputs) : tx.stateVersions.addOutputs(id, outputs));
}

/** Outputs as they are kept, in parts that are inserted at once: the values of sensitive ones are sealed. */
export async function* keptInParts(
  outputs: readonly ReportedOutput[],
  stateVersionId: StateVersionId,
  ids: IdGenerator,
  box: SecretBox,
): AsyncGenerator<readonly StateOutput[]> {
  const sized = outputs.map((output) => ({ output, size: output.value.length + output.type.length }));
  for await (const part of inTurns(partsWithin(sized, outputsAtOnce), () => longestSlice)) {
    yield part.map(({ output: { name, type, value, sensitive } }) => {
      const given = { id: ids.next('state-version-output'), stateVersionId, name, type, sensitive };
      return { ...given, value: sensitive ? box.seal(value) : value };
    });
  }
}
