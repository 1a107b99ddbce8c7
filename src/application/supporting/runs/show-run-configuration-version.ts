import {
  type Actor,
  authorized,
  type ConfigurationVersionId,
  type ConfigurationVersionState,
  notFound,
  type RunId,
} from '../../../domain/index.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** The version a run uses, if the caller may read the run. */
export async function versionOfRun(tx: Transaction<'runs'>, actor: Actor, id: RunId): Promise<ConfigurationVersionId> {
  return authorized(await tx.runs.findFor(actor, id), 'runs/read').state.configurationVersionId;
}

/** GET /runs/:id/configuration-version. */
export class ShowRunConfigurationVersion {
  constructor(private readonly unitOfWork: UnitOfWork<'configurationVersions' | 'runs'>) {}

  execute(actor: Actor, id: RunId): Promise<ConfigurationVersionState> {
    return this.unitOfWork.read(async (tx) => {
      const version = await tx.configurationVersions.find(await versionOfRun(tx, actor, id));
      if (!version?.readable) throw notFound();
      return version.state;
    });
  }
}
