import {
  type Actor,
  type NotificationConfiguration,
  type NotificationConfigurationId,
  withDelivery,
} from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { checkVerified, type Deliveries } from './deliveries.js';
import { changeableConfiguration, placeOf, type SubjectRepositories } from './find-configuration.js';

/** POST /notification-configurations/:id/actions/verify: sends a test, whose answer is kept. */
export class VerifyNotificationConfiguration {
  constructor(
    private readonly unitOfWork: UnitOfWork<SubjectRepositories | 'notificationConfigurations' | 'audit'>,
    private readonly deliveries: Deliveries,
  ) {}

  /** Throws `notification/unverified` if the receiver did not take the test, and `notification/busy`. */
  async execute(actor: Actor, id: NotificationConfigurationId): Promise<NotificationConfiguration> {
    const { subject: receiver } = await this.unitOfWork.read((tx) => changeableConfiguration(tx, actor, id));
    const delivery = await this.deliveries.verify(receiver);
    const verified = await this.unitOfWork.run(async (tx) => {
      const { subject: current, done } = await changeableConfiguration(tx, actor, id);
      const next = revised(current, withDelivery(current, delivery.response));
      await tx.notificationConfigurations.save(next);
      // Otherwise the request is refused, and recorded as such.
      if (delivery.delivered) await tx.audit.add(done(id), placeOf(next));
      return next;
    });
    checkVerified(delivery);
    return verified;
  }
}
