import { type Actor, checkRunTask, type RunTask, type RunTaskSettings } from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** A run task as a request describes it. */
export interface RunTaskDraft extends RunTaskSettings {
  /** Signs calls; null or empty for none. */
  readonly hmacKey: string | null;
}

/** The sealed key; null for none. */
export const sealedKey = (box: SecretBox, key: string | null): string | null => (key ? box.seal(key) : null);

/** POST /organizations/:name/tasks. */
export class CreateRunTask {
  constructor(
    private readonly unitOfWork: UnitOfWork<'organizations' | 'runTasks' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly box: SecretBox,
  ) {}

  /** Throws `attribute/invalid` for a malformed name or URL, and `attribute/taken`. */
  execute(actor: Actor, organizationName: string, { hmacKey, ...settings }: RunTaskDraft): Promise<RunTask> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: organization, done } = changing(
        actor,
        await tx.organizations.findFor(actor, organizationName),
        'run-tasks/manage',
      );
      const task: RunTask = {
        ...checkRunTask(settings),
        id: this.ids.next('run-task'),
        organizationId: organization.id,
        organizationName: organization.name,
        sealedHmacKey: sealedKey(this.box, hmacKey),
        workspaceTaskIds: [],
        createdAt: this.clock.now(),
        revision: 0,
      };
      await tx.runTasks.add(task);
      await tx.audit.add(done(task.id), task);
      return task;
    });
  }
}
