import type { StateOutput, StateVersion, StateVersionId } from '../../../domain/index.js';
import { doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import { fittingOutputs, valueToText } from '../../../domain/supporting/state-versions/state-output.js';
import { afterActivity } from '../../../domain/supporting/workspaces/auto-destroy.js';
import { ContentsScanner } from '../../files/contents-in-state.js';
import { openBundle } from '../../files/open-bundle.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { OutputScanner } from './outputs-in-state.js';

/** Reads what is shown of a state from its bytes, after it has become the current one. Agents report its outputs themselves. */
export class StateOutputsReader {
  constructor(
    private readonly unitOfWork: UnitOfWork<'stateVersions'>,
    private readonly ids: IdGenerator,
    private readonly box: SecretBox,
    private readonly store: BundleStore,
  ) {}

  /** Returns the work that keeps them; undefined where there is nothing to read any more. */
  async read(
    id: StateVersionId,
  ): Promise<((tx: Transaction<'stateVersions' | 'workspaces'>) => Promise<void>) | undefined> {
    const version = await this.unitOfWork.read((tx) => tx.stateVersions.find(id));
    if (version === undefined) return undefined;
    const [outputScanner, contentsScanner] = [new OutputScanner(), new ContentsScanner()];
    for await (const chunk of await openBundle(this.store, version.bundle)) {
      if (!version.outputsRead) outputScanner.take(chunk);
      contentsScanner.take(chunk);
    }
    const found = fittingOutputs(outputScanner.found);
    const outputs = found.map((output) => reportedToKept(output, id, this.ids, this.box));
    return async (tx) => {
      const now = await tx.stateVersions.find(id);
      if (now === undefined) return;
      if (!now.outputsRead) await tx.stateVersions.keepOutputs(id, outputs);
      await tx.stateVersions.keepContents(id, contentsScanner.contents);
      if (now.unreadBecause !== null) await tx.stateVersions.markUnread(id, null);
      await this.postponeDestruction(tx, now, contentsScanner.contents.resourceCount > 0);
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
    await tx.workspaces.save({ ...workspace, autoDestroy, revision: workspace.revision + 1 });
  }
}

/** An output as it is kept: the value of a sensitive one is sealed. */
export function reportedToKept(
  { name, type, value, sensitive }: ReturnType<typeof fittingOutputs>[number],
  stateVersionId: StateVersionId,
  ids: IdGenerator,
  box: SecretBox,
): StateOutput {
  const text = valueToText(value);
  const given = { id: ids.next('state-version-output'), stateVersionId, name, type, sensitive };
  return { ...given, value: sensitive ? box.seal(text) : text };
}
