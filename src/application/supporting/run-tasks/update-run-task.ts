import { type Actor, checkRunTask, type RunTask, type RunTaskId } from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type RunTaskDraft, sealedKey } from './create-run-task.js';

/** PATCH /tasks/:id: unnamed settings, and the key, keep their value. */
export class UpdateRunTask {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runTasks' | 'audit'>,
    private readonly box: SecretBox,
  ) {}

  /** Throws `attribute/invalid` for a malformed name or URL, and `attribute/taken`. */
  execute(actor: Actor, id: RunTaskId, { hmacKey, ...settings }: Partial<RunTaskDraft>): Promise<RunTask> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: task, done } = changing(actor, await tx.runTasks.findFor(actor, id), 'run-tasks/manage');
      const next = revised(task, {
        ...checkRunTask({ ...task, ...settings }),
        sealedHmacKey: hmacKey === undefined ? task.sealedHmacKey : sealedKey(this.box, hmacKey),
      });
      await tx.runTasks.save(next);
      await tx.audit.add(done(id), next);
      return next;
    });
  }
}
