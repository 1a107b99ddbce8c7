import { type Action, type Actor, type ArtifactName, authorized, type RunId } from '../../../domain/index.js';
import { openBundle } from '../../files/open-bundle.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

export type PlanJson = Exclude<ArtifactName, 'plan-file'>;

/** The right each requires: a plan contains every value it touches, unless it is redacted. */
const actionOf = {
  'plan-json': 'plans/read-json-output',
  'plan-json-redacted': 'runs/read',
} as const satisfies Readonly<Record<PlanJson, Action>>;

/** GET /plans/:id/json-output and …/json-output-redacted. */
export class ReadPlanJson {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs' | 'runArtifacts'>,
    private readonly store: BundleStore,
  ) {}

  /** Undefined if there is none. Throws `resource/not-found` if the bytes were discarded meanwhile. */
  async execute(actor: Actor, id: RunId, name: PlanJson): Promise<AsyncIterable<Uint8Array> | undefined> {
    const bundle = await this.unitOfWork.read(async (tx) => {
      authorized(await tx.runs.findFor(actor, id), actionOf[name]);
      return tx.runArtifacts.find(id, name);
    });
    return bundle && openBundle(this.store, bundle);
  }
}
