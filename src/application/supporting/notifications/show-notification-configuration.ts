import type { Actor, NotificationConfiguration, NotificationConfigurationId } from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { changeableConfiguration, type SubjectRepositories } from './find-configuration.js';

/** GET /notification-configurations/:id. */
export class ShowNotificationConfiguration {
  constructor(private readonly unitOfWork: UnitOfWork<SubjectRepositories | 'notificationConfigurations'>) {}

  execute(actor: Actor, id: NotificationConfigurationId): Promise<NotificationConfiguration> {
    return this.unitOfWork.read(async (tx) => (await changeableConfiguration(tx, actor, id)).subject);
  }
}
