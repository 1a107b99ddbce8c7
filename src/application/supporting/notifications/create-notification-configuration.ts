import {
  type Actor,
  checkNotification,
  checkNotificationCount,
  checkToken,
  checkTriggers,
  type DeliveryResponse,
  type NotificationConfiguration,
  type NotificationSettings,
  type NotificationSubject,
} from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { sealedKey } from '../run-tasks/create-run-task.js';
import { checkVerified, type Deliveries } from './deliveries.js';
import { changeableSubject, lockSubject, placeOf, type SubjectRepositories } from './find-configuration.js';
import { checkRecipients } from './recipients.js';

/** A notification configuration as a request describes it. */
export interface NotificationDraft extends Omit<NotificationSettings, 'triggers'> {
  /** Names that the subject may not have are refused. */
  readonly triggers: readonly string[];
  /** Signs notifications; null or empty for none. */
  readonly token: string | null;
}

type Needed = SubjectRepositories | 'rowLocks' | 'memberships' | 'notificationConfigurations' | 'audit';

/**
 * POST /workspaces/:id/notification-configurations, and the same of a project or team. An enabled one is kept only if its
 * receiver takes a test.
 */
export class CreateNotificationConfiguration {
  constructor(
    private readonly unitOfWork: UnitOfWork<Needed>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly box: SecretBox,
    private readonly deliveries: Deliveries,
  ) {}

  /** Throws `attribute/invalid`, and for an enabled one `notification/unverified` and `notification/busy`. */
  async execute(
    actor: Actor,
    subject: NotificationSubject,
    { token, ...given }: NotificationDraft,
  ): Promise<NotificationConfiguration> {
    const checked = (): NotificationSettings => {
      checkToken(given.destinationType, token);
      return checkNotification({ ...given, triggers: checkTriggers(subject.kind, given.triggers) });
    };
    const draft = {
      id: this.ids.next('notification-configuration'),
      sealedToken: sealedKey(this.box, token),
    };
    const verified: DeliveryResponse[] = [];
    if (given.enabled) {
      const receiver = await this.unitOfWork.read(async (tx) => {
        const { organizationId } = (await changeableSubject(tx, actor, subject)).subject;
        return { ...draft, ...checked(), organizationId };
      });
      const delivery = await this.deliveries.verify(receiver);
      checkVerified(delivery);
      verified.push(delivery.response);
    }
    return this.unitOfWork.run(async (tx) => {
      const { subject: place, done } = await changeableSubject(tx, actor, subject);
      const { organizationId } = place;
      const settings = checked();
      await checkRecipients(tx, organizationId, settings.userIds);
      // Serializes with others of the subject, so that the second one counts the first towards the limit.
      await lockSubject(tx, subject);
      checkNotificationCount(subject, (await tx.notificationConfigurations.count(subject)) + 1);
      const now = this.clock.now();
      const created: NotificationConfiguration = {
        ...draft,
        ...settings,
        subject,
        organizationId,
        deliveries: verified,
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      await tx.notificationConfigurations.add(created);
      await tx.audit.add(done(created.id), placeOf(created));
      return created;
    });
  }
}
