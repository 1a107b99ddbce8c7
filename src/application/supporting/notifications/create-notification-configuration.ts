import {
  type Actor,
  checkNotification,
  checkNotificationCount,
  checkToken,
  type DeliveryResponse,
  type NotificationConfiguration,
  type NotificationSettings,
  type WorkspaceId,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { sealedKey } from '../run-tasks/create-run-task.js';
import { checkVerified, type Deliveries } from './deliveries.js';
import { checkRecipients } from './recipients.js';

/** A notification configuration as a request describes it. */
export interface NotificationDraft extends NotificationSettings {
  /** Signs notifications; null or empty for none. */
  readonly token: string | null;
}

type Needed = 'workspaces' | 'memberships' | 'notificationConfigurations' | 'audit';

/** POST /workspaces/:id/notification-configurations. An enabled one is kept only if its receiver takes a test. */
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
    workspaceId: WorkspaceId,
    { token, ...settings }: NotificationDraft,
  ): Promise<NotificationConfiguration> {
    const checked = () => {
      checkToken(settings.destinationType, token);
      return checkNotification(settings);
    };
    const draft = {
      ...settings,
      id: this.ids.next('notification-configuration'),
      sealedToken: sealedKey(this.box, token),
    };
    const verified: DeliveryResponse[] = [];
    if (settings.enabled) {
      const organizationId = await this.unitOfWork.read(async (tx) => {
        const { subject: workspace } = await this.admitted(tx, actor, workspaceId);
        checked();
        return workspace.organizationId;
      });
      const delivery = await this.deliveries.verify({ ...draft, organizationId });
      checkVerified(delivery);
      verified.push(delivery.response);
    }
    return this.unitOfWork.run(async (tx) => {
      const { subject: workspace, done } = await this.admitted(tx, actor, workspaceId);
      checked();
      await checkRecipients(tx, workspace.organizationId, settings.userIds);
      // Serializes with others of the workspace, so that the second one counts the first towards the limit.
      await tx.workspaces.lockRow(workspaceId);
      checkNotificationCount((await tx.notificationConfigurations.count(workspaceId)) + 1);
      const now = this.clock.now();
      const created: NotificationConfiguration = {
        ...draft,
        workspaceId,
        organizationId: workspace.organizationId,
        deliveries: verified,
        createdAt: now,
        updatedAt: now,
        revision: 0,
      };
      await tx.notificationConfigurations.add(created);
      await tx.audit.add(done(created.id), inWorkspace(workspace));
      return created;
    });
  }

  private async admitted(tx: Transaction<'workspaces'>, actor: Actor, workspaceId: WorkspaceId) {
    return changing(actor, await tx.workspaces.findFor(actor, workspaceId), 'notification-configurations/manage');
  }
}
