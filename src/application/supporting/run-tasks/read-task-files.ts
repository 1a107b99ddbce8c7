import type { Bundle } from '../../../domain/index.js';
import { openBundle } from '../../files/open-bundle.js';
import type { BundleStore } from '../../ports/outside/bundle-store.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { resultOfToken, type TaskCaller } from './report-task-result.js';

export type TaskFile = 'plan-json' | 'configuration';

type Needed = 'taskResults' | 'runs' | 'runArtifacts' | 'configurationVersions';

/** GET /v1/task-results/:id/plan-json and …/configuration: all that a callback token reads. */
export class ReadTaskFiles {
  constructor(
    private readonly unitOfWork: UnitOfWork<Needed>,
    private readonly secrets: SecretGenerator,
    private readonly store: BundleStore,
  ) {}

  /** Throws as `resultOfToken` does, and `resource/not-found` for a file that does not exist or was discarded. */
  async execute(caller: TaskCaller, file: TaskFile): Promise<AsyncIterable<Uint8Array>> {
    const bundle = await this.unitOfWork.read(async (tx) => {
      const { runId } = await resultOfToken(tx, this.secrets, caller);
      return file === 'plan-json' ? tx.runArtifacts.find(runId, 'plan-json-redacted') : configurationOf(tx, runId);
    });
    return openBundle(this.store, bundle);
  }
}

/** The files of the run: its own, if they were fetched again for it. */
async function configurationOf(
  tx: Transaction<Needed>,
  runId: string,
): Promise<Pick<Bundle, 'key' | 'bytes'> | null | undefined> {
  const run = (await tx.runs.find(runId))?.state;
  if (run?.ownFiles) return run.ownFiles;
  const version = run && (await tx.configurationVersions.find(run.configurationVersionId));
  return version?.downloadable ? version.state.bundle : undefined;
}
