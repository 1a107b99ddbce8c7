import type {
  AnnouncedState,
  ReportedOutput,
  StateOutput,
  StateVersion,
  StateVersionId,
} from '../../../domain/index.js';
import { OutputSelection } from '../../../domain/supporting/state-versions/state-output.js';
import {
  announceState,
  checkSuccession,
  isSameState,
} from '../../../domain/supporting/state-versions/state-version.js';
import { inTurns, longestSlice } from '../../files/in-slices.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { addOutputsOnce, keptInParts } from '../state-versions/state-outputs-reader.js';
import { type LeaseHolder, lockedLeasedRun, requireStatus } from './lease-holder.js';

export interface StateReport extends AnnouncedState {
  readonly outputs: Iterable<ReportedOutput>;
}

export interface StateAnnounced {
  readonly version: StateVersion;
  /** The number of outputs not stored because they exceed the limits. */
  readonly outputsLeftOut: number;
}

/**
 * POST /agent/v1/runs/:id/state-versions: announces the state an apply produced, which is hidden until its bytes are
 * uploaded. A run has at most one announcement; a new one replaces it.
 */
export class AnnounceState {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'stateVersions'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly secrets: SecretGenerator,
    private readonly box: SecretBox,
  ) {}

  /**
   * An identical repeated announcement returns the same result. Throws `lease/lost`, `run/transition-refused` unless
   * the run is being applied, and `agent-report/invalid` for a state that may not follow the workspace's current one.
   */
  async execute(holder: LeaseHolder, { outputs, ...announced }: StateReport): Promise<StateAnnounced> {
    const selection = new OutputSelection();
    for await (const output of inTurns(outputs, ({ value }) => value.length)) selection.add(output);
    const id = this.ids.next('state-version');
    const parts: (readonly StateOutput[])[] = [];
    for await (const part of keptInParts(selection.take(), id, this.ids, this.box)) parts.push(part);
    const version = await this.unitOfWork.run(async (tx) => {
      const run = await lockedLeasedRun(tx, this.secrets, holder);
      requireStatus(run, 'applying', 'state could not be written');
      const { id: runId, workspaceId, createdBy } = run.state;
      const current = await tx.stateVersions.current(workspaceId);
      const before = [current, await tx.stateVersions.pending(runId)].find((one) => one && isSameState(one, announced));
      if (before !== undefined) return before;
      checkSuccession(current, announced);
      const made = { id, workspaceId, runId, createdBy, createdAt: this.clock.now(), outputsRead: parts.length <= 1 };
      const version = announceState(made, announced);
      await tx.stateVersions.dropPending(runId);
      await tx.stateVersions.add(version, parts[0] ?? []);
      return version;
    });
    if (version.status === 'pending' && !version.outputsRead) await this.keepOutputs(version.id, parts);
    return { version, outputsLeftOut: selection.leftOut };
  }

  /**
   * Each part in a transaction of its own, as a single one would hold the event loop for too long. An attempt that ended
   * early is finished by the next one.
   */
  private async keepOutputs(stateVersionId: StateVersionId, parts: readonly (readonly StateOutput[])[]): Promise<void> {
    for await (const part of inTurns(parts, () => longestSlice)) {
      const outputs = part.map((output) => ({ ...output, stateVersionId }));
      await this.unitOfWork.run((tx) => addOutputsOnce(tx, stateVersionId, outputs, part === parts.at(-1)));
    }
  }
}
