import { type Actor, authorized, type Phase, type RunId, type RunState } from '../../../domain/index.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

export interface ShownPhase {
  readonly run: RunState;
  /** Absolute. Valid for a limited time, and for as long as the phase runs. */
  readonly logUrl: string;
}

/** GET /plans/:id and GET /applies/:id: the two phases of a run. */
export class ShowRunPhase {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs'>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  async execute(actor: Actor, id: RunId, phase: Phase): Promise<ShownPhase> {
    const { state } = authorized(await this.unitOfWork.read((tx) => tx.runs.findFor(actor, id)), 'runs/read');
    return this.of(state, phase);
  }

  /** A phase of a run that the caller may read. */
  of(run: RunState, phase: Phase): ShownPhase {
    return { run, logUrl: this.urls.issue(`${phase}-log`, run.id, this.clock.now()) };
  }
}
