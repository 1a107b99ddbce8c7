import type { Actor, NotificationConfigurationId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { changeableConfiguration, placeOf, type SubjectRepositories } from './find-configuration.js';

/** DELETE /notification-configurations/:id. Notifications that wait are not sent any more. */
export class RemoveNotificationConfiguration {
  constructor(private readonly unitOfWork: UnitOfWork<SubjectRepositories | 'notificationConfigurations' | 'audit'>) {}

  execute(actor: Actor, id: NotificationConfigurationId): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: removed, done } = await changeableConfiguration(tx, actor, id);
      await tx.notificationConfigurations.remove(id);
      await tx.audit.add(done(id), placeOf(removed));
    });
  }
}
