import type { AnnouncedState, ReportedOutput, StateOutput, StateVersion } from '../../../domain/index.js';
import { OutputSelection } from '../../../domain/supporting/state-versions/state-output.js';
import {
  announceState,
  checkSuccession,
  isSameState,
} from '../../../domain/supporting/state-versions/state-version.js';
import { inTurns } from '../../files/in-slices.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { keptInParts } from '../state-versions/state-outputs-reader.js';
import { type LeaseHolder, lockedLeasedRun, refuseUnless } from './lease-holder.js';

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
    const kept: StateOutput[] = [];
    for await (const part of keptInParts(selection.take(), id, this.ids, this.box)) kept.push(...part);
    const version = await this.unitOfWork.run(async (tx) => {
      const run = await lockedLeasedRun(tx, this.secrets, holder);
      refuseUnless(run, 'applying', 'state could not be written');
      const { id: runId, workspaceId, createdBy } = run.state;
      const current = await tx.stateVersions.current(workspaceId);
      const before = [current, await tx.stateVersions.pending(runId)].find((one) => one && isSameState(one, announced));
      if (before !== undefined) return before;
      checkSuccession(current, announced);
      const version = announceState({ id, workspaceId, runId, createdBy, createdAt: this.clock.now() }, announced);
      await tx.stateVersions.dropPending(runId);
      await tx.stateVersions.add(version, kept);
      return version;
    });
    return { version, outputsLeftOut: selection.leftOut };
  }
}
