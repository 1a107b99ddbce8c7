import {
  type Actor,
  checkNotification,
  checkToken,
  checkTriggers,
  type NotificationConfiguration,
  type NotificationConfigurationId,
  withDelivery,
} from '../../../domain/index.js';
import { invalidAttribute } from '../../../domain/shared/domain-error.js';
import { revised } from '../../../domain/shared/revision.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { sealedKey } from '../run-tasks/create-run-task.js';
import type { NotificationDraft } from './create-notification-configuration.js';
import { checkVerified, type Deliveries } from './deliveries.js';
import { changeableConfiguration, placeOf, type SubjectRepositories } from './find-configuration.js';
import { checkRecipients } from './recipients.js';

export type NotificationChange = Partial<NotificationDraft>;

type Needed = SubjectRepositories | 'memberships' | 'notificationConfigurations' | 'audit';

/**
 * PATCH /notification-configurations/:id: unnamed settings, and the token, keep their value. One that is enabled then is
 * changed only if its receiver takes a test.
 */
export class UpdateNotificationConfiguration {
  constructor(
    private readonly unitOfWork: UnitOfWork<Needed>,
    private readonly clock: Clock,
    private readonly box: SecretBox,
    private readonly deliveries: Deliveries,
  ) {}

  /** Throws `attribute/invalid`, and for an enabled one `notification/unverified` and `notification/busy`. */
  async execute(
    actor: Actor,
    id: NotificationConfigurationId,
    { token, triggers, ...settings }: NotificationChange,
  ): Promise<NotificationConfiguration> {
    const sealed = token === undefined ? undefined : sealedKey(this.box, token);
    const changed = (current: NotificationConfiguration): NotificationConfiguration => {
      const { destinationType = current.destinationType } = settings;
      if (destinationType !== current.destinationType) {
        throw invalidAttribute('destinationType', 'Destination type cannot be changed: create another configuration');
      }
      checkToken(destinationType, token);
      const next = checkNotification({
        ...current,
        ...settings,
        ...(triggers && { triggers: checkTriggers(current.subject.kind, triggers) }),
      });
      return { ...next, sealedToken: sealed === undefined ? current.sealedToken : sealed };
    };
    const planned = await this.unitOfWork.read(async (tx) =>
      changed((await changeableConfiguration(tx, actor, id)).subject),
    );
    const delivery = planned.enabled ? await this.deliveries.verify(planned) : undefined;
    if (delivery !== undefined) checkVerified(delivery);
    return this.unitOfWork.run(async (tx) => {
      const { subject: current, done } = await changeableConfiguration(tx, actor, id);
      if (settings.userIds !== undefined) await checkRecipients(tx, current.organizationId, settings.userIds);
      const next = revised(current, {
        ...changed(current),
        ...(delivery && withDelivery(current, delivery.response)),
        updatedAt: this.clock.now(),
      });
      await tx.notificationConfigurations.save(next);
      await tx.audit.add(done(id), placeOf(next));
      return next;
    });
  }
}
