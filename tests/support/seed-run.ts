import type { UnitOfWork } from '../../src/application/index.js';
import { Run, type RunState } from '../../src/domain/index.js';
import { aRun } from './builders.js';

/** A run as a test wants it. `createdBy` is the user's id. */
export type SeededRun = Pick<RunState, 'id' | 'workspaceId' | 'configurationVersionId' | 'status'> &
  Partial<Omit<RunState, 'createdBy' | 'sequence' | 'revision'>> & { readonly createdBy?: string | null };

/** Puts a run there in any status, or moves the one that is there to another, past every rule of its life. */
export async function seedRun(unitOfWork: UnitOfWork, { createdBy = null, ...given }: SeededRun): Promise<void> {
  const { id, workspaceId, configurationVersionId } = given;
  await unitOfWork.run(async (tx) => {
    const stored = await tx.runs.find(id);
    if (stored !== undefined) {
      return tx.runs.save(Run.restore({ ...stored.state, ...given, revision: stored.state.revision + 1 }));
    }
    const sequence = (await tx.runs.takeSequence(workspaceId)).sequence;
    const creator = createdBy === null ? null : ({ kind: 'user', id: createdBy } as const);
    const made = aRun({ id: workspaceId }, { id: configurationVersionId }, { ...given, sequence, createdBy: creator });
    return tx.runs.add(made);
  });
}
