import {
  type Actor,
  authorized,
  type NotificationConfiguration,
  type NotificationConfigurationId,
} from '../../../domain/index.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /notification-configurations/:id. */
export class ShowNotificationConfiguration {
  constructor(private readonly unitOfWork: UnitOfWork<'notificationConfigurations'>) {}

  async execute(actor: Actor, id: NotificationConfigurationId): Promise<NotificationConfiguration> {
    const seen = await this.unitOfWork.read((tx) => tx.notificationConfigurations.findFor(actor, id));
    return authorized(seen, 'notification-configurations/manage');
  }
}
